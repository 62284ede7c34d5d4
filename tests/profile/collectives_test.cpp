// Collectives by hand: 8 ranks, M = 8 MB. Inside a server a rank moves 1 GB/s with 1 us a message;
// between servers the group has 100 MB/s with 10 us.
#include "profile/collectives.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace mosim {
namespace {

constexpr double kBytes = 8e6;

GroupSpan span(std::uint32_t servers, std::uint32_t per_server) {
  return {servers * per_server, servers, per_server, 1e9, 1e8, 1e-6, 1e-5};
}

const GroupSpan kOneServer = span(1, 8);
const GroupSpan kTwoServers = span(2, 4);

CollectiveCost all_reduce(AllReduce algorithm, const GroupSpan& group) {
  return collective_cost(Collective::all_reduce, algorithm, kBytes, group);
}

CollectiveCost cost_of(Collective collective, const GroupSpan& group) {
  return collective_cost(collective, AllReduce::ring, kBytes, group);
}

TEST(Collectives, RingAllReduce) {
  // 2 x 7 steps of M / 8 = 1 MB: 1 us + 1 ms inside, 10 us + 10 ms over the NIC.
  EXPECT_DOUBLE_EQ(all_reduce(AllReduce::ring, kOneServer).seconds, 14 * 1.001e-3);
  EXPECT_DOUBLE_EQ(all_reduce(AllReduce::ring, kTwoServers).seconds, 14 * 10.01e-3);
  EXPECT_DOUBLE_EQ(all_reduce(AllReduce::ring, kTwoServers).sent, 14e6);
}

TEST(Collectives, ReduceScatterAndAllGatherAreHalfARingAllReduceEach) {
  for (const Collective half : {Collective::reduce_scatter, Collective::all_gather}) {
    EXPECT_DOUBLE_EQ(cost_of(half, kOneServer).seconds, 7 * 1.001e-3);
    EXPECT_DOUBLE_EQ(cost_of(half, kTwoServers).seconds, 7 * 10.01e-3);
    EXPECT_DOUBLE_EQ(cost_of(half, kTwoServers).sent, 7e6);
  }
}

TEST(Collectives, AllToAll) {
  // 1 MB to each of 7 others, one after the other.
  EXPECT_DOUBLE_EQ(cost_of(Collective::all_to_all, kOneServer).seconds, 7 * 1.001e-3);
  EXPECT_DOUBLE_EQ(cost_of(Collective::all_to_all, kOneServer).sent, 7e6);
  // Four others on the other server: 4 messages of 10 us, and 4 MB of each of 4 ranks over one NIC
  // of 100 MB/s. The 3 MB inside are done by then.
  EXPECT_DOUBLE_EQ(cost_of(Collective::all_to_all, kTwoServers).seconds, 4 * 10e-6 + 0.16);
  EXPECT_DOUBLE_EQ(cost_of(Collective::all_to_all, kTwoServers).sent, 7e6);
}

TEST(Collectives, TreeAllReduce) {
  // Up and down log2(8) = 3 levels of 1 us, and 14 MB at 1 GB/s.
  EXPECT_DOUBLE_EQ(all_reduce(AllReduce::tree, kOneServer).seconds, 6e-6 + 14e-3);
  // Up and down 2 levels of 1 us and one of 10 us, and 14 MB at 100 MB/s.
  EXPECT_DOUBLE_EQ(all_reduce(AllReduce::tree, kTwoServers).seconds, 4e-6 + 20e-6 + 0.14);
  EXPECT_DOUBLE_EQ(all_reduce(AllReduce::tree, kTwoServers).sent, 14e6);
}

TEST(Collectives, HierarchicalAllReduce) {
  // Inside, twice: 3 steps of 2 MB, 3 x (1 us + 2 ms). Between, twice: the 2 MB of a rank in one
  // step of 1 MB, at a quarter of the NIC: 10 us + 40 ms.
  EXPECT_DOUBLE_EQ(all_reduce(AllReduce::hierarchical, kTwoServers).seconds,
                   2 * (3 * 2.001e-3 + 40.01e-3));
  // 3 x 2 MB and 1 MB, twice: as much as in a ring.
  EXPECT_DOUBLE_EQ(all_reduce(AllReduce::hierarchical, kTwoServers).sent, 14e6);
}

TEST(Collectives, PointToPoint) {
  EXPECT_DOUBLE_EQ(cost_of(Collective::point_to_point, kOneServer).seconds, 1e-6 + 8e-3);
  EXPECT_DOUBLE_EQ(cost_of(Collective::point_to_point, kTwoServers).seconds, 10e-6 + 80e-3);
  EXPECT_EQ(cost_of(Collective::point_to_point, kTwoServers).sent, 8e6);
}

constexpr Collective kCollectives[] = {Collective::all_reduce, Collective::all_gather,
                                       Collective::reduce_scatter, Collective::all_to_all,
                                       Collective::point_to_point};
constexpr AllReduce kAlgorithms[] = {AllReduce::ring, AllReduce::tree, AllReduce::hierarchical};

TEST(Collectives, NothingToExchangeCostsNothing) {
  for (const Collective collective : kCollectives) {
    for (const AllReduce algorithm : kAlgorithms) {
      for (const CollectiveCost& cost : {collective_cost(collective, algorithm, kBytes, span(1, 1)),
                                         collective_cost(collective, algorithm, 0, kTwoServers)}) {
        EXPECT_EQ(cost.seconds, 0) << collective_name(collective);
        EXPECT_EQ(cost.sent, 0) << collective_name(collective);
      }
    }
  }
}

// Full servers: servers x per_server ranks.
GroupSpan any_span(int most_servers) {
  GroupSpan any = span(static_cast<std::uint32_t>(*rc::gen::inRange(1, most_servers + 1)),
                       static_cast<std::uint32_t>(*rc::gen::inRange(1, 17)));
  any.inside = *rc::gen::inRange(1, 1000000) * 1e6;
  any.between = *rc::gen::inRange(1, 1000000) * 1e5;
  any.inside_delay = *rc::gen::inRange(0, 100) * 1e-7;
  any.between_delay = *rc::gen::inRange(0, 100) * 1e-6;
  return any;
}

TEST(Collectives, EveryAllReduceSendsWhatARingDoes) {
  EXPECT_TRUE(rc::check([] {
    const GroupSpan any = any_span(16);
    const double bytes = *rc::gen::inRange(1, 1000000000);
    const double expected = 2 * (any.size - 1.0) / any.size * bytes;
    for (const AllReduce algorithm : kAlgorithms) {
      const double sent = collective_cost(Collective::all_reduce, algorithm, bytes, any).sent;
      RC_ASSERT(std::abs(sent - expected) <= 1e-9 * expected);
    }
  }));
}

TEST(Collectives, OnOneServerHierarchicalIsARing) {
  EXPECT_TRUE(rc::check([] {
    const GroupSpan any = any_span(1);
    const double bytes = *rc::gen::inRange(1, 1000000000);
    const auto ring = collective_cost(Collective::all_reduce, AllReduce::ring, bytes, any);
    const auto other = collective_cost(Collective::all_reduce, AllReduce::hierarchical, bytes, any);
    RC_ASSERT(ring.seconds == other.seconds);
    RC_ASSERT(ring.sent == other.sent);
  }));
}

TEST(Collectives, MoreBandwidthIsNeverSlowerAndMoreBytesNeverFaster) {
  EXPECT_TRUE(rc::check([] {
    const GroupSpan any = any_span(16);
    const Collective collective = *rc::gen::elementOf(
        std::vector<Collective>(std::begin(kCollectives), std::end(kCollectives)));
    const AllReduce algorithm =
        *rc::gen::elementOf(std::vector<AllReduce>(std::begin(kAlgorithms), std::end(kAlgorithms)));
    const double bytes = *rc::gen::inRange(1, 1000000000);
    const double factor = *rc::gen::inRange(2, 100);
    const double seconds = collective_cost(collective, algorithm, bytes, any).seconds;
    GroupSpan inside = any;
    inside.inside *= factor;
    RC_ASSERT(collective_cost(collective, algorithm, bytes, inside).seconds <= seconds);
    GroupSpan between = any;
    between.between *= factor;
    RC_ASSERT(collective_cost(collective, algorithm, bytes, between).seconds <= seconds);
    RC_ASSERT(collective_cost(collective, algorithm, factor * bytes, any).seconds >= seconds);
  }));
}

}  // namespace
}  // namespace mosim
