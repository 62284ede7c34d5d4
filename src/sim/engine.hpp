// The engine loop. Between events every rate is constant: a job's iteration takes
// tau = T_comp + T_net x S, Eq. 2-5; events are arrivals, ends of loading and completions, at phase
// resolution the ends of compute and communication phases, and what policies ask to be woken for.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "contention/members.hpp"
#include "mosim/sim.hpp"
#include "sim/availability.hpp"
#include "sim/event_queue.hpp"
#include "sim/policy_seat.hpp"

namespace mosim {

class Engine {
 public:
  // A policy for each virtual cluster, or one for all jobs.
  Engine(const ClusterSpec& cluster, std::span<const Job> jobs,
         std::span<const ActivePolicy> policies, const Placement& placement,
         const SimulationOptions& options);

  SimulationResult run();

  // What a policy may see; PolicySeat asks.
  [[nodiscard]] double now_s() const { return now_; }
  [[nodiscard]] std::span<const Job> jobs() const { return jobs_; }
  [[nodiscard]] const JobState& state(JobIndex job) const { return states_[index(job)]; }
  [[nodiscard]] const ClusterState& cluster() const { return cluster_; }
  [[nodiscard]] bool belongs_to(JobIndex job, const PolicySeat& seat) const;
  [[nodiscard]] std::span<const PoolId> pools_of(JobIndex job) const;
  [[nodiscard]] std::span<const WorkerGroup> groups_of(JobIndex job) const;
  [[nodiscard]] std::uint64_t quota_left(JobIndex job) const;
  [[nodiscard]] std::uint32_t fit_class(JobIndex job) const { return fit_class_[index(job)]; }
  [[nodiscard]] double remaining_s(JobIndex job) const;
  [[nodiscard]] double contention_factor(JobIndex job) const { return contention_->factor(job); }
  [[nodiscard]] double added_slowdown(JobIndex job, std::span<const WorkerGroup> groups) const;
  [[nodiscard]] double nic_load(ServerId server) const { return contention_->nic_load(server); }
  [[nodiscard]] double preemptible_at_s(JobIndex job) const;
  [[nodiscard]] bool has_profiles(JobIndex job, std::uint32_t workers) const;
  // Whether the job was taken off its GPUs in this decision and nothing else was done to it.
  [[nodiscard]] bool is_released(JobIndex job) const { return running_[index(job)].released; }

  // What a policy may do; PolicySeat has checked that it is allowed.
  bool find_place(JobIndex job, std::uint32_t workers, std::vector<WorkerGroup>& groups) const;
  // Why the job cannot have these GPUs now; empty when it can.
  [[nodiscard]] std::string why_not(JobIndex job, std::span<const WorkerGroup> groups) const;
  // The same for a running job, whose own GPUs count as free.
  [[nodiscard]] std::string why_not_move(JobIndex job, std::span<const WorkerGroup> groups);
  void start(JobIndex job, std::span<const WorkerGroup> groups);
  // Takes a running job off its GPUs for now: `resume` puts it back, `end_attempt` makes it final.
  void release(JobIndex job);
  void resume(JobIndex job);
  void end_attempt(JobIndex job, AttemptEnd end);

 private:
  // What a running job is doing. `fluid` jobs progress through all their iterations at the rate
  // 1 / tau; `phased` ones alternate between computing and communicating.
  enum class Activity : std::uint8_t { idle, loading, fluid, computing, communicating };

  struct Running {
    Activity activity = Activity::idle;
    bool released = false;
    double left = 0;     // fluid: iterations; communicating: seconds of the phase, were it alone
    double since = 0;    // the time for which `left` is right
    double stretch = 1;  // S from then on
    double phase_start = 0;
    double iterations_left = 0;           // phased
    const JobProfile* profile = nullptr;  // on the GPUs that it has
  };

  // A virtual cluster, or the whole of a cluster without any.
  struct Partition {
    std::uint64_t quota = 0;  // GPUs
    std::uint64_t held = 0;
    std::vector<std::vector<PoolId>> pools;  // by GPU type; the last: for jobs of any type
  };

