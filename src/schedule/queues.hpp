// The queue disciplines that ship.
#pragma once

#include <deque>
#include <map>

#include "mosim/schedule.hpp"

namespace mosim {

// Strict FIFO: the head of the queue blocks all behind it.
class Fifo : public QueueDiscipline {
 public:
  void enqueue(const WaitingJob& job) override { queue_.push_back(job.job); }
  void requeue(const WaitingJob& job) override;
  void schedule(JobStarter& starter) override;

 private:
  std::deque<JobIndex> queue_;
};

// Visits the whole queue in arrival order and starts every job that fits.
class FifoSkip : public QueueDiscipline {
 public:
  void enqueue(const WaitingJob& job) override { queues_[job.request].push_back(job.job); }
  void requeue(const WaitingJob& job) override;
  void schedule(JobStarter& starter) override;

 private:
  // Jobs that ask for the same fit or do not fit together, so one queue per request is enough and a
  // visit costs the number of different requests, not of waiting jobs.
  std::map<ResourceRequest, std::deque<JobIndex>> queues_;
  std::vector<std::deque<JobIndex>*> heads_;  // of the current visit: a heap, earliest first
};

}  // namespace mosim
