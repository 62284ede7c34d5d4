// The discrete-event simulation: jobs, a cluster and policies in; when each job ran out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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

// What it costs to take a job off its GPUs and put it on others. Semantics: docs/model.md.
struct Preemption {
  double save_s = 0;             // writing a checkpoint
  double restore_s = 0;          // reading it, before a job goes on
  double storage_bandwidth = 0;  // bytes per second; each way takes bytes / bandwidth more; 0: none
  double min_run_s = 0;          // on its GPUs, before a job may be preempted
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
  double restart_s = 0;         // spent saving and restoring checkpoints
  double requeued_s = 0;        // in the queue after `start_s`
  double lost_s = 0;            // of its training, what failures and preemptions undid
  double service = 0;           // GPUs x time that it held them
  double iterations = 0;        // W, or floor(W) >= 1 at phase resolution: all that counted
  double mean_contention = 1;   // networking time over what it would have been alone
  std::size_t first_group = 0;  // its (last) servers: see SimulationResult::groups_of
  std::uint32_t group_count = 0;
  std::uint32_t restarts = 0;     // after failures
  std::uint32_t preemptions = 0;  // moves and resizes not included
  std::uint32_t moves = 0;        // to other GPUs without waiting
  std::uint32_t workers = 0;      // the last time; what it asked for, if nothing resized it
  GpuTypeId gpu_type{};           // that it ran on last; of several, the one it was slowest on

  [[nodiscard]] double training_s() const { return end_s - start_s - requeued_s; }
};

enum class AttemptEnd : std::uint8_t { failed, preempted, moved };

// A time on servers that was not a job's last.
struct EarlierAttempt {
  JobIndex job{};
  AttemptEnd end{};
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
  std::uint64_t gpus_up = 0;        // of servers that take jobs, or still run some
  std::uint64_t gpus_free = 0;      // of servers that take jobs
  std::uint64_t gpus_stranded = 0;  // of these, on servers of which another GPU is in use
};

struct SimulationResult {
  std::vector<JobResult> jobs;  // in the order of the input
  std::vector<WorkerGroup> groups;
  std::vector<EarlierAttempt> earlier_attempts;  // in the order of their ends
  std::vector<TimelinePoint> timeline;
  std::vector<PoolSpec> pools;
  std::vector<std::uint32_t> pool_free;   // GPUs by timeline point, then by pool
  std::vector<std::uint32_t> quota_left;  // by timeline point, then by virtual cluster; empty when
                                          // none has a quota
  std::uint64_t events = 0;               // arrivals, loadings, completions and ends of phases

  [[nodiscard]] std::span<const WorkerGroup> groups_of(const JobResult& job) const {
    return std::span(groups).subspan(job.first_group, job.group_count);
  }
  [[nodiscard]] std::span<const WorkerGroup> groups_of(const EarlierAttempt& attempt) const {
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

// The profile of a job on another number of workers of a GPU type; nothing when there is none.
using ScaledProfile =
    std::function<std::optional<JobProfile>(JobIndex job, GpuTypeId gpu, std::uint32_t workers)>;

struct SimulationOptions {
  ContentionOptions contention;
  std::function<void(const Progress&)> progress;  // called now and then, if set
  bool mix_gpu_types = false;                     // a job may run on several types at once
  Availability availability = {};
  Preemption preemption = {};
  ScaledProfile scaled_profile = {};  // without it no job can be resized
};

// Simulates `jobs`, which are ordered by submission. One policy for all of them, or one for each
// virtual cluster of the cluster, in their order. Throws RunError when jobs are left that can never
// start or end, InvalidAction when a policy does what is not allowed, and RunError with a policy's
// name around (std::nested_exception) what it throws itself.
[[nodiscard]] SimulationResult simulate(const ClusterSpec& cluster, std::span<const Job> jobs,
                                        std::span<const ActivePolicy> policies,
                                        const Placement& placement,
                                        const SimulationOptions& options);

// The same with one policy.
[[nodiscard]] SimulationResult simulate(const ClusterSpec& cluster, std::span<const Job> jobs,
                                        const ActivePolicy& policy, const Placement& placement,
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
