#include <gtest/gtest.h>
#include <rapidcheck.h>

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
using test::pick;

struct Setup {
  std::string queue = "fifo";
  std::string placement = "load-balancing";
  ContentionKind kind = ContentionKind::mosim;
  Resolution resolution = Resolution::event;
};

SimulationResult run_jobs(const ClusterSpec& spec, const std::vector<Job>& jobs,
                          const Setup& setup) {
  SimulationOptions options;
  options.contention.kind = setup.kind;
  options.contention.resolution = setup.resolution;
  const auto queue = policies().make_queue(setup.queue);
  const auto placement = policies().make_placement(setup.placement);
  return simulate(spec, jobs, *queue, *placement, options);
}

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
  const SimulationResult result = simulate(cluster(1, 4), jobs, *queue, *placement, options);
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
    bool place(const ServerPool&, const ResourceRequest& request,
               std::vector<WorkerGroup>& groups) const override {
      groups = {{ServerId{0}, request.workers}};
      return true;
    }
  };
  class Twice : public QueueDiscipline {
   public:
    void enqueue(const WaitingJob& waiting) override { job_ = waiting.job; }
    void schedule(JobStarter& starter) override { starter.try_start(job_); }

   private:
    JobIndex job_{};
  };
  const auto fifo = policies().make_queue("fifo");
  const auto packing = policies().make_placement("bin-packing");
  Twice twice;
  const std::vector<Job> jobs = {job({0, 3, 5}), job({1, 3, 5})};
  EXPECT_THROW(static_cast<void>(simulate(cluster(1, 4), jobs, *fifo, TooMuch(), {})),
               std::logic_error);
  // Visited at its end, it starts the only job again.
  EXPECT_THROW(
      static_cast<void>(simulate(cluster(1, 4), std::span(jobs).first(1), twice, *packing, {})),
      std::logic_error);
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

// A small scenario; whatever it is, the rules below hold.
struct Scenario {
  ClusterSpec cluster;
  std::vector<Job> jobs;
  Setup setup;
};

Job random_job(double submit_s) {
  JobSpec spec;
  spec.submit_s = submit_s;
  spec.workers = pick(1U, 9U);
  // Thirds, so that phase resolution has something to round; now and then nothing to do at all.
  spec.iterations = pick(0, 8) == 0 ? 0 : pick(3, 90) / 3.0;
  spec.compute_s = pick(1, 30) / 10.0;
  spec.network_s = pick(0, 4) == 0 ? 0 : pick(1, 30) / 10.0;
  spec.demand = pick(0, 40) * 10;
  spec.loading_s = pick(0, 3) == 0 ? 0 : pick(0, 20);
  Job out = job(spec);
  out.request.gpus_per_worker = pick(1U, 3U);
  out.request.cpus_per_worker = pick(0U, 4U);
  return out;
}

Scenario random_scenario() {
  Scenario scenario;
  const int groups = pick(1, 3);
  for (int i = 0; i < groups; ++i) {
    ServerGroup group;
    group.count = pick(1U, 4U);
    group.gpus = pick(1U, 9U);
    group.nic = pick(1, 40) * 10e6;
    group.intra = pick(0, 2) == 0 ? 0 : pick(10, 100) * 10e6;
    group.cpus = pick(0, 2) == 0 ? 0 : pick(2U, 17U);
    scenario.cluster.groups.push_back(group);
  }
  scenario.setup.queue = *rc::gen::element<std::string>("fifo", "fifo-skip");
  scenario.setup.placement =
      *rc::gen::element<std::string>("bin-packing", "load-balancing", "consolidate");
  scenario.setup.kind =
      *rc::gen::element(ContentionKind::none, ContentionKind::fixed, ContentionKind::mosim,
                        ContentionKind::mosim, ContentionKind::mosim);
  scenario.setup.resolution = *rc::gen::element(Resolution::event, Resolution::phase);
  std::vector<Job> jobs;
  const int count = pick(1, 25);
  double submit_s = 0;
  for (int i = 0; i < count; ++i) {
    submit_s += pick(0, 3) == 0 ? 0 : pick(0, 40) / 2.0;
    jobs.push_back(random_job(submit_s));
  }
  const auto placement = policies().make_placement(scenario.setup.placement);
  std::vector<bool> dropped(jobs.size());
  for (const Unplaceable& one : find_unplaceable(scenario.cluster, jobs, *placement)) {
    dropped[index(one.job)] = true;
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!dropped[i]) scenario.jobs.push_back(jobs[i]);
  }
  return scenario;
}

