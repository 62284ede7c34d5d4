// Eq. 6-10 worked by hand, alone and through the models.
#include "mosim/contention.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "mosim/profile.hpp"

namespace mosim {
namespace {

TEST(Equations, Eq6VolumePerWorker) {
  EXPECT_EQ(volume_per_worker(800, 4), 200);  // c = V / N_W = 800 / 4
}

TEST(Equations, Eq7NicVolume) {
  EXPECT_EQ(nic_volume(800, 4, 2), 400);  // 2c = 2 x 200
  EXPECT_EQ(nic_volume(800, 2, 1), 400);  // c = 800 / 2
  EXPECT_EQ(nic_volume(800, 4, 4), 0);    // all workers on the server
  EXPECT_EQ(nic_volume(800, 4, 0), 0);    // none
  EXPECT_EQ(nic_volume(800, 1, 1), 0);
}

TEST(Equations, Eq8ProportionalShare) {
  EXPECT_EQ(proportional_share(300, 500, 400), 300);   // fits
  EXPECT_EQ(proportional_share(300, 500, 1000), 150);  // 300 x 500 / 1000
}

TEST(Equations, Eq9ContentionFactor) {
  EXPECT_EQ(contention_factor(300, 150, 10), 2);
  EXPECT_EQ(contention_factor(300, 5, 10), 30);  // MIN_BW is the least
}

TEST(Equations, IntraDemand) {
  EXPECT_EQ(intra_demand(400, 4, 2), 400);  // D = 2c, so c = 200; two workers
  EXPECT_EQ(intra_demand(400, 2, 1), 400);  // D = c
  EXPECT_EQ(intra_demand(400, 1, 1), 0);
}

// Three servers of 8 GPUs with NICs of 500 B/s; MIN_BW 10 B/s.
class Sharing : public ::testing::Test {
 protected:
  static constexpr JobIndex kA{0}, kB{1}, kC{2};

  std::unique_ptr<ContentionModel> make(ContentionOptions options, double intra = 0) {
    const ClusterSpec cluster{{ServerGroup{.count = 3, .gpus = 8, .nic = 500, .intra = intra}}};
    options.min_bandwidth = 10;
    return make_contention(options, cluster, {3, 1000});
  }

  static JobTraffic spread(std::span<const WorkerGroup> groups, double demand) {
    std::uint32_t workers = 0;
    for (const WorkerGroup& group : groups) workers += group.workers;
    return {groups, workers, demand};
  }

  const std::vector<WorkerGroup> first_two_{{ServerId{0}, 2}, {ServerId{1}, 2}};
  const std::vector<WorkerGroup> last_two_{{ServerId{1}, 1}, {ServerId{2}, 3}};
  const std::vector<WorkerGroup> last_{{ServerId{2}, 4}};
};

TEST_F(Sharing, OnlyJobsThatMeetOnANicSlowEachOther) {
  const auto model = make({});
  (void)model->place(kA, spread(first_two_, 400));
  (void)model->place(kB, spread(last_two_, 600));
  (void)model->place(kC, spread(last_, 400));  // on one server: demands nothing of the NIC
  EXPECT_TRUE(model->sends(kA));
  EXPECT_FALSE(model->sends(kC));
  EXPECT_TRUE(model->start_sending(kA).empty());  // 400 of 500: S stays 1
  EXPECT_TRUE(model->start_sending(kC).empty());
  const auto changed = model->start_sending(kB);
  EXPECT_EQ(changed.size(), 2U);
  EXPECT_EQ(std::count(changed.begin(), changed.end(), kC), 0);
  // Server 1: 400 + 600 on 500, so both get half: S = 2. Server 2: 600 alone on 500: 1.2. Eq. 10:
  // the largest.
  EXPECT_EQ(model->factor(kA), 2);
  EXPECT_EQ(model->factor(kB), 2);
  EXPECT_EQ(model->factor(kC), 1);
  const auto after = model->stop_sending(kA);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0], kB);
  EXPECT_DOUBLE_EQ(model->factor(kB), 1.2);  // D / C
  EXPECT_EQ(model->factor(kA), 1);
}

TEST_F(Sharing, NoJobGetsLessThanMinBandwidth) {
  const auto model = make({});
  (void)model->place(kA, spread(first_two_, 20));
  (void)model->place(kB, spread(last_two_, 9980));
  (void)model->start_sending(kA);
  (void)model->start_sending(kB);
  // A = 20 x 500 / 10000 = 1 B/s, raised to 10: S = 2, not 20.
  EXPECT_EQ(model->factor(kA), 2);
}

TEST_F(Sharing, TheInsideOfAServerCanBeALimit) {
  const auto model = make({}, 1000);
  (void)model->place(kC, spread(last_, 1000));  // 4 workers x c = 4 x 500 = 2000 on 1000
  (void)model->start_sending(kC);
  EXPECT_EQ(model->factor(kC), 2);
}

TEST_F(Sharing, FixedCountsAnyNeighbourFromTheNextStartOrEnd) {
  const auto model = make({ContentionKind::fixed, Resolution::event, 10, 0.1});
  (void)model->place(kB, spread(last_two_, 100));
  (void)model->start_sending(kB);
  EXPECT_EQ(model->factor(kB), 1);
  EXPECT_TRUE(model->place(kC, spread(last_, 0)).empty());  // still loading, and without traffic
  const auto changed = model->start_sending(kC);
  EXPECT_EQ(std::count(changed.begin(), changed.end(), kB), 1);
  EXPECT_EQ(model->factor(kB), 1.1);
  EXPECT_EQ(model->factor(kC), 1.1);
  const auto after = model->remove(kC);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(model->factor(kB), 1);
}

}  // namespace
}  // namespace mosim
