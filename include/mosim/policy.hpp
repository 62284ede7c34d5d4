// Scheduling policies: when which job runs, and if they want, where. This is what users write.
//
// A policy sees a SchedulerView (what a real scheduler could know) and acts through a Scheduler.
// Every action is checked before anything changes: a wrong one throws InvalidAction and the
// simulation stands as it stood. docs/policies.md is the guide.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "mosim/cluster.hpp"
#include "mosim/profile.hpp"

namespace mosim {

// What became of a job so far.
enum class JobStage : std::uint8_t {
  coming,  // not submitted yet
  waiting,
  running,  // holds GPUs: loads or trains
  done,
};

// What the engine keeps of a job for its scheduler. Times in seconds.
struct JobState {
  JobStage stage = JobStage::coming;
  std::uint32_t workers = 0;      // of a running job; what it asks for otherwise
  std::uint32_t preemptions = 0;  // moves to other GPUs included
  double since_s = 0;             // when the stage began
  double served_s = 0;            // on GPUs, before `since_s`
  double service = 0;             // attained service before `since_s`: GPUs x time
};

// A job as its scheduler sees it, now. Cheap to copy, valid as long as the view that gave it.
class JobView {
 public:
  JobView(JobIndex index, const Job& job, const JobState& state, double now_s)
      : index_(index), job_(&job), state_(&state), now_s_(now_s) {}

  [[nodiscard]] JobIndex index() const { return index_; }
  [[nodiscard]] JobStage stage() const { return state_->stage; }
  [[nodiscard]] double submit_s() const { return job_->submit_s; }
  [[nodiscard]] const ResourceRequest& request() const { return job_->request; }
  [[nodiscard]] VirtualClusterId virtual_cluster() const { return job_->virtual_cluster; }
  // User, group, model, priority, deadline and the user's estimate.
  [[nodiscard]] const JobFacts& facts() const { return job_->facts; }

  // That it asks for, and that it has (0 unless it runs).
  [[nodiscard]] std::uint64_t gpus() const { return job_->request.gpus(); }
  [[nodiscard]] std::uint64_t held_gpus() const {
    if (stage() != JobStage::running) return 0;
    return std::uint64_t{state_->workers} * job_->request.gpus_per_worker;
  }
  // Since it was submitted.
  [[nodiscard]] double elapsed_s() const { return now_s_ - job_->submit_s; }
  // In its present stage.
  [[nodiscard]] double stage_s() const { return now_s_ - state_->since_s; }
  // On GPUs so far, loading included.
  [[nodiscard]] double served_s() const {
    return state_->served_s + (stage() == JobStage::running ? stage_s() : 0);
  }
  // Attained service: GPUs (parts of one count as such) x time so far, as in 2D-LAS (Tiresias, NSDI
  // 2019).
  [[nodiscard]] double attained_service() const {
    const double gpus = static_cast<double>(held_gpus()) * request().gpu_milli / kGpuParts;
    return state_->service + gpus * stage_s();
  }
  // What the user's estimate leaves: infinite without one, 0 for a job that ran over it.
  [[nodiscard]] double estimate_left_s() const {
    const double left = job_->facts.estimate_s - served_s();
    return left > 0 ? left : 0;
  }
  [[nodiscard]] std::uint32_t preemptions() const { return state_->preemptions; }

 private:
  JobIndex index_;
  const Job* job_;
  const JobState* state_;
  double now_s_;
};

// What a scheduler sees. Of the jobs it shows those that are the policy's: all, or with a policy
// for each virtual cluster those of its own.
class SchedulerView {
 public:
  virtual ~SchedulerView() = default;

  [[nodiscard]] virtual double now_s() const = 0;
  // Throws InvalidAction, as all below do, when there is no such job; and for one that is not
  // submitted yet, unless the policy declares that it needs the oracle.
  [[nodiscard]] virtual JobView job(JobIndex job) const = 0;
  // All jobs of the run, coming ones included: JobIndex runs from 0 to here.
  [[nodiscard]] virtual std::size_t jobs() const = 0;
  // In the order of submission. The list stays as it was when jobs are started or preempted, until
  // it is asked for again.
  [[nodiscard]] virtual std::span<const JobIndex> waiting() const = 0;
  [[nodiscard]] virtual std::span<const JobIndex> running() const = 0;
  // How many of each; at no cost.
  [[nodiscard]] virtual std::size_t waiting_count() const = 0;
  [[nodiscard]] virtual std::size_t running_count() const = 0;

