#include "schedule/queues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "no_scheduler.hpp"

namespace mosim {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Starts jobs as long as their GPUs are free, and keeps what was asked.
class FakeScheduler : public test::NoScheduler {
 public:
  FakeScheduler(std::vector<ResourceRequest> jobs, std::uint64_t free)
      : jobs_(std::move(jobs)), free_(free) {}

  bool try_start(JobIndex job, std::uint32_t) override {
    tried_.push_back(static_cast<std::uint32_t>(job));
    const std::uint64_t gpus = jobs_[index(job)].gpus();
    if (gpus > free_) return false;
    free_ -= gpus;
    started_.push_back(static_cast<std::uint32_t>(job));
    return true;
  }
  [[nodiscard]] std::uint32_t fit_class(JobIndex job) const override {
    const auto first = std::find(jobs_.begin(), jobs_.end(), jobs_[index(job)]);
    return static_cast<std::uint32_t>(first - jobs_.begin());
  }

  void submit_all(Policy& queue) const {
    for (std::uint32_t job = 0; job < jobs_.size(); ++job) queue.on_submit(*this, JobIndex{job});
  }

  void give_back(std::uint64_t gpus) { free_ += gpus; }

  // What happened since the last call.
  Numbers take_tried() { return std::exchange(tried_, {}); }
  Numbers take_started() { return std::exchange(started_, {}); }

 private:
  std::vector<ResourceRequest> jobs_;
  std::uint64_t free_;
  Numbers tried_;
  Numbers started_;
};

// Jobs of 2, 4, 1, 4 and 1 GPUs.
std::vector<ResourceRequest> jobs() {
  return {{2, 1, 0}, {4, 1, 0}, {1, 1, 0}, {4, 1, 0}, {1, 1, 0}};
}

TEST(Fifo, HeadBlocksAllBehindIt) {
  FakeScheduler scheduler(jobs(), 4);
  Fifo queue;
  scheduler.submit_all(queue);
  queue.decide(scheduler);
  // 2 of 4 GPUs go to job 0; job 1 wants 4, and nobody else is asked.
  EXPECT_EQ(scheduler.take_tried(), (Numbers{0, 1}));
  EXPECT_EQ(scheduler.take_started(), (Numbers{0}));
  queue.decide(scheduler);
  EXPECT_EQ(scheduler.take_tried(), (Numbers{1}));
  EXPECT_EQ(scheduler.take_started(), Numbers{});
  // 2 + 3 free: job 1 takes 4, job 2 the last one, job 3 blocks.
  scheduler.give_back(3);
  queue.decide(scheduler);
  EXPECT_EQ(scheduler.take_started(), (Numbers{1, 2}));
  scheduler.give_back(100);
  queue.decide(scheduler);
  EXPECT_EQ(scheduler.take_started(), (Numbers{3, 4}));
  scheduler.take_tried();
  queue.decide(scheduler);
  EXPECT_EQ(scheduler.take_tried(), Numbers{});
}

TEST(FifoSkip, StartsEveryJobThatFitsInArrivalOrder) {
  FakeScheduler scheduler(jobs(), 4);
  FifoSkip queue;
  scheduler.submit_all(queue);
  queue.decide(scheduler);
  // 2 to job 0; job 1 wants 4 of 2; 1 to job 2; job 3 asks what job 1 did; 1 to job 4.
  EXPECT_EQ(scheduler.take_started(), (Numbers{0, 2, 4}));
  scheduler.give_back(4);
  queue.decide(scheduler);
  EXPECT_EQ(scheduler.take_started(), (Numbers{1}));
  scheduler.give_back(4);
  queue.decide(scheduler);
  EXPECT_EQ(scheduler.take_started(), (Numbers{3}));
}

TEST(FifoSkip, OrderIsArrivalNotSize) {
  // All fit: nobody is preferred for the kind of its request.
  FakeScheduler scheduler({{4, 1, 0}, {1, 1, 0}, {2, 2, 0}, {4, 1, 0}, {1, 1, 0}, {1, 1, 8}}, 100);
  FifoSkip queue;
  scheduler.submit_all(queue);
  queue.decide(scheduler);
  EXPECT_EQ(scheduler.take_started(), (Numbers{0, 1, 2, 3, 4, 5}));
}

TEST(FifoSkip, JobThatArrivesLaterStandsBehind) {
  FakeScheduler scheduler({{4, 1, 0}, {2, 1, 0}, {4, 1, 0}}, 1);
  FifoSkip queue;
  queue.on_submit(scheduler, JobIndex{0});
  queue.decide(scheduler);
  EXPECT_EQ(scheduler.take_started(), Numbers{});
  queue.on_submit(scheduler, JobIndex{1});
  queue.on_submit(scheduler, JobIndex{2});
  // 1 + 6 free: 4 to job 0, 2 to job 1, 1 is left.
  scheduler.give_back(6);
  queue.decide(scheduler);
  EXPECT_EQ(scheduler.take_started(), (Numbers{0, 1}));
}

}  // namespace
}  // namespace mosim
