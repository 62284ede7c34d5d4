// Where ranks sit, and what their groups have of the links: servers of 8 V100s, whose NICs move
// 1 GB/s with 20 us a message.
#include "profile/layout.hpp"

#include <gtest/gtest.h>

namespace mosim {
namespace {

ClusterSpec servers_of_eight(std::uint32_t count) {
  return {{{count, 8, "V100-SXM2-16GB", 1e9, 20e-6, 0, 0}}};
}

RankLayout packed(std::uint32_t gpus) { return lay_out(gpus, servers_of_eight(4), Layout::packed); }
RankLayout spread(std::uint32_t gpus) { return lay_out(gpus, servers_of_eight(4), Layout::spread); }

TEST(RankLayouts, PackedUsesAsFewServersAsHoldTheJob) {
  EXPECT_EQ(packed(1).servers, 1U);
  EXPECT_EQ(packed(8).servers, 1U);
  EXPECT_EQ(packed(8).per_server, 8U);
  EXPECT_EQ(packed(9).servers, 2U);
  EXPECT_EQ(packed(32).servers, 4U);
  EXPECT_EQ(packed(32).per_server, 8U);
}

TEST(RankLayouts, SpreadUsesAllServersThatAJobCanReach) {
  EXPECT_EQ(spread(1).servers, 1U);
  EXPECT_EQ(spread(2).servers, 2U);
  EXPECT_EQ(spread(2).per_server, 1U);
  EXPECT_EQ(spread(8).servers, 4U);
  EXPECT_EQ(spread(8).per_server, 2U);
}

TEST(RankLayouts, LinksOfTheGpuAndTheServer) {
  const RankLayout layout = packed(16);
  EXPECT_EQ(layout.inside, 150e9);
  EXPECT_DOUBLE_EQ(layout.inside_delay, 1.9e-6);
  EXPECT_EQ(layout.between, 1e9);
  EXPECT_EQ(layout.between_delay, 20e-6);
}

TEST(RankLayouts, ALimitInsideAServerIsDividedAmongItsRanks) {
  ClusterSpec cluster = servers_of_eight(4);
  cluster.groups[0].intra = 16e9;
  EXPECT_EQ(lay_out(8, cluster, Layout::packed).inside, 2e9);
  EXPECT_EQ(lay_out(8, cluster, Layout::spread).inside, 8e9);
  EXPECT_EQ(lay_out(1, cluster, Layout::packed).inside, 16e9);
  cluster.groups[0].intra = 8 * 400e9;  // more than the GPUs' own links
  EXPECT_EQ(lay_out(8, cluster, Layout::packed).inside, 150e9);
}

TEST(RankLayouts, TheSlowestOfAMixedClusterCounts) {
  ClusterSpec cluster = servers_of_eight(2);
  cluster.groups.push_back({2, 4, "A100-SXM4-80GB", 25e9, 50e-6, 0, 0});
  const RankLayout layout = lay_out(8, cluster, Layout::packed);
  EXPECT_EQ(layout.servers, 2U);  // of 4 GPUs
  EXPECT_EQ(layout.inside, 150e9);
  EXPECT_EQ(layout.between, 1e9);
  EXPECT_EQ(layout.between_delay, 50e-6);
}

// 32 ranks on 4 servers: a server holds one tensor group, and one rank of each of 8 data groups.
TEST(GroupSpans, TensorEightDataFour) {
  const Parallelism parallelism{8, 1, 1, 1, 0, false};
  const RankGroup tensor = group_of(Communicator::tensor, 32, parallelism);
  const RankGroup data = group_of(Communicator::data, 32, parallelism);
  EXPECT_EQ(tensor.size, 8U);
  EXPECT_EQ(tensor.stride, 1U);
  EXPECT_EQ(data.size, 4U);
  EXPECT_EQ(data.stride, 8U);

  const GroupSpan inside = span_of(tensor, packed(32));
  EXPECT_EQ(inside.servers, 1U);
  EXPECT_EQ(inside.per_server, 8U);
  EXPECT_EQ(inside.ring_bandwidth(), 150e9);
  EXPECT_DOUBLE_EQ(inside.ring_delay(), 1.9e-6);

  const GroupSpan across = span_of(data, packed(32));
  EXPECT_EQ(across.size, 4U);
  EXPECT_EQ(across.servers, 4U);
  EXPECT_EQ(across.per_server, 1U);
  EXPECT_EQ(across.between, 1e9 / 8);  // eight such rings cross each NIC
  EXPECT_EQ(across.ring_bandwidth(), 1e9 / 8);
  EXPECT_EQ(across.ring_delay(), 20e-6);
}

// 32 ranks: stage 0 on servers 0 and 1, stage 1 on 2 and 3. Data group 0 is ranks 0, 4, 8, 12.
TEST(GroupSpans, TensorFourDataFourPipelineTwo) {
  const Parallelism parallelism{4, 2, 1, 1, 0, false};
  const GroupSpan tensor = span_of(group_of(Communicator::tensor, 32, parallelism), packed(32));
  EXPECT_EQ(tensor.size, 4U);
  EXPECT_EQ(tensor.servers, 1U);

  const RankGroup data = group_of(Communicator::data, 32, parallelism);
  EXPECT_EQ(data.size, 4U);
  EXPECT_EQ(data.stride, 4U);
  const GroupSpan replicas = span_of(data, packed(32));
  EXPECT_EQ(replicas.servers, 2U);
  EXPECT_EQ(replicas.per_server, 2U);
  EXPECT_EQ(replicas.between, 1e9 / 4);  // 4 groups on each server

  const RankGroup pipeline = group_of(Communicator::pipeline, 32, parallelism);
  EXPECT_EQ(pipeline.size, 2U);
  EXPECT_EQ(pipeline.stride, 16U);
  const GroupSpan stages = span_of(pipeline, packed(32));
  EXPECT_EQ(stages.servers, 2U);
  EXPECT_EQ(stages.per_server, 1U);
  EXPECT_EQ(stages.between, 1e9 / 8);  // each of a server's 8 ranks sends to another server
}

// 64 ranks, 4 stages of 16 replicas, experts divided among 8: experts 8 neighbours apart are alike.
TEST(GroupSpans, ExpertsFillAServer) {
  const Parallelism parallelism{1, 4, 1, 8, 0, false};
  const RankLayout layout = lay_out(64, servers_of_eight(8), Layout::packed);
  const RankGroup expert = group_of(Communicator::expert, 64, parallelism);
  EXPECT_EQ(expert.size, 8U);
  EXPECT_EQ(expert.stride, 1U);
  EXPECT_EQ(span_of(expert, layout).servers, 1U);
  const RankGroup alike = group_of(Communicator::expert_data, 64, parallelism);
  EXPECT_EQ(alike.size, 2U);
  EXPECT_EQ(alike.stride, 8U);
  EXPECT_EQ(span_of(alike, layout).servers, 2U);
  EXPECT_EQ(span_of(alike, layout).between, 1e9 / 8);
}

TEST(GroupSpans, OneRingHasTheWholeNic) {
  const GroupSpan ring = span_of({32, 1}, packed(32));
  EXPECT_EQ(ring.servers, 4U);
  EXPECT_EQ(ring.per_server, 8U);
  EXPECT_EQ(ring.between, 1e9);
}

TEST(GroupSpans, OnOneServerNothingCrosses) {
  for (const std::uint32_t stride : {1U, 2U, 4U}) {
    EXPECT_EQ(span_of({2, stride}, packed(8)).servers, 1U) << stride;
  }
}

TEST(GroupSpans, SpreadTensorGroupsCrossNics) {
  const GroupSpan tensor = span_of({8, 1}, spread(8));
  EXPECT_EQ(tensor.servers, 4U);
  EXPECT_EQ(tensor.per_server, 2U);
  EXPECT_EQ(tensor.ring_bandwidth(), 1e9);
}

// 12 ranks, 3 on each server: ranks 2 and 3 are a pair that crosses.
TEST(GroupSpans, AGroupAcrossABorderOfServersIsNotInside) {
  EXPECT_EQ(span_of({2, 1}, spread(12)).servers, 2U);
  EXPECT_EQ(span_of({3, 1}, spread(12)).servers, 1U);
}

}  // namespace
}  // namespace mosim
