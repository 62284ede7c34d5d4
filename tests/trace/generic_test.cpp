#include <gtest/gtest.h>

#include "support/traces.hpp"

namespace mosim {
namespace {

// Columns for `when,took,size`.
TraceOptions plain() {
  TraceOptions options;
  options.format = "generic";
  options.columns.submit = "when";
  options.columns.duration = "took";
  options.columns.gpus = "size";
  return options;
}

TEST(Generic, RowsAreNumberedWithoutIds) {
  const Trace trace =
      test::read_trace_text("took,when,size,size2,size2\n60,20,4,x,y\n30,10,2,x,y\n\n\n", plain());
  EXPECT_EQ(trace.format, "generic");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].id, "1");
  EXPECT_EQ(trace.jobs[0].submit_s, 10);
  EXPECT_EQ(trace.jobs[0].duration_s, 30);
  EXPECT_EQ(trace.jobs[0].workers, 2U);
  EXPECT_EQ(trace.jobs[0].gpus_per_worker, 1U);
  EXPECT_EQ(trace.jobs[1].status, JobStatus::unknown);
}

TEST(Generic, IsNeverChosenByItself) {
  TraceOptions options = plain();
  options.format = "auto";
  const std::string error = test::trace_error("when,took,size\n0,1,1\n", options);
  EXPECT_NE(error.find("is of no format that is known"), std::string::npos) << error;
}

TEST(Generic, UnitsDelimiterAndEveryColumn) {
  TraceOptions options;
  options.format = "generic";
  options.columns = {.delimiter = "tab",
                     .time_unit = "ms",
                     .duration_unit = "min",
                     .id = "job",
                     .submit = "sub",
                     .start = "beg",
                     .end = "",
                     .duration = "len",
                     .gpus = "",
                     .workers = "pods",
                     .gpus_per_worker = "gpp",
                     .cpus = "cores",
                     .model = "net",
                     .iterations = "steps",
                     .user = "who",
                     .virtual_cluster = "queue",
                     .status = "state",
                     .gpu_type = "card"};
  const Trace trace = test::read_trace_text(
      "job\tsub\tbeg\tlen\tpods\tgpp\tcores\tnet\tsteps\twho\tqueue\tstate\tcard\n"
      "j1\t1500\t2500\t2\t3\t4\t5.5\tbert\t900\tann\tvc1\tFAILED\tV100\n",
      options);
  ASSERT_EQ(trace.jobs.size(), 1U);
  const TraceJob& job = trace.jobs[0];
  EXPECT_EQ(job.id, "j1");
  EXPECT_EQ(job.submit_s, 1.5);
  EXPECT_EQ(job.start_s, 2.5);
  EXPECT_EQ(job.duration_s, 120);
  EXPECT_EQ(job.workers, 3U);
  EXPECT_EQ(job.gpus_per_worker, 4U);
  EXPECT_EQ(job.cpus_per_worker, 6U);  // rounded up
  EXPECT_EQ(job.model, "bert");
  EXPECT_EQ(job.iterations, 900);
  EXPECT_EQ(job.user, "ann");
  EXPECT_EQ(job.virtual_cluster, "vc1");
  EXPECT_EQ(job.status, JobStatus::failed);
  EXPECT_EQ(job.gpu_type, "V100");
}

TEST(Generic, CalendarTimesStartAtTheEarliestSubmission) {
  TraceOptions options = plain();
  options.columns.time_unit = "calendar";
  options.columns.duration = "";
  options.columns.start = "from";
  options.columns.end = "to";
  const std::string header = "when,from,to,size\n";
  const Trace trace =
      test::read_trace_text(header +
                                "2020-01-02 00:00:10,2020-01-02 00:01:00,2020-01-02T00:03:00,1\n"
                                "2020-01-01 00:00:10,2020-01-01 00:00:20,2020-01-01 00:00:50,1\n",
                            options);
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].submit_s, 0);
  EXPECT_EQ(trace.jobs[0].duration_s, 30);
  EXPECT_EQ(trace.jobs[1].submit_s, 86400);
  EXPECT_EQ(trace.jobs[1].start_s, 86450);
  EXPECT_EQ(trace.jobs[1].duration_s, 120);
  EXPECT_EQ(trace.epoch_s, 1577836810.0);  // date -u -d '2020-01-01 00:00:10' +%s
  const std::string error = test::trace_error(header + "soon,2020-01-01 00:00:20,,1\n", options);
  EXPECT_NE(error.find(":2:1: when is 'soon'"), std::string::npos) << error;
}

TEST(Generic, GpusWorkersAndGpusPerWorkerGiveEachOther) {
  TraceOptions options = plain();
  options.columns.gpus_per_worker = "each";
  const TraceJob by_each = test::read_trace_text("when,took,size,each\n0,1,8,4\n", options).jobs[0];
  EXPECT_EQ(by_each.workers, 2U);
  EXPECT_EQ(by_each.gpus_per_worker, 4U);
  options.columns.gpus_per_worker = "";
  options.columns.workers = "pods";
  const TraceJob by_workers =
      test::read_trace_text("when,took,size,pods\n0,1,8,4\n", options).jobs[0];
  EXPECT_EQ(by_workers.workers, 4U);
  EXPECT_EQ(by_workers.gpus_per_worker, 2U);
  const std::string error = test::trace_error("when,took,size,pods\n0,1,8,3\n", options);
  EXPECT_NE(error.find(":2:5: 8 GPUs are not 3 workers of 2"), std::string::npos) << error;
}

