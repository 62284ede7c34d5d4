#include "schedule/placements.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "schedule/places.hpp"

namespace mosim::test {
namespace {

TEST(BinPacking, FillsTheServersWithTheFewestFreeGpus) {
  const ClusterState state = with_free({8, 3, 0, 2, 5});
  // Order by free GPUs: 3 (2), 1 (3), 4 (5), 0 (8).
  EXPECT_EQ(placed(BinPacking(), state, {1, 1, 0}), (Groups{on(3, 1)}));
  EXPECT_EQ(placed(BinPacking(), state, {6, 1, 0}), (Groups{on(3, 2), on(1, 3), on(4, 1)}));
  EXPECT_EQ(placed(BinPacking(), state, {18, 1, 0}),
            (Groups{on(3, 2), on(1, 3), on(4, 5), on(0, 8)}));
  EXPECT_EQ(placed(BinPacking(), state, {19, 1, 0}), Groups{});
}

TEST(BinPacking, TiesKeepTheServerOrder) {
  const ClusterState state = with_free({8, 4, 8, 4});
  EXPECT_EQ(placed(BinPacking(), state, {10, 1, 0}), (Groups{on(1, 4), on(3, 4), on(0, 2)}));
}

TEST(BinPacking, WorkerGpusComeFromOneServer) {
  // Workers of 2 GPUs: 3 / 2 = 1, 5 / 2 = 2, 1 / 2 = 0.
  const ClusterState state = with_free({5, 1, 3});
  EXPECT_EQ(placed(BinPacking(), state, {3, 2, 0}), (Groups{on(2, 1), on(0, 2)}));
  // 9 GPUs are free, but no fourth pair on one server.
  EXPECT_EQ(placed(BinPacking(), state, {4, 2, 0}), Groups{});
}

TEST(LoadBalancing, DealsRoundAfterRound) {
  const ClusterState state = with_free({2, 8, 5});
  // Order by free GPUs, sorted once: 1 (8), 2 (5), 0 (2).
  EXPECT_EQ(placed(LoadBalancing(), state, {1, 1, 0}), (Groups{on(1, 1)}));
  EXPECT_EQ(placed(LoadBalancing(), state, {2, 1, 0}), (Groups{on(1, 1), on(2, 1)}));
  EXPECT_EQ(placed(LoadBalancing(), state, {3, 1, 0}), (Groups{on(1, 1), on(2, 1), on(0, 1)}));
  // Sorting again for each worker would give server 1 the first three.
  EXPECT_EQ(placed(LoadBalancing(), state, {4, 1, 0}), (Groups{on(1, 2), on(2, 1), on(0, 1)}));
  // Rounds of 3, 3, 2, 2 and 2; server 0 is full after two, server 2 after five.
  EXPECT_EQ(placed(LoadBalancing(), state, {12, 1, 0}), (Groups{on(1, 5), on(2, 5), on(0, 2)}));
  EXPECT_EQ(placed(LoadBalancing(), state, {15, 1, 0}), (Groups{on(1, 8), on(2, 5), on(0, 2)}));
  EXPECT_EQ(placed(LoadBalancing(), state, {16, 1, 0}), Groups{});
}

TEST(LoadBalancing, TiesKeepTheServerOrder) {
  const ClusterState state = with_free({4, 8, 4, 8});
  EXPECT_EQ(placed(LoadBalancing(), state, {5, 1, 0}),
            (Groups{on(1, 2), on(3, 1), on(0, 1), on(2, 1)}));
}

TEST(LoadBalancing, WorkerGpusComeFromOneServer) {
  const ClusterState state = with_free({5, 1, 3});
  EXPECT_EQ(placed(LoadBalancing(), state, {3, 2, 0}), (Groups{on(0, 2), on(2, 1)}));
  EXPECT_EQ(placed(LoadBalancing(), state, {4, 2, 0}), Groups{});
}

TEST(Consolidate, TakesOneServerOrWaits) {
  const ClusterState state = with_free({5, 3, 7, 7});
  // The most free GPUs, the first of two.
  EXPECT_EQ(placed(Consolidate(), state, {4, 1, 0}), (Groups{on(2, 4)}));
  EXPECT_EQ(placed(Consolidate(), state, {7, 1, 0}), (Groups{on(2, 7)}));
  // 22 GPUs are free, but no 8 of them on one server.
  EXPECT_EQ(placed(Consolidate(), state, {8, 1, 0}), Groups{});
  EXPECT_EQ(placed(Consolidate(), state, {3, 2, 0}), (Groups{on(2, 3)}));
  EXPECT_EQ(placed(Consolidate(), state, {4, 2, 0}), Groups{});
}

TEST(Placements, CountCpusPerWorker) {
  // Server 0: 8 GPUs and 12 CPUs; server 1: 4 GPUs and 40 CPUs. With 5 CPUs each: 2 and 4 workers.
  const ClusterState state(ClusterSpec{{servers(1, 8, 12), servers(1, 4, 40)}});
  EXPECT_EQ(placed(BinPacking(), state, {6, 1, 5}), (Groups{on(1, 4), on(0, 2)}));
  EXPECT_EQ(placed(LoadBalancing(), state, {6, 1, 5}), (Groups{on(0, 2), on(1, 4)}));
  EXPECT_EQ(placed(BinPacking(), state, {7, 1, 5}), Groups{});
  EXPECT_EQ(placed(LoadBalancing(), state, {7, 1, 5}), Groups{});
  // The server with the most free GPUs has too few CPUs.
  EXPECT_EQ(placed(Consolidate(), state, {3, 1, 5}), (Groups{on(1, 3)}));
  EXPECT_EQ(placed(Consolidate(), state, {5, 1, 5}), Groups{});
}

TEST(LargestPlacement, FindsTheMostWorkers) {
  const ClusterState state(ClusterSpec{{servers(2, 8, 12), servers(1, 4, 40)}});
  const ServerPool pool = state.pool(PoolId{0});
  // 8 + 8 + 4 GPUs; pairs 4 + 4 + 2; threes 2 + 2 + 1.
  for (const std::string_view name : {"bin-packing", "load-balancing"}) {
    const auto placement = policies().make_placement(name);
    EXPECT_EQ(largest_placement(*placement, pool, {1, 1, 0}), 20U) << name;
    EXPECT_EQ(largest_placement(*placement, pool, {1, 2, 0}), 10U) << name;
    EXPECT_EQ(largest_placement(*placement, pool, {1, 3, 0}), 5U) << name;
    // 5 CPUs each: 2 + 2 + 4.
    EXPECT_EQ(largest_placement(*placement, pool, {1, 1, 5}), 8U) << name;
    EXPECT_EQ(largest_placement(*placement, pool, {1, 9, 0}), 0U) << name;
    EXPECT_EQ(largest_placement(*placement, pool, {1, 1, 41}), 0U) << name;
  }
  // One server: 8 GPUs, 4 pairs; with 5 CPUs each the small server takes the most, 4.
  EXPECT_EQ(largest_placement(Consolidate(), pool, {1, 1, 0}), 8U);
  EXPECT_EQ(largest_placement(Consolidate(), pool, {1, 2, 0}), 4U);
  EXPECT_EQ(largest_placement(Consolidate(), pool, {1, 1, 5}), 4U);
}

}  // namespace
}  // namespace mosim::test
