#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "mosim/sim.hpp"
#include "sim/jobs.hpp"

namespace mosim {
namespace {

using test::cluster;
using test::job;
using test::JobSpec;
using test::run_jobs;
using test::Setup;

SimulationResult run(const ClusterSpec& spec, const std::vector<JobSpec>& specs,
                     const Setup& setup = {}) {
  std::vector<Job> jobs;
  for (const JobSpec& one : specs) jobs.push_back(job(one));
  return run_jobs(spec, jobs, setup);
}

void expect_point(const TimelinePoint& point, double time_s, std::uint32_t running,
                  std::uint32_t waiting, std::uint64_t gpus_used) {
  EXPECT_DOUBLE_EQ(point.time_s, time_s);
  EXPECT_EQ(point.running, running) << "at " << time_s;
  EXPECT_EQ(point.waiting, waiting) << "at " << time_s;
  EXPECT_EQ(point.gpus_used, gpus_used) << "at " << time_s;
}

TEST(Engine, JobAloneTakesExactlyItsSoloTime) {
  const double iterations = 1234.5;
  const JobSpec spec{0, 4, iterations, 0.7, 0.1, 900, 13.25};
  // L + W (T_comp + T_net), inside one server: its NIC does not matter.
  const double solo = 13.25 + iterations * (0.7 + 0.1);
  for (const ContentionKind kind :
       {ContentionKind::none, ContentionKind::fixed, ContentionKind::mosim}) {
    const SimulationResult result =
        run(cluster(1, 4), {spec}, {"fifo", "consolidate", kind, Resolution::event});
    EXPECT_EQ(result.jobs[0].start_s, 0);
    EXPECT_EQ(result.jobs[0].end_s, solo);
    EXPECT_EQ(result.jobs[0].iterations, iterations);
    EXPECT_DOUBLE_EQ(result.jobs[0].compute_s, iterations * 0.7);
    EXPECT_DOUBLE_EQ(result.jobs[0].network_s, iterations * 0.1);
    EXPECT_DOUBLE_EQ(result.jobs[0].mean_contention, 1);
    // Arrival, end of loading, completion.
    EXPECT_EQ(result.events, 3U);
  }
}

TEST(Engine, JobAloneOverTwoServersWithRoomTakesItsSoloTime) {
  // D = C = 100 MB/s: S = 1.
  const SimulationResult result = run(cluster(2, 2), {{0, 4, 50, 0.7, 0.1, 100, 3}});
  EXPECT_EQ(result.jobs[0].group_count, 2U);
  EXPECT_EQ(result.jobs[0].end_s, 3 + 50 * (0.7 + 0.1));
}

TEST(Engine, JobAloneThatDemandsMoreThanItsNicIsStretched) {
  // S = D / C = 150 / 100; 10 x (1 + 1.5 x 2).
  const SimulationResult result = run(cluster(2, 2), {{0, 4, 10, 1, 2, 150}});
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 40);
  EXPECT_DOUBLE_EQ(result.jobs[0].network_s, 30);
  EXPECT_DOUBLE_EQ(result.jobs[0].mean_contention, 1.5);
}

TEST(Engine, TwoJobsContendAtEventResolution) {
  // Both spread 2 + 2 over the servers; NICs of 200 MB/s. D of A 100, of B 300.
  //   t =  0    A starts: S = 1, tau = 1 + 1.
  //   t =  4    B gets its GPUs and loads until 6; it sends nothing, A goes on at tau = 2.
  //   t =  6    A did 3 of 10. Demanded 400 of 200: S = 2 for both, tau = 3.
  //             A would end at 6 + 7 x 3 = 27, B at 6 + 10 x 3 = 36.
  //   t = 27    A ends. B did 7, 3 are left. Alone S = 300 / 200 = 1.5, tau = 2.5.
  //   t = 34.5  B ends: 27 + 3 x 2.5.
  const SimulationResult result =
      run(cluster(2, 4, 200), {{0, 4, 10, 1, 1, 100, 0}, {4, 4, 10, 1, 1, 300, 2}});
  const JobResult& a = result.jobs[0];
  const JobResult& b = result.jobs[1];
  for (const JobResult& one : result.jobs) {
    const auto groups = result.groups_of(one);
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0], (WorkerGroup{ServerId{0}, 2}));
    EXPECT_EQ(groups[1], (WorkerGroup{ServerId{1}, 2}));
  }
  EXPECT_EQ(a.start_s, 0);
  EXPECT_DOUBLE_EQ(a.end_s, 27);
  EXPECT_EQ(b.start_s, 4);
  EXPECT_DOUBLE_EQ(b.end_s, 34.5);
  // A: 3 x 1 + 7 x 2; B: 7 x 2 + 3 x 1.5.
  EXPECT_DOUBLE_EQ(a.compute_s, 10);
  EXPECT_DOUBLE_EQ(a.network_s, 17);
  EXPECT_DOUBLE_EQ(a.mean_contention, 1.7);
  EXPECT_DOUBLE_EQ(b.compute_s, 10);
  EXPECT_DOUBLE_EQ(b.network_s, 18.5);
  EXPECT_DOUBLE_EQ(b.mean_contention, 1.85);
  // 2 arrivals, 1 end of loading, 2 completions.
  EXPECT_EQ(result.events, 5U);
  ASSERT_EQ(result.timeline.size(), 4U);
  expect_point(result.timeline[0], 0, 1, 0, 4);
  expect_point(result.timeline[1], 4, 2, 0, 8);
  expect_point(result.timeline[2], 27, 1, 0, 4);
  expect_point(result.timeline[3], 34.5, 0, 0, 0);
}

