#include <gtest/gtest.h>

#include "support/traces.hpp"

namespace mosim {
namespace {

TEST(Muri, MillisecondsBecomeSeconds) {
  const std::string file = test::shared_path("traces/muri/trace3.csv");
  MOSIM_NEEDS(file);
  const Trace trace = read_trace({.file = file});
  EXPECT_EQ(trace.format, "muri");
  ASSERT_EQ(trace.jobs.size(), 992U);
  // 2,4,352430000,3027205,bert,4,575169000,603000,190,...: 3027205 iterations of 190 ms take
  // 575169 s
  const TraceJob* bert = nullptr;
  // awk -F, 'NR>1{g+=$2;d+=$7;i+=$4}END{print g,d,i}' gives 9346 46489935000 133405519
  std::uint64_t gpus = 0;
  double duration_s = 0;
  double iterations = 0;
  for (const TraceJob& job : trace.jobs) {
    if (job.id == "2") bert = &job;
    gpus += job.gpus();
    duration_s += job.duration_s;
    iterations += job.iterations.value_or(0);
  }
  ASSERT_NE(bert, nullptr);
  EXPECT_DOUBLE_EQ(bert->submit_s, 352430);
  EXPECT_DOUBLE_EQ(bert->duration_s, 575169);
  EXPECT_EQ(bert->iterations, 3027205);
  EXPECT_EQ(bert->model, "bert");
  EXPECT_EQ(bert->workers, 4U);
  EXPECT_EQ(bert->batch_size, 16U);  // 4 on each GPU
  EXPECT_EQ(gpus, 9346U);
  EXPECT_NEAR(duration_s, 46489935, 1e-3);
  EXPECT_EQ(iterations, 133405519);
}

TEST(Muri, IsNotTakenForTiresias) {
  constexpr const char* kHeader =
      "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,"
      "iteration_time,resource_time_0,resource_time_1,resource_time_2,priority\n";
  const Trace trace =
      test::read_trace_text(std::string(kHeader) +
                            "1,4,1456000,10,resnet18,128,9210,1456000,921,723,113,73,1\n"
                            "0,4,500,10,resnet18,128,9210,0,921,723,113,73,0\n\n");
  EXPECT_EQ(trace.format, "muri");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_DOUBLE_EQ(trace.jobs[0].submit_s, 0.5);
  EXPECT_DOUBLE_EQ(trace.jobs[1].submit_s, 1456);
  EXPECT_DOUBLE_EQ(trace.jobs[1].duration_s, 9.21);
}

}  // namespace
}  // namespace mosim
