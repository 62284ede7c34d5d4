// Fair queues by hand, through the engine.
#include "schedule/fair.hpp"

#include <gtest/gtest.h>

#include "sim/jobs.hpp"

namespace mosim::test {
namespace {

constexpr std::uint32_t kAnn = 0;
constexpr std::uint32_t kBob = 1;

Job job_of(std::uint32_t user, double submit_s, std::uint32_t gpus, double time_s) {
  Job one = job({submit_s, gpus, time_s});
  one.facts.user = user;
  return one;
}

using Times = std::vector<double>;

SimulationResult play(const std::string& queue, const std::vector<Job>& jobs,
                      const ClusterSpec& spec = cluster(1, 4)) {
  return simulate(spec, jobs, policies().make_queue(queue),
                  *policies().make_placement("load-balancing"), {});
}

Times starts(const std::string& queue, const std::vector<Job>& jobs,
             const ClusterSpec& spec = cluster(1, 4)) {
  Times out;
  for (const JobResult& one : play(queue, jobs, spec).jobs) out.push_back(one.start_s);
  return out;
}

TEST(FairShare, OfUsersWithTheSameUsageWhoHoldsLessGoesFirst) {
  // Both of Ann's came first. Once one of them runs Bob holds less.
  const std::vector<Job> jobs{job_of(kAnn, 0, 2, 10), job_of(kAnn, 0, 2, 10),
                              job_of(kBob, 0, 2, 10)};
  EXPECT_EQ(starts("fair-share", jobs), (Times{0, 10, 0}));
  EXPECT_EQ(starts("fair-share(half_life=0s)", jobs), (Times{0, 10, 0}));
}

TEST(FairShare, WhoHasHadLessGoesFirst) {
  // Ann has all 4 GPUs until 10; her second job came before Bob's first.
  //   t = 10  Ann 40 GPU-s, Bob 0: Bob
  //   t = 20  Ann and Bob 40 GPU-s each, hers from longer ago and so decayed more: Ann
  //   t = 30  Bob
  const std::vector<Job> jobs{job_of(kAnn, 0, 4, 10), job_of(kAnn, 1, 4, 10),
                              job_of(kBob, 5, 4, 10), job_of(kBob, 6, 4, 10)};
  EXPECT_EQ(starts("fair-share", jobs), (Times{0, 20, 10, 30}));
  // When a job ends nobody holds anything: the order of submission.
  EXPECT_EQ(starts("fair-share(half_life=0s)", jobs), (Times{0, 10, 20, 30}));
}

TEST(FairShare, PastUsageDecays) {
  // Ann has 4 GPUs until 10, Bob 3 until 20. At 20 both want 4, Bob a little earlier.
  const std::vector<Job> jobs{job_of(kAnn, 0, 4, 10), job_of(kBob, 1, 3, 10),
                              job_of(kBob, 11, 4, 10), job_of(kAnn, 12, 4, 10)};
  // Hardly anything is forgotten: Ann 40 GPU-s, Bob 30.
  EXPECT_EQ(starts("fair-share(half_life=7d)", jobs), (Times{0, 10, 20, 30}));
  // With h = 5 s, 10 s of g GPUs are g 5 / ln 2 (1 - 1/4) = 5.41 g: Ann 21.6 at 10, a quarter of
  // it, 5.4, at 20; Bob 16.2.
  EXPECT_EQ(starts("fair-share(half_life=5s)", jobs), (Times{0, 10, 30, 20}));
}

TEST(FairShare, SkipsWhatDoesNotFitUnlessItIsStrict) {
  // Bob, who has had nothing, wants all 4 GPUs; one is free for Ann.
  const std::vector<Job> jobs{job_of(kAnn, 0, 3, 10), job_of(kBob, 1, 4, 10),
                              job_of(kAnn, 2, 1, 5)};
  EXPECT_EQ(starts("fair-share", jobs), (Times{0, 10, 2}));
  EXPECT_EQ(starts("fair-share(strict=true)", jobs), (Times{0, 10, 20}));
}

TEST(FairShare, TakesGpusFromWhoHoldsMore) {
  // Ann holds 4 GPUs with two jobs of 100 s. At 10 Bob wants 2: her second job, which holds as many
  // as he then will, makes room until 20 and ends 10 s later than it would have.
  const std::vector<Job> jobs{job_of(kAnn, 0, 2, 100), job_of(kAnn, 0, 2, 100),
                              job_of(kBob, 10, 2, 10)};
  EXPECT_EQ(starts("fair-share", jobs), (Times{0, 0, 100}));
  const SimulationResult result = play("fair-share(preempt=true)", jobs);
  EXPECT_EQ(result.jobs[2].start_s, 10);
  EXPECT_EQ(result.jobs[0].preemptions, 0U);
  EXPECT_EQ(result.jobs[1].preemptions, 1U);
  EXPECT_EQ(result.jobs[1].end_s, 110);
}

TEST(FairShare, TakesNoMoreThanIsFair) {
  // For 3 GPUs Ann would be left with 2 or 0, and Bob hold more than she.
  const SimulationResult result =
      play("fair-share(preempt=true)",
           {job_of(kAnn, 0, 2, 100), job_of(kAnn, 0, 2, 100), job_of(kBob, 10, 3, 10)});
  EXPECT_EQ(result.jobs[2].start_s, 100);
  EXPECT_TRUE(result.earlier_attempts.empty());
}

TEST(FairShare, BetweenGroupsOrVirtualClusters) {
  // The user is the same; the third job is of another group, or virtual cluster.
  std::vector<Job> jobs{job_of(kAnn, 0, 4, 10), job_of(kAnn, 1, 4, 10), job_of(kAnn, 5, 4, 10)};
  EXPECT_EQ(starts("fair-share", jobs), (Times{0, 10, 20}));
  jobs[2].facts.group = 1;
  EXPECT_EQ(starts("fair-share(between=group)", jobs), (Times{0, 20, 10}));
  ClusterSpec spec = cluster(1, 4);
  spec.virtual_clusters = {{.name = "a"}, {.name = "b"}};
  jobs[2].virtual_cluster = VirtualClusterId{1};
  EXPECT_EQ(starts("fair-share(between=virtual-cluster)", jobs, spec), (Times{0, 20, 10}));
  EXPECT_TRUE(policies().make_queue("fair-share").spans_virtual_clusters);
}

Job demanding(std::uint32_t user, std::uint32_t cpus, std::uint32_t memory_gb) {
  Job one = job_of(user, 0, 1, 10);
  one.request.cpus_per_worker = cpus;
  one.request.memory_mb_per_worker = memory_gb * 1000;
  return one;
}

Job ann() { return demanding(kAnn, 1, 4); }
Job bob() { return demanding(kBob, 3, 1); }

ClusterSpec one_server(std::uint32_t cpus, double memory_gb) {
  ServerGroup group = servers(1, 18);
  group.cpus = cpus;
  group.memory = memory_gb * 1e9;
  return ClusterSpec{{group}};
}

TEST(Drf, EvensOutDominantShares) {
  // 9 cores, 12 GB. Ann's jobs need 1 core and 4 GB, a third of the memory; Bob's 3 cores, a third
  // of the cores, and 1 GB. In turn: Ann 1/3, Bob 1/3, Ann 2/3, Bob 2/3; then 4 + 4 + 1 + 1 of 12
  // GB are taken and Ann's third job waits. In the order of submission Ann would have taken it all.
  const std::vector<Job> jobs{ann(), ann(), ann(), bob(), bob()};
  EXPECT_EQ(starts("drf", jobs, one_server(9, 12)), (Times{0, 0, 10, 0, 0}));
  EXPECT_EQ(starts("fifo-skip", jobs, one_server(9, 12)), (Times{0, 0, 0, 10, 10}));
}

TEST(Drf, TheExampleOfThePaper) {
  // Ghodsi et al., section 4.1: of 9 cores and 18 GB, A gets three tasks and B two: 2/3 of the
  // memory and 2/3 of the cores.
  const std::vector<Job> jobs{ann(), ann(), ann(), ann(), bob(), bob(), bob()};
  const Times expected{0, 0, 0, 10, 0, 0, 10};
  EXPECT_EQ(starts("drf", jobs, one_server(9, 18)), expected);
  EXPECT_EQ(starts("drf(strict=true)", jobs, one_server(9, 18)), expected);
}

TEST(Drf, WhatServersDoNotLimitDoesNotCount) {
  // Memory and cores without a limit: GPUs alone, of which each job has one. Ann, Bob, Ann, Bob.
  ClusterSpec spec{{servers(1, 4)}};
  EXPECT_EQ(starts("drf", {ann(), ann(), ann(), bob(), bob()}, spec), (Times{0, 0, 10, 0, 0}));
}

}  // namespace
}  // namespace mosim::test
