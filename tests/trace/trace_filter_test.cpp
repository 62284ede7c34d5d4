// Which jobs of a trace are kept, and what becomes of their times.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mosim/trace.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

const std::string kHeader =
    "job_id,model,arrival_time,duration,gpu_workers,gpu_per_worker,status,virtual_cluster\n";

class Filtered : public ::testing::Test {
 protected:
  // The ids that a filter leaves of four jobs.
  std::string left(const TraceFilter& filter) {
    const std::string file = folder_.write("t.csv", kHeader +
                                                        "a,,0,50,1,1,completed,x\n"
                                                        "b,,100,60,1,2,failed,y\n"
                                                        "c,,200,70,2,4,cancelled,x\n"
                                                        "d,,300,80,16,1,,\n");
    const Trace trace = read_trace({.file = file, .filter = filter});
    EXPECT_EQ(trace.account.jobs_read, 4U);
    EXPECT_EQ(trace.account.filtered, 4 - trace.jobs.size());
    std::string ids;
    for (const TraceJob& job : trace.jobs) ids += job.id;
    return ids;
  }

  // Many jobs, of which every `step`th is there.
  Trace sampled(double fraction, std::uint64_t seed, int step = 1) {
    std::string text = kHeader;
    for (int job = 0; job < 10000; job += step) {
      text += "job" + std::to_string(job) + ",,0,1,1,1,,\n";
    }
    return read_trace({.file = folder_.write("many.csv", text),
                       .filter = {.sample = fraction, .sample_seed = seed}});
  }

  static std::set<std::string> ids(const Trace& trace) {
    std::set<std::string> all;
    for (const TraceJob& job : trace.jobs) all.insert(job.id);
    return all;
  }

  test::TemporaryFolder folder_;
};

TEST_F(Filtered, WindowHasItsBeginAndNotItsEnd) {
  EXPECT_EQ(left({.from_s = 100}), "bcd");
  EXPECT_EQ(left({.to_s = 200}), "ab");
  EXPECT_EQ(left({.from_s = 100, .to_s = 300}), "bc");
}

TEST_F(Filtered, GpusAreThoseOfAllWorkers) {
  EXPECT_EQ(left({.min_gpus = 2}), "bcd");
  EXPECT_EQ(left({.max_gpus = 8}), "abc");
  EXPECT_EQ(left({.min_gpus = 8, .max_gpus = 8}), "c");
}

TEST_F(Filtered, StatusesAndVirtualClusters) {
  EXPECT_EQ(left({.statuses = {"completed", "unknown"}}), "ad");
  EXPECT_EQ(left({.virtual_clusters = {"x"}}), "ac");
  EXPECT_EQ(left({.statuses = {"cancelled"}, .virtual_clusters = {"x", "y"}}), "c");
}

TEST_F(Filtered, TheFirstOfWhatIsLeft) {
  EXPECT_EQ(left({.limit = 2}), "ab");
  EXPECT_EQ(left({.min_gpus = 2, .limit = 2}), "bc");
  EXPECT_EQ(left({.from_s = 150, .limit = 1}), "c");
}

TEST_F(Filtered, SampleIsTheSameForTheSameSeed) {
  EXPECT_EQ(ids(sampled(0.3, 1)), ids(sampled(0.3, 1)));
  EXPECT_NE(ids(sampled(0.3, 1)), ids(sampled(0.3, 2)));
}

TEST_F(Filtered, SampleIsAboutTheFraction) {
  // Binomial: 10000 jobs with p = 0.3 have a standard deviation of 45.8.
  EXPECT_NEAR(static_cast<double>(sampled(0.3, 1).jobs.size()), 3000, 4 * 45.8);
  EXPECT_NEAR(static_cast<double>(sampled(0.3, 7).jobs.size()), 3000, 4 * 45.8);
}

TEST_F(Filtered, SampleOfAJobDoesNotDependOnTheOthers) {
  const std::set<std::string> all = ids(sampled(0.3, 1));
  const std::set<std::string> third = ids(sampled(0.3, 1, 3));
  for (int job = 0; job < 10000; job += 3) {
    const std::string id = "job" + std::to_string(job);
    EXPECT_EQ(third.count(id), all.count(id)) << id;
  }
}

// A larger sample has all of a smaller one.
TEST_F(Filtered, SamplesAreNested) {
  const std::set<std::string> small = ids(sampled(0.1, 1));
  const std::set<std::string> large = ids(sampled(0.5, 1));
  EXPECT_TRUE(std::includes(large.begin(), large.end(), small.begin(), small.end()));
}

class Scaled : public ::testing::Test {
 protected:
  Trace scaled(const TraceFilter& filter) {
    return read_trace(
        {.file = folder_.write("t.csv",
                               "job_id,model,arrival_time,duration,gpu_workers,num_iteration,"
                               "start_time,deadline,estimate_s\n"
                               "a,,0,50,2,1000,10,400,\nb,,100,50,2,1000,130,500,80\n"
                               "c,,200,50,2,1000,200,800,\n"),
         .filter = filter});
  }

  test::TemporaryFolder folder_;
};

TEST_F(Scaled, TimeScalesEverything) {
  const Trace trace = scaled({.time_scale = 0.5});
  EXPECT_EQ(trace.jobs[1].submit_s, 50);
  EXPECT_EQ(trace.jobs[1].duration_s, 25);
  EXPECT_EQ(trace.jobs[1].start_s, 65);
  EXPECT_EQ(trace.jobs[1].deadline_s, 250);
  EXPECT_EQ(trace.jobs[1].estimate_s, 40);
  EXPECT_EQ(trace.jobs[1].iterations, 500);
}

// Offered load: GPU-seconds per second of submissions. 3 jobs of 50 s on 2 GPUs are 300 GPU-s, over
// 200 s of submissions 1.5; over 100 s it is 3.
TEST_F(Scaled, LoadScaleOfTwoDoublesTheLoad) {
  const auto load = [](const Trace& trace) {
    double work = 0;
    for (const TraceJob& job : trace.jobs) work += job.duration_s * static_cast<double>(job.gpus());
    return work / (trace.jobs.back().submit_s - trace.jobs.front().submit_s);
  };
  EXPECT_EQ(load(scaled({})), 1.5);
  const Trace twice = scaled({.load_scale = 2});
  EXPECT_EQ(load(twice), 3);
  // What follows a submission keeps its distance.
  EXPECT_EQ(twice.jobs[1].submit_s, 50);
  EXPECT_EQ(twice.jobs[1].start_s, 80);
  EXPECT_EQ(twice.jobs[1].deadline_s, 450);
  EXPECT_EQ(twice.jobs[1].estimate_s, 80);
  EXPECT_EQ(twice.jobs[1].iterations, 1000);
  // Both at once: twice the time, submitted twice as fast.
  const Trace both = scaled({.time_scale = 2, .load_scale = 2});
  EXPECT_EQ(both.jobs[1].submit_s, 100);
  EXPECT_EQ(both.jobs[1].duration_s, 100);
  EXPECT_EQ(both.jobs[1].start_s, 160);
}

}  // namespace
}  // namespace mosim
