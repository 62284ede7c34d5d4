// The discrete-event simulation: jobs, a cluster and policies in; when each job ran out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mosim/cluster.hpp"
#include "mosim/contention.hpp"
#include "mosim/profile.hpp"
#include "mosim/schedule.hpp"

namespace mosim {

// What becomes of a server at a time of the simulation.
enum class ServerChange : std::uint8_t {
  add,     // takes jobs from now on; one whose first event this is was absent until then
  drain,   // takes no new jobs; those that run on it finish
  fail,    // its jobs stop at once and wait again; it takes none
  repair,  // takes jobs again
};

struct ServerEvent {
  double time_s = 0;
  ServerId first{};  // to `last`, both of them
  ServerId last{};
  ServerChange change{};
};

// When servers are there, and what a failure costs a job. Semantics: docs/model.md.
struct Availability {
  std::vector<ServerEvent> events = {};  // at one time in this order
  double mtbf_s = 0;                     // of each server, exponential; 0: no random failures
  double mttr_s = 3600;                  // exponential
  std::uint64_t seed = 1;
  double checkpoint_interval_s = 3600;  // 0: no checkpoints
  std::uint32_t max_restarts = 1000;    // of one job; more end the run with an error

  [[nodiscard]] bool any() const { return !events.empty() || mtbf_s > 0; }
};

// What became of one job. Of one that was restarted, `compute_s`, `network_s` and `loading_s` are
// all that it did, also what was lost.
struct JobResult {
  double start_s = 0;  // when it first got its GPUs; loading comes first
  double end_s = 0;
  double compute_s = 0;         // of its training, spent computing
  double network_s = 0;         // of its training, spent networking, stretched as it was
  double network_alone_s = 0;   // what `network_s` would have been alone
  double loading_s = 0;         // spent loading
  double requeued_s = 0;        // in the queue after `start_s`
  double lost_s = 0;            // of its training, what failures undid
  double iterations = 0;        // W, or floor(W) >= 1 at phase resolution: all that counted
  double mean_contention = 1;   // networking time over what it would have been alone
  std::size_t first_group = 0;  // its (last) servers: see SimulationResult::groups_of
  std::uint32_t group_count = 0;
  std::uint32_t restarts = 0;  // after failures
  GpuTypeId gpu_type{};        // that it ran on last; of several, the one it was slowest on

  [[nodiscard]] double training_s() const { return end_s - start_s - requeued_s; }
};

// A time on servers that ended in a failure.
struct LostAttempt {
  JobIndex job{};
  double start_s = 0;
  double end_s = 0;
  std::size_t first_group = 0;
  std::uint32_t group_count = 0;
};

// The cluster after all events of a time.
struct TimelinePoint {
  double time_s = 0;
  std::uint32_t running = 0;  // jobs that hold GPUs
  std::uint32_t waiting = 0;
  std::uint64_t gpus_used = 0;
  std::uint64_t gpus_up = 0;  // of servers that take jobs, or still run some
};

struct SimulationResult {
  std::vector<JobResult> jobs;  // in the order of the input
  std::vector<WorkerGroup> groups;
  std::vector<LostAttempt> lost_attempts;  // in the order of their ends
  std::vector<TimelinePoint> timeline;
  std::uint64_t events = 0;  // arrivals, loadings, completions and ends of phases

  [[nodiscard]] std::span<const WorkerGroup> groups_of(const JobResult& job) const {
    return std::span(groups).subspan(job.first_group, job.group_count);
  }
  [[nodiscard]] std::span<const WorkerGroup> groups_of(const LostAttempt& attempt) const {
    return std::span(groups).subspan(attempt.first_group, attempt.group_count);
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
  bool mix_gpu_types = false;                     // a job may run on several types at once
  Availability availability = {};
};

// Simulates `jobs`, which are ordered by submission, on a cluster without virtual clusters. Throws
// RunError when jobs are left that can never start or end, std::logic_error when a policy breaks
// the rules of its interface.
[[nodiscard]] SimulationResult simulate(const ClusterSpec& cluster, std::span<const Job> jobs,
                                        QueueDiscipline& queue, const Placement& placement,
                                        const SimulationOptions& options);

// The same with a queue discipline for each virtual cluster, in their order; one when there are
// none.
[[nodiscard]] SimulationResult simulate(const ClusterSpec& cluster, std::span<const Job> jobs,
                                        std::span<const std::unique_ptr<QueueDiscipline>> queues,
                                        const Placement& placement,
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

// The jobs that `placement` finds no room for on the servers that they may use, all free and up, or
// that are larger than the quota of their virtual cluster.
[[nodiscard]] std::vector<Unplaceable> find_unplaceable(const ClusterSpec& cluster,
                                                        std::span<const Job> jobs,
                                                        const Placement& placement,
                                                        bool mix_gpu_types = false);

}  // namespace mosim
