#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/calendar.hpp"
#include "base/fixed_math.hpp"
#include "generate/samplers.hpp"
#include "mosim/generate.hpp"

namespace mosim {
namespace {

constexpr double kHour_s = 3600;
constexpr double kDay_s = 24 * kHour_s;
constexpr double kWeek_s = 7 * kDay_s;

// Seconds from Monday 00:00 to time 0 of the trace; 0 for a trace without a calendar.
double week_start_of(const Trace& trace) {
  if (!trace.epoch_s) return 0;
  const double epoch_s = *trace.epoch_s;
  return weekday_of(epoch_s) * kDay_s + epoch_s - std::floor(epoch_s / kDay_s) * kDay_s;
}

// Submissions per second in each of `buckets` hours that repeat: those counted over the time that
// the trace spent there.
std::vector<double> hourly_rates(const Trace& trace, double start_s, std::size_t buckets) {
  const double first = start_s + trace.jobs.front().submit_s;
  const double last = start_s + trace.jobs.back().submit_s;
  const auto bucket_of = [&](double time) {
    return static_cast<std::size_t>(std::floor(time / kHour_s)) % buckets;
  };
  std::vector<double> counts(buckets, 0);
  std::vector<double> watched_s(buckets, 0);
  for (const TraceJob& job : trace.jobs) ++counts[bucket_of(start_s + job.submit_s)];
  for (double hour = std::floor(first / kHour_s); hour * kHour_s < last; ++hour) {
    const double from = std::max(first, hour * kHour_s);
    watched_s[bucket_of(hour * kHour_s)] += std::min(last, (hour + 1) * kHour_s) - from;
  }
  std::vector<double> rates(buckets, 0);
  for (std::size_t i = 0; i < buckets; ++i) {
    if (watched_s[i] > 0) rates[i] = counts[i] / watched_s[i];
  }
  return rates;
}

double variation_of(const std::vector<double>& gaps) {
  double sum = 0;
  double squares = 0;
  for (const double gap : gaps) sum += gap;
  const double mean = sum / static_cast<double>(gaps.size());
  for (const double gap : gaps) squares += (gap - mean) * (gap - mean);
  return std::sqrt(squares / static_cast<double>(gaps.size())) / mean;
}

// Gaps between submissions, on a clock of the caller's.
template <typename Clock>
std::vector<double> gaps_of(const Trace& trace, Clock&& clock) {
  std::vector<double> gaps;
  gaps.reserve(trace.jobs.size());
  for (std::size_t job = 1; job < trace.jobs.size(); ++job) {
    gaps.push_back(clock(trace.jobs[job].submit_s) - clock(trace.jobs[job - 1].submit_s));
  }
  return gaps;
}

// To four decimals.
double rounded(double value) { return std::floor(value * 1e4 + 0.5) / 1e4; }

ArrivalSpec fit_arrivals(const Trace& trace) {
  if (trace.jobs.size() < 2 || trace.jobs.front().submit_s == trace.jobs.back().submit_s) {
    throw InputError({trace.file, {}}, "has no two times of submission", "a trace with a rate");
  }
  ArrivalSpec arrivals;
  const double span_s = trace.jobs.back().submit_s - trace.jobs.front().submit_s;
  arrivals.start_s = week_start_of(trace);
  arrivals.rate_per_s = static_cast<double>(trace.jobs.size() - 1) / span_s;
  if (span_s >= kDay_s) {
    const std::size_t buckets = span_s >= kWeek_s ? kWeekHours : 24;
    const std::vector<double> rates = hourly_rates(trace, arrivals.start_s, buckets);
    double mean = 0;
    for (const double rate : rates) mean += rate / static_cast<double>(buckets);
    for (std::size_t hour = 0; hour < kWeekHours; ++hour) {
      arrivals.week.push_back(rounded(rates[hour % buckets] / mean));
    }
    arrivals.rate_per_s = mean;
  }
  const WeekClock clock(arrivals);
  const double variation =
      variation_of(gaps_of(trace, [&](double time) { return clock.expected_until(time); }));
  arrivals.variation = std::clamp(variation, 1.0, 1000.0);
  return arrivals;
}

std::vector<double> durations_of(const Trace& trace) {
  std::vector<double> durations;
  durations.reserve(trace.jobs.size());
  for (const TraceJob& job : trace.jobs) {
    if (job.duration_known) durations.push_back(job.duration_s);
  }
  if (durations.size() < 2) {
    throw InputError({trace.file, {}}, "has fewer than two jobs with a known duration",
                     "a trace with durations");
  }
  std::sort(durations.begin(), durations.end());
  return durations;
}

// The value below which `percent` of the sorted values lie, interpolated between neighbours.
double percentile_of(const std::vector<double>& sorted, double percent) {
  const double rank = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(rank);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (rank - static_cast<double>(low));
}

DurationSpec fit_percentiles(const std::vector<double>& sorted) {
  DurationSpec spec;
  spec.law = DurationLaw::empirical;
  spec.min_s = 0;
  const auto add = [&](double percent) {
    spec.percentiles.push_back({percent, to_milliseconds(percentile_of(sorted, percent))});
  };
  for (int percent = 0; percent < 100; ++percent) add(percent);
  for (const double percent : {99.5, 99.9, 99.99, 100.0}) add(percent);
  return spec;
}

DurationSpec fit_log_normal(const std::vector<double>& sorted) {
  std::vector<double> logs;
  double sum = 0;
  double squares = 0;
  for (const double duration : sorted) {
    if (duration > 0) sum += logs.emplace_back(fixed_log(duration));
  }
  DurationSpec spec;
  spec.law = DurationLaw::log_normal;
  if (logs.empty()) return spec;
  const auto count = static_cast<double>(logs.size());
  const double mean = sum / count;
  for (const double value : logs) squares += (value - mean) * (value - mean);
  spec.value_s = std::max(to_milliseconds(fixed_exp(mean)), 0.001);
  spec.shape = rounded(std::sqrt(squares / count));
  spec.min_s = std::max(sorted[sorted.size() - logs.size()], 0.001);
  spec.max_s = std::max(sorted.back(), spec.min_s);
  return spec;
}

// The largest gap between the law without its limits and the durations, zeros included.
double log_normal_distance(const DurationSpec& law, const std::vector<double>& sorted) {
  const auto count = static_cast<double>(sorted.size());
  double largest = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    double below = 0;
    if (sorted[i] > 0 && law.shape > 0) {
      const double deviate = (fixed_log(sorted[i]) - fixed_log(law.value_s)) / law.shape;
      below = std::erfc(-deviate / std::sqrt(2.0)) / 2;
    }
    const auto rank = static_cast<double>(i);
    largest = std::max({largest, (rank + 1) / count - below, below - rank / count});
  }
  return largest;
}

std::vector<WeightedCount> fit_gpus(const Trace& trace) {
  std::map<std::uint32_t, double> counts;
  for (const TraceJob& job : trace.jobs) ++counts[static_cast<std::uint32_t>(job.gpus())];
  std::vector<WeightedCount> gpus;
  gpus.reserve(counts.size());
  for (const auto& [count, jobs] : counts) gpus.push_back({count, jobs});
  return gpus;
}

}  // namespace

