// The discrete-event simulation: jobs, a cluster and policies in; when each job ran out.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mosim/cluster.hpp"
#include "mosim/contention.hpp"
#include "mosim/profile.hpp"
#include "mosim/schedule.hpp"

namespace mosim {

// What became of one job.
struct JobResult {
  double start_s = 0;  // when it got its GPUs; loading comes first
  double end_s = 0;
  double compute_s = 0;         // of its training, spent computing
  double network_s = 0;         // of its training, spent networking, stretched as it was
  double iterations = 0;        // run: W, or floor(W) >= 1 at phase resolution
  double mean_contention = 1;   // networking time over what it would have been alone
  std::size_t first_group = 0;  // its servers: see SimulationResult::groups_of
  std::uint32_t group_count = 0;
};

// The cluster after all events of a time.
struct TimelinePoint {
  double time_s = 0;
  std::uint32_t running = 0;  // jobs that hold GPUs
  std::uint32_t waiting = 0;
  std::uint64_t gpus_used = 0;
};

struct SimulationResult {
  std::vector<JobResult> jobs;  // in the order of the input
  std::vector<WorkerGroup> groups;
  std::vector<TimelinePoint> timeline;
  std::uint64_t events = 0;  // arrivals, loadings, completions and ends of phases

  [[nodiscard]] std::span<const WorkerGroup> groups_of(const JobResult& job) const {
    return std::span(groups).subspan(job.first_group, job.group_count);
  }
  // A hash of every job's start, end and servers: equal schedules, equal digests.
  [[nodiscard]] std::string digest() const;
};

struct Progress {
  double time_s = 0;
  std::size_t jobs_done = 0;
  std::size_t jobs = 0;
  std::uint64_t events = 0;
};

struct SimulationOptions {
  ContentionOptions contention;
  std::function<void(const Progress&)> progress;  // called now and then, if set
};

// Simulates `jobs`, which are ordered by submission. Throws RunError when jobs are left that the
// queue discipline never starts, std::logic_error when a policy breaks the rules of its interface.
[[nodiscard]] SimulationResult simulate(const ClusterSpec& cluster, std::span<const Job> jobs,
                                        QueueDiscipline& queue, const Placement& placement,
                                        const SimulationOptions& options);

// One finished run: what went in and what came out, job by job in the same order.
struct Run {
  ClusterSpec cluster;
  Trace trace;
  std::vector<Job> jobs;
  SimulationResult result;
  std::size_t dropped = 0;  // jobs left out because the cluster can never hold them
};

// A job that the cluster can never hold.
struct Unplaceable {
  JobIndex job{};
  std::string reason;  // with the largest placement of its kind
};

// The jobs that `placement` finds no room for on the empty cluster.
[[nodiscard]] std::vector<Unplaceable> find_unplaceable(const ClusterSpec& cluster,
                                                        std::span<const Job> jobs,
                                                        const Placement& placement);

}  // namespace mosim
