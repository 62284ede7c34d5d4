#include <gtest/gtest.h>

#include <vector>

#include "mosim/metrics.hpp"

namespace mosim {
namespace {

TEST(Percentile, InterpolatesLinearly) {
  // Sorted: 10 20 40 80. Rank (4 - 1) x 0.5 = 1.5: 20 + 0.5 x 20.
  EXPECT_DOUBLE_EQ(percentile({80, 10, 40, 20}, 50), 30);
  // Rank 3 x 0.25 = 0.75: 10 + 0.75 x 10.
  EXPECT_DOUBLE_EQ(percentile({80, 10, 40, 20}, 25), 17.5);
  // Rank 3 x 0.9 = 2.7: 40 + 0.7 x 40.
  EXPECT_DOUBLE_EQ(percentile({80, 10, 40, 20}, 90), 68);
  // Rank 3 x 0.99 = 2.97: 40 + 0.97 x 40.
  EXPECT_DOUBLE_EQ(percentile({80, 10, 40, 20}, 99), 78.8);
  EXPECT_EQ(percentile({80, 10, 40, 20}, 0), 10);
  EXPECT_EQ(percentile({80, 10, 40, 20}, 100), 80);
}

TEST(Percentile, SmallSamples) {
  EXPECT_EQ(percentile({}, 50), 0);
  EXPECT_EQ(percentile({7}, 0), 7);
  EXPECT_EQ(percentile({7}, 99), 7);
  // Rank 1 x 0.99: 1 + 0.99 x 2.
  EXPECT_DOUBLE_EQ(percentile({3, 1}, 99), 2.98);
  // An odd sample has its median in the middle.
  EXPECT_EQ(percentile({9, 1, 5}, 50), 5);
}

TEST(Describe, MeanMedianAndP99) {
  // Mean 150 / 4, median 30, P99 78.8 as above.
  const Distribution found = describe({80, 10, 40, 20});
  EXPECT_DOUBLE_EQ(found.avg, 37.5);
  EXPECT_DOUBLE_EQ(found.median, 30);
  EXPECT_DOUBLE_EQ(found.p99, 78.8);
  EXPECT_EQ(describe({}).avg, 0);
}

TEST(KsDistance, EqualSizes) {
  // a: 1 2 3 4, b: 3 4 5 6. At 2 the CDFs are 2/4 and 0.
  EXPECT_DOUBLE_EQ(ks_distance({4, 3, 2, 1}, {3, 4, 5, 6}), 0.5);
  EXPECT_EQ(ks_distance({1, 2, 3}, {3, 2, 1}), 0);
  // Samples that do not overlap are as far apart as can be.
  EXPECT_EQ(ks_distance({1, 2}, {5, 6}), 1);
}

TEST(KsDistance, UnequalSizesAndTies) {
  // a: 1 1 3, b: 1 2. At 1: 2/3 - 1/2 = 1/6; at 2: 2/3 - 1 = -1/3; at 3: 0.
  EXPECT_DOUBLE_EQ(ks_distance({1, 3, 1}, {2, 1}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(ks_distance({2, 1}, {1, 3, 1}), 1.0 / 3);
}

TEST(WassersteinDistance, EqualSizes) {
  // A shift by 2 is a distance of 2.
  EXPECT_DOUBLE_EQ(wasserstein_distance({1, 2, 3, 4}, {6, 5, 4, 3}), 2);
  // Sorted 0 10 against 4 5: (4 + 5) / 2.
  EXPECT_DOUBLE_EQ(wasserstein_distance({10, 0}, {4, 5}), 4.5);
  EXPECT_EQ(wasserstein_distance({1, 2, 3}, {3, 2, 1}), 0);
}

TEST(WassersteinDistance, UnequalSizes) {
  // a: 0 3, b: 0 1 5. |F_a - F_b|: 1/2 - 1/3 = 1/6 on [0, 1), 1/2 - 2/3 = -1/6 on [1, 3),
  // 1 - 2/3 = 1/3 on [3, 5). Area: 1/6 + 2/6 + 2/3 = 7/6.
  EXPECT_DOUBLE_EQ(wasserstein_distance({3, 0}, {0, 5, 1}), 7.0 / 6);
  EXPECT_DOUBLE_EQ(wasserstein_distance({0, 5, 1}, {3, 0}), 7.0 / 6);
  // One value against two: (|4 - 1| + |4 - 9|) / 2.
  EXPECT_DOUBLE_EQ(wasserstein_distance({4}, {1, 9}), 4);
}

TEST(Compare, RelativeErrorsOfAggregates) {
  Outcome measured;
  measured.training_s = {10, 30};
  measured.jct_s = {20, 40};
  measured.makespan_s = 50;
  Outcome simulated;
  simulated.training_s = {12, 32};
  simulated.jct_s = {20, 34};
  simulated.makespan_s = 40;
  const Fidelity found = compare(measured, simulated);
  // (22 - 20) / 20; (27 - 30) / 30 for mean and median alike; (40 - 50) / 50
  EXPECT_DOUBLE_EQ(found.avg_training_time, 10);
  EXPECT_DOUBLE_EQ(found.avg_jct, 10);
  EXPECT_DOUBLE_EQ(found.median_jct, 10);
  EXPECT_DOUBLE_EQ(found.makespan, 20);
  // P99: 20 + 0.99 x 20 = 39.8 and 20 + 0.99 x 14 = 33.86: 5.94 / 39.8.
  EXPECT_NEAR(found.p99_jct, 100 * 5.94 / 39.8, 1e-9);
  // Between 34 and 40 the CDFs are 1/2 and 1: gap 1/2, area 3.
  EXPECT_DOUBLE_EQ(found.ks, 0.5);
  EXPECT_DOUBLE_EQ(found.wasserstein_s, 3);
}

}  // namespace
}  // namespace mosim
