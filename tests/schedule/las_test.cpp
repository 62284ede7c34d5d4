#include <gtest/gtest.h>

#include "schedule/ends.hpp"
#include "schedule/gittins.hpp"

namespace mosim::test {
namespace {

using Ends = std::vector<double>;

TEST(Las, JobsGoDownTheQueuesAsTheyAttainService) {
  // One GPU, queues up to 4, up to 8 and beyond. A 10 s, at 2 B of 3 s, at 3 C of 6 s.
  //   t =  4  A goes down; B and C are in the top queue: B 4-7, C 7-.
  //   t = 11  C goes down too, to the end of the queue in which A waits: A 11-.
  //   t = 15  A attained 8 and goes down: C (2 left) 15-17.
  //   t = 17  A (2 left) until 19.
  const std::vector<Job> jobs{plain_job(0, 1, 10), plain_job(2, 1, 3), plain_job(3, 1, 6)};
  const SimulationResult result = run_plain(1, jobs, "las(thresholds=4 8)");
  EXPECT_EQ(ends_of(result), (Ends{19, 7, 17}));
  EXPECT_EQ(preemptions_of(result), (std::vector<std::uint32_t>{2, 0, 1}));
}

TEST(Las, PreemptionCostsAreAttainedServiceToo) {
  // As above, and to go on takes 1 s, on the GPU.
  //   t = 11  A: 1 s, then trains: it attained 8 at 15 and has 3 left.
  //   t = 15  C: 1 + 2 s until 18. A 1 + 3 s until 22.
  const std::vector<Job> jobs{plain_job(0, 1, 10), plain_job(2, 1, 3), plain_job(3, 1, 6)};
  EXPECT_EQ(ends_of(run_plain(1, jobs, "las(thresholds=4 8)", {.restore_s = 1})),
            (Ends{22, 7, 18}));
}

TEST(Las, ServiceCountsGpus) {
  // 2 GPUs, both for each: A attained 8 at 4. B 4-7, A (6 left) 7-13.
  const std::vector<Job> jobs{plain_job(0, 2, 10), plain_job(1, 2, 3)};
  EXPECT_EQ(ends_of(run_plain(2, jobs, "las(thresholds=8)")), (Ends{13, 7}));
}

TEST(Las, LateDemotionOfTiresias) {
  // As above. At 1, when B comes, A ran 1 s and is looked at again after ceil((8 - 1) / 2) = 4 s,
  // at 5: B 5-8, A (5 left) 8-13.
  const std::vector<Job> jobs{plain_job(0, 2, 10), plain_job(1, 2, 3)};
  EXPECT_EQ(ends_of(run_plain(2, jobs, "las(thresholds=8, demotion=tiresias)")), (Ends{13, 8}));
}

TEST(Las, AJobThatStarvesIsPromoted) {
  // One GPU, queues up to 2 and beyond. A 6 s; B, C and D of 2 s come at 1, E of 2 s at 7.
  // A 0-2, goes down; B 2-4, C 4-6, D 6-8.
  const std::vector<Job> jobs{plain_job(0, 1, 6), plain_job(1, 1, 2), plain_job(1, 1, 2),
                              plain_job(1, 1, 2), plain_job(7, 1, 2)};
  // E 8-10, A (4 left) 10-14.
  EXPECT_EQ(ends_of(run_plain(1, jobs, "las(thresholds=2)")), (Ends{14, 4, 6, 8, 10}));
  // A ran 2 s and has waited 4 at 6: it enters the top queue before E. A 8-10, goes down, E 10-12,
  // A 12-14.
  EXPECT_EQ(ends_of(run_plain(1, jobs, "las(thresholds=2, promote=2)")), (Ends{14, 4, 6, 8, 12}));
}

TEST(ServiceHistory, GittinsIndex) {
  const ServiceHistory history({10, 2, 20, 4});
  // Within 3 of 0 the job of 2 ends, of all four: 1/4 over (2 + 3 x 3) / 4.
  EXPECT_DOUBLE_EQ(history.index_of(0, 3, false), 1.0 / 11);
  EXPECT_DOUBLE_EQ(history.index_of(0, 3, true), 1.0 / 11);
  // Above 3 there are three: the job of 4 ends after 1 more, the others take 3.
  EXPECT_DOUBLE_EQ(history.index_of(3, 3, false), 1.0 / (1 + 2 * 3));
  EXPECT_DOUBLE_EQ(history.index_of(3, 3, true), 1.0 / (4 + 2 * 3));
  // None ends between 12 and 15; none is longer than 20.
  EXPECT_EQ(history.index_of(12, 3, false), 0);
  EXPECT_EQ(history.index_of(20, 3, false), 0);
  EXPECT_EQ(ServiceHistory().index_of(0, 3, false), 0);
}

TEST(Gittins, GoesOnWithAJobThatIsLikelyToEndSoon) {
  // One GPU, delta 3, looked at each second. A 10 s, at 3 B of 2 s and C of 4 s, so D = {2, 4, 10}.
  //   t =  3  A: 1 / (4 - 3 + 3) = 1/4; B and C at 0: 1 / (2 + 2 x 3) = 1/8. A goes on.
  //   t =  4  A: nobody ends between 4 and 7: 0. B 4-; at 1 it is 2 / (6 - 2 + 3). B ends at 6.
  //   t =  6  C: 1/8, then 2/7, 1 / (4 - 2 + 3) and 1/4, against 0 of A. C 6-10, A 10-16.
  const std::vector<Job> jobs{plain_job(0, 1, 10), plain_job(3, 1, 2), plain_job(3, 1, 4)};
  EXPECT_EQ(
      ends_of(run_plain(1, jobs, "gittins(thresholds=1000, delta=3, history=trace, quantum=1 s)")),
      (Ends{16, 6, 10}));
}

TEST(Gittins, LearnsFromJobsThatAreDone) {
  // One GPU, delta 3. A takes 2 s; nothing is known, so A runs before B and B before C.
  //   t = 2  D = {2}. B starts: it and C have 1/2.
  //   t = 5  D comes with 1/2; B attained 3, more than any: 0. C was here first: C 5-7, D 7-8 (or
  //   as
  //          long as C: D = {2, 2} gives D 2 / 4), B (1 left) 8-9.
  const std::vector<Job> jobs{plain_job(0, 1, 2), plain_job(0, 1, 4), plain_job(1, 1, 2),
                              plain_job(5, 1, 1)};
  EXPECT_EQ(ends_of(run_plain(1, jobs, "gittins(thresholds=1000, delta=3)")), (Ends{2, 9, 7, 8}));
}

}  // namespace
}  // namespace mosim::test
