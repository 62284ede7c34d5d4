// What becomes of the jobs of a trace: findings, treatments, filters, the account.
#include "trace/builder.hpp"

#include <gtest/gtest.h>

namespace mosim {
namespace {

TraceJob job_of(const std::string& id, double submit_s, JobStatus status = JobStatus::completed) {
  TraceJob job;
  job.id = id;
  job.submit_s = submit_s;
  job.duration_s = 10;
  job.status = status;
  job.position = {static_cast<std::uint32_t>(submit_s) + 2, 1};
  return job;
}

void treat(TraceOptions& options, Finding finding, Treatment treatment) {
  options.treatments[static_cast<std::size_t>(finding)] = treatment;
}

std::string ids(const Trace& trace) {
  std::string all;
  for (const TraceJob& job : trace.jobs) all += job.id;
  return all;
}

std::uint64_t found(const Trace& trace, Finding finding) {
  return trace.account.found[static_cast<std::size_t>(finding)];
}

std::uint64_t dropped(const Trace& trace, Finding finding) {
  return trace.account.dropped[static_cast<std::size_t>(finding)];
}

Trace build(const TraceOptions& options, std::vector<TraceJob> jobs,
            TraceTimes times = TraceTimes::as_written) {
  TraceBuilder builder(options, "t");
  builder.times_are(times);
  for (TraceJob& job : jobs) builder.add(std::move(job));
  return builder.finish({});
}

TEST(TraceBuilder, FailedJobsAreKeptDroppedOrTakenAsEnded) {
  const std::vector<TraceJob> jobs{job_of("a", 0), job_of("b", 1, JobStatus::failed),
                                   job_of("c", 2, JobStatus::timed_out),
                                   job_of("d", 3, JobStatus::node_failed)};
  TraceOptions options;
  Trace trace = build(options, jobs);
  EXPECT_EQ(ids(trace), "abcd");
  EXPECT_EQ(trace.jobs[1].status, JobStatus::failed);
  EXPECT_EQ(found(trace, Finding::failed), 3U);
  EXPECT_EQ(dropped(trace, Finding::failed), 0U);
  EXPECT_EQ(trace.account.jobs_read, 4U);
  treat(options, Finding::failed, Treatment::drop);
  trace = build(options, jobs);
  EXPECT_EQ(ids(trace), "a");
  EXPECT_EQ(dropped(trace, Finding::failed), 3U);
  EXPECT_EQ(trace.account.jobs_read, 4U);
  EXPECT_EQ(describe_account(trace, options), "3 failed (drop)");
  treat(options, Finding::failed, Treatment::as_ended);
  trace = build(options, jobs);
  EXPECT_EQ(trace.jobs[3].status, JobStatus::completed);
  treat(options, Finding::failed, Treatment::stop);
  EXPECT_THROW(build(options, jobs), InputError);
}

TEST(TraceBuilder, UnfinishedJobsEndWithTheTrace) {
  // b runs from 7 on; the last that the trace saw is the end of c, at 30 + 10 s.
  TraceJob b = job_of("b", 5, JobStatus::unfinished);
  b.start_s = 7;
  const std::vector<TraceJob> jobs{job_of("a", 0), b, job_of("c", 30)};
  TraceOptions options;
  EXPECT_EQ(ids(build(options, jobs)), "ac");
  treat(options, Finding::unfinished, Treatment::as_ended);
  const Trace trace = build(options, jobs);
  EXPECT_EQ(ids(trace), "abc");
  EXPECT_EQ(trace.jobs[1].duration_s, 33);
  EXPECT_EQ(trace.jobs[1].status, JobStatus::completed);
}

TEST(TraceBuilder, ZeroGpusFractionsAndNegativeDurations) {
  TraceJob cpu = job_of("a", 0);
  cpu.workers = 0;
  TraceJob half = job_of("b", 1);
  half.gpu_share = 0.5;
  TraceJob backwards = job_of("c", 2);
  backwards.duration_s = -3;
  const std::vector<TraceJob> jobs{cpu, half, backwards};
  TraceOptions options;
  Trace trace = build(options, jobs);
  EXPECT_EQ(ids(trace), "b");
  EXPECT_EQ(describe_account(trace, options),
            "1 zero-gpus (drop), 1 fractional-gpus (keep), 1 negative-duration (drop)");
  treat(options, Finding::zero_gpus, Treatment::one_gpu);
  treat(options, Finding::fractional_gpus, Treatment::drop);
  treat(options, Finding::negative_duration, Treatment::zero);
  trace = build(options, jobs);
  EXPECT_EQ(ids(trace), "ac");
  EXPECT_EQ(trace.jobs[0].gpus(), 1U);
  EXPECT_EQ(trace.jobs[1].duration_s, 0);
}

TEST(TraceBuilder, CalendarTimesStartAtTheEarliestSubmissionEvenIfThatJobIsDropped) {
  TraceJob first = job_of("a", 1000);
  first.workers = 0;  // dropped
  TraceJob second = job_of("b", 1060);
  second.start_s = 1070;
  const Trace trace = build({}, {second, first}, TraceTimes::calendar);
  EXPECT_EQ(trace.epoch_s, 1000);
  ASSERT_EQ(ids(trace), "b");
  EXPECT_EQ(trace.jobs[0].submit_s, 60);
  EXPECT_EQ(trace.jobs[0].start_s, 70);
}

TEST(TraceBuilder, FiltersKeepWhatIsWantedAndCountTheRest) {
  std::vector<TraceJob> jobs;
  for (int i = 0; i < 8; ++i) {
    TraceJob job = job_of(std::string(1, static_cast<char>('a' + i)), 7 - i);
    job.workers = static_cast<std::uint32_t>(i + 1);
    job.virtual_cluster = i % 2 == 0 ? "even" : "odd";
    jobs.push_back(job);
  }
  TraceOptions options;
  options.filter = {.min_gpus = 2, .max_gpus = 6};
  EXPECT_EQ(ids(build(options, jobs)), "fedcb");
  options.filter = {.virtual_clusters = {"odd"}};
  EXPECT_EQ(ids(build(options, jobs)), "hfdb");
  options.filter = {.from_s = 2, .to_s = 4};
  Trace trace = build(options, jobs);
  EXPECT_EQ(ids(trace), "fe");
  EXPECT_EQ(trace.account.filtered, 6U);
  options.filter = {.limit = 3};
  trace = build(options, jobs);
  EXPECT_EQ(ids(trace), "hgf");
  EXPECT_EQ(trace.account.filtered, 5U);
  // The limit counts what the window leaves.
  options.filter = {.from_s = 2, .limit = 2};
  trace = build(options, jobs);
  EXPECT_EQ(ids(trace), "fe");
  EXPECT_EQ(trace.account.filtered, 6U);
  options.filter = {.statuses = {"failed"}};
  EXPECT_EQ(ids(build(options, jobs)), "");
}

TEST(TraceBuilder, AWindowOfCalendarTimesCountsFromTheEarliestSubmission) {
  // Out of order: the earliest comes last, at 1000.
  const std::vector<TraceJob> jobs{job_of("c", 1020), job_of("d", 1030), job_of("b", 1010),
                                   job_of("a", 1000)};
  TraceOptions options;
  options.filter = {.from_s = 10, .to_s = 30};
  Trace trace = build(options, jobs, TraceTimes::calendar);
  EXPECT_EQ(ids(trace), "bc");
  EXPECT_EQ(trace.jobs[0].submit_s, 10);
  EXPECT_EQ(trace.account.filtered, 2U);
  options.filter = {.to_s = 25, .limit = 2};
  trace = build(options, jobs, TraceTimes::calendar);
  EXPECT_EQ(ids(trace), "ab");
  EXPECT_EQ(trace.account.filtered, 2U);
}

TEST(TraceBuilder, ASampleDependsOnEachJobAlone) {
  std::vector<TraceJob> jobs;
  for (int i = 0; i < 2000; ++i) jobs.push_back(job_of("j" + std::to_string(i), i));
  TraceOptions options;
  options.filter.sample = 0.25;
  const Trace all = build(options, jobs);
  // 500 expected, with a deviation of 19.4.
  EXPECT_NEAR(static_cast<double>(all.jobs.size()), 500, 80);
  jobs.erase(jobs.begin(), jobs.begin() + 1000);
  const Trace half = build(options, jobs);
  const Trace again = build(options, jobs);
  EXPECT_EQ(ids(half), ids(again));
  EXPECT_TRUE(ids(all).ends_with(ids(half)));
  options.filter.sample_seed = 2;
  EXPECT_NE(ids(build(options, jobs)), ids(half));
}

TEST(TraceBuilder, ScalesOfTimeAndLoad) {
  TraceJob job = job_of("a", 100);
  job.start_s = 130;
  job.deadline_s = 200;
  job.iterations = 8;
  TraceOptions options;
  options.filter.time_scale = 0.5;
  Trace trace = build(options, {job});
  EXPECT_EQ(trace.jobs[0].submit_s, 50);
  EXPECT_EQ(trace.jobs[0].start_s, 65);
  EXPECT_EQ(trace.jobs[0].deadline_s, 100);
  EXPECT_EQ(trace.jobs[0].duration_s, 5);
  EXPECT_EQ(trace.jobs[0].iterations, 4);
  options.filter = {.load_scale = 2};
  trace = build(options, {job});
  EXPECT_EQ(trace.jobs[0].submit_s, 50);
  EXPECT_EQ(trace.jobs[0].start_s, 80);  // 30 s after the submission, as before
  EXPECT_EQ(trace.jobs[0].duration_s, 10);
  EXPECT_EQ(trace.jobs[0].iterations, 8);
}

TEST(TraceBuilder, WrongJobsRefuseTheTraceOrAreCounted) {
  TraceOptions options;
  const auto read = [&] {
    TraceBuilder builder(options, "t");
    builder.add(job_of("a", 0));
    builder.problems().add({"t", {3, 1}}, "gpus is 'x'", "a number");
    builder.add(job_of("b", 1));
    builder.add(job_of("a", 2));  // an id that was used
    return builder.finish({});
  };
  try {
    (void)read();
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 2U);
    EXPECT_EQ(error.diagnostics()[1].text(),
              "t:4:1: job id 'a' was used on line 2 already; expected each id once");
  }
  options.lenient = true;
  const Trace trace = read();
  EXPECT_EQ(ids(trace), "a");
  EXPECT_EQ(trace.account.jobs_read, 3U);
  EXPECT_EQ(found(trace, Finding::bad_row), 2U);
  ASSERT_EQ(trace.account.bad_rows.size(), 2U);
  EXPECT_EQ(trace.account.bad_rows[0].text(), "t:3:1: gpus is 'x'; expected a number");
}

}  // namespace
}  // namespace mosim
