#include <gtest/gtest.h>

#include "support/traces.hpp"

namespace mosim {
namespace {

TEST(Tiresias, TheSixtyJobsOfItsSimulatorLoad) {
  const std::string file = test::shared_path("traces/tiresias/60_job.csv");
  MOSIM_NEEDS(file);
  const Trace trace = read_trace({.file = file});
  EXPECT_EQ(trace.format, "tiresias");
  ASSERT_EQ(trace.jobs.size(), 60U);
  const TraceJob& last = trace.jobs[59];  // 59,1,1779,525,inception3,122,33, in seconds
  EXPECT_EQ(last.id, "59");
  EXPECT_EQ(last.gpus(), 1U);
  EXPECT_EQ(last.submit_s, 1779);
  EXPECT_EQ(last.iterations, 525);
  EXPECT_EQ(last.model, "inception3");
  EXPECT_EQ(last.duration_s, 122);
  // awk -F, 'NR>1{g+=$2;d+=$6;i+=$4}END{print g,d,i}' gives 170 10705 43825
  std::uint64_t gpus = 0;
  double duration_s = 0;
  double iterations = 0;
  for (const TraceJob& job : trace.jobs) {
    gpus += job.gpus();
    duration_s += job.duration_s;
    iterations += job.iterations.value_or(0);
  }
  EXPECT_EQ(gpus, 170U);
  EXPECT_EQ(duration_s, 10705);
  EXPECT_EQ(iterations, 43825);
}

TEST(Tiresias, UnsortedRowsBlankLinesAndBlankIterations) {
  const Trace trace = test::read_trace_text(
      "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\r\n"
      "1,8,30,,vgg11,147,23\r\n0,1,0,606,vgg19,164,30\r\n\r\n\r\n");
  EXPECT_EQ(trace.format, "tiresias");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].id, "0");
  EXPECT_EQ(trace.jobs[1].workers, 8U);
  EXPECT_FALSE(trace.jobs[1].iterations.has_value());
}

TEST(Tiresias, GpuTimesAndClusterSpecificationsBesideItAreNoTraces) {
  const std::string samples = test::shared_path("traces/tiresias/yarn-gput1000.csv");
  MOSIM_NEEDS(samples);
  const std::string error = test::input_error([&] { (void)read_trace({.file = samples}); });
  EXPECT_NE(error.find("is of no format that is known"), std::string::npos) << error;
}

}  // namespace
}  // namespace mosim
