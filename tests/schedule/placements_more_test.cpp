#include <gtest/gtest.h>

#include <array>

#include "schedule/places.hpp"

namespace mosim::test {
namespace {

TEST(MostAllocated, FillsLikeServersAsBinPackingDoes) {
  const ClusterState state = with_free({8, 3, 0, 2, 5});
  // In use after one worker: 1/8, 6/8, none fits, 7/8, 4/8. Filling a server only raises its score.
  EXPECT_EQ(placed(MostAllocated(), state, {6, 1, 0}), (Groups{on(3, 2), on(1, 3), on(4, 1)}));
  EXPECT_EQ(placed(MostAllocated(), state, {18, 1, 0}),
            (Groups{on(3, 2), on(1, 3), on(4, 5), on(0, 8)}));
  EXPECT_EQ(placed(MostAllocated(), state, {19, 1, 0}), Groups{});
  EXPECT_EQ(placed(MostAllocated(), with_free({8, 4, 8, 4}), {10, 1, 0}),
            (Groups{on(1, 4), on(3, 4), on(0, 2)}));
}

TEST(MostAllocated, ScoresThePartOfAServerNotItsGpus) {
  const ClusterState state = with_free(ClusterSpec{{servers(1, 4), servers(1, 8)}}, {3, 4});
  // After one worker 2/4 and 5/8 are in use; bin-packing sees 3 and 4 free GPUs.
  EXPECT_EQ(placed(MostAllocated(), state, {1, 1, 0}), (Groups{on(1, 1)}));
  EXPECT_EQ(placed(BinPacking(), state, {1, 1, 0}), (Groups{on(0, 1)}));
  EXPECT_EQ(placed(MostAllocated(), state, {5, 1, 0}), (Groups{on(1, 4), on(0, 1)}));
}

// Servers of 8 GPUs each, with 16 cores, with 64, and with any number.
const ClusterSpec kCores{{servers(1, 8, 16), servers(1, 8, 64), servers(1, 8)}};

TEST(MostAllocated, ScoresCoresWhereTheyAreLimited) {
  const ClusterState state(kCores);
  // With 4 cores a worker, in use after one: (1/8 + 4/16)/2 = 0.1875, (1/8 + 4/64)/2 = 0.09375 and
  // 1/8. Server 0 has cores for 4 workers.
  EXPECT_EQ(placed(MostAllocated(), state, {6, 1, 4}), (Groups{on(0, 4), on(2, 2)}));
  EXPECT_EQ(placed(MostAllocated(), state, {20, 1, 4}), (Groups{on(0, 4), on(2, 8), on(1, 8)}));
  EXPECT_EQ(placed(MostAllocated(), state, {21, 1, 4}), Groups{});
}

TEST(LeastAllocated, ScoresAgainForEachWorker) {
  const ClusterState state = with_free({2, 8, 5});
  // Free after the worker, of server 1: 7/8, 6/8, 5/8, and 4/8 as of server 2.
  EXPECT_EQ(placed(LeastAllocated(), state, {4, 1, 0}), (Groups{on(1, 4)}));
  EXPECT_EQ(placed(LoadBalancing(), state, {4, 1, 0}), (Groups{on(1, 2), on(2, 1), on(0, 1)}));
  EXPECT_EQ(placed(LeastAllocated(), state, {5, 1, 0}), (Groups{on(1, 4), on(2, 1)}));
  // In turn from there, 1, 2, 1, 2; then 0, 1 and 2 all would have 1/8.
  EXPECT_EQ(placed(LeastAllocated(), state, {12, 1, 0}), (Groups{on(1, 7), on(2, 4), on(0, 1)}));
  EXPECT_EQ(placed(LeastAllocated(), state, {15, 1, 0}), (Groups{on(1, 8), on(2, 5), on(0, 2)}));
  EXPECT_EQ(placed(LeastAllocated(), state, {16, 1, 0}), Groups{});
  EXPECT_EQ(placed(LeastAllocated(), with_free({5, 1, 3}), {3, 2, 0}),
            (Groups{on(0, 2), on(2, 1)}));
}

TEST(LeastAllocated, ScoresThePartOfAServerNotItsGpus) {
  const ClusterState state = with_free(ClusterSpec{{servers(1, 4), servers(1, 8)}}, {4, 5});
  // After one worker 3/4 and 4/8 are free, after two 2/4 and 4/8, after three 1/4 and 4/8.
  EXPECT_EQ(placed(LeastAllocated(), state, {1, 1, 0}), (Groups{on(0, 1)}));
  EXPECT_EQ(placed(LoadBalancing(), state, {1, 1, 0}), (Groups{on(1, 1)}));
  EXPECT_EQ(placed(LeastAllocated(), state, {3, 1, 0}), (Groups{on(0, 2), on(1, 1)}));
}

TEST(LeastAllocated, ScoresCoresWhereTheyAreLimited) {
  // Free after one worker: (7/8 + 12/16)/2 = 0.8125, (7/8 + 60/64)/2 = 0.90625, 7/8: server 1.
  // Its second would leave (6/8 + 56/64)/2 = 0.8125: server 2, whose second would leave 6/8; so
  // server 0, the first of two with 0.8125, then 1, whose third would leave 0.71875, then 2.
  const ClusterState state(kCores);
  EXPECT_EQ(placed(LeastAllocated(), state, {3, 1, 4}), (Groups{on(1, 1), on(2, 1), on(0, 1)}));
  EXPECT_EQ(placed(LeastAllocated(), state, {5, 1, 4}), (Groups{on(1, 2), on(2, 2), on(0, 1)}));
}

TEST(ConsolidateRelaxed, TakesTheTightestServerThatHoldsTheJob) {
  const ClusterState state = with_free({5, 3, 7, 7});
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {3, 1, 0}), (Groups{on(1, 3)}));
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {4, 1, 0}), (Groups{on(0, 4)}));
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {6, 1, 0}), (Groups{on(2, 6)}));
}

