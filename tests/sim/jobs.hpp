// Small jobs and clusters for tests of the engine.
#pragma once

#include <rapidcheck.h>

#include <memory>
#include <string>
#include <vector>

#include "mosim/sim.hpp"

namespace mosim::test {

// What a test says of a job; the rest follows.
struct JobSpec {
  double submit_s = 0;
  std::uint32_t workers = 1;
  double iterations = 1;
  double compute_s = 1;
  double network_s = 0;
  double demand = 0;  // D in MB/s
  double loading_s = 0;
};

inline Job job(const JobSpec& spec) {
  Job out;
  out.submit_s = spec.submit_s;
  out.request.workers = spec.workers;
  out.iterations = spec.iterations;
  out.profile.compute_s = spec.compute_s;
  out.profile.network_s = spec.network_s;
  out.profile.volume = spec.demand * 1e6 * spec.network_s;
  out.profile.loading_s = spec.loading_s;
  return out;
}

inline std::vector<Job> jobs(const std::vector<JobSpec>& specs) {
  std::vector<Job> out;
  out.reserve(specs.size());
  for (const JobSpec& spec : specs) out.push_back(job(spec));
  return out;
}

// Servers that are alike, with NICs of `nic` MB/s.
inline ServerGroup servers(std::uint32_t count, std::uint32_t gpus, double nic = 100) {
  ServerGroup group;
  group.count = count;
  group.gpus = gpus;
  group.nic = nic * 1e6;
  return group;
}

inline ClusterSpec cluster(std::uint32_t count, std::uint32_t gpus, double nic = 100) {
  return ClusterSpec{{servers(count, gpus, nic)}};
}

// A policy for each virtual cluster: its own, or `queue`.
inline std::vector<ActivePolicy> queues_for(const ClusterSpec& spec, const std::string& queue) {
  std::vector<ActivePolicy> queues;
  for (const VirtualCluster& one : spec.virtual_clusters) {
    queues.push_back(policies().make_queue(one.queue.empty() ? queue : one.queue));
  }
  if (queues.empty()) queues.push_back(policies().make_queue(queue));
  return queues;
}

// A policy of the test's own that may read remaining times.
template <typename Made, typename... Arguments>
ActivePolicy policy(Arguments&&... arguments) {
  return {"test",
          {.remaining_time = true},
          false,
          std::make_shared<Made>(std::forward<Arguments>(arguments)...)};
}

inline SimulationResult run_on(const ClusterSpec& spec, const std::vector<Job>& jobs,
                               const SimulationOptions& options = {},
                               const std::string& queue = "fifo",
                               const std::string& placement = "load-balancing") {
  const auto queues = queues_for(spec, queue);
  return simulate(spec, jobs, queues, *policies().make_placement(placement), options);
}

template <typename T>
T pick(T low, T below) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, below));
}

// How jobs are run.
struct Setup {
  std::string queue = "fifo";
  std::string placement = "load-balancing";
  ContentionKind kind = ContentionKind::mosim;
  Resolution resolution = Resolution::event;
};

inline SimulationResult run_jobs(const ClusterSpec& spec, const std::vector<Job>& jobs,
                                 const Setup& setup) {
  SimulationOptions options;
  options.contention.kind = setup.kind;
  options.contention.resolution = setup.resolution;
  const auto queue = policies().make_queue(setup.queue);
  const auto placement = policies().make_placement(setup.placement);
  return simulate(spec, jobs, queue, *placement, options);
}

}  // namespace mosim::test
