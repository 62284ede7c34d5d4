#include "schedule/queues.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "schedule/placements.hpp"

namespace mosim {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Starts jobs as long as their GPUs are free, and keeps what was asked.
class FakeStarter : public JobStarter {
 public:
  FakeStarter(std::vector<ResourceRequest> jobs, std::uint64_t free)
      : jobs_(std::move(jobs)), free_(free) {}

  bool try_start(JobIndex job) override {
    tried_.push_back(static_cast<std::uint32_t>(job));
    const std::uint64_t gpus = jobs_[index(job)].gpus();
    if (gpus > free_) return false;
    free_ -= gpus;
    started_.push_back(static_cast<std::uint32_t>(job));
    return true;
  }

  void enqueue_all(QueueDiscipline& queue) const {
    for (std::uint32_t job = 0; job < jobs_.size(); ++job) {
      queue.enqueue({JobIndex{job}, jobs_[job]});
    }
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
  FakeStarter starter(jobs(), 4);
  Fifo queue;
  starter.enqueue_all(queue);
  queue.schedule(starter);
  // 2 of 4 GPUs go to job 0; job 1 wants 4, and nobody else is asked.
  EXPECT_EQ(starter.take_tried(), (Numbers{0, 1}));
  EXPECT_EQ(starter.take_started(), (Numbers{0}));
  queue.schedule(starter);
  EXPECT_EQ(starter.take_tried(), (Numbers{1}));
  EXPECT_EQ(starter.take_started(), Numbers{});
  // 2 + 3 free: job 1 takes 4, job 2 the last one, job 3 blocks.
  starter.give_back(3);
  queue.schedule(starter);
  EXPECT_EQ(starter.take_started(), (Numbers{1, 2}));
  starter.give_back(100);
  queue.schedule(starter);
  EXPECT_EQ(starter.take_started(), (Numbers{3, 4}));
  starter.take_tried();
  queue.schedule(starter);
  EXPECT_EQ(starter.take_tried(), Numbers{});
}

TEST(FifoSkip, StartsEveryJobThatFitsInArrivalOrder) {
  FakeStarter starter(jobs(), 4);
  FifoSkip queue;
  starter.enqueue_all(queue);
  queue.schedule(starter);
  // 2 to job 0; job 1 wants 4 of 2; 1 to job 2; job 3 asks what job 1 did; 1 to job 4.
  EXPECT_EQ(starter.take_started(), (Numbers{0, 2, 4}));
  starter.give_back(4);
  queue.schedule(starter);
  EXPECT_EQ(starter.take_started(), (Numbers{1}));
  starter.give_back(4);
  queue.schedule(starter);
  EXPECT_EQ(starter.take_started(), (Numbers{3}));
}

TEST(FifoSkip, OrderIsArrivalNotSize) {
  // All fit: nobody is preferred for the kind of its request.
  FakeStarter starter({{4, 1, 0}, {1, 1, 0}, {2, 2, 0}, {4, 1, 0}, {1, 1, 0}, {1, 1, 8}}, 100);
  FifoSkip queue;
  starter.enqueue_all(queue);
  queue.schedule(starter);
  EXPECT_EQ(starter.take_started(), (Numbers{0, 1, 2, 3, 4, 5}));
}

TEST(FifoSkip, JobThatArrivesLaterStandsBehind) {
  FakeStarter starter({{4, 1, 0}, {2, 1, 0}, {4, 1, 0}}, 1);
  FifoSkip queue;
  queue.enqueue({JobIndex{0}, {4, 1, 0}});
  queue.schedule(starter);
  EXPECT_EQ(starter.take_started(), Numbers{});
  queue.enqueue({JobIndex{1}, {2, 1, 0}});
  queue.enqueue({JobIndex{2}, {4, 1, 0}});
  // 1 + 6 free: 4 to job 0, 2 to job 1, 1 is left.
  starter.give_back(6);
  queue.schedule(starter);
  EXPECT_EQ(starter.take_started(), (Numbers{0, 1}));
}

TEST(PolicyRegistry, HasThePoliciesThatShip) {
  const auto names = [](const auto& entries) {
    std::vector<std::string> all;
    for (const auto& entry : entries) {
      EXPECT_FALSE(entry.summary.empty()) << entry.name;
      all.push_back(entry.name);
    }
    return all;
  };
  EXPECT_EQ(names(policies().queues()), (std::vector<std::string>{"fifo", "fifo-skip"}));
  EXPECT_EQ(names(policies().placements()),
            (std::vector<std::string>{"bin-packing", "load-balancing", "consolidate",
                                      "consolidate-relaxed", "topology", "most-allocated",
                                      "least-allocated", "random"}));
  EXPECT_NE(dynamic_cast<Fifo*>(policies().make_queue("fifo").get()), nullptr);
  EXPECT_NE(dynamic_cast<FifoSkip*>(policies().make_queue("fifo-skip").get()), nullptr);
  EXPECT_NE(dynamic_cast<Consolidate*>(policies().make_placement("consolidate").get()), nullptr);
}

TEST(PolicyRegistry, MakesWhatWasAdded) {
  PolicyRegistry registry;
  registry.add_queue({"mine", "of mine", [] { return std::make_unique<FifoSkip>(); }});
  registry.add_placement({"mine", "of mine", [] { return std::make_unique<Consolidate>(); }});
  EXPECT_NE(dynamic_cast<FifoSkip*>(registry.make_queue("mine").get()), nullptr);
  EXPECT_NE(dynamic_cast<Consolidate*>(registry.make_placement("mine").get()), nullptr);
  // Every run gets a policy of its own.
  EXPECT_NE(registry.make_queue("mine"), registry.make_queue("mine"));
}

TEST(PolicyRegistry, HandsTheSeedToPoliciesThatDraw) {
  PolicyRegistry registry;
  std::vector<std::uint64_t> seeds;
  registry.add_placement({"mine", "of mine", {}, [&](std::uint64_t seed) {
                            seeds.push_back(seed);
                            return std::make_unique<RandomPlacement>(seed);
                          }});
  EXPECT_NE(registry.make_placement("mine"), nullptr);
  EXPECT_NE(registry.make_placement("mine", 7), nullptr);
  EXPECT_EQ(seeds, (std::vector<std::uint64_t>{1, 7}));
}

TEST(PolicyRegistry, RefusesDuplicatesAndUnknownNames) {
  PolicyRegistry registry;
  registry.add_queue({"mine", "", [] { return std::make_unique<Fifo>(); }});
  registry.add_placement({"mine", "", [] { return std::make_unique<BinPacking>(); }});
  EXPECT_THROW(registry.add_queue({"mine", "", [] { return std::make_unique<FifoSkip>(); }}),
               std::invalid_argument);
  EXPECT_THROW(registry.add_placement({"mine", "", [] { return std::make_unique<Consolidate>(); }}),
               std::invalid_argument);
  EXPECT_EQ(registry.queues().size(), 1U);
  EXPECT_EQ(registry.placements().size(), 1U);
  EXPECT_NE(dynamic_cast<Fifo*>(registry.make_queue("mine").get()), nullptr);
  EXPECT_THROW(static_cast<void>(registry.make_queue("other")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(registry.make_placement("other")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(registry.make_placement("")), std::invalid_argument);
}

}  // namespace
}  // namespace mosim