void check_job(const Job& job, const JobResult& result, const Setup& setup) {
  const double training_s = result.end_s - result.start_s;
  double iterations = job.iterations;
  if (setup.kind == ContentionKind::mosim && setup.resolution == Resolution::phase) {
    iterations = std::max(1.0, std::floor(iterations));
  }
  RC_ASSERT(result.iterations == iterations);
  RC_ASSERT(result.start_s >= job.submit_s);
  RC_ASSERT(result.end_s >= result.start_s);
  const double solo = job.profile.loading_s + iterations * job.profile.iteration_s();
  RC_ASSERT(training_s >= solo * (1 - 1e-9));
  const double parts = result.compute_s + result.network_s + job.profile.loading_s;
  RC_ASSERT(std::abs(parts - training_s) <= 1e-6 * training_s);
  RC_ASSERT(std::abs(result.compute_s - iterations * job.profile.compute_s) <= 1e-6 * solo);
  RC_ASSERT(result.mean_contention >= 1 - 1e-9);
  if (setup.kind == ContentionKind::none) RC_ASSERT(training_s <= solo * (1 + 1e-9));
  if (setup.kind == ContentionKind::fixed) RC_ASSERT(training_s <= solo * (1.1 + 1e-9));
}

// What is taken at `time_s`, by server, from nothing but starts, ends and servers.
struct Usage {
  std::vector<std::uint64_t> gpus;
  std::vector<std::uint64_t> cpus;
  std::uint32_t running = 0;
  std::uint32_t waiting = 0;
};

Usage usage_at(double time_s, const Scenario& scenario, const SimulationResult& result) {
  Usage usage;
  usage.gpus.resize(scenario.cluster.servers());
  usage.cpus.resize(scenario.cluster.servers());
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    const JobResult& one = result.jobs[i];
    if (scenario.jobs[i].submit_s <= time_s && time_s < one.start_s) ++usage.waiting;
    if (time_s < one.start_s || one.end_s <= time_s) continue;
    ++usage.running;
    const ResourceRequest& request = scenario.jobs[i].request;
    for (const WorkerGroup& group : result.groups_of(one)) {
      usage.gpus[index(group.server)] += std::uint64_t{group.workers} * request.gpus_per_worker;
      usage.cpus[index(group.server)] += std::uint64_t{group.workers} * request.cpus_per_worker;
    }
  }
  return usage;
}

void check_cluster(const Scenario& scenario, const SimulationResult& result) {
  std::vector<ServerGroup> servers;
  for (const ServerGroup& group : scenario.cluster.groups) {
    servers.insert(servers.end(), group.count, group);
  }
  // Usage grows at starts only, and the timeline has every start.
  std::vector<double> times;
  for (const TimelinePoint& point : result.timeline) times.push_back(point.time_s);
  RC_ASSERT(std::is_sorted(times.begin(), times.end()));
  RC_ASSERT(std::adjacent_find(times.begin(), times.end()) == times.end());
  for (const JobResult& one : result.jobs) {
    RC_ASSERT(std::binary_search(times.begin(), times.end(), one.start_s));
    RC_ASSERT(std::binary_search(times.begin(), times.end(), one.end_s));
  }
  for (const TimelinePoint& point : result.timeline) {
    const Usage usage = usage_at(point.time_s, scenario, result);
    std::uint64_t total = 0;
    for (std::size_t server = 0; server < servers.size(); ++server) {
      RC_ASSERT(usage.gpus[server] <= servers[server].gpus);
      if (servers[server].cpus > 0) RC_ASSERT(usage.cpus[server] <= servers[server].cpus);
      total += usage.gpus[server];
    }
    RC_ASSERT(point.gpus_used == total);
    RC_ASSERT(point.running == usage.running);
    RC_ASSERT(point.waiting == usage.waiting);
  }
}

TEST(Engine, RulesHoldInRandomScenarios) {
  EXPECT_TRUE(rc::check("rules of the simulation", [] {
    const Scenario scenario = random_scenario();
    RC_PRE(!scenario.jobs.empty());
    const SimulationResult result = run_jobs(scenario.cluster, scenario.jobs, scenario.setup);
    RC_CLASSIFY(scenario.setup.resolution == Resolution::phase, "phase");
    RC_CLASSIFY(std::any_of(result.jobs.begin(), result.jobs.end(),
                            [](const JobResult& one) { return one.mean_contention > 1.01; }),
                "with contention");
    RC_ASSERT(result.jobs.size() == scenario.jobs.size());
    for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
      check_job(scenario.jobs[i], result.jobs[i], scenario.setup);
      std::uint32_t workers = 0;
      for (const WorkerGroup& group : result.groups_of(result.jobs[i])) workers += group.workers;
      RC_ASSERT(workers == scenario.jobs[i].request.workers);
    }
    check_cluster(scenario, result);
    RC_ASSERT(result.timeline.back().running == 0U);
    RC_ASSERT(result.timeline.back().waiting == 0U);
    // Strict FIFO starts in the order of arrival.
    if (scenario.setup.queue == "fifo") {
      RC_ASSERT(std::is_sorted(
          result.jobs.begin(), result.jobs.end(),
          [](const JobResult& a, const JobResult& b) { return a.start_s < b.start_s; }));
    }
    const SimulationResult again = run_jobs(scenario.cluster, scenario.jobs, scenario.setup);
    RC_ASSERT(again.digest() == result.digest());
  }));
}

}  // namespace
}  // namespace mosim