TEST(Engine, JobThatEndsGivesItsBandwidthBack) {
  // NICs of 100 MB/s, D = 100 each; B joins at 6 for 4 iterations.
  //   t =  6  A did 3 of 10; S = 2, tau = 3: A would end at 27, B at 6 + 4 x 3 = 18.
  //   t = 18  A did 4 more; 3 are left at tau = 2.
  //   t = 24  A ends.
  const SimulationResult result =
      run(cluster(2, 4), {{0, 4, 10, 1, 1, 100, 0}, {6, 4, 4, 1, 1, 100, 0}});
  EXPECT_DOUBLE_EQ(result.jobs[1].end_s, 18);
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 24);
  // 3 x 1 + 4 x 2 + 3 x 1
  EXPECT_DOUBLE_EQ(result.jobs[0].network_s, 14);
  EXPECT_DOUBLE_EQ(result.jobs[1].mean_contention, 2);
}

TEST(Engine, TwoJobsContendAtPhaseResolution) {
  // NICs of 100 MB/s, D = 100 each, 1 s of computing and 1 s of networking. A runs floor(3.7) = 3
  // iterations from 0 on, B 2 from 0.5 on.
  //   t = 1    A communicates, alone. B computes until 1.5.
  //   t = 1.5  B communicates too: S = 2. A has 0.5 left, which takes 1.
  //   t = 2.5  A's phase ends. B has 0.5 left, alone.
  //   t = 3    B's phase ends; it computes until 4.
  //   t = 3.5  A, which computed from 2.5, communicates, alone.
  //   t = 4    B communicates: S = 2; A has 0.5 left.
  //   t = 5    A's phase ends; B has 0.5 left, alone.
  //   t = 5.5  B is done. A computes until 6, communicates until 7.
  const std::vector<JobSpec> jobs = {{0, 4, 3.7, 1, 1, 100, 0}, {0.5, 4, 2, 1, 1, 100, 0}};
  const SimulationResult result = run(
      cluster(2, 4), jobs, {"fifo", "load-balancing", ContentionKind::mosim, Resolution::phase});
  const JobResult& a = result.jobs[0];
  const JobResult& b = result.jobs[1];
  EXPECT_EQ(a.iterations, 3);
  EXPECT_EQ(b.iterations, 2);
  EXPECT_DOUBLE_EQ(b.end_s, 5.5);
  EXPECT_DOUBLE_EQ(a.end_s, 7);
  EXPECT_DOUBLE_EQ(a.compute_s, 3);
  EXPECT_DOUBLE_EQ(b.compute_s, 2);
  // A: 1.5 + 1.5 + 1 against 3; B: 1.5 + 1.5 against 2.
  EXPECT_DOUBLE_EQ(a.network_s, 4);
  EXPECT_DOUBLE_EQ(b.network_s, 3);
  EXPECT_DOUBLE_EQ(a.mean_contention, 4.0 / 3);
  EXPECT_DOUBLE_EQ(b.mean_contention, 1.5);
  // 2 arrivals and 2 phases of each of 5 iterations.
  EXPECT_EQ(result.events, 12U);
}

