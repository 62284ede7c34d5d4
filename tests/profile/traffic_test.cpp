// What a job puts on each server's NIC.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

#include "mosim/profile.hpp"

namespace mosim {
namespace {

using Volumes = std::vector<double>;

Volumes volumes(const GroupTraffic& traffic, const std::vector<std::uint32_t>& ranks) {
  return nic_volumes(std::vector<GroupTraffic>{traffic}, ranks);
}

GroupTraffic ring(std::uint32_t size, std::uint32_t stride, double bytes) {
  return {{size, stride}, TrafficPattern::ring, bytes};
}

// One flow leaves each server and one enters it, however many ranks it holds.
TEST(NicVolumes, ARingPutsWhatOneRankSendsOnEachNic) {
  EXPECT_EQ(volumes(ring(8, 1, 100), {4, 4}), (Volumes{100, 100}));
  EXPECT_EQ(volumes(ring(8, 1, 100), {1, 5, 2}), (Volumes{100, 100, 100}));
  EXPECT_EQ(volumes(ring(8, 1, 100), {4, 0, 4}), (Volumes{100, 0, 100}));
  EXPECT_EQ(volumes(ring(2, 1, 100), {1, 1}), (Volumes{100, 100}));
  EXPECT_EQ(volumes(ring(8, 1, 100), {8}), (Volumes{0}));
}

// Eq. 7 counts both directions of a NIC: with V = N x bytes and c = V / N = bytes it is 2c, of
// which one direction is c. At N_W = 2 Eq. 7 already is c.
TEST(NicVolumes, ARingIsEquation7InOneDirection) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<std::uint32_t> ranks = *rc::gen::container<std::vector<std::uint32_t>>(
        rc::gen::map(rc::gen::inRange(0, 9), [](int n) { return std::uint32_t(n); }));
    const auto count = std::accumulate(ranks.begin(), ranks.end(), 0U);
    RC_PRE(count >= 2U);
    const Volumes found = volumes(ring(count, 1, 100), ranks);
    for (std::size_t server = 0; server < ranks.size(); ++server) {
      const double both = nic_volume(count * 100.0, count, ranks[server]);
      RC_ASSERT(found[server] == (count == 2 ? both : both / 2));
    }
  }));
}

// Of s servers each sends 2 (s - 1) / s of the vector.
TEST(NicVolumes, ATreeCountsServers) {
  const GroupTraffic tree{{8, 1}, TrafficPattern::tree, 100};
  EXPECT_EQ(volumes(tree, {4, 4}), (Volumes{100, 100}));
  EXPECT_EQ(volumes(tree, {2, 2, 2, 2}), (Volumes{150, 150, 150, 150}));
  EXPECT_EQ(volumes(tree, {1, 2, 4, 1}), (Volumes{150, 150, 150, 150}));
  EXPECT_EQ(volumes(tree, {8}), (Volumes{0}));
}

// A rank sends a seventh of its bytes to each of the 7 others.
TEST(NicVolumes, AllToAllCountsPairsOnDifferentServers) {
  const GroupTraffic all{{8, 1}, TrafficPattern::all_to_all, 70};
  EXPECT_EQ(volumes(all, {4, 4}), (Volumes{4 * 4 * 10, 4 * 4 * 10}));
  EXPECT_EQ(volumes(all, {6, 2}), (Volumes{6 * 2 * 10, 2 * 6 * 10}));
  EXPECT_EQ(volumes(all, {8}), (Volumes{0}));
}

// A chain has ends: only inner servers exchange with two others.
TEST(NicVolumes, AChainHasNoWayBackToTheFirst) {
  const GroupTraffic chain{{4, 1}, TrafficPattern::chain, 100};
  EXPECT_EQ(volumes(chain, {1, 1, 1, 1}), (Volumes{100, 200, 200, 100}));
  EXPECT_EQ(volumes(chain, {2, 2}), (Volumes{100, 100}));
  EXPECT_EQ(volumes(chain, {4}), (Volumes{0}));
}

TEST(NicVolumes, StridedGroupsShareANic) {
  const std::vector<std::uint32_t> servers{8, 8, 8, 8};
  // 8 rings of 4, each with a rank on every server.
  EXPECT_EQ(volumes(ring(4, 8, 100), servers), (Volumes{800, 800, 800, 800}));
  // 8 groups of 4 neighbours: two on a server.
  EXPECT_EQ(volumes(ring(4, 1, 100), servers), (Volumes{0, 0, 0, 0}));
  // 4 rings of ranks 0, 4, 8, 12, 4 more of 16, 20, 24, 28: two ranks of each on a server.
  EXPECT_EQ(volumes(ring(4, 4, 100), servers), (Volumes{400, 400, 400, 400}));
  // 16 pairs of stages, 16 ranks apart.
  EXPECT_EQ(volumes({{2, 16}, TrafficPattern::chain, 100}, servers), (Volumes{800, 800, 800, 800}));
}

// 12 ranks in pairs, 3 on a server: pairs (2, 3) and (8, 9) cross.
TEST(NicVolumes, AGroupThatAServersEdgeDivides) {
  EXPECT_EQ(volumes(ring(2, 1, 100), {3, 3, 3, 3}), (Volumes{100, 100, 100, 100}));
  EXPECT_EQ(volumes(ring(2, 1, 100), {2, 4, 3, 3}), (Volumes{0, 0, 100, 100}));
}

TEST(NicVolumes, AGroupOfOneSendsNothing) {
  EXPECT_EQ(volumes(ring(1, 1, 100), {4, 4}), (Volumes{0, 0}));
}

TEST(NicVolumes, PartsAdd) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<std::uint32_t> servers{8, 4, 4};
    std::vector<GroupTraffic> parts;
    Volumes sum(servers.size(), 0);
    const int count = *rc::gen::inRange(1, 6);
    for (int i = 0; i < count; ++i) {
      const auto size = *rc::gen::element(2U, 4U, 8U, 16U);
      const auto stride = *rc::gen::element(1U, 2U, 4U);
      const auto pattern = *rc::gen::element(TrafficPattern::ring, TrafficPattern::tree,
                                             TrafficPattern::all_to_all, TrafficPattern::chain);
      parts.push_back({{size, stride}, pattern, double(*rc::gen::inRange(0, 1000000))});
      const Volumes one = volumes(parts.back(), servers);
      for (std::size_t server = 0; server < sum.size(); ++server) sum[server] += one[server];
    }
    const Volumes all = nic_volumes(parts, servers);
    for (std::size_t server = 0; server < sum.size(); ++server) {
      RC_ASSERT(all[server] >= 0);
      RC_ASSERT(std::abs(all[server] - sum[server]) <= 1e-9 * sum[server]);
    }
  }));
}

}  // namespace
}  // namespace mosim
