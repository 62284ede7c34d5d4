#include "schedule/queues.hpp"

#include <algorithm>

namespace mosim {
namespace {

// Jobs are numbered in the order of arrival.
void insert_in_order(std::deque<JobIndex>& queue, JobIndex job) {
  queue.insert(std::lower_bound(queue.begin(), queue.end(), job), job);
}

}  // namespace

void Fifo::requeue(const WaitingJob& job) { insert_in_order(queue_, job.job); }

void FifoSkip::requeue(const WaitingJob& job) { insert_in_order(queues_[job.request], job.job); }

void Fifo::schedule(JobStarter& starter) {
  while (!queue_.empty() && starter.try_start(queue_.front())) queue_.pop_front();
}

void FifoSkip::schedule(JobStarter& starter) {
  const auto later = [](const std::deque<JobIndex>* a, const std::deque<JobIndex>* b) {
    return a->front() > b->front();
  };
  heads_.clear();
  for (auto& [request, queue] : queues_) {
    if (!queue.empty()) heads_.push_back(&queue);
  }
  std::make_heap(heads_.begin(), heads_.end(), later);
  while (!heads_.empty()) {
    std::pop_heap(heads_.begin(), heads_.end(), later);
    std::deque<JobIndex>& queue = *heads_.back();
    bool again = starter.try_start(queue.front());
    if (again) {
      queue.pop_front();
      again = !queue.empty();
    }
    // What did not fit will not fit in this visit any more: resources only shrink.
    if (again) {
      std::push_heap(heads_.begin(), heads_.end(), later);
    } else {
      heads_.pop_back();
    }
  }
}

}  // namespace mosim