  // Free GPUs, CPU cores and memory of every server.
  [[nodiscard]] virtual const ClusterState& cluster() const = 0;
  // The pools of servers that the job may use, in the order in which they are tried.
  [[nodiscard]] virtual std::span<const PoolId> pools_of(JobIndex job) const = 0;
  // Where a running job runs, and where a waiting one ran last.
  [[nodiscard]] virtual std::span<const WorkerGroup> groups_of(JobIndex job) const = 0;
  // GPUs that the job's virtual cluster may still take under its quota.
  [[nodiscard]] virtual std::uint64_t quota_left(JobIndex job) const = 0;
  // Jobs of one class fit or do not fit together: they ask for the same of the same servers. Small
  // numbers from 0.
  [[nodiscard]] virtual std::uint32_t fit_class(JobIndex job) const = 0;

  // A place for the job by the scenario's placement; false when there is no room. With `workers`, a
  // place for that many instead of as many as it asks for.
  [[nodiscard]] virtual bool find_place(JobIndex job, std::vector<WorkerGroup>& groups,
                                        std::uint32_t workers = 0) const = 0;
  // SlowdownForecast::added_slowdown of a waiting job on `groups`.
  [[nodiscard]] virtual double added_slowdown(JobIndex job,
                                              std::span<const WorkerGroup> groups) const = 0;
  // S of a running job now.
  [[nodiscard]] virtual double contention_factor(JobIndex job) const = 0;
  // When a running job will have run as long as the scenario's preemption.min_run asks, and whether
  // it has.
  [[nodiscard]] virtual double preemptible_at_s(JobIndex job) const = 0;
  [[nodiscard]] bool may_preempt(JobIndex job) const { return preemptible_at_s(job) <= now_s(); }
  // Whether the job can run on that many workers at all: whether it has a profile there.
  [[nodiscard]] virtual bool may_resize(JobIndex job, std::uint32_t workers) const = 0;

  // The oracle: how long the job would still run alone on the GPUs that it asks for, loading that
  // is to come included. Throws InvalidAction for a policy that does not declare that it needs it.
  [[nodiscard]] virtual double remaining_s(JobIndex job) const = 0;
};

// What a scheduler may do. Actions take effect at once and show in the view; each throws
// InvalidAction, and changes nothing, when it is not allowed.
class Scheduler : public SchedulerView {
 public:
  // Starts a waiting job where the scenario's placement finds room; false when there is none. With
  // `workers`, on that many.
  virtual bool try_start(JobIndex job, std::uint32_t workers = 0) = 0;
  // Starts a waiting job on these GPUs, a whole gang: each server once, all of one pool.
  virtual void start(JobIndex job, std::span<const WorkerGroup> groups) = 0;
  // Takes a running job off its GPUs; it keeps what it trained and waits again.
  virtual void preempt(JobIndex job) = 0;
  // Puts a job that was preempted in this very decision back, as if nothing had happened; false
  // when its GPUs are taken.
  virtual bool try_resume(JobIndex job) = 0;
  // Moves a running job to other GPUs, as many as it has. Its own count as free.
  virtual void migrate(JobIndex job, std::span<const WorkerGroup> groups) = 0;
  // The same with another number of workers. The samples that are left stay: a data-parallel job
  // on twice the workers needs half the iterations.
  virtual void resize(JobIndex job, std::span<const WorkerGroup> groups) = 0;
  // Asks for a decision at time `at_s`, later than now. Of several the earliest counts; a decision
  // for any reason does not cancel it.
  virtual void wake_at(double at_s) = 0;
};

// Decides. One instance serves one run; calls come from one thread.
class Policy {
 public:
  virtual ~Policy() = default;

  // A job was submitted: in the order of JobIndex. As with the two below, decide() follows.
  virtual void on_submit(const SchedulerView& view, JobIndex job) { (void)view, (void)job; }
  // A job that had started waits again because a server under it failed. Not called for what the
  // policy preempts itself.
  virtual void on_requeue(const SchedulerView& view, JobIndex job) { on_submit(view, job); }
  // A job is done.
  virtual void on_end(const SchedulerView& view, JobIndex job) { (void)view, (void)job; }
  // Called after all events of one time: jobs were submitted or ended, servers changed, or the
  // policy asked to be woken.
  virtual void decide(Scheduler& scheduler) = 0;
};

// An action that is not allowed. The message has the policy's name, the time and the reason. A
// policy may catch it; uncaught it ends the run.
class InvalidAction : public RunError {
 public:
  using RunError::RunError;
};

}  // namespace mosim
