#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "mosim/generate.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

// Every virtual cluster has one number of GPUs and one duration: b's jobs are as frequent as a's
// by 3 to 1. They come an hour apart for three weeks, from a Tuesday.
Trace two_kinds() {
  Trace trace;
  trace.file = "two kinds";
  trace.epoch_s = 1507593600;  // 2017-10-10 00:00:00
  for (int hour = 0; hour < 504; ++hour) {
    TraceJob job;
    const bool small = hour % 4 == 0;
    job.id = std::to_string(hour);
    job.submit_s = hour * 3600.0;
    job.start_s = job.submit_s + 60;
    job.duration_s = small ? 10 : 1000;
    job.workers = small ? 1 : 8;
    job.virtual_cluster = small ? "a" : "b";
    trace.jobs.push_back(job);
  }
  return trace;
}

TEST(Like, WholeJobsAreDrawn) {
  GeneratorSpec spec = like(two_kinds());
  EXPECT_EQ(spec.jobs, 504U);
  spec.jobs = 10000;
  TraceGenerator generator(spec);
  std::map<std::string, int> counts;
  TraceJob job;
  while (generator.next(job)) {
    ++counts[job.virtual_cluster];
    EXPECT_EQ(job.workers, job.virtual_cluster == "a" ? 1U : 8U);
    EXPECT_EQ(job.duration_s, job.virtual_cluster == "a" ? 10 : 1000);
    EXPECT_FALSE(job.start_s.has_value());
  }
  EXPECT_NEAR(counts["a"], 2500, 4 * std::sqrt(10000 * 0.25 * 0.75));
  EXPECT_EQ(counts["a"] + counts["b"], 10000);
  EXPECT_NEAR(job.submit_s, 10000 * 3600.0, 4 * 3600.0 * std::sqrt(10000));
}

TEST(Like, JitterMovesDurationsByItsFactorAtMost) {
  GeneratorSpec spec = like(two_kinds());
  spec.jitter = 0.25;
  TraceGenerator generator(spec);
  TraceJob job;
  double least = 1e9;
  double most = 0;
  while (generator.next(job)) {
    const double factor = job.duration_s / (job.workers == 1 ? 10 : 1000);
    least = std::min(least, factor);
    most = std::max(most, factor);
  }
  EXPECT_NEAR(least, 0.8, 0.005);
  EXPECT_NEAR(most, 1.25, 0.005);
  EXPECT_GE(least, 0.7999);
  EXPECT_LE(most, 1.2501);
}

TEST(Fit, FindsWhatTheTraceHas) {
  const TraceFit found = fit(two_kinds());
  EXPECT_EQ(found.jobs, 504U);
  EXPECT_NEAR(found.gap_variation, 0, 1e-9);
  EXPECT_EQ(found.spec.arrivals.start_s, 86400);
  EXPECT_NEAR(found.spec.arrivals.rate_per_s, 1 / 3600.0, 1e-6);
  ASSERT_EQ(found.spec.gpus.size(), 2U);
  EXPECT_EQ(found.spec.gpus[1].count, 8U);
  EXPECT_EQ(found.spec.gpus[1].weight, 378);
  // ln 10 and 3 times ln 1000: the mean is 5.756, the deviation ln(100) sqrt(3) / 4.
  EXPECT_NEAR(found.log_normal.value_s, std::pow(10, 2.5), 0.001);
  EXPECT_NEAR(found.log_normal.shape, std::log(100) * std::sqrt(3.0) / 4, 1e-4);
  EXPECT_EQ(found.spec.durations.percentiles[10].value_s, 10);
  EXPECT_EQ(found.spec.durations.percentiles[50].value_s, 1000);
}

TEST(Fit, IsReadBackFromItsFile) {
  const test::TemporaryFolder folder;
  const GeneratorSpec spec = fit(two_kinds()).spec;
  const std::string text = generator_yaml(spec);
  const std::string file = folder.write("fit.yaml", text);
  EXPECT_EQ(generator_yaml(read_generator(file)), text);
}

TEST(Fit, ATraceWithoutARateIsRefused) {
  Trace trace = two_kinds();
  trace.jobs.resize(1);
  EXPECT_THROW((void)fit(trace), InputError);
}

TEST(Fit, PhillyAsThePresetSays) {
  const std::string file = test::shared_path("traces/philly/philly_jobs.csv.gz");
  MOSIM_NEEDS(file);
  const TraceFit found = fit(read_trace({.file = file}));
  const GeneratorSpec preset = read_generator("bundled:generators/philly-like.yaml");
  EXPECT_EQ(found.log_normal.value_s, preset.durations.value_s);
  EXPECT_EQ(found.log_normal.shape, preset.durations.shape);
  EXPECT_EQ(found.log_normal.max_s, preset.durations.max_s);
  for (std::size_t i = 0; i < preset.gpus.size(); ++i) {
    EXPECT_EQ(found.spec.gpus[i].count, preset.gpus[i].count);
    EXPECT_EQ(found.spec.gpus[i].weight, preset.gpus[i].weight);
  }
  EXPECT_NEAR(found.log_normal_distance, 0.09, 0.005);
}

}  // namespace
}  // namespace mosim
