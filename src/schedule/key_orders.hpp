// Orders by one key, which a job has from its submission on or from the time that it has left.
#pragma once

#include <functional>
#include <utility>

#include "schedule/by_priority.hpp"

namespace mosim {

using KeyOfJob = std::function<double(const SchedulerView& view, JobIndex job)>;

// The smallest key first. Running jobs before waiting ones that have the same, then by submission.
class KeyOrder : public Order {
 public:
  explicit KeyOrder(KeyOfJob key) : key_(std::move(key)) {}

  [[nodiscard]] Rank rank(const SchedulerView& view, JobIndex job) override {
    return {0, key_(view, job), by_submission(view.job(job))};
  }

 private:
  KeyOfJob key_;
};

// How long the job still runs: the oracle's figure, or what the user's estimate leaves.
[[nodiscard]] KeyOfJob remaining_time(bool estimates);
// The same times the GPUs that it asks for.
[[nodiscard]] KeyOfJob remaining_service(bool estimates);
// The largest priority first.
[[nodiscard]] double by_priority(const SchedulerView& view, JobIndex job);
// The earliest deadline first; jobs without one last.
[[nodiscard]] double by_deadline(const SchedulerView& view, JobIndex job);

}  // namespace mosim
