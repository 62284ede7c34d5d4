#include "mosim/trace_stats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "base/calendar.hpp"
#include "mosim/metrics.hpp"

namespace mosim {
namespace {

constexpr double kHour_s = 3600;
constexpr double kDay_s = 24 * kHour_s;

constexpr std::array kBounds_s = {
    1.,      3.,          10.,          30.,    60.,        180.,        600.,        1800.,
    kHour_s, 3 * kHour_s, 10 * kHour_s, kDay_s, 3 * kDay_s, 10 * kDay_s, 30 * kDay_s, 100 * kDay_s};

// A Monday, 00:00: where the week of a trace without calendar times begins.
constexpr double kMonday_s = 4 * kDay_s;

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

double gpu_hours_of(const TraceJob& job) {
  if (!job.duration_known) return 0;
  return job.duration_s * static_cast<double>(job.gpus()) * job.gpu_share / kHour_s;
}

SampleStats sample_of(std::vector<double> values) {
  SampleStats stats;
  if (values.empty()) return stats;
  std::sort(values.begin(), values.end());
  const auto at = [&](double p) { return percentile_of_sorted(values, p); };
  stats.count = values.size();
  stats.min = values.front();
  stats.p5 = at(5);
  stats.p25 = at(25);
  stats.median = at(50);
  stats.p75 = at(75);
  stats.p90 = at(90);
  stats.p95 = at(95);
  stats.p99 = at(99);
  stats.max = values.back();
  stats.mean = mean(values);
  return stats;
}

TimeStats times_of(std::vector<double> values) {
  TimeStats stats;
  stats.histogram.push_back({0, kBounds_s.front()});
  for (std::size_t bound = 1; bound < kBounds_s.size(); ++bound) {
    stats.histogram.push_back({kBounds_s[bound - 1], kBounds_s[bound]});
  }
  stats.histogram.push_back({kBounds_s.back(), std::nullopt});
  for (const double value : values) {
    const auto above = std::upper_bound(kBounds_s.begin(), kBounds_s.end(), value);
    ++stats.histogram[static_cast<std::size_t>(above - kBounds_s.begin())].jobs;
  }
  stats.sample = sample_of(std::move(values));
  return stats;
}

// The sum over a part of the jobs; shares come when the whole is known.
struct Tally {
  std::uint64_t jobs = 0;
  double gpu_hours = 0;

  void add(const TraceJob& job) {
    ++jobs;
    gpu_hours += gpu_hours_of(job);
  }