  // A time on GPUs, and what is kept of those before. Iterations are those of the workers that the
  // job has, but for `left`.
  struct Attempt {
    double started_s = 0;           // got its GPUs, the last time
    double training_since_s = 0;    // so did its training
    double left_at_start = 0;       // iterations, when its training did
    double left_at_checkpoint = 0;  // iterations, at the last checkpoint
    double checkpoints = 0;         // since its training started
    double left = 0;                // after the attempt: iterations on the workers it asks for
    double restart_s = 0;           // owed when it starts again: saving and restoring
    bool trained = false;           // it has a checkpoint to go on from, be it its beginning
    JobState before;                // of a released job: what it was until now
  };

  void occupy(JobIndex job, std::span<const WorkerGroup> groups);
  void leave(JobIndex job);
  void load(JobIndex job);
  void set_stage(JobIndex job, JobStage stage);
  [[nodiscard]] PolicySeat& seat_of(JobIndex job);
  [[nodiscard]] Partition& partition_of(JobIndex job);
  [[nodiscard]] const Partition& partition_of(JobIndex job) const;
  [[nodiscard]] PlacementQuery query_for(JobIndex job, std::uint32_t workers) const;
  [[nodiscard]] const JobProfile* profile_here(JobIndex job, std::span<const WorkerGroup> groups,
                                               GpuTypeId& slowest) const;
  [[nodiscard]] const JobProfile* profile_on(JobIndex job, GpuTypeId type,
                                             std::uint32_t workers) const;
  // Iterations on the workers that the job has for one on those that it asks for.
  [[nodiscard]] double scale_of(JobIndex job) const;
  [[nodiscard]] double own_iterations(JobIndex job) const;

  void handle(const Event& event);
  void begin_training(JobIndex job);
  void begin_compute(JobIndex job);
  void begin_communication(JobIndex job);
  void end_communication(JobIndex job);
  void complete(JobIndex job);

  void apply(std::span<const JobIndex> changed);
  void settle(JobIndex job);
  [[nodiscard]] double end_of(JobIndex job) const;

  // What stops jobs: sim/recovery.cpp.
  double begin_attempt(JobIndex job);
  std::optional<double> new_checkpoint(JobIndex job);
  void pass_checkpoints_evenly(JobIndex job, double since, double before, double now);
  void pass_checkpoints(JobIndex job, double before, double now);
  void interrupt(JobIndex job);
  void book_attempt(JobIndex job, AttemptEnd end);
  double book_training(JobIndex job, AttemptEnd end);
  [[nodiscard]] double transfer_s(JobIndex job) const;
  void change_server(const Outage& outage);
  [[nodiscard]] bool stuck();
  [[noreturn]] void give_up() const;
  [[nodiscard]] std::string who_waits() const;
  void record_free_gpus(TimelinePoint& point);

  void handle_events_at_now();
  void handle_outages_at_now();
  void handle_arrivals_at_now();
  [[nodiscard]] double next_wake_s() const;
  void decide();
  void record_timeline();
  void report_progress();

  const ClusterSpec& spec_;
  std::span<const Job> jobs_;
  const Placement& placement_;
  const SimulationOptions& options_;
  bool whole_iterations_;  // phase resolution: floor(W), at least one
  bool fallible_;          // servers may fail
  bool has_quotas_ = false;
  ClusterState cluster_;
  std::vector<Partition> partitions_;
  std::vector<std::vector<GpuTypeId>> pool_types_;  // by pool
  std::vector<PolicySeat> seats_;                   // by virtual cluster, or one
  std::unique_ptr<ContentionModel> contention_;
  EventQueue events_;
  ServerClock clock_;
  std::vector<JobState> states_;  // by job, as all below
  std::vector<Running> running_;
  std::vector<Attempt> attempts_;
  std::vector<std::uint32_t> fit_class_;
  std::map<std::tuple<VirtualClusterId, ResourceRequest, std::uint32_t>, std::uint32_t> classes_;
  mutable std::map<std::tuple<JobIndex, GpuTypeId, std::uint32_t>, std::optional<JobProfile>>
      scaled_;             // profiles on other numbers of workers
  MemberTable on_server_;  // jobs; empty unless fallible_
  std::vector<Outage> outages_;
  std::vector<JobIndex> victims_;
  SimulationResult result_;
  double now_ = 0;
  std::size_t next_arrival_ = 0;
  std::size_t holding_ = 0;  // jobs that hold GPUs
  std::size_t done_ = 0;
  std::size_t idle_rounds_ = 0;  // changes of servers and wakes, while nothing else could happen
};

}  // namespace mosim
