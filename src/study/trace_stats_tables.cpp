// What a trace is like, for people: tables on a terminal, and the same in Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/calendar.hpp"
#include "mosim/output.hpp"
#include "mosim/trace_stats.hpp"
#include "output/text_table.hpp"

namespace mosim {
namespace {

constexpr std::size_t kShownGroups = 20;
constexpr std::size_t kLongestName = 36;
constexpr double kLongestBar = 30;

const TextTable::Column kName{"", TextTable::Align::left};
const TextTable::Column kBar{"", TextTable::Align::left};

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

// To two places, without zeros at the end.
std::string number_text(double value) { return fmt::to_string(std::round(value * 100) / 100); }

std::string hours_text(double gpu_hours) {
  return fmt::format("{:.{}f}", gpu_hours, gpu_hours < 1000 ? 2 : 0);
}

// As long as `value` is to the largest; something is seen of every value above 0.
std::string bar(double value, double largest) {
  if (value <= 0) return "";
  return std::string(static_cast<std::size_t>(std::ceil(value / largest * kLongestBar)), '#');
}

std::string clipped(const std::string& name) {
  if (name.empty()) return "(not told)";
  const std::string shown = fmt::format("{:.{}}", name, kLongestName);
  return shown.size() == name.size() ? name : shown + "...";
}

// "3 min", of a bound that is a round number of its unit.
std::string bound_text(double seconds) {
  for (const auto& [unit, length] : {std::pair{"d", 86400.0}, {"h", 3600.0}, {"min", 60.0}}) {
    if (std::fmod(seconds, length) == 0) return fmt::format("{:.0f} {}", seconds / length, unit);
  }
  return fmt::format("{:.0f} s", seconds);
}

std::string bin_text(const TimeBin& bin) {
  if (!bin.to_s) return fmt::format("{} and more", bound_text(bin.from_s));
  if (bin.from_s == 0) return fmt::format("below {}", bound_text(*bin.to_s));
  return fmt::format("{} to {}", bound_text(bin.from_s), bound_text(*bin.to_s));
}

std::string time_text(const TraceStats& stats, double time_s) {
  return stats.epoch_s ? format_calendar_time(*stats.epoch_s + time_s) : human_duration(time_s);
}

TextTable facts(const TraceStats& stats) {
  TextTable table{fmt::format("{}, format {}", stats.file, stats.format), {kName, {}, kBar}, {}};
  const auto add = [&](std::string name, std::string value, std::string note = "") {
    table.rows.push_back({std::move(name), std::move(value), std::move(note)});
  };
  add("jobs", fmt::to_string(stats.jobs));
  add("GPUs asked for", fmt::to_string(stats.gpus));
  add("GPU-hours", hours_text(stats.gpu_hours),
      stats.unknown_duration == 0
          ? ""
          : fmt::format("without {} jobs of unknown duration", stats.unknown_duration));
  add("jobs of at most 8 GPUs", percent(stats.share_up_to_8_gpus),
      "MoSim's paper: over 86 % of Philly's");
  add("first submission", time_text(stats, stats.first_submit_s));
  add("last submission", time_text(stats, stats.last_submit_s),
      human_duration(stats.last_submit_s - stats.first_submit_s) + " later");
  add("last end", time_text(stats, stats.last_end_s),
      stats.queueing_delay.sample.count == stats.jobs
          ? ""
          : "jobs without a start: as if started when submitted");
  const ArrivalStats& arrivals = stats.arrivals;
  add("submissions per hour", fmt::format("{:.2f}", arrivals.per_hour));
  add("mean gap between them", human_duration(arrivals.mean_gap_s),
      fmt::format("coefficient of variation {:.2f}", arrivals.gap_variation));
  add("peak of GPUs in use", number_text(stats.peak_gpus),
      fmt::format("at {}, if all started when submitted", time_text(stats, stats.peak_at_s)));
  if (!stats.load) return table;
  add("GPUs of the cluster", fmt::to_string(stats.load->gpus),
      fmt::format("on {} servers", stats.load->servers));
  add("offered load", stats.load->load ? percent(*stats.load->load) : "-",
      "GPU-hours over the cluster's until the last submission");
  add("that peak over the cluster", percent(stats.load->peak));
  return table;
}

TextTable account_table(const TraceStats& stats, const TraceOptions& options) {
  const TraceAccount& account = stats.account;
  TextTable table{
      "What became of the jobs read", {kName, {"jobs"}, {"treatment"}, {"dropped"}}, {}};
  const auto add = [&](std::string name, std::uint64_t jobs, std::string treatment,
                       std::uint64_t dropped) {
    table.rows.push_back(
        {std::move(name), fmt::to_string(jobs), std::move(treatment), fmt::to_string(dropped)});
  };
  add("read", account.jobs_read, "", 0);
  for (std::size_t finding = 0; finding < kFindings; ++finding) {
    if (account.found[finding] == 0) continue;
    add(std::string(finding_name(static_cast<Finding>(finding))), account.found[finding],
        std::string(treatment_name(options.treatments[finding])), account.dropped[finding]);
  }
  add("not wanted by the filter", account.filtered, "", account.filtered);
  add("kept", stats.jobs, "", 0);
  for (const Diagnostic& bad : account.bad_rows) table.notes.push_back(bad.text());
  return table;
}

TextTable percentiles(const TraceStats& stats) {
  TextTable table{"Percentiles", {kName, {"GPUs"}, {"duration"}, {"queueing delay"}}, {}};
  const bool delays = stats.queueing_delay.sample.count > 0;
  const bool durations = stats.duration.sample.count > 0;
  const auto add = [&](std::string name, double SampleStats::* figure) {
    table.rows.push_back({std::move(name), number_text(stats.job_gpus.*figure),
                          durations ? human_duration(stats.duration.sample.*figure) : "-",
                          delays ? human_duration(stats.queueing_delay.sample.*figure) : "-"});
  };
  add("minimum", &SampleStats::min);
  add("P5", &SampleStats::p5);
  add("P25", &SampleStats::p25);
  add("median", &SampleStats::median);
  add("P75", &SampleStats::p75);
  add("P90", &SampleStats::p90);
  add("P95", &SampleStats::p95);
  add("P99", &SampleStats::p99);
  add("maximum", &SampleStats::max);
  add("mean", &SampleStats::mean);
  return table;
}

// From the first bin with jobs to the last.
TextTable histogram(std::string title, const TimeStats& times) {
  TextTable table{std::move(title), {kName, {"jobs"}, {"share"}, kBar}, {}};
  const auto has_jobs = [](const TimeBin& bin) { return bin.jobs > 0; };
  const auto first = std::find_if(times.histogram.begin(), times.histogram.end(), has_jobs);
  const auto last = std::find_if(times.histogram.rbegin(), times.histogram.rend(), has_jobs).base();
  const auto share = [&](const TimeBin& bin) {
    return static_cast<double>(bin.jobs) / static_cast<double>(times.sample.count);
  };
  double most = 0;
  for (auto bin = first; bin < last; ++bin) most = std::max(most, share(*bin));
  for (auto bin = first; bin < last; ++bin) {
    table.rows.push_back(
        {bin_text(*bin), fmt::to_string(bin->jobs), percent(share(*bin)), bar(share(*bin), most)});
  }
  return table;
}

// Without the hours that the trace does not have.
template <typename Name>
TextTable rates(std::string title, std::span<const ArrivalRate> by, Name&& name) {
  TextTable table{std::move(title), {kName, {"jobs"}, {"per hour"}, kBar}, {}};
  double most = 0;
  for (const ArrivalRate& rate : by) most = std::max(most, rate.per_hour());
  for (std::size_t i = 0; i < by.size(); ++i) {
    if (by[i].hours == 0) continue;
    const double rate = by[i].per_hour();
    table.rows.push_back(
        {name(i), fmt::to_string(by[i].jobs), fmt::format("{:.2f}", rate), bar(rate, most)});
  }
  return table;
}

TextTable::Row group_row(const JobGroup& group) {
  return {clipped(group.name), fmt::to_string(group.jobs), percent(group.job_share),
          hours_text(group.gpu_hours), percent(group.gpu_hour_share)};
}

TextTable groups(std::string title, std::span<const JobGroup> all) {
  TextTable table{std::move(title), {kName, {"jobs"}, {"share"}, {"GPU-hours"}, {"share"}}, {}};
  for (const JobGroup& group : all.first(std::min(all.size(), kShownGroups))) {
    table.rows.push_back(group_row(group));
  }
  if (all.size() > kShownGroups) {
    table.notes.push_back(fmt::format("and {} more: see --format json", all.size() - kShownGroups));
  }
  return table;
}

std::vector<TextTable> tables(const TraceStats& stats, const TraceOptions& options) {
  const bool calendar = stats.arrivals.calendar;
  const std::string clock = calendar ? "the trace's own clock" : "counted from time 0";
  std::vector<JobGroup> gpu_counts;
  gpu_counts.reserve(stats.gpu_counts.size());
  for (const GpuCountGroup& count : stats.gpu_counts) gpu_counts.push_back(count.group);
  std::vector<TextTable> all{
      facts(stats),
      account_table(stats, options),
      percentiles(stats),
      groups("GPUs of a job", gpu_counts),
      histogram("Duration", stats.duration),
      histogram("Queueing delay", stats.queueing_delay),
      rates(fmt::format("Submissions by hour of the day, {}", clock), stats.arrivals.by_hour,
            [](std::size_t hour) { return fmt::format("{:02}:00", hour); }),
      rates(fmt::format("Submissions by {}, {}", calendar ? "weekday" : "day of seven", clock),
            stats.arrivals.by_weekday,
            [&](std::size_t day) { return stats.arrivals.day_name(day); }),
      groups("How jobs ended", stats.statuses),
      groups("Virtual clusters", stats.virtual_clusters),
      groups("Models", stats.models),
      groups(fmt::format("Users: the top {} of {}", stats.top_users.size(), stats.users),
             stats.top_users),
  };
  std::erase_if(all, [](const TextTable& table) { return table.rows.empty(); });
  return all;
}

}  // namespace

std::string trace_stats_table(const TraceStats& stats, const TraceOptions& options) {
  std::string out;
  for (const TextTable& table : tables(stats, options)) {
    if (!out.empty()) out += '\n';
    out += aligned_text(table);
  }
  return out;
}

std::string trace_stats_markdown(const TraceStats& stats, const TraceOptions& options) {
  std::string out;
  for (const TextTable& table : tables(stats, options)) {
    if (!out.empty()) out += '\n';
    out += markdown_text(table);
  }
  return out;
}

}  // namespace mosim