  [[nodiscard]] JobGroup group(std::string name, const TraceStats& whole) const {
    return {std::move(name), jobs,
            share(static_cast<double>(jobs), static_cast<double>(whole.jobs)), gpu_hours,
            share(gpu_hours, whole.gpu_hours)};
  }
};

// The jobs by what they have in `field`. Empty when none has anything.
std::vector<JobGroup> groups_by(const Trace& trace, std::string TraceJob::* field,
                                const TraceStats& whole) {
  std::unordered_map<std::string_view, Tally> tallies;
  for (const TraceJob& job : trace.jobs) tallies[job.*field].add(job);
  std::vector<JobGroup> groups;
  if (tallies.size() == 1 && tallies.begin()->first.empty()) return groups;
  groups.reserve(tallies.size());
  for (const auto& [name, tally] : tallies) groups.push_back(tally.group(std::string(name), whole));
  std::sort(groups.begin(), groups.end(), [](const JobGroup& a, const JobGroup& b) {
    return std::tie(b.gpu_hours, b.jobs, a.name) < std::tie(a.gpu_hours, a.jobs, b.name);
  });
  return groups;
}

void add_users(const Trace& trace, TraceStats& stats) {
  stats.top_users = groups_by(trace, &TraceJob::user, stats);
  std::erase_if(stats.top_users, [](const JobGroup& user) { return user.name.empty(); });
  stats.users = stats.top_users.size();
  stats.top_users.resize(std::min(stats.top_users.size(), kTopUsers));
}

void add_statuses(const Trace& trace, TraceStats& stats) {
  std::array<Tally, kJobStatuses> tallies{};
  for (const TraceJob& job : trace.jobs) tallies[static_cast<std::size_t>(job.status)].add(job);
  for (std::size_t status = 0; status < kJobStatuses; ++status) {
    if (tallies[status].jobs == 0) continue;
    std::string name(status_name(static_cast<JobStatus>(status)));
    stats.statuses.push_back(tallies[status].group(std::move(name), stats));
  }
}

void add_gpu_counts(const Trace& trace, TraceStats& stats) {
  std::map<std::uint64_t, Tally> tallies;
  std::vector<double> gpus;
  gpus.reserve(trace.jobs.size());
  std::uint64_t up_to_8 = 0;
  for (const TraceJob& job : trace.jobs) {
    tallies[std::bit_ceil(job.gpus())].add(job);
    gpus.push_back(static_cast<double>(job.gpus()));
    up_to_8 += job.gpus() <= 8 ? 1 : 0;
  }
  for (const auto& [most, tally] : tallies) {
    const std::uint64_t fewest = most / 2 + 1;
    std::string name = fewest == most ? fmt::to_string(most) : fmt::format("{}-{}", fewest, most);
    stats.gpu_counts.push_back({fewest, most, tally.group(std::move(name), stats)});
  }
  stats.job_gpus = sample_of(std::move(gpus));
  stats.share_up_to_8_gpus = share(static_cast<double>(up_to_8), static_cast<double>(stats.jobs));
}

// Times of jobs, and when the last of them ends.
void add_times(const Trace& trace, TraceStats& stats) {
  std::vector<double> durations;
  std::vector<double> delays;
  stats.last_end_s = stats.first_submit_s;
  for (const TraceJob& job : trace.jobs) {
    if (job.start_s) delays.push_back(*job.start_s - job.submit_s);
    if (!job.duration_known) continue;
    durations.push_back(job.duration_s);
    stats.last_end_s =
        std::max(stats.last_end_s, job.start_s.value_or(job.submit_s) + job.duration_s);
  }
  stats.unknown_duration = stats.jobs - durations.size();
  stats.duration = times_of(std::move(durations));
  stats.queueing_delay = times_of(std::move(delays));
}

// Counts the hours from that of `first_s` to that of `last_s`, both included: whole weeks at once,
// then what is left, so that absurdly long traces take no longer.
void count_hours(double first_s, double last_s, ArrivalStats& arrivals) {
  constexpr std::uint64_t kWeek = 168;  // hours
  const double first = std::floor(first_s / kHour_s);
  const auto hours = static_cast<std::uint64_t>(std::floor(last_s / kHour_s) - first) + 1;
  for (std::uint64_t hour = 0; hour < std::min(hours, kWeek); ++hour) {
    const std::uint64_t times = hours / kWeek + (hour < hours % kWeek ? 1 : 0);
    const double at = (first + static_cast<double>(hour)) * kHour_s;
    arrivals.by_hour[static_cast<std::size_t>(hour_of(at))].hours += times;
    arrivals.by_weekday[static_cast<std::size_t>(weekday_of(at))].hours += times;
  }
}

void add_gaps(const Trace& trace, ArrivalStats& arrivals) {
  if (trace.jobs.size() < 2) return;
  const auto gaps = static_cast<double>(trace.jobs.size() - 1);
  const double mean_gap = (trace.jobs.back().submit_s - trace.jobs.front().submit_s) / gaps;
  if (mean_gap <= 0) return;
  double squares = 0;
  for (std::size_t job = 1; job < trace.jobs.size(); ++job) {
    const double gap = trace.jobs[job].submit_s - trace.jobs[job - 1].submit_s;
    squares += (gap - mean_gap) * (gap - mean_gap);
  }
  arrivals.mean_gap_s = mean_gap;
  arrivals.gap_variation = std::sqrt(squares / gaps) / mean_gap;
  arrivals.per_hour = kHour_s / mean_gap;
}

void add_arrivals(const Trace& trace, TraceStats& stats) {
  ArrivalStats& arrivals = stats.arrivals;
  add_gaps(trace, arrivals);
  arrivals.calendar = trace.epoch_s.has_value();
  const double base = trace.epoch_s.value_or(kMonday_s);
  for (const TraceJob& job : trace.jobs) {
    const double at = base + job.submit_s;
    ++arrivals.by_hour[static_cast<std::size_t>(hour_of(at))].jobs;
    ++arrivals.by_weekday[static_cast<std::size_t>(weekday_of(at))].jobs;
  }
  count_hours(base + stats.first_submit_s, base + stats.last_submit_s, arrivals);
}

// GPUs in use over time, were there enough of them: what ends at a time gives back its GPUs before
// another takes some.
void add_peak(const Trace& trace, TraceStats& stats) {
  struct End {
    double time_s;
    double gpus;
  };
  const auto uses = [](const TraceJob& job) {
    return static_cast<double>(job.gpus()) * job.gpu_share;
  };
  const auto runs = [](const TraceJob& job) { return job.duration_known && job.duration_s > 0; };
  std::vector<End> ends;
  ends.reserve(trace.jobs.size());
  for (const TraceJob& job : trace.jobs) {
    if (runs(job)) ends.push_back({job.submit_s + job.duration_s, uses(job)});
  }
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
    return std::tie(a.time_s, a.gpus) < std::tie(b.time_s, b.gpus);
  });
  double in_use = 0;
  std::size_t next = 0;
  for (const TraceJob& job : trace.jobs) {
    if (!runs(job)) continue;
    for (; next < ends.size() && ends[next].time_s <= job.submit_s; ++next) {
      in_use -= ends[next].gpus;
    }
    in_use += uses(job);
    if (in_use <= stats.peak_gpus) continue;
    stats.peak_gpus = in_use;
    stats.peak_at_s = job.submit_s;
  }
}

