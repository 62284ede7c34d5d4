// The engine loop. Between events every rate is constant: a job's iteration takes
// tau = T_comp + T_net x S, Eq. 2-5; events are arrivals, ends of loading and completions, and at
// phase resolution the ends of compute and communication phases.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mosim/sim.hpp"
#include "sim/event_queue.hpp"

namespace mosim {

class Engine : private JobStarter {
 public:
  Engine(const ClusterSpec& cluster, std::span<const Job> jobs, QueueDiscipline& queue,
         const Placement& placement, const SimulationOptions& options);

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
    double iterations_left = 0;  // phased
  };

  bool try_start(JobIndex job) override;
  void handle(const Event& event);
  void begin_training(JobIndex job);
  void begin_compute(JobIndex job);
  void begin_communication(JobIndex job);
  void end_communication(JobIndex job);
  void complete(JobIndex job);

  void apply(std::span<const JobIndex> changed);
  void settle(JobIndex job);
  [[nodiscard]] double end_of(JobIndex job) const;

  void handle_events_at_now();
  void handle_arrivals_at_now();
  void record_timeline();
  void report_progress();

  std::span<const Job> jobs_;
  QueueDiscipline& queue_;
  const Placement& placement_;
  const SimulationOptions& options_;
  bool whole_iterations_;  // phase resolution: floor(W), at least one
  ClusterState cluster_;
  std::unique_ptr<ContentionModel> contention_;
  EventQueue events_;
  std::vector<Running> running_;    // by job
  std::vector<WorkerGroup> place_;  // of the job being started
  SimulationResult result_;
  double now_ = 0;
  std::size_t next_arrival_ = 0;
  std::size_t started_ = 0;
  std::size_t done_ = 0;
};

}  // namespace mosim
