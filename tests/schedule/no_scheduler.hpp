// A scheduler that does nothing and knows nothing: tests of policies override what they need.
#pragma once

#include <stdexcept>

#include "mosim/policy.hpp"

namespace mosim::test {

class NoScheduler : public Scheduler {
 public:
  [[nodiscard]] double now_s() const override { return 0; }
  [[nodiscard]] JobView job(JobIndex) const override { unexpected(); }
  [[nodiscard]] std::size_t jobs() const override { unexpected(); }
  [[nodiscard]] std::span<const JobIndex> waiting() const override { unexpected(); }
  [[nodiscard]] std::span<const JobIndex> running() const override { unexpected(); }
  [[nodiscard]] std::size_t waiting_count() const override { unexpected(); }
  [[nodiscard]] std::size_t running_count() const override { unexpected(); }
  [[nodiscard]] const ClusterState& cluster() const override { unexpected(); }
  [[nodiscard]] std::span<const PoolId> pools_of(JobIndex) const override { unexpected(); }
  [[nodiscard]] std::span<const WorkerGroup> groups_of(JobIndex) const override { unexpected(); }
  [[nodiscard]] std::uint64_t quota_left(JobIndex) const override { unexpected(); }
  [[nodiscard]] std::uint32_t fit_class(JobIndex) const override { unexpected(); }
  [[nodiscard]] bool find_place(JobIndex, std::vector<WorkerGroup>&, std::uint32_t) const override {
    unexpected();
  }
  [[nodiscard]] double added_slowdown(JobIndex, std::span<const WorkerGroup>) const override {
    unexpected();
  }
  [[nodiscard]] double contention_factor(JobIndex) const override { unexpected(); }
  [[nodiscard]] double preemptible_at_s(JobIndex) const override { unexpected(); }
  [[nodiscard]] bool may_resize(JobIndex, std::uint32_t) const override { unexpected(); }
  [[nodiscard]] double remaining_s(JobIndex) const override { unexpected(); }
  bool try_start(JobIndex, std::uint32_t) override { unexpected(); }
  void start(JobIndex, std::span<const WorkerGroup>) override { unexpected(); }
  void preempt(JobIndex) override { unexpected(); }
  bool try_resume(JobIndex) override { unexpected(); }
  void migrate(JobIndex, std::span<const WorkerGroup>) override { unexpected(); }
  void resize(JobIndex, std::span<const WorkerGroup>) override { unexpected(); }
  void wake_at(double) override { unexpected(); }

 private:
  [[noreturn]] static void unexpected() { throw std::logic_error("the test expects no such call"); }
};

}  // namespace mosim::test