OfferedLoad load_on(const ClusterSpec& cluster, const TraceStats& stats) {
  OfferedLoad offered;
  offered.servers = cluster.servers();
  offered.gpus = cluster.gpus();
  const auto gpus = static_cast<double>(offered.gpus);
  const double hours = (stats.last_submit_s - stats.first_submit_s) / kHour_s;
  if (hours > 0 && gpus > 0) offered.load = stats.gpu_hours / hours / gpus;
  offered.peak = share(stats.peak_gpus, gpus);
  return offered;
}

}  // namespace

std::string ArrivalStats::day_name(std::size_t day) const {
  constexpr std::array kWeekdays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                    "Friday", "Saturday", "Sunday"};
  return calendar ? kWeekdays[day] : fmt::format("day {}", day + 1);
}

TraceStats trace_stats(const Trace& trace, const ClusterSpec* cluster) {
  TraceStats stats;
  stats.file = trace.file;
  stats.format = trace.format;
  stats.epoch_s = trace.epoch_s;
  stats.account = trace.account;
  stats.jobs = trace.jobs.size();
  if (trace.jobs.empty()) return stats;
  for (const TraceJob& job : trace.jobs) {
    stats.gpus += job.gpus();
    stats.gpu_hours += gpu_hours_of(job);
  }
  stats.first_submit_s = trace.jobs.front().submit_s;
  stats.last_submit_s = trace.jobs.back().submit_s;
  add_times(trace, stats);
  add_arrivals(trace, stats);
  add_gpu_counts(trace, stats);
  add_statuses(trace, stats);
  stats.virtual_clusters = groups_by(trace, &TraceJob::virtual_cluster, stats);
  stats.models = groups_by(trace, &TraceJob::model, stats);
  add_users(trace, stats);
  add_peak(trace, stats);
  if (cluster != nullptr) stats.load = load_on(*cluster, stats);
  return stats;
}

}  // namespace mosim
