// What holds in every run, tried on random ones.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
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
using test::run_jobs;
using test::Setup;

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
