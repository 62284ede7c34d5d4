#include <gtest/gtest.h>

#include <array>

#include "mosim/contention.hpp"
#include "mosim/profile.hpp"

namespace mosim {
namespace {

constexpr JobIndex kA{0};
constexpr JobIndex kB{1};

// Two servers with NICs of 400 MB/s. A demands 100 MB/s of the first and 300 MB/s of the second; B
// demands 300 MB/s of each. First NIC: 400 of 400, all get theirs. Second: 600 of 400, a share of
// 2/3, so S = 1.5 for both.
TEST(NicDemands, EachServerHasItsOwn) {
  const ClusterSpec cluster{{ServerGroup{.count = 2, .nic = 400e6}}};
  const auto contention = make_contention({}, cluster, {2, 0});
  const std::array<WorkerGroup, 2> groups{{{ServerId{0}, 4}, {ServerId{1}, 4}}};
  const std::array<double, 2> uneven{100e6, 300e6};
  contention->place(kA, {groups, 8, 300e6, uneven});
  contention->start_sending(kA);
  EXPECT_DOUBLE_EQ(contention->factor(kA), 1);
  contention->place(kB, {groups, 8, 300e6});
  contention->start_sending(kB);
  EXPECT_DOUBLE_EQ(contention->factor(kA), 1.5);
  EXPECT_DOUBLE_EQ(contention->factor(kB), 1.5);
}

// A job whose traffic stays inside its servers meets nobody.
TEST(NicDemands, NothingOnAnyNicIsNeverSlowed) {
  const ClusterSpec cluster{{ServerGroup{.count = 2, .nic = 400e6}}};
  const auto contention = make_contention({}, cluster, {1, 0});
  const std::array<WorkerGroup, 2> groups{{{ServerId{0}, 4}, {ServerId{1}, 4}}};
  const std::array<double, 2> none{0, 0};
  contention->place(kA, {groups, 8, 300e6, none});
  EXPECT_FALSE(contention->sends(kA));
}

// Tensor groups of 4 inside the servers send 10 MB a rank and iteration, the four data-parallel
// rings of 2 across them 25 MB a rank: 100 MB leave each server in 0.5 s.
TEST(NicDemands, ComeFromWhatTheRanksSendToOtherServers) {
  JobProfile profile;
  profile.network_s = 0.5;
  profile.traffic = std::make_shared<const std::vector<GroupTraffic>>(std::vector<GroupTraffic>{
      {{4, 1}, TrafficPattern::ring, 10e6}, {{2, 4}, TrafficPattern::ring, 25e6}});
  const std::array<WorkerGroup, 2> groups{{{ServerId{0}, 4}, {ServerId{1}, 4}}};
  const std::vector<double> demands = nic_demands(profile, groups, 1);
  ASSERT_EQ(demands.size(), 2U);
  EXPECT_DOUBLE_EQ(demands[0], 200e6);
  EXPECT_DOUBLE_EQ(demands[1], 200e6);
  EXPECT_TRUE(nic_demands(JobProfile{1, 1, 1}, groups, 1).empty());  // a plain ring
}

}  // namespace
}  // namespace mosim
