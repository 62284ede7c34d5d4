// What a trace is like: how much its jobs ask for, how long they run, when they come and who sends
// them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mosim/cluster.hpp"
#include "mosim/trace.hpp"

namespace mosim {

// A sample of numbers, with percentiles as `percentile` has them. All 0 when it is empty.
struct SampleStats {
  std::uint64_t count = 0;
  double min = 0;
  double p5 = 0;
  double p25 = 0;
  double median = 0;
  double p75 = 0;
  double p90 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;
  double mean = 0;
};

// Jobs whose value is in [from_s, to_s). The first bin takes what is below it too, and the last
// has no end.
struct TimeBin {
  double from_s = 0;
  std::optional<double> to_s;
  std::uint64_t jobs = 0;
};

struct TimeStats {
  SampleStats sample;
  std::vector<TimeBin> histogram;  // the same bins for every trace, about even on a log scale
};

// A part of the jobs. Shares are of the whole trace, 0 to 1.
struct JobGroup {
  std::string name;  // empty: jobs of which the trace does not say it
  std::uint64_t jobs = 0;
  double job_share = 0;
  double gpu_hours = 0;
  double gpu_hour_share = 0;
};

// The jobs of `fewest` to `most` GPUs: above half a power of two, and up to it.
struct GpuCountGroup {
  std::uint64_t fewest = 1;
  std::uint64_t most = 1;
  JobGroup group;  // named "1", "2", "3-4", "5-8", ...
};

// Submissions in some of the clock's hours, such as those from 13:00 to 14:00.
struct ArrivalRate {
  std::uint64_t jobs = 0;
  std::uint64_t hours = 0;  // how many of them the trace has, from its first submission to its last

  [[nodiscard]] double per_hour() const {
    return hours == 0 ? 0 : static_cast<double>(jobs) / static_cast<double>(hours);
  }
};

struct ArrivalStats {
  double per_hour = 0;       // 3600 s over the mean gap; 0 when there is no gap
  double mean_gap_s = 0;     // from one submission to the next
  double gap_variation = 0;  // standard deviation of the gaps over their mean
  bool calendar = false;     // false: hours and days count from time 0
  std::array<ArrivalRate, 24> by_hour;
  std::array<ArrivalRate, 7> by_weekday;  // from Monday, or from the first day

  [[nodiscard]] std::string day_name(std::size_t day) const;  // "Monday", or "day 1"
};

// What the trace asks of a cluster.
struct OfferedLoad {
  std::uint64_t servers = 0;
  std::uint64_t gpus = 0;
  // GPU-hours over those that the cluster has from the first submission to the last. Above 1 the
  // queue grows. Nothing when all jobs are submitted at once.
  std::optional<double> load;
  double peak = 0;  // `TraceStats::peak_gpus` over its GPUs
};

struct TraceStats {
  std::string file;
  std::string format;
  std::optional<double> epoch_s;  // of the trace; times below are after it
  std::uint64_t jobs = 0;
  std::uint64_t gpus = 0;              // asked for by all jobs
  double gpu_hours = 0;                // duration x GPUs x share of each GPU
  std::uint64_t unknown_duration = 0;  // jobs without a duration: in no figure that needs one
  double first_submit_s = 0;
  double last_submit_s = 0;
  double last_end_s = 0;  // a job without a start counts as started when it was submitted
  ArrivalStats arrivals;
  SampleStats job_gpus;
  std::vector<GpuCountGroup> gpu_counts;  // those that occur, ascending
  double share_up_to_8_gpus = 0;          // of the jobs
  TimeStats duration;                     // of jobs with one
  TimeStats queueing_delay;               // of jobs whose start the trace has
  std::vector<JobGroup> statuses;         // those that occur, as in JobStatus
  // By GPU-hours, then jobs, then name. Empty when the trace names none.
  std::vector<JobGroup> virtual_clusters;
  std::vector<JobGroup> models;
  std::vector<JobGroup> top_users;  // at most `kTopUsers`
  std::uint64_t users = 0;
  // The most GPUs in use at once if every job started when it was submitted, and the first time.
  double peak_gpus = 0;
  double peak_at_s = 0;
  std::optional<OfferedLoad> load;  // of the cluster given
  TraceAccount account;
};

inline constexpr std::size_t kTopUsers = 10;

// `cluster` may be null.
[[nodiscard]] TraceStats trace_stats(const Trace& trace, const ClusterSpec* cluster = nullptr);

// For a person; `options` are those that the trace was read with.
[[nodiscard]] std::string trace_stats_table(const TraceStats& stats, const TraceOptions& options);
[[nodiscard]] std::string trace_stats_markdown(const TraceStats& stats,
                                               const TraceOptions& options);

// Everything, ending in a line break. Numbers read back to the same doubles.
[[nodiscard]] std::string trace_stats_json(const TraceStats& stats, const TraceOptions& options);

// The same in long form: section,key,value.
[[nodiscard]] std::string trace_stats_csv(const TraceStats& stats, const TraceOptions& options);

}  // namespace mosim