TEST(Engine, PhasesThatNeverMeetDoNotContend) {
  // A communicates in [1, 2] and [3, 4]; B, a second later, in [2, 3] and [4, 5].
  const SimulationResult result =
      run(cluster(2, 4), {{0, 4, 2, 1, 1, 100, 0}, {1, 4, 2, 1, 1, 100, 0}},
          {"fifo", "load-balancing", ContentionKind::mosim, Resolution::phase});
  EXPECT_EQ(result.jobs[0].end_s, 4);
  EXPECT_EQ(result.jobs[1].end_s, 5);
  EXPECT_EQ(result.jobs[0].mean_contention, 1);
  EXPECT_EQ(result.jobs[1].mean_contention, 1);
}

TEST(Engine, IterationsAreWholeAtPhaseResolutionAndAtLeastOne) {
  // W of 0.4, 0 and 2.9, spread over two servers (they send) or inside one (they do not).
  for (const std::string placement : {"load-balancing", "consolidate"}) {
    for (const auto& [given, whole] :
         std::vector<std::pair<double, double>>{{0.4, 1}, {0, 1}, {2.9, 2}, {3, 3}}) {
      const std::vector<JobSpec> jobs = {{0, 4, given, 1, 0.5, 100, 2}};
      const SimulationResult phase =
          run(cluster(2, 4), jobs, {"fifo", placement, ContentionKind::mosim, Resolution::phase});
      EXPECT_EQ(phase.jobs[0].iterations, whole);
      // 2 + W x 1.5
      EXPECT_EQ(phase.jobs[0].end_s, 2 + whole * 1.5) << placement;
      const SimulationResult event =
          run(cluster(2, 4), jobs, {"fifo", placement, ContentionKind::mosim, Resolution::event});
      EXPECT_EQ(event.jobs[0].iterations, given);
      EXPECT_EQ(event.jobs[0].end_s, 2 + given * 1.5) << placement;
    }
  }
}

TEST(Engine, FixedTenPercentWhileAServerIsShared) {
  // One server. A alone from 0: tau = 2.
  //   t = 4     B gets its GPUs and loads until 6: A goes on as it was.
  //   t = 6     A did 3 of 10; S = 1.1 for both, tau = 2.1.
  //   t = 10.2  B did its 2. A did 2 more; 5 are left at tau = 2.
  //   t = 20.2  A ends.
  const SimulationResult result =
      run(cluster(1, 4), {{0, 2, 10, 1, 1, 100, 0}, {4, 2, 2, 1, 1, 100, 2}},
          {"fifo", "consolidate", ContentionKind::fixed, Resolution::event});
  EXPECT_DOUBLE_EQ(result.jobs[1].end_s, 10.2);
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 20.2);
  // 3 + 2 x 1.1 + 5 against 10
  EXPECT_DOUBLE_EQ(result.jobs[0].network_s, 10.2);
  EXPECT_DOUBLE_EQ(result.jobs[0].mean_contention, 1.02);
  EXPECT_DOUBLE_EQ(result.jobs[1].mean_contention, 1.1);
}

