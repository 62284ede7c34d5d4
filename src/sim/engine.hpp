// The engine loop. Between events every rate is constant: a job's iteration takes
// tau = T_comp + T_net x S, Eq. 2-5; events are arrivals, ends of loading and completions, and at
// phase resolution the ends of compute and communication phases.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "contention/members.hpp"
#include "mosim/sim.hpp"
#include "sim/availability.hpp"
#include "sim/event_queue.hpp"

namespace mosim {

class Engine : private JobStarter {
 public:
  // A queue for each virtual cluster, or one when there are none.
  Engine(const ClusterSpec& cluster, std::span<const Job> jobs,
         std::span<QueueDiscipline* const> queues, const Placement& placement,
         const SimulationOptions& options);

  SimulationResult run();

 private:
  // What a running job is doing. `fluid` jobs progress through all their iterations at the rate
  // 1 / tau; `phased` ones alternate between computing and communicating.
  enum class Activity : std::uint8_t { waiting, loading, fluid, computing, communicating, done };

  struct Running {
    Activity activity = Activity::waiting;
    double left = 0;     // fluid: iterations; communicating: seconds of the phase, were it alone
    double since = 0;    // the time for which `left` is right
    double stretch = 1;  // S from then on
    double phase_start = 0;
    double iterations_left = 0;           // phased
    const JobProfile* profile = nullptr;  // on the GPUs that it has
  };

  // A virtual cluster, or the whole of a cluster without any.
  struct Partition {
    QueueDiscipline* queue = nullptr;
    std::uint64_t quota = 0;  // GPUs
    std::uint64_t held = 0;
    std::size_t waiting = 0;                 // jobs
    std::vector<std::vector<PoolId>> pools;  // by GPU type; the last: for jobs of any type
  };

  // What is kept of a job for the case that a server under it fails.
  struct Recovery {
    double started_s = 0;           // got its GPUs, the last time
    double training_since_s = 0;    // so did its training
    double left_at_start = 0;       // iterations, when its training did
    double left_at_checkpoint = 0;  // iterations, at the last checkpoint
    double checkpoints = 0;         // since its training started
    double queued_since_s = 0;      // of one that waits again
    bool trained = false;           // it has a checkpoint to go on from, be it its beginning
  };

  bool try_start(JobIndex job) override;
  bool find_place(JobIndex job);
  void occupy(JobIndex job);
  [[nodiscard]] const JobProfile* profile_here(const Job& job, GpuTypeId& slowest) const;

  void handle(const Event& event);
  void begin_training(JobIndex job);
  void begin_compute(JobIndex job);
  void begin_communication(JobIndex job);
  void end_communication(JobIndex job);
  void complete(JobIndex job);
  void vacate(JobIndex job);

  void apply(std::span<const JobIndex> changed);
  void settle(JobIndex job);
  [[nodiscard]] double end_of(JobIndex job) const;

  // Failures: sim/recovery.cpp.
  double begin_attempt(JobIndex job, double iterations);
  std::optional<double> new_checkpoint(JobIndex job);
  void pass_checkpoints_evenly(JobIndex job, double since, double before, double now);
  void pass_checkpoints(JobIndex job, double before, double now);
  void interrupt(JobIndex job);
  void stop_work(JobIndex job);
  void change_server(const Outage& outage);
  [[nodiscard]] bool stuck();
  [[noreturn]] void give_up() const;

  void handle_events_at_now();
  void handle_outages_at_now();
  void handle_arrivals_at_now();
  void schedule();
  void record_timeline();
  void report_progress();

  std::span<const Job> jobs_;
  const Placement& placement_;
  const SimulationOptions& options_;
  bool whole_iterations_;  // phase resolution: floor(W), at least one
  bool recoverable_;       // servers may fail
  ClusterState cluster_;
  std::vector<Partition> partitions_;
  std::unique_ptr<ContentionModel> contention_;
  EventQueue events_;
  ServerClock clock_;
  std::vector<Running> running_;    // by job
  std::vector<Recovery> recovery_;  // by job; empty unless recoverable_
  MemberTable on_server_;           // jobs; empty unless recoverable_
  std::vector<WorkerGroup> place_;  // of the job being started
  std::vector<Outage> outages_;
  std::vector<JobIndex> victims_;
  SimulationResult result_;
  double now_ = 0;
  std::size_t next_arrival_ = 0;
  std::size_t holding_ = 0;  // jobs that hold GPUs
  std::size_t done_ = 0;
  std::size_t idle_changes_ = 0;  // of servers, while nothing else could happen
};

}  // namespace mosim
