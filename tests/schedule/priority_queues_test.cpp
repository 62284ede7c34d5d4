#include <gtest/gtest.h>

#include "schedule/ends.hpp"

namespace mosim::test {
namespace {

using Ends = std::vector<double>;
using Counts = std::vector<std::uint32_t>;

TEST(Sjf, TheShortestThatWaitsIsNextAndNobodyIsPreempted) {
  // One GPU. A runs 0-10 though B, C and D are shorter; then C (3 s), B (5 s) before D (5 s,
  // later).
  const std::vector<Job> jobs{plain_job(0, 1, 10), plain_job(1, 1, 5), plain_job(2, 1, 3),
                              plain_job(3, 1, 5)};
  EXPECT_EQ(ends_of(run_plain(1, jobs, "sjf")), (Ends{10, 18, 13, 23}));
}

// On 2 GPUs A wants both for 10 s, B one for 3 s, C one for 8 s, D both for 1 s.
std::vector<Job> four_jobs() {
  return {plain_job(0, 2, 10), plain_job(1, 1, 3), plain_job(2, 1, 8), plain_job(5, 2, 1)};
}

TEST(Srtf, ShorterJobsTakeTheGpusOfLongerOnes) {
  //   t =  1  B has 3 left, A 9: A is preempted, B starts.
  //   t =  2  C starts on the other GPU.
  //   t =  4  B ends; C has 6 left, A 9, and A does not fit beside C.
  //   t =  5  D has 1 left, C 5: C is preempted, D runs until 6.
  //   t =  6  C before A: 6-11. A 11-20.
  const SimulationResult result = run_plain(2, four_jobs(), "srtf");
  EXPECT_EQ(ends_of(result), (Ends{20, 4, 11, 6}));
  EXPECT_EQ(preemptions_of(result), (Counts{1, 0, 1, 0}));
}

TEST(Srtf, PreemptionCostsCount) {
  // A preempted job takes 1 + 2 s more. As above until 6; then C has 3 + 5 left, A 3 + 9.
  // C 6-14, A 14-26.
  const SimulationResult result = run_plain(2, four_jobs(), "srtf", {.save_s = 1, .restore_s = 2});
  EXPECT_EQ(ends_of(result), (Ends{26, 4, 14, 6}));
}

TEST(Srtf, JobsThatMustRunOnAreLeftAlone) {
  // Nobody is preempted before it ran 2 s: at 1 A ran 1 s and goes on. At 2 C comes and A may be
  // preempted: B (3) and C (8) before A (8, but it needs both): B 2-5, C 2-.
  // t = 5: D comes, C ran 3 s: D 5-6. C 5 left 6-11, A 8 left 11-19.
  const SimulationResult result = run_plain(2, four_jobs(), "srtf", {.min_run_s = 2});
  EXPECT_EQ(ends_of(result), (Ends{19, 5, 11, 6}));
  // With 2.5 s a decision is due at 2.5. A has 7.5 left, B 2.5-5.5, C 2.5-. At 5 D would need B's
  // GPU too, which has less left: D 5.5-6.5 on both, C (5 left) 6.5-11.5, A 11.5-19.
  EXPECT_EQ(ends_of(run_plain(2, four_jobs(), "srtf", {.min_run_s = 2.5})),
            (Ends{19, 5.5, 11.5, 6.5}));
}

TEST(Srtf, PreemptsAtQuantaOnly) {
  // One GPU. A 30 s, at 3 B of 4 s, at 12 C of 1 s. B waits for t = 10 and runs until 14. Then a
  // GPU is free, for which no quantum is needed: C 14-15, A with 20 left 15-35.
  const std::vector<Job> jobs{plain_job(0, 1, 30), plain_job(3, 1, 4), plain_job(12, 1, 1)};
  EXPECT_EQ(ends_of(run_plain(1, jobs, "srtf(quantum=10 s)")), (Ends{35, 14, 15}));
}

TEST(Srtf, UsersEstimates) {
  // One GPU. A says 3 s and takes 10: when it has run over its estimate nothing is left of it and
  // nobody is better. Then B, which says 4; C says nothing and is last, though it takes only 1 s.
  std::vector<Job> jobs{plain_job(0, 1, 10), plain_job(1, 1, 5), plain_job(1, 1, 1)};
  jobs[0].facts.estimate_s = 3;
  jobs[1].facts.estimate_s = 4;
  EXPECT_EQ(ends_of(run_plain(1, jobs, "srtf(estimates=true)")), (Ends{10, 15, 16}));
  // The truth: C 1-2, B 2-7, A with 9 left 7-16.
  EXPECT_EQ(ends_of(run_plain(1, jobs, "srtf")), (Ends{16, 7, 2}));
  EXPECT_EQ(ends_of(run_plain(1, jobs, "sjf(estimates=true)")), (Ends{10, 15, 16}));
}

TEST(Srtf, TakesOnlyWhatHelps) {
  // A V100 and a T4. A (20 s) runs on the V100, B (10 s) on the T4. C (1 s) may run on a T4 only:
  // A has more left, but taking it off would not help. B 0-2, C 2-3, B 3-11.
  ClusterSpec spec{{servers(1, 1), servers(1, 1)}};
  spec.groups[1].gpu = "T4";
  std::vector<Job> jobs{plain_job(0, 1, 20), plain_job(0, 1, 10), plain_job(2, 1, 1)};
  jobs[1].request.gpu_type = GpuTypeId{1};
  jobs[2].request.gpu_type = GpuTypeId{1};
  const SimulationResult result = run_on(spec, jobs, {}, "srtf", "bin-packing");
  EXPECT_EQ(ends_of(result), (Ends{20, 11, 3}));
  EXPECT_EQ(preemptions_of(result), (Counts{0, 1, 0}));
}

TEST(Srtf, WhatIsTakenInVainIsPutBack) {
  // Two servers of 2 GPUs. A (1 GPU, 20 s) and B (1 GPU, 40 s) fill the first, from 1 on C (a
  // worker of 2 GPUs, 30 s) the second. At 2 D (a worker of 2 GPUs, 10 s) comes. B has most left
  // and goes first, but beside A there is no room; then C, and D runs where C ran, until 12. B goes
  // on as if nothing had happened: C does not fit there. C (29 left) 12-41.
  std::vector<Job> jobs{plain_job(0, 1, 20), plain_job(0, 1, 40), plain_job(1, 1, 30),
                        plain_job(2, 1, 10)};
  jobs[2].request.gpus_per_worker = 2;
  jobs[3].request.gpus_per_worker = 2;
  const SimulationResult result = run_on(cluster(2, 2), jobs, {}, "srtf", "bin-packing");
  EXPECT_EQ(ends_of(result), (Ends{20, 40, 41, 12}));
  EXPECT_EQ(preemptions_of(result), (Counts{0, 0, 1, 0}));
}

TEST(Srtf, WhoIsDisplacedMayDisplaceInTurn) {
  // As before, but C is two jobs of 1 GPU and 30 s, C and D, and E is the one that comes. B, D and
  // C go. C (29 left) is better than B (38) and moves to where B ran: 2-31. At 3 A of now 3 s ends
  // and D takes its place: 3-32. B 12-50.
  std::vector<Job> jobs{plain_job(0, 1, 3), plain_job(0, 1, 40), plain_job(1, 1, 30),
                        plain_job(1, 1, 30), plain_job(2, 1, 10)};
  jobs[4].request.gpus_per_worker = 2;
  const SimulationResult result = run_on(cluster(2, 2), jobs, {}, "srtf", "bin-packing");
  EXPECT_EQ(ends_of(result), (Ends{3, 50, 31, 32, 12}));
  EXPECT_EQ(preemptions_of(result), (Counts{0, 1, 0, 1, 0}));
  EXPECT_EQ(result.jobs[2].moves, 1U);
}

TEST(Srsf, CountsTheGpus) {
  // 2 GPUs: A 2 x 4 s = 8, B 6, C 7. B and C first; C ends at 7, A 7-11.
  const std::vector<Job> jobs{plain_job(0, 2, 4), plain_job(0, 1, 6), plain_job(0, 1, 7)};
  EXPECT_EQ(ends_of(run_plain(2, jobs, "srsf")), (Ends{11, 6, 7}));
  // By time alone A is first.
  EXPECT_EQ(ends_of(run_plain(2, jobs, "srtf")), (Ends{4, 10, 11}));
}

TEST(Priority, TheLargestFirst) {
  std::vector<Job> jobs{plain_job(0, 1, 10), plain_job(1, 1, 5), plain_job(2, 1, 5),
                        plain_job(3, 1, 1)};
  jobs[0].facts.priority = 1;
  jobs[1].facts.priority = 5;
  jobs[2].facts.priority = 5;
  jobs[3].facts.priority = 9;
  // One GPU. A is not preempted: D 10-11, B 11-16, C 16-21.
  EXPECT_EQ(ends_of(run_plain(1, jobs, "priority")), (Ends{10, 16, 21, 11}));
  // A 0-1, B 1-3, D 3-4, B (3 left) 4-7, C 7-12, A (9 left) 12-21.
  const SimulationResult result = run_plain(1, jobs, "priority(preemptive=true)");
  EXPECT_EQ(ends_of(result), (Ends{21, 7, 12, 4}));
  EXPECT_EQ(preemptions_of(result), (Counts{1, 1, 0, 0}));
}

TEST(Edf, TheEarliestDeadlineFirstAndNoneLast) {
  std::vector<Job> jobs{plain_job(0, 1, 10), plain_job(1, 1, 5), plain_job(2, 1, 4),
                        plain_job(3, 1, 2)};
  jobs[0].facts.deadline_s = 100;
  jobs[2].facts.deadline_s = 10;
  jobs[3].facts.deadline_s = 50;
  // One GPU. A 0-2, C 2-6, D 6-8, A 8-16, B 16-21.
  EXPECT_EQ(ends_of(run_plain(1, jobs, "edf")), (Ends{16, 21, 6, 8}));
  // A 0-10, C 10-14, D 14-16, B 16-21.
  EXPECT_EQ(ends_of(run_plain(1, jobs, "edf(preemptive=false)")), (Ends{10, 21, 14, 16}));
}

TEST(PriorityQueues, WrongParametersAreRefused) {
  for (const char* wrong :
       {"las(thresholds=7200 3250)", "las(thresholds=1 1)", "las(thresholds=0)", "las(promote=-1)",
        "las(demotion=late)", "gittins(delta=0)", "gittins(history=all)", "srtf(quantum=-1 s)",
        "sjf(quantum=1 s)", "priority(preemptive=1)"}) {
    EXPECT_THROW(static_cast<void>(policies().make_queue(wrong)), std::invalid_argument) << wrong;
  }
}

}  // namespace
}  // namespace mosim::test
