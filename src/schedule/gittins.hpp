// 2D-Gittins: Gu et al., Tiresias, NSDI 2019, after Gittins and Jones 1974.
#pragma once

#include <vector>

#include "schedule/las.hpp"

namespace mosim {

// What jobs needed in all, in GPUs x time, as far as it is known.
class ServiceHistory {
 public:
  ServiceHistory() = default;
  explicit ServiceHistory(std::vector<double> services);

  [[nodiscard]] std::size_t size() const { return services_.size(); }

  // The Gittins index of a job that attained `attained` so far: how likely it ends within `delta`
  // more, over what it is expected to take of that. 0 when no job needed more than it has.
  // `whole_service`: as the artifact of Tiresias, which counts the whole service of jobs that end
  // within `delta`, not what they had left.
  [[nodiscard]] double index_of(double attained, double delta, bool whole_service) const;

 private:
  std::vector<double> services_;  // ascending
  std::vector<double> sums_;      // of the services before each
};

struct GittinsRules {
  double delta = 3250;
  bool whole_service = false;
  bool whole_trace = false;  // the history is what all jobs of the run will have needed
};

// The queues of LAS; in a queue the largest index first, then running jobs, then by submission.
class GittinsOrder : public LasOrder {
 public:
  GittinsOrder(LasRules queues, const GittinsRules& rules)
      : LasOrder(std::move(queues)), rules_(rules) {}

  [[nodiscard]] Rank rank(const SchedulerView& view, JobIndex job) override;
  void ended(const SchedulerView& view, JobIndex job) override;
  void advance(const SchedulerView& view, std::vector<JobIndex>& changed) override;
  [[nodiscard]] bool drifts() const override { return true; }

 private:
  void read_trace(const SchedulerView& view);

  GittinsRules rules_;
  ServiceHistory history_;
  std::vector<double> seen_;  // of completed jobs
};

}  // namespace mosim
