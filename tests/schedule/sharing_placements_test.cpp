// Where the placements that ship put jobs that share a GPU.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "schedule/places.hpp"

namespace mosim::test {
namespace {

template <typename T>
T pick(T low, T below) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, below));
}

ResourceRequest share(std::uint32_t milli) {
  ResourceRequest request;
  request.gpu_milli = milli;
  return request;
}

Groups on_gpu(std::uint32_t server, std::uint32_t gpu) { return {{ServerId{server}, 1, gpu}}; }

// Servers of 2 GPUs: all free; 600 of GPU 0 free and the other taken; 300 of GPU 1 and GPU 0 free.
ClusterState three_servers() {
  ClusterState state(ClusterSpec{{servers(3, 2)}});
  state.allocate(on_gpu(1, 0), share(400));
  state.allocate(Groups{on(1, 1)}, {1, 1, 0});
  state.allocate(on_gpu(2, 1), share(700));
  return state;
}

Groups placed_by(const char* name, const ClusterState& state, std::uint32_t milli) {
  return placed(*policies().make_placement(name), state, share(milli));
}

TEST(SharingPlacements, TakeServersInTheirOwnOrder) {
  const ClusterState state = three_servers();
  // Free GPUs: 2, 0 and 1; a server without any has room for 600.
  for (const char* name : {"bin-packing", "consolidate-relaxed", "topology"}) {
    EXPECT_EQ(placed_by(name, state, 300), on_gpu(1, 0)) << name;
    EXPECT_EQ(placed_by(name, state, 601), on_gpu(2, 0)) << name;
  }
  for (const char* name : {"load-balancing", "consolidate"}) {
    EXPECT_EQ(placed_by(name, state, 300), on_gpu(0, 0)) << name;
  }
  // In use before: 0, 1.4 and 0.7 of 2 GPUs.
  EXPECT_EQ(placed_by("most-allocated", state, 300), on_gpu(1, 0));
  EXPECT_EQ(placed_by("most-allocated", state, 700), on_gpu(2, 0));
  EXPECT_EQ(placed_by("least-allocated", state, 300), on_gpu(0, 0));
}

TEST(SharingPlacements, FindRoomWhereNoGpuIsFree) {
  ClusterState state = three_servers();
  state.allocate(Groups{on(0, 2), on(2, 1)}, {3, 1, 0});
  ASSERT_EQ(state.pool(PoolId{0}).total_free_gpus(), 0U);
  for (const auto& entry : policies().placements()) {
    const auto placement = policies().make_placement(entry.info.name);
    EXPECT_EQ(placed(*placement, state, share(600)), on_gpu(1, 0)) << entry.info.name;
    EXPECT_EQ(placed(*placement, state, share(601)), Groups{}) << entry.info.name;
    EXPECT_EQ(placed(*placement, state, {1, 1, 0}), Groups{}) << entry.info.name;
  }
}

// The parts of a server in use count what is shared of its GPUs, also for whole jobs.
TEST(SharingPlacements, ScoresCountParts) {
  ClusterState state(ClusterSpec{{servers(2, 4)}});
  state.allocate(on_gpu(0, 0), share(100));
  state.allocate(on_gpu(1, 0), share(900));
  EXPECT_EQ(placed(MostAllocated(), state, {1, 1, 0}), (Groups{on(1, 1)}));
  EXPECT_EQ(placed(LeastAllocated(), state, {1, 1, 0}), (Groups{on(0, 1)}));
  EXPECT_EQ(placed(MostAllocated(), state, share(50)), on_gpu(1, 0));
}

RC_GTEST_PROP(SharingPlacements, PlaceWhatFitsAndNothingElse, ()) {
  ClusterSpec spec;
  for (int i = pick(1, 5); i > 0; --i) {
    spec.groups.push_back(servers(pick(1U, 3U), pick(1U, 4U), pick(0, 2) == 0 ? pick(1U, 9U) : 0));
  }
  ClusterState state(spec);
  std::vector<std::unique_ptr<Placement>> placements;
  for (const auto& entry : policies().placements()) {
    placements.push_back(policies().make_placement(entry.info.name));
  }
  for (int step = pick(1, 40); step > 0; --step) {
    ResourceRequest request = share(pick(1U, 11U) * 100);
    request.cpus_per_worker = pick(0U, 3U);
    std::uint32_t room = 0;
    for (std::uint32_t server = 0; server < state.servers(); ++server) {
      room += state.capacity_for(ServerId{server}, request);
    }
    Groups chosen;
    const int choice = pick(0, static_cast<int>(placements.size()));
    for (std::size_t i = 0; i < placements.size(); ++i) {
      const Groups groups = placed(*placements[i], state, request);
      RC_ASSERT(groups.empty() == (room == 0));
      ClusterState after = state;
      after.allocate(groups, request);  // throws when it takes more than is free
      if (static_cast<int>(i) == choice) chosen = groups;
    }
    state.allocate(chosen, request);
  }
}

}  // namespace
}  // namespace mosim::test