TEST(Engine, FixedLeavesJobsOnDifferentServersAlone) {
  const SimulationResult result =
      run(cluster(2, 4), {{0, 4, 10, 1, 1, 100, 0}, {4, 4, 2, 1, 1, 100, 0}},
          {"fifo", "consolidate", ContentionKind::fixed, Resolution::event});
  EXPECT_EQ(result.jobs[0].end_s, 20);
  EXPECT_EQ(result.jobs[1].end_s, 8);
}

TEST(Engine, StrictFifoAgainstSkipping) {
  // 4 GPUs: 3 for 10 s; then 4 for 10 s, which must wait; then 1 for 3 s.
  const std::vector<JobSpec> jobs = {{0, 3, 10}, {1, 4, 10}, {2, 1, 3}};
  const SimulationResult fifo = run(cluster(1, 4), jobs, {"fifo", "bin-packing"});
  EXPECT_EQ(fifo.jobs[0].start_s, 0);
  EXPECT_EQ(fifo.jobs[1].start_s, 10);
  EXPECT_EQ(fifo.jobs[2].start_s, 20);
  EXPECT_EQ(fifo.jobs[2].end_s, 23);
  const SimulationResult skip = run(cluster(1, 4), jobs, {"fifo-skip", "bin-packing"});
  EXPECT_EQ(skip.jobs[0].start_s, 0);
  EXPECT_EQ(skip.jobs[1].start_s, 10);
  EXPECT_EQ(skip.jobs[2].start_s, 2);
  EXPECT_EQ(skip.jobs[2].end_s, 5);
  EXPECT_NE(fifo.digest(), skip.digest());
  ASSERT_EQ(skip.timeline.size(), 6U);
  expect_point(skip.timeline[0], 0, 1, 0, 3);
  expect_point(skip.timeline[1], 1, 1, 1, 3);
  expect_point(skip.timeline[2], 2, 2, 1, 4);
  expect_point(skip.timeline[3], 5, 1, 1, 3);
  expect_point(skip.timeline[4], 10, 1, 0, 4);
  expect_point(skip.timeline[5], 20, 0, 0, 0);
}

TEST(Engine, TiesAreDeterministic) {
  // Job 0 ends at 10, when job 1 arrives: its GPUs are free by then. Jobs 2 to 4 arrive together
  // and go in the order of the input.
  const SimulationResult result = run(
      cluster(1, 4), {{0, 4, 10}, {10, 4, 5}, {12, 4, 1}, {12, 4, 2}, {12, 4, 3}}, {"fifo-skip"});
  EXPECT_EQ(result.jobs[1].start_s, 10);
  EXPECT_EQ(result.jobs[2].start_s, 15);
  EXPECT_EQ(result.jobs[3].start_s, 16);
  EXPECT_EQ(result.jobs[4].start_s, 18);
  EXPECT_EQ(result.jobs[4].end_s, 21);
  // 0, 10, 12, 15, 16, 18, 21: each time once, however much happens at it.
  ASSERT_EQ(result.timeline.size(), 7U);
  expect_point(result.timeline[1], 10, 1, 0, 4);
  expect_point(result.timeline[2], 12, 1, 3, 4);
}

TEST(Engine, JobsThatEndTogetherFreeTheirServersBeforeAnyStarts) {
  // Two servers of 2; both jobs end at 4, and the third needs all.
  const SimulationResult result = run(cluster(2, 2), {{0, 2, 4}, {0, 2, 4}, {1, 4, 1}});
  EXPECT_EQ(result.jobs[2].start_s, 4);
  EXPECT_EQ(result.jobs[2].end_s, 5);
}

