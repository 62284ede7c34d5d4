// What holds of the figures of every trace, on random ones.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

#include "mosim/trace_stats.hpp"

namespace mosim {
namespace {

std::string any_name() { return *rc::gen::element<std::string>("", "a", "b", "c"); }

Trace any_trace() {
  Trace trace;
  const int jobs = *rc::gen::inRange(1, 40);
  double now_s = 0;
  for (int i = 0; i < jobs; ++i) {
    TraceJob job;
    now_s += *rc::gen::element(0, 1, 7, 3000, 50000);
    job.submit_s = now_s;
    job.duration_s = *rc::gen::inRange(0, 200000);
    job.duration_known = *rc::gen::inRange(0, 5) > 0;
    job.workers = *rc::gen::inRange(1U, 40U);
    if (*rc::gen::arbitrary<bool>()) job.start_s = now_s + *rc::gen::inRange(0, 100000);
    job.user = any_name();
    job.virtual_cluster = any_name();
    job.model = any_name();
    job.status = static_cast<JobStatus>(*rc::gen::inRange<std::size_t>(0, kJobStatuses));
    trace.jobs.push_back(std::move(job));
  }
  if (*rc::gen::arbitrary<bool>()) trace.epoch_s = *rc::gen::inRange(0, 2000000000);
  return trace;
}

void all_of_it(const std::vector<JobGroup>& groups, const TraceStats& stats) {
  std::uint64_t jobs = 0;
  double job_share = 0;
  double gpu_hours = 0;
  double gpu_hour_share = 0;
  for (const JobGroup& group : groups) {
    jobs += group.jobs;
    job_share += group.job_share;
    gpu_hours += group.gpu_hours;
    gpu_hour_share += group.gpu_hour_share;
  }
  RC_ASSERT(jobs == stats.jobs);
  RC_ASSERT(std::abs(job_share - 1) < 1e-9);
  RC_ASSERT(std::abs(gpu_hours - stats.gpu_hours) <= 1e-9 * stats.gpu_hours);
  RC_ASSERT(std::abs(gpu_hour_share - (stats.gpu_hours > 0 ? 1 : 0)) < 1e-9);
}

TEST(TraceStatsProperty, GroupsMakeUpTheWhole) {
  EXPECT_TRUE(rc::check([] {
    const TraceStats stats = trace_stats(any_trace());
    std::vector<JobGroup> by_gpus;
    for (const GpuCountGroup& count : stats.gpu_counts) by_gpus.push_back(count.group);
    all_of_it(by_gpus, stats);
    all_of_it(stats.statuses, stats);
    if (!stats.virtual_clusters.empty()) all_of_it(stats.virtual_clusters, stats);
    if (!stats.models.empty()) all_of_it(stats.models, stats);
    RC_ASSERT(stats.top_users.size() == stats.users);  // three at most
  }));
}

void in_order(const TimeStats& times, std::uint64_t jobs) {
  std::uint64_t counted = 0;
  for (const TimeBin& bin : times.histogram) counted += bin.jobs;
  RC_ASSERT(counted == jobs);
  const SampleStats& sample = times.sample;
  RC_ASSERT(sample.count == jobs);
  const std::vector<double> figures = {sample.min,    sample.p5,  sample.p25,
                                       sample.median, sample.p75, sample.p90,
                                       sample.p95,    sample.p99, sample.max};
  RC_ASSERT(std::is_sorted(figures.begin(), figures.end()));
  RC_ASSERT(sample.min <= sample.mean + 1e-6);
  RC_ASSERT(sample.mean <= sample.max + 1e-6);
}

TEST(TraceStatsProperty, HistogramsCountEveryJob) {
  EXPECT_TRUE(rc::check([] {
    const Trace trace = any_trace();
    const TraceStats stats = trace_stats(trace);
    const auto jobs = static_cast<std::ptrdiff_t>(trace.jobs.size());
    const auto started = std::count_if(trace.jobs.begin(), trace.jobs.end(),
                                       [](const TraceJob& job) { return job.start_s.has_value(); });
    in_order(stats.duration, static_cast<std::uint64_t>(jobs) - stats.unknown_duration);
    in_order(stats.queueing_delay, static_cast<std::uint64_t>(started));
  }));
}

// Walks all hours that the trace touches, one by one.
TEST(TraceStatsProperty, RatesCountEveryJobAndHour) {
  EXPECT_TRUE(rc::check([] {
    const Trace trace = any_trace();
    const ArrivalStats arrivals = trace_stats(trace).arrivals;
    const double base = trace.epoch_s.value_or(0);
    const auto hour_at = [&](const TraceJob& job) {
      return static_cast<std::uint64_t>((base + job.submit_s) / 3600);
    };
    std::array<std::uint64_t, 24> hours{};
    for (auto hour = hour_at(trace.jobs.front()); hour <= hour_at(trace.jobs.back()); ++hour) {
      ++hours[hour % 24];
    }
    std::uint64_t jobs = 0;
    for (std::size_t hour = 0; hour < 24; ++hour) {
      RC_ASSERT(arrivals.by_hour[hour].hours == hours[hour]);
      jobs += arrivals.by_hour[hour].jobs;
    }
    std::uint64_t jobs_of_days = 0;
    std::uint64_t hours_of_days = 0;
    for (const ArrivalRate& day : arrivals.by_weekday) {
      jobs_of_days += day.jobs;
      hours_of_days += day.hours;
    }
    RC_ASSERT(jobs == trace.jobs.size());
    RC_ASSERT(jobs_of_days == jobs);
    RC_ASSERT(hours_of_days == std::accumulate(hours.begin(), hours.end(), std::uint64_t{0}));
  }));
}

// At every submission, adds up the jobs that run then.
TEST(TraceStatsProperty, ThePeakIsTheMostThatRunsAtASubmission) {
  EXPECT_TRUE(rc::check([] {
    const Trace trace = any_trace();
    double peak = 0;
    for (const TraceJob& at : trace.jobs) {
      double in_use = 0;
      for (const TraceJob& job : trace.jobs) {
        const bool runs = job.duration_known && job.submit_s <= at.submit_s &&
                          at.submit_s < job.submit_s + job.duration_s;
        if (runs) in_use += static_cast<double>(job.gpus());
      }
      peak = std::max(peak, in_use);
    }
    RC_ASSERT(trace_stats(trace).peak_gpus == peak);
  }));
}

}  // namespace
}  // namespace mosim