TEST(ConsolidateRelaxed, SpreadsOverTheFewestServers) {
  const ClusterState state = with_free({5, 3, 7, 7});
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {8, 1, 0}), (Groups{on(2, 7), on(1, 1)}));
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {12, 1, 0}), (Groups{on(2, 7), on(0, 5)}));
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {13, 1, 0}), (Groups{on(2, 7), on(3, 6)}));
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {22, 1, 0}),
            (Groups{on(2, 7), on(3, 7), on(0, 5), on(1, 3)}));
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {23, 1, 0}), Groups{});
  // Pairs: 2, 1, 3, 3.
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {4, 2, 0}), (Groups{on(2, 3), on(1, 1)}));
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {10, 2, 0}), Groups{});
}

TEST(ConsolidateRelaxed, CountsCpusPerWorker) {
  // With 5 cores each: 2 workers on 8 GPUs and 4 on 4.
  const ClusterState state(ClusterSpec{{servers(1, 8, 12), servers(1, 4, 40)}});
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {3, 1, 5}), (Groups{on(1, 3)}));
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {6, 1, 5}), (Groups{on(1, 4), on(0, 2)}));
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {7, 1, 5}), Groups{});
}

ClusterState racks(std::uint32_t servers_per_rack, const std::vector<std::uint32_t>& free) {
  ServerGroup group = servers(static_cast<std::uint32_t>(free.size()), 8);
  group.servers_per_rack = servers_per_rack;
  return with_free(ClusterSpec{{group}}, free);
}

TEST(Topology, StaysInOneRack) {
  // Racks of 9, 8 and 11 free GPUs.
  const ClusterState state = racks(2, {8, 1, 4, 4, 6, 5});
  EXPECT_EQ(placed(Topology(), state, {3, 1, 0}), (Groups{on(2, 3)}));
  // The first and the last rack hold 9, on two servers each: the one with less left over.
  EXPECT_EQ(placed(Topology(), state, {9, 1, 0}), (Groups{on(0, 8), on(1, 1)}));
  EXPECT_EQ(placed(Topology(), state, {10, 1, 0}), (Groups{on(4, 6), on(5, 4)}));
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {10, 1, 0}), (Groups{on(0, 8), on(2, 2)}));
}

TEST(Topology, TakesTheRackWhereTheJobNeedsTheFewestServers) {
  EXPECT_EQ(placed(Topology(), racks(3, {3, 3, 3, 6, 4, 0}), {9, 1, 0}),
            (Groups{on(3, 6), on(4, 3)}));
}

TEST(Topology, SpreadsOverTheFewestRacks) {
  const ClusterState state = racks(2, {8, 1, 4, 4, 6, 5});
  // All 11 of the last; 4 more fit on one server of both others, of which one has less left over.
  EXPECT_EQ(placed(Topology(), state, {15, 1, 0}), (Groups{on(4, 6), on(5, 5), on(2, 4)}));
  EXPECT_EQ(placed(Topology(), state, {28, 1, 0}),
            (Groups{on(4, 6), on(5, 5), on(0, 8), on(1, 1), on(2, 4), on(3, 4)}));
  EXPECT_EQ(placed(Topology(), state, {29, 1, 0}), Groups{});
}

TEST(Topology, GroupsShareNoRack) {
  // Three servers in two racks: 2 + 1.
  const ClusterState state = with_free(ClusterSpec{{servers(2, 8), servers(1, 8)}}, {2, 2, 3});
  EXPECT_EQ(placed(Topology(), state, {4, 1, 0}), (Groups{on(0, 2), on(1, 2)}));
  EXPECT_EQ(placed(ConsolidateRelaxed(), state, {4, 1, 0}), (Groups{on(2, 3), on(0, 1)}));
}

TEST(RandomPlacement, DrawsPlaceAfterPlaceFromTheSeed) {
  const ClusterState state = with_free({8, 0, 8, 8});
  const std::array<std::uint32_t, 3> open{0, 2, 3};
  const RandomStreams streams(7, "placement");
  const RandomPlacement placement(7);
  for (std::uint64_t given = 0; given < 100; ++given) {
    const std::uint64_t drawn = streams.at(given).below(3);
    EXPECT_EQ(placed(placement, state, {1, 1, 0}), (Groups{on(open[drawn], 1)})) << given;
    // What does not fit draws nothing.
    EXPECT_EQ(placed(placement, state, {25, 1, 0}), Groups{});
  }
}

TEST(RandomPlacement, EveryServerWithRoomIsAsLikely) {
  const ClusterState state = with_free({8, 0, 2, 5});
  const RandomPlacement placement(1);
  std::array<int, 4> count{};
  constexpr int kPlaces = 3000;
  for (int i = 0; i < kPlaces; ++i) {
    for (const WorkerGroup& group : placed(placement, state, {1, 1, 0})) {
      ++count[index(group.server)];
    }
  }
  EXPECT_EQ(count[1], 0);
  // Five standard deviations of 26.
  for (const std::size_t server : {0U, 2U, 3U}) EXPECT_NEAR(count[server], 1000, 130) << server;
}

TEST(RandomPlacement, FillsWhatThereIs) {
  const ClusterState state = with_free({2, 0, 1, 3});
  EXPECT_EQ(placed(RandomPlacement(3), state, {6, 1, 0}), (Groups{on(0, 2), on(2, 1), on(3, 3)}));
  EXPECT_EQ(placed(RandomPlacement(3), state, {7, 1, 0}), Groups{});
}

}  // namespace
}  // namespace mosim::test
