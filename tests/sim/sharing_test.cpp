// Jobs that share GPUs, in the engine.
#include <gtest/gtest.h>

#include "sim/jobs.hpp"

namespace mosim::test {
namespace {

Job sharing(double submit_s, std::uint32_t milli, double iterations) {
  Job out = job({.submit_s = submit_s, .iterations = iterations});
  out.request.gpu_milli = milli;
  return out;
}

TEST(SharedGpus, JobsRunBesideEachOtherAtTheirOwnPace) {
  // One server with a GPU. 600 and 400 fill it; the third of 400 waits until the second ends at 5.
  const std::vector<Job> jobs{sharing(0, 600, 10), sharing(1, 400, 4), sharing(2, 400, 3)};
  const SimulationResult result = run_on(cluster(1, 1), jobs);
  EXPECT_EQ(result.jobs[0].end_s, 10);
  EXPECT_EQ(result.jobs[1].end_s, 5);
  EXPECT_EQ(result.jobs[2].start_s, 5);
  EXPECT_EQ(result.jobs[2].end_s, 8);
  for (const TimelinePoint& point : result.timeline) EXPECT_LE(point.gpus_used, 1U);
  for (const JobResult& one : result.jobs) EXPECT_EQ(result.groups_of(one).front().gpu, 0U);
}

TEST(SharedGpus, AWholeJobWaitsForAFreeOne) {
  const std::vector<Job> jobs{sharing(0, 1, 10), job({.submit_s = 1, .iterations = 2})};
  EXPECT_EQ(run_on(cluster(1, 1), jobs).jobs[1].start_s, 10);
  EXPECT_EQ(run_on(cluster(1, 2), jobs).jobs[1].start_s, 1);
}

// More jobs than GPUs on a server, which the contention models and the failures keep count of.
TEST(SharedGpus, ManyJobsOfAServerFailTogether) {
  std::vector<Job> jobs;
  for (int i = 0; i < 40; ++i) jobs.push_back(sharing(0, 50, 10));
  SimulationOptions options;
  options.contention.kind = ContentionKind::fixed;
  options.availability.checkpoint_interval_s = 4;
  options.availability.events = {{6, ServerId{0}, ServerId{0}, ServerChange::fail},
                                 {7, ServerId{0}, ServerId{0}, ServerChange::repair}};
  const SimulationResult result = run_on(cluster(1, 2), jobs, options);
  // Each goes on from 4 of its 10 s: 7 + 6.
  for (const JobResult& one : result.jobs) EXPECT_EQ(one.end_s, 13);
  EXPECT_EQ(result.jobs[39].lost_s, 2);
}

// Starts its only job on the GPU that it is told.
class StartOn : public Policy {
 public:
  explicit StartOn(WorkerGroup group) : group_(group) {}
  void decide(Scheduler& scheduler) override {
    for (const JobIndex job : scheduler.waiting()) scheduler.start(job, std::span(&group_, 1));
  }

 private:
  WorkerGroup group_;
};

std::string refusal(const Job& job, const WorkerGroup& group) {
  const ActivePolicy policy{"start-on", {}, false, std::make_shared<StartOn>(group)};
  try {
    (void)simulate(cluster(1, 2), std::vector<Job>{job}, policy,
                   *policies().make_placement("bin-packing"), {});
  } catch (const InvalidAction& error) {
    return error.what();
  }
  return "";
}

TEST(SharedGpus, StartsOnWrongGpusAreRefused) {
  const Job half = sharing(0, 500, 1);
  EXPECT_EQ(refusal(half, {ServerId{0}, 1, 1}), "");
  EXPECT_NE(refusal(half, {ServerId{0}, 1, 2}).find("GPU 2 of server 0 is not for it"),
            std::string::npos);
  EXPECT_NE(refusal(half, {ServerId{0}, 1}).find("it is given no GPU of server 0 to share"),
            std::string::npos);
  EXPECT_NE(refusal(job({}), {ServerId{0}, 1, 0}).find("GPU 0 of server 0 is not for it"),
            std::string::npos);
}

TEST(SharedGpus, WhatNoServerHoldsIsToldByItsPart) {
  Job one = sharing(0, 255, 1);
  one.request.cpus_per_worker = 9;
  ClusterSpec spec = cluster(1, 2);
  spec.groups[0].cpus = 8;
  const auto found =
      find_unplaceable(spec, std::vector<Job>{one}, *policies().make_placement("bin-packing"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].reason.find("asks for 25.5 % of a GPU and 9 CPUs;"), std::string::npos)
      << found[0].reason;
}

}  // namespace
}  // namespace mosim::test