TEST(Engine, JobsThatTakeNoTime) {
  const SimulationResult result = run(cluster(1, 1), {{3, 1, 0}, {3, 1, 0}, {3, 1, 2}});
  EXPECT_EQ(result.jobs[0].end_s, 3);
  EXPECT_EQ(result.jobs[1].start_s, 3);
  EXPECT_EQ(result.jobs[1].end_s, 3);
  EXPECT_EQ(result.jobs[2].end_s, 5);
  ASSERT_EQ(result.timeline.size(), 2U);
  expect_point(result.timeline[0], 3, 1, 0, 1);
  expect_point(result.timeline[1], 5, 0, 0, 0);
}

TEST(Engine, NoJobs) {
  const SimulationResult result = run(cluster(1, 1), std::vector<JobSpec>{});
  EXPECT_TRUE(result.jobs.empty());
  EXPECT_TRUE(result.timeline.empty());
  EXPECT_EQ(result.events, 0U);
}

TEST(Engine, ReportsProgressAtTheEnd) {
  const std::vector<Job> jobs = {job({0, 1, 3}), job({1, 1, 9})};
  SimulationOptions options;
  Progress last;
  options.progress = [&](const Progress& progress) { last = progress; };
  const auto queue = policies().make_queue("fifo");
  const auto placement = policies().make_placement("bin-packing");
  const SimulationResult result = simulate(cluster(1, 4), jobs, queue, *placement, options);
  EXPECT_EQ(last.time_s, 10);
  EXPECT_EQ(last.jobs_done, 2U);
  EXPECT_EQ(last.jobs, 2U);
  EXPECT_EQ(last.events, result.events);
}

TEST(Engine, JobsThatNeverStartAreAnError) {
  // 5 workers on 4 GPUs.
  EXPECT_THROW(static_cast<void>(run(cluster(1, 4), {{0, 5, 1}})), RunError);
}

TEST(Engine, PoliciesThatBreakTheirRulesAreCaught) {
  class TooMuch : public Placement {
   public:
    bool place(const ServerPool&, const PlacementQuery& query,
               std::vector<WorkerGroup>& groups) const override {
      groups = {{ServerId{0}, query.request.workers}};
      return true;
    }
  };
  class Twice : public Policy {
   public:
    void decide(Scheduler& scheduler) override { scheduler.try_start(JobIndex{0}); }
  };
  const std::vector<Job> jobs = {job({0, 3, 5}), job({1, 3, 5})};
  const auto message = [&](std::span<const Job> of, const ActivePolicy& policy,
                           const Placement& placement) -> std::string {
    try {
      static_cast<void>(simulate(cluster(1, 4), of, policy, placement, {}));
    } catch (const InvalidAction& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(jobs, policies().make_queue("fifo"), TooMuch()),
            "policy 'fifo' at 1 s: the start of job 1 is refused: its placement is wrong: server 0 "
            "has room for 1 of its workers, not 3");
  // Called at its end, it starts the only job again.
  EXPECT_EQ(message(std::span(jobs).first(1), test::policy<Twice>(),
                    *policies().make_placement("bin-packing")),
            "policy 'test' at 5 s: the start of job 0 is refused: it is done");
}

TEST(FindUnplaceable, JobsThatTheEmptyClusterCannotHold) {
  std::vector<Job> jobs = {job({0, 8, 1}), job({0, 9, 1}), job({0, 4, 1}), job({0, 5, 1})};
  jobs[2].request.gpus_per_worker = 2;
  jobs[3].request.gpus_per_worker = 3;
  const auto indices = [&](const std::string& placement) {
    std::vector<std::uint32_t> found;
    for (const Unplaceable& one :
         find_unplaceable(cluster(2, 4), jobs, *policies().make_placement(placement))) {
      found.push_back(static_cast<std::uint32_t>(one.job));
    }
    return found;
  };
  // 2 x 4 GPUs: 8 workers, 4 of two GPUs, 2 of three. On one server: 4, 2 and 1.
  EXPECT_EQ(indices("load-balancing"), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(indices("consolidate"), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace mosim
