// Failures by hand: one time line per test.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/availability.hpp"
#include "sim/jobs.hpp"

namespace mosim::test {
namespace {

constexpr ServerId kFirst{0};
constexpr ServerId kSecond{1};

SimulationOptions options_with(std::vector<ServerEvent> events, double checkpoint_interval_s,
                               Resolution resolution = Resolution::event) {
  SimulationOptions options;
  options.contention.resolution = resolution;
  options.availability.events = std::move(events);
  options.availability.checkpoint_interval_s = checkpoint_interval_s;
  return options;
}

// Both servers fail at `fail_s` and are back at `repair_s`.
std::vector<ServerEvent> both_fail(double fail_s, double repair_s) {
  return {{fail_s, kFirst, kSecond, ServerChange::fail},
          {repair_s, kFirst, kSecond, ServerChange::repair}};
}

std::string error_of(const ClusterSpec& spec, const std::vector<Job>& jobs,
                     const SimulationOptions& options) {
  try {
    (void)run_on(spec, jobs, options);
  } catch (const RunError& error) {
    return error.what();
  }
  return {};
}

TEST(Availability, AFailedJobGoesOnFromItsLastCheckpoint) {
  // 100 iterations of 1 s after 4 s of loading; a checkpoint every 10 s of training.
  //   t =  4   training begins
  //   t = 34   the third checkpoint: 30 iterations are safe
  //   t = 35   the server fails: 1 s is lost
  //   t = 50   repaired: it loads again until 54
  //   t = 124  54 + 70 x 1
  const SimulationResult result = run_on(cluster(1, 4), jobs({{0, 4, 100, 1, 0, 0, 4}}),
                                         options_with({{35, kFirst, kFirst, ServerChange::fail},
                                                       {50, kFirst, kFirst, ServerChange::repair}},
                                                      10));
  const JobResult& one = result.jobs[0];
  EXPECT_EQ(one.start_s, 0);
  EXPECT_DOUBLE_EQ(one.end_s, 124);
  EXPECT_EQ(one.restarts, 1U);
  EXPECT_DOUBLE_EQ(one.lost_s, 1);
  EXPECT_DOUBLE_EQ(one.requeued_s, 15);
  EXPECT_DOUBLE_EQ(one.training_s(), 109);  // 35 + 74
  EXPECT_DOUBLE_EQ(one.loading_s, 8);
  EXPECT_DOUBLE_EQ(one.compute_s, 101);  // 31 + 70: what was lost was done too
  EXPECT_EQ(one.iterations, 100);
  ASSERT_EQ(result.earlier_attempts.size(), 1U);
  EXPECT_EQ(result.earlier_attempts[0].start_s, 0);
  EXPECT_EQ(result.earlier_attempts[0].end_s, 35);
}

TEST(Availability, WithoutCheckpointsAllIsLost) {
  // 50 + 100; the work of 35 s is lost.
  const SimulationResult result = run_on(cluster(1, 4), jobs({{0, 4, 100}}),
                                         options_with({{35, kFirst, kFirst, ServerChange::fail},
                                                       {50, kFirst, kFirst, ServerChange::repair}},
                                                      0));
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 150);
  EXPECT_DOUBLE_EQ(result.jobs[0].lost_s, 35);
}

TEST(Availability, CheckpointsCountFromTheRestart) {
  // 100 iterations of 1 s, a checkpoint every 10 s.
  //   t = 15   fails: 10 are safe, 5 s lost.  t = 18  goes on with 90 left
  //   t = 37   fails: 19 s after 18, so 10 more are safe, 9 s lost.  t = 40  80 left
  //   t = 120
  const SimulationResult result = run_on(cluster(1, 4), jobs({{0, 4, 100}}),
                                         options_with({{15, kFirst, kFirst, ServerChange::fail},
                                                       {18, kFirst, kFirst, ServerChange::repair},
                                                       {37, kFirst, kFirst, ServerChange::fail},
                                                       {40, kFirst, kFirst, ServerChange::repair}},
                                                      10));
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 120);
  EXPECT_DOUBLE_EQ(result.jobs[0].lost_s, 14);
  EXPECT_EQ(result.jobs[0].restarts, 2U);
}

TEST(Availability, ACheckpointHoldsWhatWasDoneAtItsTimeHoweverTheRateChanges) {
  // NICs of 100 MB/s, D = 100 each, both jobs over both servers; a checkpoint every 8 s.
  //   t =  0  A alone: tau = 2
  //   t =  6  A did 3. B joins for 4 iterations: S = 2, tau = 3
  //   t =  8  A's checkpoint: 3 + 2/3 are safe
  //   t = 10  both servers fail. A loses 2 s, B, without a checkpoint until 14, 4 s
  //   t = 20  both go on at tau = 3, A with 19/3, B with 4
  //   t = 32  B ends. A did 4; 7/3 are left at tau = 2
  //   t = 36 2/3
  const SimulationResult result =
      run_on(cluster(2, 4), jobs({{0, 4, 10, 1, 1, 100, 0}, {6, 4, 4, 1, 1, 100, 0}}),
             options_with(both_fail(10, 20), 8));
  EXPECT_DOUBLE_EQ(result.jobs[1].end_s, 32);
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 36 + 2.0 / 3);
  EXPECT_DOUBLE_EQ(result.jobs[0].lost_s, 2);
  EXPECT_DOUBLE_EQ(result.jobs[1].lost_s, 4);
}

