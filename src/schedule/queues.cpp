#include "schedule/queues.hpp"

#include <algorithm>

namespace mosim {
namespace {

// Jobs are numbered in the order of submission.
void insert_in_order(std::deque<JobIndex>& queue, JobIndex job) {
  queue.insert(std::lower_bound(queue.begin(), queue.end(), job), job);
}

}  // namespace

void Fifo::on_submit(const SchedulerView&, JobIndex job) { insert_in_order(queue_, job); }

void Fifo::decide(Scheduler& scheduler) {
  while (!queue_.empty() && scheduler.try_start(queue_.front())) queue_.pop_front();
}

void FifoSkip::on_submit(const SchedulerView& view, JobIndex job) {
  const std::uint32_t fit_class = view.fit_class(job);
  if (fit_class >= queues_.size()) queues_.resize(fit_class + std::size_t{1});
  insert_in_order(queues_[fit_class], job);
}

void FifoSkip::decide(Scheduler& scheduler) {
  const auto later = [](const std::deque<JobIndex>* a, const std::deque<JobIndex>* b) {
    return a->front() > b->front();
  };
  heads_.clear();
  for (std::deque<JobIndex>& queue : queues_) {
    if (!queue.empty()) heads_.push_back(&queue);
  }
  std::make_heap(heads_.begin(), heads_.end(), later);
  while (!heads_.empty()) {
    std::pop_heap(heads_.begin(), heads_.end(), later);
    std::deque<JobIndex>& queue = *heads_.back();
    bool again = scheduler.try_start(queue.front());
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
