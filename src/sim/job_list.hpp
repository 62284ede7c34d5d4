// The jobs in one stage, in the order of submission, brought up to date only when somebody looks.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "mosim/base.hpp"

namespace mosim {

class JobList {
 public:
  // The job is in the stage from now on.
  void add(JobIndex job) {
    ++count_;
    added_.push_back(job);
  }
  // A job left it.
  void drop() { --count_; }

  [[nodiscard]] std::size_t count() const { return count_; }

  // `is_in(job)`: whether a job is still, or again, in the stage. The span is valid, and stays as
  // it is, until the next call.
  template <typename IsIn>
  [[nodiscard]] std::span<const JobIndex> look(IsIn&& is_in) {
    const auto is_out = [&](JobIndex job) { return !is_in(job); };
    if (jobs_.size() != count_ || !added_.empty()) {
      std::erase_if(jobs_, is_out);
      std::erase_if(added_, is_out);
      const auto old = static_cast<std::ptrdiff_t>(jobs_.size());
      std::sort(added_.begin(), added_.end());
      jobs_.insert(jobs_.end(), added_.begin(), added_.end());
      std::inplace_merge(jobs_.begin(), jobs_.begin() + old, jobs_.end());
      jobs_.erase(std::unique(jobs_.begin(), jobs_.end()), jobs_.end());
      added_.clear();
    }
    return jobs_;
  }

  // Whether it should be looked at, so that a list that nobody needs does not grow with every
  // change.
  [[nodiscard]] bool overgrown() const { return added_.size() > 1024 + 2 * count_; }

 private:
  std::size_t count_ = 0;
  std::vector<JobIndex> jobs_;   // may hold some that left
  std::vector<JobIndex> added_;  // since the last look
};

}  // namespace mosim
