#include <gtest/gtest.h>

#include "support/traces.hpp"

namespace mosim {
namespace {

constexpr const char* kHeader = "name,time,application,num_replicas,batch_size\n";

TEST(Pollux, TheWorkloadsLoadWithoutDurations) {
  const std::string folder = test::shared_path("traces/pollux/workloads");
  MOSIM_NEEDS(folder);
  // awk -F, 'NR>1{g+=$4;t+=$2;b+=$5}END{print g,t,b}' of each file
  const std::tuple<const char*, std::uint64_t, double, std::uint64_t> files[] = {
      {"workload-1.csv", 1092, 2357198, 2467520},
      {"workload-6.csv", 1134, 2444621, 1996608},
      {"realistic-workload-6.csv", 223, 2444621, 29648}};
  for (const auto& [name, gpus, times, batches] : files) {
    const Trace trace = read_trace({.file = folder + "/" + name});
    EXPECT_EQ(trace.format, "pollux");
    EXPECT_EQ(trace.jobs.size(), 160U) << name;
    std::uint64_t all_gpus = 0;
    std::uint64_t all_batches = 0;
    double all_times = 0;
    for (const TraceJob& job : trace.jobs) {
      all_gpus += job.gpus();
      all_batches += job.batch_size;
      all_times += job.submit_s;
      EXPECT_FALSE(job.duration_known) << job.id;
      EXPECT_FALSE(job.iterations.has_value()) << job.id;
    }
    EXPECT_EQ(all_gpus, gpus) << name;
    EXPECT_EQ(all_batches, batches) << name;
    EXPECT_EQ(all_times, times) << name;
  }
}

TEST(Pollux, ADefaultDurationIsOfTheTracesClock) {
  const std::string text =
      std::string(kHeader) + "bert-1,154,bert,6,2048\ncifar10-0,53,cifar10,8,320\n\n\n";
  TraceOptions options;
  options.default_duration_s = 600;
  options.filter.time_scale = 0.5;
  const Trace trace = test::read_trace_text(text, options);
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].id, "cifar10-0");
  EXPECT_EQ(trace.jobs[0].model, "cifar10");
  EXPECT_TRUE(trace.jobs[0].duration_known);
  EXPECT_EQ(trace.jobs[0].duration_s, 300);
}

TEST(Pollux, ARunNeedsADurationOrIterations) {
  const test::TemporaryFolder folder;
  const std::string trace = folder.write("w.csv", std::string(kHeader) + "a,5,bert,2,24\n");
  const std::string arguments = "run --trace " + trace + " -o " + folder.path("out");
  const test::CommandResult refused = test::run_mosim(arguments);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find(trace + ":2:1: job 'a' has neither a duration nor iterations; "
                                     "expected trace.default_duration"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(test::read_text(folder.path("out/jobs.csv")), "");
  const test::CommandResult run =
      test::run_mosim(arguments + " --set 'trace.default_duration=10 min'");
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

}  // namespace
}  // namespace mosim
