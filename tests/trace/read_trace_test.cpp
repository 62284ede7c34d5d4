#include "mosim/trace.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support/command.hpp"

namespace mosim {
namespace {

TEST(MosimTrace, ArtifactTracesLoadAsTheyAre) {
  const std::string file = test::shared_path("mosim-artifact/data/trace/testbed-trace-32gpu.csv");
  MOSIM_NEEDS(file);
  const Trace trace = read_trace({.file = file, .format = "auto"});
  EXPECT_EQ(trace.format, "mosim");
  ASSERT_EQ(trace.jobs.size(), 60U);
  EXPECT_EQ(trace.jobs[6].model, "workload_12");
  EXPECT_EQ(trace.jobs[6].workers, 8U);
  EXPECT_EQ(trace.jobs[6].cpus_per_worker, 5U);
  EXPECT_EQ(trace.jobs[6].iterations, 979);
  const Trace small =
      read_trace({.file = test::shared_path("mosim-artifact/data/trace/testbed-trace-16gpu.csv"),
                  .format = "mosim"});
  ASSERT_EQ(small.jobs.size(), 30U);
  EXPECT_EQ(small.jobs[1].model, "bert");
  EXPECT_EQ(small.jobs[1].submit_s, 822.37);
  EXPECT_FALSE(small.jobs[1].iterations.has_value());
}

TEST(MosimTrace, ParameterServersAreRefused) {
  const test::TemporaryFolder folder;
  const std::string file =
      folder.write("t.csv", "job_id,model,arrival_time,duration,gpu_workers,ps\n0,bert,0,1,2,1\n");
  EXPECT_THROW((void)read_trace({.file = file, .format = "mosim"}), InputError);
}

TEST(PhillyCsv, TimesStartAtTheEarliestSubmission) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("p.csv",
                                        "timestamp,duration,num_gpus,gpu_time,cluster\n"
                                        "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
                                        "2017-10-08 07:01:55,2951.0,4,11804.0,6214e9\n\n");
  const Trace trace = read_trace({.file = file, .format = "auto"});
  EXPECT_EQ(trace.format, "philly-csv");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].id, "1");  // the row in the file
  EXPECT_EQ(trace.jobs[0].submit_s, 0);
  EXPECT_EQ(trace.jobs[0].workers, 4U);
  EXPECT_EQ(trace.jobs[1].submit_s, 86400);  // one day later
}

TEST(PhillyCsv, BadTimestampsAreRefused) {
  const test::TemporaryFolder folder;
  for (const char* time : {"2017-13-09 07:01:55", "2017-02-29 07:01:55", "2017-10-09X07:01:55",
                           "2017-10-09 24:00:00", "yesterday", ""}) {
    const std::string file =
        folder.write("p.csv", std::string("timestamp,duration,num_gpus\n") + time + ",1,1\n");
    EXPECT_THROW((void)read_trace({.file = file, .format = "philly-csv"}), InputError) << time;
  }
}

TEST(PhillyCsv, TheWholePublicFileReadsFromGzip) {
  const std::string file = test::shared_path("traces/philly/philly_jobs.csv.gz");
  MOSIM_NEEDS(file);
  const Trace trace = read_trace({.file = file, .format = "auto"});
  EXPECT_EQ(trace.jobs.size(), 82247U);
  double gpu_seconds = 0;
  for (const TraceJob& job : trace.jobs) gpu_seconds += job.duration_s * job.workers;
  EXPECT_NEAR(gpu_seconds, 3.52108e9, 1e4);  // the sum of its gpu_time column
}

TEST(ReadTrace, LimitKeepsTheFirstBySubmission) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("t.csv",
                                        "job_id,model,arrival_time,duration,gpu_workers\n"
                                        "a,bert,5,1,1\nb,bert,1,1,1\nc,bert,5,1,1\n");
  const Trace all = read_trace({.file = file, .format = "mosim"});
  EXPECT_EQ(all.jobs[1].id, "a");  // equal times keep the file's order
  EXPECT_EQ(all.jobs[2].id, "c");
  const Trace two = read_trace({.file = file, .format = "mosim", .filter = {.limit = 2}});
  ASSERT_EQ(two.jobs.size(), 2U);
  EXPECT_EQ(two.jobs[0].id, "b");
  EXPECT_EQ(two.jobs[1].id, "a");
}

// Against a plain stable sort: what the window, the limit and a repeated id leave, in order.
RC_GTEST_PROP(ReadTrace, JobsAreSortedAndTheLimitKeepsTheFirst, ()) {
  struct Row {
    std::string id;
    int submit_s;
  };
  std::vector<Row> rows;
  std::string text = "job_id,model,arrival_time,duration,gpu_workers\n";
  const int repeated = *rc::gen::inRange(0, 30);
  for (const int time :
       *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 20)))) {
    rows.push_back({std::to_string(rows.size()), time});
    text += rows.back().id + ",bert," + std::to_string(time) + ",1,1\n";
  }
  TraceFilter filter;
  filter.from_s = *rc::gen::element(0, 0, 5);
  filter.limit = static_cast<std::uint64_t>(*rc::gen::inRange(0, 10));
  // A second row with an id of before is left out; with a limit it might push another one out.
  if (filter.limit == 0 && repeated < static_cast<int>(rows.size())) {
    text += std::to_string(repeated) + ",bert,7,1,1\n";
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.submit_s < b.submit_s; });
  std::erase_if(rows, [&](const Row& row) { return row.submit_s < filter.from_s; });
  RC_PRE(!rows.empty());
  if (filter.limit > 0) rows.resize(std::min<std::size_t>(rows.size(), filter.limit), rows[0]);
  const test::TemporaryFolder folder;
  const Trace trace = read_trace(
      {.file = folder.write("t.csv", text), .format = "mosim", .filter = filter, .lenient = true});
  RC_ASSERT(trace.jobs.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RC_ASSERT(trace.jobs[i].id == rows[i].id);
    RC_ASSERT(trace.jobs[i].submit_s == rows[i].submit_s);
  }
}

}  // namespace
}  // namespace mosim
