#include <gtest/gtest.h>

#include <numeric>

#include "support/traces.hpp"

namespace mosim {
namespace {

constexpr const char* kHeader = "job_id,submission_time,duration,num_gpu\n";

TEST(Elasticflow, TheJobsOfTheTestbedCarryModelsDeadlinesAndBatches) {
  const std::string file = test::shared_path("traces/elasticflow-itp/195job.csv");
  MOSIM_NEEDS(file);
  const Trace trace = read_trace({.file = file});
  EXPECT_EQ(trace.format, "elasticflow");
  ASSERT_EQ(trace.jobs.size(), 195U);
  const TraceJob& job = trace.jobs[0];  // bdd640fb-...,3715485,3249,deepspeech2,3716178,32,1,1075
  EXPECT_EQ(job.id, "bdd640fb-0667-1ad1-1c80-317fa3b1799d");
  EXPECT_EQ(job.submit_s, 3715485);
  EXPECT_EQ(job.iterations, 3249);
  EXPECT_EQ(job.model, "deepspeech2");
  EXPECT_EQ(job.batch_size, 32U);
  EXPECT_EQ(job.gpus(), 1U);
  EXPECT_EQ(job.duration_s, 1075);
  // awk -F, 'NR>1{g+=$7;d+=$8}END{print g,d}' gives 572 5055326; all deadlines are 0.5 to 1.5
  // durations after the submission, so that they are on its clock.
  std::uint64_t gpus = 0;
  double duration_s = 0;
  for (const TraceJob& one : trace.jobs) {
    gpus += one.gpus();
    duration_s += one.duration_s;
    ASSERT_TRUE(one.deadline_s.has_value());
    const double stretch = (one.deadline_s.value_or(0) - one.submit_s) / one.duration_s;
    EXPECT_GT(stretch, 0.49) << one.id;
    EXPECT_LT(stretch, 1.51) << one.id;
  }
  EXPECT_EQ(gpus, 572U);
  EXPECT_EQ(duration_s, 5055326);
}

TEST(Elasticflow, TheRawTracesLoadWhole) {
  const std::string folder = test::shared_path("traces/elasticflow-itp");
  MOSIM_NEEDS(folder);
  // awk -F, 'NR>1{s+=$3*$4}END{print NR-1,s}' of each file
  const std::tuple<const char*, std::size_t, double> files[] = {
      {"raw-cluster01.csv", 1595, 81864453},
      {"raw-cluster10.csv", 260, 14484569},
      {"raw-cluster02.csv", 5778, 445494106},
      {"raw-cluster04.csv.gz", 15802, 2540458386}};
  for (const auto& [name, jobs, gpu_seconds] : files) {
    const Trace trace = read_trace({.file = folder + "/" + name});
    EXPECT_EQ(trace.jobs.size(), jobs) << name;
    const double sum = std::accumulate(
        trace.jobs.begin(), trace.jobs.end(), 0.0, [](double so_far, const TraceJob& job) {
          return so_far + job.duration_s * static_cast<double>(job.gpus());
        });
    EXPECT_EQ(sum, gpu_seconds) << name;
    EXPECT_FALSE(trace.jobs[0].deadline_s.has_value());
    EXPECT_FALSE(trace.jobs[0].iterations.has_value());
  }
}

TEST(Elasticflow, RowsNeedNotBeSortedAndBlankLinesEndTheFile) {
  const Trace trace = test::read_trace_text(std::string(kHeader) + "b,20,5,2\na,10,6,1\n\n  \n\n");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].id, "a");
  EXPECT_EQ(trace.jobs[0].position.line, 3U);
  EXPECT_EQ(trace.jobs[1].submit_s, 20);  // the zero of the clock stays where it was
}

TEST(Elasticflow, NoGpusAndNegativeDurationsAreCounted) {
  const Trace trace = test::read_trace_text(std::string(kHeader) + "a,0,5,0\nb,0,-5,1\nc,1,5,1\n");
  ASSERT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(trace.jobs[0].id, "c");
  EXPECT_EQ(test::dropped(trace, Finding::zero_gpus), 1U);
  EXPECT_EQ(test::dropped(trace, Finding::negative_duration), 1U);
  EXPECT_EQ(trace.account.jobs_read, 3U);
}

TEST(Elasticflow, ARepeatedColumnIsRefusedOnlyWhereItIsNeeded) {
  const Trace trace =
      test::read_trace_text("job_id,submission_time,duration,num_gpu,JCT,JCT\na,0,5,1,7,8\n");
  EXPECT_EQ(trace.jobs.size(), 1U);
  const std::string error =
      test::trace_error("job_id,submission_time,duration,num_gpu,duration\na,0,5,1,6\n");
  EXPECT_NE(error.find("has two columns named 'duration'"), std::string::npos) << error;
}

TEST(Elasticflow, WrongValuesHaveTheirPlace) {
  const std::string error =
      test::trace_error(std::string(kHeader) + "a,0,5,1\nb,0,5,1.5\nb,,5,1\n");
  EXPECT_NE(error.find(":3:7: num_gpu is '1.5'"), std::string::npos) << error;
  EXPECT_NE(error.find(":4:3: submission_time is ''"), std::string::npos) << error;
}

}  // namespace
}  // namespace mosim
