// First in, first out: the disciplines of the paper.
#pragma once

#include <deque>
#include <vector>

#include "mosim/policy.hpp"

namespace mosim {

// Strict FIFO: the head of the queue blocks all behind it. A job that failed goes back to where it
// was.
class Fifo : public Policy {
 public:
  void on_submit(const SchedulerView& view, JobIndex job) override;
  void decide(Scheduler& scheduler) override;

 private:
  std::deque<JobIndex> queue_;  // by submission
};

// Visits the whole queue in the order of submission and starts every job that fits.
class FifoSkip : public Policy {
 public:
  void on_submit(const SchedulerView& view, JobIndex job) override;
  void decide(Scheduler& scheduler) override;

 private:
  // Jobs of a class fit or do not fit together, so one queue for each is enough and a visit costs
  // the number of classes, not of waiting jobs.
  std::vector<std::deque<JobIndex>> queues_;  // by fit class
  std::vector<std::deque<JobIndex>*> heads_;  // of the current visit: a heap, earliest first
};

}  // namespace mosim
