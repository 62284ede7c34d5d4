// What a policy sees and does. Every action is checked here before the engine carries it out.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "mosim/schedule.hpp"
#include "sim/job_list.hpp"

namespace mosim {

class Engine;

class PolicySeat : public Scheduler {
 public:
  PolicySeat(Engine& engine, const ActivePolicy& policy) : engine_(&engine), policy_(&policy) {}

  [[nodiscard]] double now_s() const override;
  [[nodiscard]] JobView job(JobIndex job) const override;
  [[nodiscard]] std::size_t jobs() const override;
  [[nodiscard]] std::span<const JobIndex> waiting() const override;
  [[nodiscard]] std::span<const JobIndex> running() const override;
  [[nodiscard]] std::size_t waiting_count() const override { return waiting_.count(); }
  [[nodiscard]] std::size_t running_count() const override { return running_.count(); }
  [[nodiscard]] const ClusterState& cluster() const override;
  [[nodiscard]] std::span<const PoolId> pools_of(JobIndex job) const override;
  [[nodiscard]] std::span<const WorkerGroup> groups_of(JobIndex job) const override;
  [[nodiscard]] std::uint64_t quota_left(JobIndex job) const override;
  [[nodiscard]] std::uint32_t fit_class(JobIndex job) const override;
  [[nodiscard]] bool find_place(JobIndex job, std::vector<WorkerGroup>& groups,
                                std::uint32_t workers) const override;
  [[nodiscard]] double added_slowdown(JobIndex job,
                                      std::span<const WorkerGroup> groups) const override;
  [[nodiscard]] double contention_factor(JobIndex job) const override;
  [[nodiscard]] double preemptible_at_s(JobIndex job) const override;
  [[nodiscard]] bool may_resize(JobIndex job, std::uint32_t workers) const override;
  [[nodiscard]] double remaining_s(JobIndex job) const override;

  bool try_start(JobIndex job, std::uint32_t workers) override;
  void start(JobIndex job, std::span<const WorkerGroup> groups) override;
  void preempt(JobIndex job) override;
  bool try_resume(JobIndex job) override;
  void migrate(JobIndex job, std::span<const WorkerGroup> groups) override;
  void resize(JobIndex job, std::span<const WorkerGroup> groups) override;
  void wake_at(double at_s) override;

  // For the engine. What the policy throws comes out as RunError with its name.
  void submitted(JobIndex job);
  void requeued(JobIndex job);
  void ended(JobIndex job);
  void decide();
  // A job of the policy's went from one stage to another.
  void change_stage(JobIndex job, JobStage from, JobStage to);
  [[nodiscard]] double wake_s() const { return wake_s_; }
  void cancel_wake() { wake_s_ = std::numeric_limits<double>::infinity(); }
  [[nodiscard]] const std::string& name() const { return policy_->name; }

 private:
  template <typename Call>
  void guard(Call&& call);
  [[noreturn]] void refuse(std::string_view action, JobIndex job, const std::string& why) const;
  [[nodiscard]] std::string prefix() const;
  void check_deciding(std::string_view action, JobIndex job) const;
  JobIndex known(JobIndex job) const;
  void check(std::string_view action, JobIndex job, JobStage stage) const;
  void check_groups(std::string_view action, JobIndex job,
                    std::span<const WorkerGroup> groups) const;
  void check_preemptible(std::string_view action, JobIndex job) const;
  void start_checked(JobIndex job, std::span<const WorkerGroup> groups);
  void move(std::string_view action, JobIndex job, std::span<const WorkerGroup> groups);

  Engine* engine_;
  const ActivePolicy* policy_;
  mutable JobList waiting_;
  mutable JobList running_;
  std::vector<JobIndex> preempted_;         // in this decision
  mutable std::vector<WorkerGroup> place_;  // of the job being started
  bool deciding_ = false;                   // the policy is in decide()
  double wake_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace mosim
