#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "mosim/trace.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

std::uint64_t found(const Trace& trace, Finding finding) {
  return trace.account.found[static_cast<std::size_t>(finding)];
}

// How the file says that there is no time, beside null.
const std::string kNone = "\"None\"";

// An attempt on 2017-10-07 at these times of the day; an empty one is null.
std::string attempt(const std::string& start, const std::string& end, int gpus = 1) {
  const auto time = [](const std::string& at) {
    if (at.empty()) return std::string("null");
    return at == kNone ? at : "\"2017-10-07 " + at + "\"";
  };
  std::string names;
  for (int gpu = 0; gpu < gpus; ++gpu) names += fmt::format("{}\"gpu{}\"", gpu > 0 ? "," : "", gpu);
  return fmt::format(R"({{"start_time":{},"end_time":{},"detail":[{{"ip":"m1","gpus":[{}]}}]}})",
                     time(start), time(end), names);
}

std::string job(const std::string& id, const std::string& attempts,
                const std::string& status = "Pass",
                const std::string& submitted = "\"2017-10-07 01:00:00\"") {
  return fmt::format(
      R"({{"status":"{}","vc":"v","jobid":"{}","attempts":[{}],"submitted_time":{},"user":"u"}})",
      status, id, attempts, submitted);
}

class Philly : public testing::Test {
 protected:
  // The trace of a text; its jobs are found by id.
  Trace read(const std::string& text, TraceOptions options = {}) {
    options.file = folder_.write("t.json", text);
    options.format = "philly";
    return read_trace(options);
  }

  std::string failure(const std::string& text, const TraceOptions& options = {}) {
    try {
      (void)read(text, options);
    } catch (const InputError& error) {
      const std::string what = error.what();
      return what.substr(folder_.path("t.json").size());
    }
    return "";
  }

  static TraceOptions with(Finding finding, Treatment treatment) {
    TraceOptions options;
    options.treatments[static_cast<std::size_t>(finding)] = treatment;
    return options;
  }

  // A job that is always right, so that the trace is not empty.
  const std::string good_ = job("good", attempt("02:00:00", "02:00:10"));

 private:
  test::TemporaryFolder folder_;
};

TEST_F(Philly, TheSampleOfTheDataSet) {
  const std::string file = test::shared_path("traces/philly/cluster_job_log.sample.json");
  MOSIM_NEEDS(file);
  const Trace trace = read_trace({.file = file});
  EXPECT_EQ(trace.format, "philly");
  ASSERT_EQ(trace.jobs.size(), 1U);
  const TraceJob& one = trace.jobs[0];
  EXPECT_EQ(one.id, "application_1506638472019_14199");
  EXPECT_EQ(one.virtual_cluster, "ee9e8c");
  EXPECT_EQ(one.user, "ce2f4c");
  EXPECT_EQ(one.status, JobStatus::completed);
  EXPECT_EQ(one.workers, 8U);
  EXPECT_EQ(one.gpus_per_worker, 1U);
  EXPECT_EQ(one.submit_s, 0);
  EXPECT_EQ(one.start_s, 30);
  // 01:12:09 to 01:13:23, and 01:13:30 to 06:53:12 two days later: 74 + 193182 s.
  EXPECT_EQ(one.duration_s, 193256);
  EXPECT_EQ(one.position.line, 2U);
  EXPECT_EQ(one.position.column, 2U);
}

TEST_F(Philly, StatusesAreMapped) {
  const std::string ran = attempt("02:00:00", "02:00:10");
  const Trace trace = read("[" + job("p", ran) + "," + job("k", ran, "Killed") + "," +
                           job("f", ran, "Failed") + "]");
  ASSERT_EQ(trace.jobs.size(), 3U);
  EXPECT_EQ(trace.jobs[0].status, JobStatus::completed);
  EXPECT_EQ(trace.jobs[1].status, JobStatus::cancelled);
  EXPECT_EQ(trace.jobs[2].status, JobStatus::failed);
}

TEST_F(Philly, GapsBetweenAttemptsAreNotRunTime) {
  // Not in order: 10 s, a gap of 50 s, 20 s.
  const Trace trace =
      read("[" +
           job("a", attempt("02:01:00", "02:01:20", 4) + "," + attempt("02:00:00", "02:00:10", 2)) +
           "]");
  EXPECT_EQ(trace.jobs[0].duration_s, 30);
  EXPECT_EQ(trace.jobs[0].start_s, 3600);
  EXPECT_EQ(trace.jobs[0].workers, 2U);  // of the attempt that started first
}

TEST_F(Philly, GpusAreThoseOfTheFirstAttemptWithAny) {
  const std::string two_servers =
      R"({"start_time":"2017-10-07 02:01:00","end_time":"2017-10-07 02:01:20","detail":)"
      R"([{"ip":"m1","gpus":["gpu0","gpu1"]},{"ip":"m2","gpus":["gpu0"]}]})";
  const Trace trace = read("[" + job("a", attempt("02:00:00", "02:00:10", 0) + "," + two_servers) +
                           "," + job("none", attempt("02:00:00", "02:00:10", 0)) + "]");
  ASSERT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(trace.jobs[0].workers, 3U);
  EXPECT_EQ(found(trace, Finding::zero_gpus), 1U);
}