TEST(Availability, PhaseResolutionKeepsWholeIterations) {
  // 1 s of computing, 1 s of networking, 5 iterations; they end at 2, 4, 6, 8 and 10. Both servers
  // fail at 7.5 and are back at 10.
  //   a checkpoint every 5 s: at 5 two were done. 2.5 s are lost; 10 + 3 x 2 = 16
  //   every 3 s: at 6 just three were done. 1.5 s are lost; 10 + 2 x 2 = 14
  const std::vector<Job> one = jobs({{0, 4, 5, 1, 1, 100, 0}});
  const SimulationResult five =
      run_on(cluster(2, 4), one, options_with(both_fail(7.5, 10), 5, Resolution::phase));
  EXPECT_DOUBLE_EQ(five.jobs[0].end_s, 16);
  EXPECT_DOUBLE_EQ(five.jobs[0].lost_s, 2.5);
  // Until 7.5: 4 s of computing and 3.5 s of networking; then 3 s of each.
  EXPECT_DOUBLE_EQ(five.jobs[0].compute_s, 7);
  EXPECT_DOUBLE_EQ(five.jobs[0].network_s, 6.5);
  EXPECT_DOUBLE_EQ(five.jobs[0].mean_contention, 1);
  const SimulationResult three =
      run_on(cluster(2, 4), one, options_with(both_fail(7.5, 10), 3, Resolution::phase));
  EXPECT_DOUBLE_EQ(three.jobs[0].end_s, 14);
  EXPECT_DOUBLE_EQ(three.jobs[0].lost_s, 1.5);
}

TEST(Availability, PhaseResolutionKeepsWholeIterationsOfJobsThatDoNotSend) {
  // Iterations of 2 s on one server, a checkpoint every 5 s, failure at 7: two are safe, 2 s lost.
  // 10 + 3 x 2.
  const SimulationResult result = run_on(cluster(1, 4), jobs({{0, 4, 5, 1, 1, 100, 0}}),
                                         options_with({{7, kFirst, kFirst, ServerChange::fail},
                                                       {10, kFirst, kFirst, ServerChange::repair}},
                                                      5, Resolution::phase));
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 16);
  EXPECT_DOUBLE_EQ(result.jobs[0].lost_s, 2);
}

TEST(Availability, AJobThatIsLoadingLosesNoTraining) {
  // Loading 10 s; it fails at 6 and starts over at 8: 8 + 10 + 5.
  const SimulationResult result = run_on(cluster(1, 4), jobs({{0, 4, 5, 1, 0, 0, 10}}),
                                         options_with({{6, kFirst, kFirst, ServerChange::fail},
                                                       {8, kFirst, kFirst, ServerChange::repair}},
                                                      10));
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 23);
  EXPECT_DOUBLE_EQ(result.jobs[0].lost_s, 0);
  EXPECT_DOUBLE_EQ(result.jobs[0].loading_s, 16);
}

TEST(Availability, AJobThatEndsAsItsServerFailsHasEnded) {
  const SimulationResult result =
      run_on(cluster(1, 4), jobs({{0, 4, 5}}),
             options_with({{5, kFirst, kFirst, ServerChange::fail}}, 10));
  EXPECT_EQ(result.jobs[0].end_s, 5);
  EXPECT_EQ(result.jobs[0].restarts, 0U);
}

TEST(Availability, OnlyJobsOnTheServerFailAndTheyComeBeforeLaterOnes) {
  // Two servers of 4. Job 0 on server 0, job 1 on server 1, job 2 waits. Server 0 fails at 5 for
  // good; at 10 job 1 ends and job 0, which came first, gets server 1, all of it to do again.
  for (const std::string queue : {"fifo", "fifo-skip"}) {
    const SimulationResult result =
        run_on(cluster(2, 4), jobs({{0, 4, 20}, {0, 4, 10}, {1, 4, 5}}),
               options_with({{5, kFirst, kFirst, ServerChange::fail}}, 100), queue, "consolidate");
    EXPECT_DOUBLE_EQ(result.jobs[1].end_s, 10);
    EXPECT_EQ(result.jobs[1].restarts, 0U);
    EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 30);
    EXPECT_DOUBLE_EQ(result.jobs[2].start_s, 30);
    EXPECT_EQ(result.groups_of(result.jobs[0])[0].server, kSecond);
  }
}

