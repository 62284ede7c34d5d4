// What a trace is like, by hand, and what holds of every trace.
#include "mosim/trace_stats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace mosim {
namespace {

constexpr double kHour_s = 3600;

struct Submission {
  double submit_s;
  double duration_s;
  std::uint32_t workers;
  std::uint32_t gpus_per_worker;
};

TraceJob job_of(const Submission& submission) {
  TraceJob job;
  job.submit_s = submission.submit_s;
  job.duration_s = submission.duration_s;
  job.workers = submission.workers;
  job.gpus_per_worker = submission.gpus_per_worker;
  return job;
}

Trace trace_of(const std::vector<Submission>& submissions) {
  Trace trace;
  for (const Submission& submission : submissions) trace.jobs.push_back(job_of(submission));
  return trace;
}

void tell(TraceJob& job, const char* user, const char* virtual_cluster, const char* model,
          JobStatus status) {
  job.user = user;
  job.virtual_cluster = virtual_cluster;
  job.model = model;
  job.status = status;
}

// Six jobs; GPU-hours 1, 8, 4, 160, unknown and 0.5. Time 0 is Monday 2017-10-09 07:00.
Trace six_jobs() {
  Trace trace = trace_of({{0, 3600, 1, 1},
                          {1800, 7200, 2, 2},
                          {1800, 1800, 8, 1},
                          {7200, 36000, 2, 8},
                          {9000, 0, 3, 1},
                          {18000, 3600, 1, 1}});
  trace.epoch_s = 1507532400;
  std::vector<TraceJob>& jobs = trace.jobs;
  tell(jobs[0], "ann", "v1", "bert", JobStatus::completed);
  tell(jobs[1], "bob", "v1", "bert", JobStatus::completed);
  tell(jobs[2], "ann", "v2", "", JobStatus::failed);
  tell(jobs[3], "bob", "v2", "gpt2", JobStatus::completed);
  tell(jobs[4], "", "v1", "", JobStatus::unfinished);
  tell(jobs[5], "cat", "v1", "bert", JobStatus::cancelled);
  jobs[0].start_s = 0;      // delays 0,
  jobs[1].start_s = 3600;   // 1800,
  jobs[2].start_s = 1800;   // 0,
  jobs[3].start_s = 10800;  // 3600
  jobs[5].start_s = 18000;  // and 0
  jobs[4].duration_known = false;
  jobs[5].gpu_share = 0.5;
  return trace;
}

void expect_group(const JobGroup& group, const std::string& name, std::uint64_t jobs,
                  double gpu_hours) {
  EXPECT_EQ(group.name, name);
  EXPECT_EQ(group.jobs, jobs) << name;
  EXPECT_DOUBLE_EQ(group.gpu_hours, gpu_hours) << name;
  EXPECT_DOUBLE_EQ(group.job_share, static_cast<double>(jobs) / 6) << name;
  EXPECT_DOUBLE_EQ(group.gpu_hour_share, gpu_hours / 173.5) << name;
}

// The jobs of the bin that begins at `from_s`.
std::uint64_t jobs_from(const TimeStats& times, double from_s) {
  for (const TimeBin& bin : times.histogram) {
    if (bin.from_s == from_s) return bin.jobs;
  }
  ADD_FAILURE() << "no bin begins at " << from_s;
  return 0;
}

TEST(TraceStats, Totals) {
  const TraceStats stats = trace_stats(six_jobs());
  EXPECT_EQ(stats.jobs, 6U);
  EXPECT_EQ(stats.gpus, 33U);  // 1 + 4 + 8 + 16 + 3 + 1
  EXPECT_DOUBLE_EQ(stats.gpu_hours, 173.5);
  EXPECT_EQ(stats.unknown_duration, 1U);
  EXPECT_EQ(stats.first_submit_s, 0);
  EXPECT_EQ(stats.last_submit_s, 18000);
  EXPECT_EQ(stats.last_end_s, 46800);  // the fourth: started at 10800, ran for 36000
  EXPECT_DOUBLE_EQ(stats.share_up_to_8_gpus, 5.0 / 6);
  EXPECT_FALSE(stats.load.has_value());
}

TEST(TraceStats, Arrivals) {
  const ArrivalStats arrivals = trace_stats(six_jobs()).arrivals;
  // Gaps 1800, 0, 5400, 1800, 9000: mean 3600; squares of what each is off it, in 1800^2: 1, 4, 1,
  // 1, 9. The deviation is 1800 sqrt(16 / 5), 2 / sqrt(5) of the mean.
  EXPECT_DOUBLE_EQ(arrivals.mean_gap_s, 3600);
  EXPECT_DOUBLE_EQ(arrivals.per_hour, 1);
  EXPECT_DOUBLE_EQ(arrivals.gap_variation, 2 / std::sqrt(5));
  // 07:00, twice 07:30, 09:00, 09:30, 12:00: six hours, each once, on a Monday.
  EXPECT_TRUE(arrivals.calendar);
  EXPECT_EQ(arrivals.day_name(0), "Monday");
  EXPECT_EQ(arrivals.by_weekday[0].jobs, 6U);
  EXPECT_EQ(arrivals.by_weekday[0].hours, 6U);
  EXPECT_EQ(arrivals.by_weekday[0].per_hour(), 1);
  EXPECT_EQ(arrivals.by_hour[7].jobs, 3U);
  EXPECT_EQ(arrivals.by_hour[8].jobs, 0U);
  EXPECT_EQ(arrivals.by_hour[9].jobs, 2U);
  EXPECT_EQ(arrivals.by_hour[12].jobs, 1U);
  EXPECT_EQ(arrivals.by_hour[8].hours, 1U);
  EXPECT_EQ(arrivals.by_hour[6].hours, 0U);
  EXPECT_EQ(arrivals.by_hour[13].hours, 0U);
}

// Eight days and three hours from time 0, 195 hours: each of the first three hours of the day comes
// nine times, the others eight times; days 1 and 2 have their second day and three hours more.
TEST(TraceStats, HoursFromTimeZeroWithoutACalendar) {
  const double last_s = (8 * 24 + 3) * kHour_s - 1;
  const ArrivalStats arrivals = trace_stats(trace_of({{0, 1, 1, 1}, {last_s, 1, 1, 1}})).arrivals;
  EXPECT_FALSE(arrivals.calendar);
  EXPECT_EQ(arrivals.day_name(1), "day 2");
  EXPECT_EQ(arrivals.by_hour[2].hours, 9U);
  EXPECT_EQ(arrivals.by_hour[2].jobs, 1U);
  EXPECT_EQ(arrivals.by_hour[3].hours, 8U);
  EXPECT_EQ(arrivals.by_weekday[0].hours, 48U);
  EXPECT_EQ(arrivals.by_weekday[0].jobs, 1U);
  EXPECT_EQ(arrivals.by_weekday[1].hours, 27U);
  EXPECT_EQ(arrivals.by_weekday[1].jobs, 1U);
  EXPECT_EQ(arrivals.by_weekday[2].hours, 24U);
}

TEST(TraceStats, GpusOfAJob) {
  const TraceStats stats = trace_stats(six_jobs());
  // 1, 1, 3, 4, 8, 16: percentile p lies at 5 p / 100.
  const SampleStats& gpus = stats.job_gpus;
  EXPECT_EQ(gpus.count, 6U);
  EXPECT_EQ(gpus.min, 1);
  EXPECT_DOUBLE_EQ(gpus.p5, 1);
  EXPECT_DOUBLE_EQ(gpus.p25, 1.5);
  EXPECT_DOUBLE_EQ(gpus.median, 3.5);
  EXPECT_DOUBLE_EQ(gpus.p75, 7);
  EXPECT_DOUBLE_EQ(gpus.p90, 12);
  EXPECT_DOUBLE_EQ(gpus.p95, 14);
  EXPECT_DOUBLE_EQ(gpus.p99, 15.6);
  EXPECT_EQ(gpus.max, 16);
  EXPECT_DOUBLE_EQ(gpus.mean, 5.5);
  ASSERT_EQ(stats.gpu_counts.size(), 4U);
  expect_group(stats.gpu_counts[0].group, "1", 2, 1.5);
  expect_group(stats.gpu_counts[1].group, "3-4", 2, 8);
  expect_group(stats.gpu_counts[2].group, "5-8", 1, 4);
  expect_group(stats.gpu_counts[3].group, "9-16", 1, 160);
  EXPECT_EQ(stats.gpu_counts[3].fewest, 9U);
  EXPECT_EQ(stats.gpu_counts[3].most, 16U);
}

TEST(TraceStats, TimesOfJobs) {
  const TraceStats stats = trace_stats(six_jobs());
  // 1800, 3600, 3600, 7200, 36000: P90 lies at 3.6.
  EXPECT_EQ(stats.duration.sample.count, 5U);
  EXPECT_DOUBLE_EQ(stats.duration.sample.median, 3600);
  EXPECT_DOUBLE_EQ(stats.duration.sample.p90, 7200 + 0.6 * 28800);
  EXPECT_DOUBLE_EQ(stats.duration.sample.mean, 10440);
  EXPECT_EQ(jobs_from(stats.duration, 1800), 1U);
  EXPECT_EQ(jobs_from(stats.duration, kHour_s), 3U);
  EXPECT_EQ(jobs_from(stats.duration, 3 * kHour_s), 0U);
  EXPECT_EQ(jobs_from(stats.duration, 10 * kHour_s), 1U);  // a bin holds where it begins
  // 0, 0, 0, 1800, 3600
  EXPECT_EQ(stats.queueing_delay.sample.count, 5U);
  EXPECT_DOUBLE_EQ(stats.queueing_delay.sample.median, 0);
  EXPECT_DOUBLE_EQ(stats.queueing_delay.sample.mean, 1080);
  EXPECT_EQ(jobs_from(stats.queueing_delay, 0), 3U);
  EXPECT_EQ(jobs_from(stats.queueing_delay, 1800), 1U);
  EXPECT_EQ(jobs_from(stats.queueing_delay, kHour_s), 1U);
}

TEST(TraceStats, Groups) {
  const TraceStats stats = trace_stats(six_jobs());
  ASSERT_EQ(stats.statuses.size(), 4U);
  expect_group(stats.statuses[0], "completed", 3, 169);
  expect_group(stats.statuses[1], "failed", 1, 4);
  expect_group(stats.statuses[2], "cancelled", 1, 0.5);
  expect_group(stats.statuses[3], "unfinished", 1, 0);
  ASSERT_EQ(stats.virtual_clusters.size(), 2U);
  expect_group(stats.virtual_clusters[0], "v2", 2, 164);
  expect_group(stats.virtual_clusters[1], "v1", 4, 9.5);
  ASSERT_EQ(stats.models.size(), 3U);
  expect_group(stats.models[0], "gpt2", 1, 160);
  expect_group(stats.models[1], "bert", 3, 9.5);
  expect_group(stats.models[2], "", 2, 4);
  EXPECT_EQ(stats.users, 3U);
  ASSERT_EQ(stats.top_users.size(), 3U);
  expect_group(stats.top_users[0], "bob", 2, 168);
  expect_group(stats.top_users[1], "ann", 2, 5);
  expect_group(stats.top_users[2], "cat", 1, 0.5);
}

TEST(TraceStats, TenUsersAreNamedAndTiesGoByName) {
  Trace trace = trace_of(std::vector<Submission>(12, {0, 1, 1, 1}));
  for (std::size_t job = 0; job < 12; ++job) {
    trace.jobs[job].user = std::string(1, static_cast<char>('l' - job));  // l, k, ..., a
  }
  const TraceStats stats = trace_stats(trace);
  EXPECT_EQ(stats.users, 12U);
  ASSERT_EQ(stats.top_users.size(), 10U);
  EXPECT_EQ(stats.top_users[0].name, "a");
  EXPECT_EQ(stats.top_users[9].name, "j");
  EXPECT_TRUE(stats.virtual_clusters.empty());
  EXPECT_TRUE(stats.models.empty());
}

TEST(TraceStats, LoadOnACluster) {
  const ClusterSpec cluster{{ServerGroup{.count = 2, .gpus = 8}}};
  const TraceStats stats = trace_stats(six_jobs(), &cluster);
  // From 7200 to 9000 the second job (until 9000) and the fourth: 4 + 16 GPUs.
  EXPECT_DOUBLE_EQ(stats.peak_gpus, 20);
  EXPECT_EQ(stats.peak_at_s, 7200);
  ASSERT_TRUE(stats.load.has_value());
  EXPECT_EQ(stats.load->servers, 2U);
  EXPECT_EQ(stats.load->gpus, 16U);
  EXPECT_DOUBLE_EQ(stats.load->peak, 1.25);
  ASSERT_TRUE(stats.load->load.has_value());
  EXPECT_DOUBLE_EQ(*stats.load->load, 173.5 / 5 / 16);  // over five hours
}

TEST(TraceStats, GpusThatOneJobGivesBackAnotherTakes) {
  const TraceStats stats = trace_stats(trace_of({{0, 10, 4, 1}, {10, 10, 4, 1}, {10, 0, 9, 1}}));
  EXPECT_EQ(stats.peak_gpus, 4);  // a job that takes no time is never seen
  EXPECT_EQ(stats.peak_at_s, 0);
}

TEST(TraceStats, JobsSubmittedAtOnceHaveNoRateAndNoLoad) {
  const ClusterSpec cluster{{ServerGroup{}}};
  const TraceStats stats = trace_stats(trace_of({{5, 10, 1, 1}, {5, 10, 1, 1}}), &cluster);
  EXPECT_EQ(stats.arrivals.per_hour, 0);
  EXPECT_EQ(stats.arrivals.gap_variation, 0);
  ASSERT_TRUE(stats.load.has_value());
  EXPECT_FALSE(stats.load->load.has_value());
}

TEST(TraceStats, OfNoJobsEverythingIsZero) {
  const TraceStats stats = trace_stats(Trace{});
  EXPECT_EQ(stats.jobs, 0U);
  EXPECT_EQ(stats.gpu_hours, 0);
  EXPECT_FALSE(trace_stats_table(stats, {}).empty());
  EXPECT_FALSE(trace_stats_json(stats, {}).empty());
}

}  // namespace
}  // namespace mosim