TEST(Generic, PartsOfGpusAndNoGpus) {
  const Trace trace = test::read_trace_text("when,took,size\n0,1,0.5\n1,1,0\n2,1,1.5\n", plain());
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].workers, 1U);
  EXPECT_EQ(trace.jobs[0].gpu_share, 0.5);
  EXPECT_EQ(trace.jobs[1].workers, 2U);
  EXPECT_EQ(trace.jobs[1].gpu_share, 0.75);
  EXPECT_EQ(test::dropped(trace, Finding::zero_gpus), 1U);
}

TEST(Generic, StatusesAreWordsOfAnyCase) {
  TraceOptions options = plain();
  options.columns.status = "state";
  const std::pair<const char*, JobStatus> words[] = {
      {"COMPLETED", JobStatus::completed},   {"Succeeded", JobStatus::completed},
      {"Pass", JobStatus::completed},        {"Terminated", JobStatus::completed},
      {"success", JobStatus::completed},     {"Failed", JobStatus::failed},
      {"ERROR", JobStatus::failed},          {"cancelled", JobStatus::cancelled},
      {"Canceled", JobStatus::cancelled},    {"CANCELLED by 1000", JobStatus::cancelled},
      {"Killed", JobStatus::cancelled},      {"TIMEOUT", JobStatus::timed_out},
      {"NODE_FAIL", JobStatus::node_failed}, {"", JobStatus::unknown},
      {"went home", JobStatus::unknown}};
  for (const auto& [word, status] : words) {
    const Trace trace =
        test::read_trace_text(std::string("when,took,size,state\n0,1,1,") + word + "\n", options);
    EXPECT_EQ(trace.jobs[0].status, status) << word;
  }
}

TEST(Generic, BlankTimesAreCounted) {
  TraceOptions options = plain();
  options.columns.duration = "";
  options.columns.start = "from";
  options.columns.end = "to";
  options.columns.status = "state";
  const std::string text =
      "when,from,to,size,state\n"
      "0,5,9,1,completed\n"
      "1,,9,1,cancelled\n"   // never started
      "2,3,,1,completed\n"   // no end
      ",3,4,1,completed\n"   // no submission
      "4,6,,1,running\n"     // until the trace ends, at 20
      "5,20,15,1,failed\n";  // backwards
  const Trace trace = test::read_trace_text(text, options);
  ASSERT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(trace.jobs[0].duration_s, 4);
  EXPECT_EQ(test::dropped(trace, Finding::never_started), 1U);
  EXPECT_EQ(test::dropped(trace, Finding::missing_time), 2U);
  EXPECT_EQ(test::dropped(trace, Finding::unfinished), 1U);
  EXPECT_EQ(test::dropped(trace, Finding::negative_duration), 1U);
  EXPECT_EQ(trace.account.jobs_read, 6U);
}

TEST(Generic, WithoutStartsAJobRunsFromItsSubmission) {
  TraceOptions options = plain();
  options.columns.duration = "";
  options.columns.end = "to";
  const Trace trace = test::read_trace_text("when,to,size\n5,20,1\n", options);
  EXPECT_EQ(trace.jobs[0].duration_s, 15);
}

TEST(Generic, WhatIsNotMappedIsNamed) {
  const std::string text = "when,took,size\n0,1,1\n";
  const auto error_without = [&](std::string GenericColumns::* column) {
    TraceOptions options = plain();
    options.columns.*column = "";
    return test::trace_error(text, options);
  };
  EXPECT_NE(error_without(&GenericColumns::submit).find("needs trace.columns.submit"),
            std::string::npos);
  EXPECT_NE(error_without(&GenericColumns::duration)
                .find("needs trace.columns.duration or trace.columns.end"),
            std::string::npos);
  EXPECT_NE(error_without(&GenericColumns::gpus)
                .find("needs trace.columns.gpus or trace.columns.workers"),
            std::string::npos);
  TraceOptions options = plain();
  options.columns.gpus = "sise";
  const std::string error = test::trace_error(text, options);
  EXPECT_NE(error.find("has no column 'sise'; expected that column (nearest: 'size')"),
            std::string::npos)
      << error;
  options = plain();
  options.columns.delimiter = "::";
  EXPECT_NE(test::trace_error(text, options).find("trace.delimiter is '::'"), std::string::npos);
}

TEST(Generic, AColumnThatIsNeededStandsOnce) {
  const std::string error = test::trace_error("when,took,size,took\n0,1,1,2\n", plain());
  EXPECT_NE(error.find("has two columns named 'took'"), std::string::npos) << error;
}

}  // namespace
}  // namespace mosim