TEST(Availability, ADrainedServerFinishesItsJobs) {
  // Drained at 5, with a job until 10. The next one, of 6, waits for the repair at 20.
  const SimulationResult result = run_on(cluster(1, 4), jobs({{0, 2, 10}, {6, 2, 1}}),
                                         options_with({{5, kFirst, kFirst, ServerChange::drain},
                                                       {20, kFirst, kFirst, ServerChange::repair}},
                                                      10));
  EXPECT_EQ(result.jobs[0].end_s, 10);
  EXPECT_EQ(result.jobs[0].restarts, 0U);
  EXPECT_EQ(result.jobs[1].start_s, 20);
  // At 0, 5, 6, 10, 20 and 21: up as long as it runs a job.
  std::vector<std::uint64_t> up;
  for (const TimelinePoint& point : result.timeline) up.push_back(point.gpus_up);
  EXPECT_EQ(up, (std::vector<std::uint64_t>{4, 4, 4, 0, 4, 4}));
}

TEST(Availability, AServerThatIsAddedIsAbsentUntilThen) {
  const SimulationResult result =
      run_on(cluster(2, 4), jobs({{0, 8, 10}, {1, 2, 1}}),
             options_with({{30, kSecond, kSecond, ServerChange::add}}, 10), "fifo-skip");
  EXPECT_EQ(result.timeline[0].gpus_up, 4U);
  EXPECT_EQ(result.jobs[1].start_s, 1);
  EXPECT_EQ(result.jobs[0].start_s, 30);
}

TEST(Availability, ServersThatAreGoneForGoodAreAnError) {
  const std::string error = error_of(cluster(2, 4), jobs({{0, 8, 10}, {1, 8, 10}}),
                                     options_with({{5, kFirst, kFirst, ServerChange::fail}}, 10));
  EXPECT_NE(error.find("2 of 2 jobs wait and can never start: 1 of 2 servers are down for good"),
            std::string::npos)
      << error;
}

TEST(Availability, AJobThatNeverFinishesIsAnError) {
  // Failures every minute or so, and an hour of work that is lost each time.
  SimulationOptions options = options_with({}, 0);
  options.availability.mtbf_s = 60;
  options.availability.mttr_s = 60;
  options.availability.max_restarts = 50;
  const std::string error = error_of(cluster(1, 4), jobs({{0, 4, 3600}}), options);
  EXPECT_NE(error.find("availability.max_restarts: 0 of its 3600 iterations are done"),
            std::string::npos)
      << error;
}

TEST(Availability, ServersThatAreNeverUpTogetherAreAnError) {
  // Each of 32 servers is up for a thousandth of the time; the job needs them all.
  SimulationOptions options = options_with({}, 0);
  options.availability.mtbf_s = 60;
  options.availability.mttr_s = 60000;
  std::vector<Job> all = jobs({{1e6, 32, 10}});
  const std::string error = error_of(cluster(32, 1), all, options);
  EXPECT_NE(error.find("1 of 1 jobs wait and none could start"), std::string::npos) << error;
}

TEST(Availability, RandomFailuresAreReproducible) {
  SimulationOptions options = options_with({}, 100);
  options.availability.mtbf_s = 2000;
  options.availability.mttr_s = 300;
  std::vector<JobSpec> specs;
  for (int i = 0; i < 30; ++i) specs.push_back({i * 50.0, 4, 400, 1, 1, 60, 20});
  const SimulationResult once = run_on(cluster(4, 4), jobs(specs), options);
  const SimulationResult again = run_on(cluster(4, 4), jobs(specs), options);
  EXPECT_EQ(once.digest(), again.digest());
  EXPECT_GT(once.earlier_attempts.size(), 3U);
  options.availability.seed = 2;
  EXPECT_NE(run_on(cluster(4, 4), jobs(specs), options).digest(), once.digest());
}

// The first `count` times at which server 0 fails or is repaired, among `servers`.
std::vector<double> times_of_first(std::size_t servers, std::size_t count) {
  Availability availability;
  availability.mtbf_s = 1000;
  availability.mttr_s = 100;
  ServerClock clock(availability, servers);
  std::vector<double> times;
  std::vector<Outage> outages;
  while (times.size() < count) {
    const double time = clock.next_time();
    outages.clear();
    clock.take_next(outages);
    for (const Outage& outage : outages) {
      if (outage.server == kFirst) times.push_back(time);
    }
  }
  return times;
}

TEST(ServerClock, AServersFailuresDoNotDependOnTheOthers) {
  EXPECT_EQ(times_of_first(1, 50), times_of_first(9, 50));
}

TEST(ServerClock, TimesAreExponential) {
  // Failure and repair take 1100 s together on average; the mean of 20000 such is within 2 %.
  const std::vector<double> times = times_of_first(1, 40000);
  EXPECT_NEAR(times.back() / 20000, 1100, 22);
  // Of exponential times exp(-1) exceed their mean.
  int longer = 0;
  for (std::size_t i = 2; i < times.size(); i += 2)
    longer += times[i] - times[i - 1] > 1000 ? 1 : 0;
  EXPECT_NEAR(longer / 20000.0, std::exp(-1), 0.02);
}

}  // namespace
}  // namespace mosim::test
