#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

#include "mosim/sim.hpp"

namespace mosim {
namespace {

// Servers of 2 GPUs with NICs of 100 B/s.
ClusterSpec servers(std::uint32_t count) {
  return {{ServerGroup{.count = count, .gpus = 2, .nic = 100}}};
}

// T_comp 1 s and T_net 1 s; demand is in B/s.
Job make_job(double submit_s, std::uint32_t workers, double iterations, double demand,
             double loading_s = 0) {
  return {submit_s, {workers, 1, 0}, iterations, {1, 1, demand, loading_s}};
}

SimulationResult run(const ClusterSpec& cluster, const std::vector<Job>& jobs,
                     const ContentionOptions& contention = {}, const char* queue = "fifo",
                     const char* placement = "load-balancing") {
  return simulate(cluster, jobs, *policies().make_queue(queue),
                  *policies().make_placement(placement), {contention, {}});
}

ContentionOptions mosim_at(Resolution resolution) {
  return {ContentionKind::mosim, resolution, 1, 0.1};
}

TEST(Engine, AJobAloneOnOneServerTakesExactlyItsSoloTime) {
  for (const Resolution resolution : {Resolution::event, Resolution::phase}) {
    const SimulationResult result =
        run(servers(1), {make_job(3, 2, 7, 500, 0.25)}, mosim_at(resolution));
    EXPECT_EQ(result.jobs[0].start_s, 3);
    EXPECT_EQ(result.jobs[0].end_s, 3 + 0.25 + 7 * 2);
    EXPECT_EQ(result.jobs[0].mean_contention, 1);
  }
}

// Two jobs of two workers over two servers, each demanding the whole NIC, so S = 2 and
// tau = 1 + 1 x 2 = 3 while both run. A: 10 iterations from 0. B: 4 iterations from 5.
// 0-5: A alone, tau 2: 2.5 done. From 5, tau 3: B would end at 5 + 4 x 3 = 17, A's 7.5 at 27.5.
// 17: B ends; A did 12 / 3 = 4 more, 3.5 are left at tau 2: 17 + 7 = 24.
TEST(Engine, EventResolutionByHand) {
  const SimulationResult result = run(servers(2), {make_job(0, 2, 10, 100), make_job(5, 2, 4, 100)},
                                      mosim_at(Resolution::event));
  EXPECT_DOUBLE_EQ(result.jobs[1].end_s, 17);
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 24);
  // A computes 10 x 1 s; it networks 2.5 + 4 x 2 + 3.5 = 14 s for 10 s alone.
  EXPECT_DOUBLE_EQ(result.jobs[0].compute_s, 10);
  EXPECT_DOUBLE_EQ(result.jobs[0].network_s, 14);
  EXPECT_DOUBLE_EQ(result.jobs[0].mean_contention, 1.4);
  EXPECT_DOUBLE_EQ(result.jobs[1].mean_contention, 2);
}

// The same demand at phase resolution; A from 0, B from 0.5, two iterations each.
// A computes 0-1, B 0.5-1.5. A sends from 1: alone to 1.5 (0.5 s done), then at half rate, B too.
// A's other 0.5 s take 1 s: A ends its phase at 2.5; B did 0.5 s, its other 0.5 s alone: 3.0.
// A computes 2.5-3.5, B 3-4. A sends from 3.5 alone to 4 (0.5), then half rate to 5: ends at 5.
// B sends from 4: 0.5 done by 5, the rest alone: ends at 5.5.
TEST(Engine, PhaseResolutionByHand) {
  const SimulationResult result =
      run(servers(2), {make_job(0, 2, 2, 100), make_job(0.5, 2, 2.9, 100)},
          mosim_at(Resolution::phase));
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 5);
  EXPECT_DOUBLE_EQ(result.jobs[1].end_s, 5.5);
  EXPECT_EQ(result.jobs[1].iterations, 2);  // floor(2.9)
  EXPECT_DOUBLE_EQ(result.jobs[0].network_s, 3);
  EXPECT_DOUBLE_EQ(result.jobs[0].mean_contention, 1.5);
}

TEST(Engine, PhaseResolutionRunsAtLeastOneIteration) {
  const SimulationResult result =
      run(servers(2), {make_job(0, 2, 0.25, 50)}, mosim_at(Resolution::phase));
  EXPECT_EQ(result.jobs[0].end_s, 2);
}

// Two single-GPU jobs on one server: tau = 1 + 1.1 x 1 while both run.
TEST(Engine, FixedSlowsNeighbours) {
  const SimulationResult result = run(servers(1), {make_job(0, 1, 10, 0), make_job(0, 1, 10, 0)},
                                      {ContentionKind::fixed, Resolution::event, 1, 0.1});
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 21);
  EXPECT_DOUBLE_EQ(result.jobs[1].end_s, 21);
}

