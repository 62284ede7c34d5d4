// The contention models that ship.
#pragma once

#include <vector>

#include "contention/links.hpp"
#include "mosim/contention.hpp"

namespace mosim {

class NoContention : public ContentionModel {
 public:
  std::span<const JobIndex> place(JobIndex, const JobTraffic&) override { return {}; }
  std::span<const JobIndex> start_sending(JobIndex) override { return {}; }
  std::span<const JobIndex> stop_sending(JobIndex) override { return {}; }
  std::span<const JobIndex> remove(JobIndex) override { return {}; }
  [[nodiscard]] double factor(JobIndex) const override { return 1; }
  [[nodiscard]] double added_slowdown(const JobTraffic&) const override { return 0; }
  [[nodiscard]] bool sends(JobIndex) const override { return false; }
};

// What the artifact's `fixed` does: it counts any other job on a shared server, also one that is
// loading or has a single GPU, slows jobs inside one server as well, and is evaluated when a job
// ends its loading or completes, so that a new neighbour counts from the next such time on.
class FixedContention : public ContentionModel {
 public:
  FixedContention(const ClusterSpec& cluster, std::size_t jobs, double ratio);

  std::span<const JobIndex> place(JobIndex job, const JobTraffic& traffic) override;
  std::span<const JobIndex> start_sending(JobIndex job) override;
  std::span<const JobIndex> stop_sending(JobIndex) override { return {}; }
  std::span<const JobIndex> remove(JobIndex job) override;
  [[nodiscard]] double factor(JobIndex job) const override;
  [[nodiscard]] double added_slowdown(const JobTraffic& traffic) const override;
  [[nodiscard]] bool sends(JobIndex) const override { return false; }

 private:
  double ratio_;
  MemberTable on_server_;
  std::vector<std::vector<std::uint32_t>> servers_of_;  // by job
  std::vector<std::uint32_t> shared_;  // by job: how many of its servers hold another job
  ChangedJobs changed_;                // since the last evaluation
};

// Eq. 6-10. Every job has one flow of D on the NIC of each of its servers when it spans several.
// Where a server limits what its GPUs exchange, their part of the job's traffic shares that too.
class ProportionalSharing : public ContentionModel {
 public:
  ProportionalSharing(const ClusterSpec& cluster, const ContentionSetting& setting,
                      double min_bandwidth);

  std::span<const JobIndex> place(JobIndex job, const JobTraffic& traffic) override;
  std::span<const JobIndex> start_sending(JobIndex job) override;
  std::span<const JobIndex> stop_sending(JobIndex job) override;
  std::span<const JobIndex> remove(JobIndex job) override;
  [[nodiscard]] double factor(JobIndex job) const override { return factors_[index(job)]; }
  [[nodiscard]] double added_slowdown(const JobTraffic& traffic) const override;
  [[nodiscard]] double nic_load(ServerId server) const override { return use_.nic_load(server); }
  [[nodiscard]] bool sends(JobIndex job) const override {
    return !use_.of(static_cast<std::uint32_t>(job)).flows.empty();
  }
  [[nodiscard]] std::span<const JobIndex> component(JobIndex job) const override {
    return use_.component(job);
  }

 private:
  void update_shares(std::uint32_t job);
  template <typename ShareOf>
  [[nodiscard]] double factor_with(const JobFlows& job, ShareOf&& share_of) const;
  std::span<const JobIndex> keep_changed();

  double min_bandwidth_;
  LinkUse use_;
  std::vector<double> shares_;   // by link: min(1, C / sum of D)
  std::vector<double> factors_;  // by job
  ChangedJobs touched_;
};

}  // namespace mosim