TEST_F(Philly, OverlappingAttemptsCountOnce) {
  // 02:00:00-02:00:40 with 02:00:10-02:00:20 inside, and 02:00:30-02:01:00: one minute.
  const std::string text =
      "[" + good_ + "," +
      job("a", attempt("02:00:00", "02:00:40") + "," + attempt("02:00:10", "02:00:20") + "," +
                   attempt("02:00:30", "02:01:00")) +
      "]";
  const Trace trace = read(text);
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[1].duration_s, 60);
  EXPECT_EQ(found(trace, Finding::overlapping_attempts), 1U);
  EXPECT_EQ(read(text, with(Finding::overlapping_attempts, Treatment::drop)).jobs.size(), 1U);
  EXPECT_NE(failure(text, with(Finding::overlapping_attempts, Treatment::stop)), "");
  // One that starts when the other ends does not overlap.
  const Trace touching =
      read("[" + job("a", attempt("02:00:00", "02:00:40") + "," + attempt("02:00:40", "02:00:50")) +
           "]");
  EXPECT_EQ(found(touching, Finding::overlapping_attempts), 0U);
  EXPECT_EQ(touching.jobs[0].duration_s, 50);
}

TEST_F(Philly, JobsWithoutAttemptsNeverStarted) {
  const Trace trace = read("[" + good_ + "," + job("a", "", "Killed", "\"2017-10-07 00:59:50\"") +
                           "," + job("b", attempt("", kNone, 0), "Killed") + "]");
  ASSERT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(found(trace, Finding::never_started), 2U);
  EXPECT_EQ(found(trace, Finding::cancelled), 0U);  // a job counts as dropped once
  EXPECT_EQ(trace.account.jobs_read, 3U);
  EXPECT_EQ(trace.jobs[0].submit_s, 10);  // time 0 is the earliest submission, dropped or not
}

TEST_F(Philly, MissingTimesAreNullOrNone) {
  const std::string ran = attempt("02:00:00", "02:00:10");
  const Trace trace =
      read("[" + good_ + "," + job("a", ran, "Pass", "null") + "," + job("b", ran, "Pass", kNone) +
           "," + job("c", ran + "," + attempt("", "02:30:00")) + "," +
           job("d", ran + "," + attempt(kNone, "02:30:00")) + "," +
           // The end is missing of an attempt before another.
           job("e", attempt("01:30:00", "") + "," + ran) + "]");
  ASSERT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(found(trace, Finding::missing_time), 5U);
}

TEST_F(Philly, AnOpenEndMeansStillRunning) {
  // The first attempt took 10 s, the second runs from 02:01:00 to the trace's end, 03:00:00.
  const std::string text =
      "[" + job("a", attempt("02:00:00", "02:00:10") + "," + attempt("02:01:00", kNone)) + "," +
      job("b", attempt("02:30:00", "03:00:00")) + "]";
  const Trace dropped = read(text);
  ASSERT_EQ(dropped.jobs.size(), 1U);
  EXPECT_EQ(found(dropped, Finding::unfinished), 1U);
  const Trace ended = read(text, with(Finding::unfinished, Treatment::as_ended));
  ASSERT_EQ(ended.jobs.size(), 2U);
  EXPECT_EQ(ended.jobs[0].duration_s, 10 + 59 * 60);  // without the gap of 50 s
  EXPECT_EQ(ended.jobs[0].status, JobStatus::completed);
}

TEST_F(Philly, AnAttemptThatEndsBeforeItStarts) {
  const std::string text =
      "[" + good_ + "," +
      job("a", attempt("02:00:00", "01:00:00") + "," + attempt("02:01:00", "02:01:20")) + "]";
  const Trace dropped = read(text);
  EXPECT_EQ(dropped.jobs.size(), 1U);
  EXPECT_EQ(found(dropped, Finding::negative_duration), 1U);
  const Trace zero = read(text, with(Finding::negative_duration, Treatment::zero));
  ASSERT_EQ(zero.jobs.size(), 2U);
  EXPECT_EQ(zero.jobs[1].duration_s, 20);  // the other attempt counts
  EXPECT_EQ(found(zero, Finding::negative_duration), 1U);
}

TEST_F(Philly, AnIdUsedTwiceIsRefused) {
  const std::string text = "[" + good_ + ",\n" + good_ + "]";
  EXPECT_EQ(failure(text), ":2:1: job id 'good' was used on line 1 already; expected each id once");
  TraceOptions lenient;
  lenient.lenient = true;
  const Trace trace = read(text, lenient);
  EXPECT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(found(trace, Finding::bad_row), 1U);
}

}  // namespace
}  // namespace mosim