// Job 0 holds one of two GPUs until 20; job 1 needs both; job 2 needs one.
TEST(Engine, StrictFifoBlocksWhereFifoSkipStarts) {
  const std::vector<Job> jobs{make_job(0, 1, 10, 0), make_job(1, 2, 1, 0), make_job(2, 1, 1, 0)};
  const SimulationResult strict = run(servers(1), jobs);
  EXPECT_EQ(strict.jobs[1].start_s, 20);
  EXPECT_EQ(strict.jobs[2].start_s, 22);
  const SimulationResult skipping = run(servers(1), jobs, {}, "fifo-skip");
  EXPECT_EQ(skipping.jobs[2].start_s, 2);
  EXPECT_EQ(skipping.jobs[1].start_s, 20);
}

TEST(Engine, AQueueThatNeverStartsAJobIsReported) {
  struct Never : QueueDiscipline {
    void enqueue(const WaitingJob&) override {}
    void schedule(JobStarter&) override {}
  } never;
  const std::vector<Job> jobs{make_job(0, 1, 1, 0)};
  EXPECT_THROW(
      (void)simulate(servers(1), jobs, never, *policies().make_placement("bin-packing"), {}),
      RunError);
}

// GPUs held on every server at every time, from the results alone.
void check_never_oversubscribed(const ClusterSpec& cluster, const std::vector<Job>& jobs,
                                const SimulationResult& result) {
  std::map<std::pair<double, int>, std::map<std::uint32_t, std::int64_t>> changes;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (const WorkerGroup& group : result.groups_of(result.jobs[i])) {
      const std::int64_t gpus = group.workers * jobs[i].request.gpus_per_worker;
      const auto server = static_cast<std::uint32_t>(group.server);
      changes[{result.jobs[i].end_s, 0}][server] -= gpus;  // ends come before starts
      changes[{result.jobs[i].start_s, 1}][server] += gpus;
    }
  }
  std::map<std::uint32_t, std::int64_t> used;
  for (const auto& [when, by_server] : changes) {
    for (const auto& [server, change] : by_server) {
      used[server] += change;
      RC_ASSERT(used[server] <= cluster.groups[0].gpus);
    }
  }
}

TEST(Engine, InvariantsOfRandomScenarios) {
  EXPECT_TRUE(rc::check("invariants", [] {
    const auto pick = [](int low, int high) { return *rc::gen::inRange(low, high + 1); };
    const ClusterSpec cluster{{ServerGroup{.count = static_cast<std::uint32_t>(pick(1, 5)),
                                           .gpus = static_cast<std::uint32_t>(pick(1, 4)),
                                           .nic = 100}}};
    std::vector<Job> jobs;
    double time = 0;
    for (int i = pick(1, 25); i > 0; --i) {
      time += 0.37 * pick(0, 6);
      const auto workers = static_cast<std::uint32_t>(
          pick(1, static_cast<int>(std::min<std::uint64_t>(cluster.gpus(), 6))));
      Job job{time, {workers, 1, 0}, 0.3 * pick(1, 20), {0.1 * pick(1, 9), 0, 0, 0.2 * pick(0, 3)}};
      if (workers > 1) {
        job.profile.network_s = 0.1 * pick(1, 9);
        job.profile.volume = pick(1, 200) * job.profile.network_s;
      }
      jobs.push_back(job);
    }
    const ContentionOptions contention{static_cast<ContentionKind>(pick(0, 2)),
                                       static_cast<Resolution>(pick(0, 1)), 1, 0.1};
    const char* queue = pick(0, 1) == 0 ? "fifo" : "fifo-skip";
    const char* placement = pick(0, 1) == 0 ? "bin-packing" : "load-balancing";
    const SimulationResult result = run(cluster, jobs, contention, queue, placement);
    RC_ASSERT(result.jobs.size() == jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const JobResult& job = result.jobs[i];
      const double training = job.end_s - job.start_s;
      const double alone =
          jobs[i].profile.loading_s + job.iterations * jobs[i].profile.iteration_s();
      RC_ASSERT(job.start_s >= jobs[i].submit_s);
      RC_ASSERT(training >= alone - 1e-9);
      // Work is conserved: what was spent adds up to the time.
      const double spent = jobs[i].profile.loading_s + job.compute_s + job.network_s;
      RC_ASSERT(std::abs(training - spent) <= 1e-9 * (1 + job.end_s));
      const double compute = job.iterations * jobs[i].profile.compute_s;
      RC_ASSERT(std::abs(job.compute_s - compute) <= 1e-9 * (1 + compute));
      RC_ASSERT(job.mean_contention >= 1 - 1e-9);
    }
    for (std::size_t i = 1; i < result.timeline.size(); ++i) {
      RC_ASSERT(result.timeline[i].time_s > result.timeline[i - 1].time_s);
      RC_ASSERT(result.timeline[i].gpus_used <= cluster.gpus());
    }
    RC_ASSERT(result.timeline.back().gpus_used == 0U);
    check_never_oversubscribed(cluster, jobs, result);
    RC_ASSERT(run(cluster, jobs, contention, queue, placement).digest() == result.digest());
  }));
}

}  // namespace
}  // namespace mosim