TraceFit fit(const Trace& trace) {
  TraceFit found;
  found.trace = trace.file;
  found.jobs = trace.jobs.size();
  found.spec.jobs = trace.jobs.size();
  found.spec.arrivals = fit_arrivals(trace);
  found.spec.gpus = fit_gpus(trace);
  found.span_s = trace.jobs.back().submit_s - trace.jobs.front().submit_s;
  found.gap_variation = variation_of(gaps_of(trace, [](double time) { return time; }));
  const std::vector<double> durations = durations_of(trace);
  found.spec.durations = fit_percentiles(durations);
  found.log_normal = fit_log_normal(durations);
  found.log_normal_distance = log_normal_distance(found.log_normal, durations);
  return found;
}

GeneratorSpec like(const Trace& trace) {
  GeneratorSpec spec;
  spec.jobs = trace.jobs.size();
  spec.arrivals = fit_arrivals(trace);
  spec.arrivals.variation = 1;
  spec.population = trace.jobs;
  // That was another cluster's answer.
  for (TraceJob& job : spec.population) job.start_s.reset();
  std::erase_if(spec.population, [](const TraceJob& job) { return !job.duration_known; });
  if (spec.population.empty()) {
    throw InputError({trace.file, {}}, "has no job with a known duration",
                     "a trace with durations");
  }
  return spec;
}

std::string describe_fit(const TraceFit& fit) {
  const GeneratorSpec& spec = fit.spec;
  std::string text =
      fmt::format("{}: {} jobs over {:.1f} days\n", fit.trace, fit.jobs, fit.span_s / kDay_s);
  text +=
      fmt::format("arrivals: {:.6g}/s ({:.4g}/h); variation of the gaps {:.2f}",
                  spec.arrivals.rate_per_s, spec.arrivals.rate_per_s * kHour_s, fit.gap_variation);
  if (!spec.arrivals.week.empty()) {
    const auto [low, high] =
        std::minmax_element(spec.arrivals.week.begin(), spec.arrivals.week.end());
    text += fmt::format(
        ", {:.2f} when the rate of each hour is taken out; hours {:.2f} to {:.2f} "
        "of the mean",
        spec.arrivals.variation, *low, *high);
  }
  text += "\ngpus:";
  for (const WeightedCount& one : spec.gpus) {
    text +=
        fmt::format(" {} ({:.2f} %)", one.count, 100 * one.weight / static_cast<double>(fit.jobs));
  }
  const auto& points = spec.durations.percentiles;
  text += fmt::format("\ndurations: 1/10/50/90/99 % at {:.6g}/{:.6g}/{:.6g}/{:.6g}/{:.6g} s\n",
                      points[1].value_s, points[10].value_s, points[50].value_s, points[90].value_s,
                      points[99].value_s);
  text += fmt::format("log-normal: median {:.6g} s, sigma {:.4g}; KS distance {:.3f}\n",
                      fit.log_normal.value_s, fit.log_normal.shape, fit.log_normal_distance);
  return text;
}

}  // namespace mosim
