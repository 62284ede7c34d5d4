// Max-min fair sharing of all links by the jobs that send.
#pragma once

#include <vector>

#include "contention/links.hpp"
#include "contention/max_min.hpp"

namespace mosim {

// A job's ring runs at the rate of its slowest link; every other link carries no more of it. After
// each change only the jobs are solved anew that share full links with the job that caused it,
// directly or through others: a link that is not full binds nobody.
class FairSharing : public ContentionModel {
 public:
  FairSharing(const ClusterSpec& cluster, const ContentionSetting& setting, double min_bandwidth);

  std::span<const JobIndex> place(JobIndex job, const JobTraffic& traffic) override;
  std::span<const JobIndex> start_sending(JobIndex job) override;
  std::span<const JobIndex> stop_sending(JobIndex job) override;
  std::span<const JobIndex> remove(JobIndex job) override;
  [[nodiscard]] double factor(JobIndex job) const override { return jobs_[index(job)].factor; }
  [[nodiscard]] double added_slowdown(const JobTraffic& traffic) const override;
  [[nodiscard]] double nic_load(ServerId server) const override { return use_.nic_load(server); }
  [[nodiscard]] bool sends(JobIndex job) const override {
    return !use_.of(static_cast<std::uint32_t>(job)).flows.empty();
  }
  [[nodiscard]] std::span<const JobIndex> component(JobIndex job) const override {
    return use_.component(job);
  }

 private:
  struct Job {
    double factor = 1;
    double demand = 0;  // on the link where it is greatest
    double weight = 1;
    std::uint32_t priority = 0;
  };

  // A job that might be placed.
  struct Candidate {
    Job job;
    JobFlows flows;
  };

  static Job job_with(const JobTraffic& traffic, const JobFlows& flows);
  [[nodiscard]] bool is_full(std::uint32_t link) const {
    return use_.sent(link) > use_.links().capacity(link);
  }
  void add_neighbours(std::uint32_t job);
  std::span<const JobIndex> solve();
  template <typename IsFull>
  void pose(std::span<const JobIndex> jobs, IsFull&& is_full, const Candidate* candidate) const;
  template <typename IsFull>
  void add_links(const JobFlows& flows, IsFull&& is_full) const;
  void add_to_solver(const Job& job, const JobFlows& flows) const;
  void forget_links(const JobFlows& flows) const;
  [[nodiscard]] double placed_factors(std::span<const JobIndex> jobs,
                                      const Candidate* candidate) const;
  [[nodiscard]] double factor_at(const Job& job, double rate) const;

  double min_bandwidth_;
  LinkUse use_;
  std::vector<Job> jobs_;
  ChangedJobs affected_;
  // Scratch of a solution.
  mutable MaxMinSolver solver_;
  mutable std::vector<std::uint32_t> solver_link_;  // by link: its number in the solver
  mutable std::uint32_t solver_links_ = 0;
};

}  // namespace mosim
