#include "mosim/cluster.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <stdexcept>
#include <vector>

namespace mosim {
namespace {

using Groups = std::vector<WorkerGroup>;

ServerGroup servers(std::uint32_t count, std::uint32_t gpus, std::uint32_t cpus = 0) {
  ServerGroup group;
  group.count = count;
  group.gpus = gpus;
  group.cpus = cpus;
  return group;
}

// The servers with `free` GPUs free, as walked.
std::vector<std::uint32_t> walk(const FreeGpuIndex& index, std::uint32_t free) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t at = index.first_at(free, 0); at != FreeGpuIndex::kNone;
       at = index.first_at(free, at + 1)) {
    found.push_back(at);
  }
  return found;
}

TEST(ClusterSpec, CountsServersAndGpus) {
  const ClusterSpec spec{{servers(2, 8), servers(3, 4)}};
  EXPECT_EQ(spec.servers(), 5U);
  // 2 x 8 + 3 x 4
  EXPECT_EQ(spec.gpus(), 28U);
  EXPECT_EQ(spec.gpus_by_server(), (std::vector<std::uint32_t>{8, 8, 4, 4, 4}));
}

TEST(ClusterSpec, RacksAreCutFromEachGroup) {
  ClusterSpec spec{{servers(5, 8), servers(3, 4), servers(4, 2)}};
  spec.groups[0].servers_per_rack = 2;
  spec.groups[2].servers_per_rack = 4;
  // 2 + 2 + 1, then a group that is one rack, then four in one.
  EXPECT_EQ(spec.racks(), 5U);
  EXPECT_EQ(spec.racks_by_server(),
            (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 3, 3, 3, 4, 4, 4, 4}));
}

// V100 and T4 servers for everyone, V100s of a virtual cluster, then one more V100 by an alias.
ClusterSpec mixed_cluster() {
  ClusterSpec spec{{servers(1, 8), servers(1, 4), servers(1, 2), servers(1, 8)}};
  spec.groups[1].gpu = "T4";
  spec.groups[2].virtual_cluster = "b";
  spec.groups[3].gpu = "V100";
  spec.virtual_clusters = {{.name = "a"}, {.name = "b"}};
  return spec;
}

TEST(Pools, AreOfOneTypeAndOneOwner) {
  const ClusterSpec spec = mixed_cluster();
  EXPECT_EQ(spec.gpu_types(), (std::vector<std::string>{"V100-SXM2-16GB", "T4"}));
  const std::vector<PoolSpec> pools = divide_into_pools(spec, false);
  ASSERT_EQ(pools.size(), 3U);
  EXPECT_EQ(pools[0].groups, (std::vector<std::uint32_t>{0, 3}));
  EXPECT_EQ(pools[1].groups, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(pools[2].virtual_cluster, "b");
  using Ids = std::vector<PoolId>;
  const auto usable = [&](std::uint32_t part, GpuTypeId type) {
    return pools_for(spec, pools, {VirtualClusterId{part}, type});
  };
  EXPECT_EQ(usable(0, kAnyGpuType), (Ids{PoolId{0}, PoolId{1}}));
  EXPECT_EQ(usable(1, kAnyGpuType), (Ids{PoolId{0}, PoolId{1}, PoolId{2}}));
  EXPECT_EQ(usable(1, GpuTypeId{0}), (Ids{PoolId{0}, PoolId{2}}));
}

TEST(Pools, WhereTypesMixEachServerIsInTwo) {
  const ClusterSpec spec = mixed_cluster();
  const std::vector<PoolSpec> pools = divide_into_pools(spec, true);
  ASSERT_EQ(pools.size(), 5U);
  EXPECT_EQ(pools[0].groups, (std::vector<std::uint32_t>{0, 1, 3}));
  EXPECT_EQ(pools_for(spec, pools, {VirtualClusterId{0}, kAnyGpuType}),
            (std::vector<PoolId>{PoolId{0}}));
  EXPECT_EQ(pools_for(spec, pools, {VirtualClusterId{0}, GpuTypeId{1}}),
            (std::vector<PoolId>{PoolId{3}}));
  ClusterState state(spec, true);
  state.allocate(Groups{{ServerId{1}, 3}}, {3, 1, 0});
  EXPECT_EQ(state.pool(PoolId{0}).total_free_gpus(), 17U);  // 8 + 1 + 8
  EXPECT_EQ(state.pool(PoolId{3}).total_free_gpus(), 1U);
  EXPECT_EQ(walk(state.pool(PoolId{3}).by_free_gpus(), 1), (std::vector<std::uint32_t>{1}));
}

TEST(ClusterState, AServerThatTakesNoJobsIsInNoPool) {
  ClusterState state(ClusterSpec{{servers(2, 8)}});
  const ResourceRequest request{3, 1, 0};
  state.allocate(Groups{{ServerId{0}, 3}}, request);
  state.set_accepting(ServerId{0}, false);
  EXPECT_EQ(state.pool(PoolId{0}).total_free_gpus(), 8U);
  EXPECT_EQ(state.gpus_up(), 16U);  // it still runs a job
  EXPECT_THROW(state.allocate(Groups{{ServerId{0}, 1}}, {1, 1, 0}), std::logic_error);
  state.release(Groups{{ServerId{0}, 3}}, request);
  EXPECT_EQ(state.gpus_up(), 8U);
  EXPECT_EQ(walk(state.pool(PoolId{0}).by_free_gpus(), 8), (std::vector<std::uint32_t>{1}));
  state.set_accepting(ServerId{0}, true);
  EXPECT_EQ(state.gpus_up(), 16U);
  EXPECT_EQ(walk(state.pool(PoolId{0}).by_free_gpus(), 8), (std::vector<std::uint32_t>{0, 1}));
}

TEST(ClusterState, AllocatesAndReleases) {
  ClusterState state(ClusterSpec{{servers(2, 8, 20), servers(1, 4)}});
  EXPECT_EQ(state.total_gpus(), 20U);
  const ResourceRequest request{3, 2, 5};
  const Groups groups{{ServerId{1}, 2}, {ServerId{2}, 1}};
  state.allocate(groups, request);
  // Server 1: 8 - 2 x 2 GPUs, 20 - 2 x 5 CPUs; server 2: 4 - 2 GPUs.
  EXPECT_EQ(state.free_gpus(ServerId{0}), 8U);
  EXPECT_EQ(state.free_gpus(ServerId{1}), 4U);
  EXPECT_EQ(state.free_cpus(ServerId{1}), 10U);
  EXPECT_EQ(state.free_gpus(ServerId{2}), 2U);
  EXPECT_EQ(state.pool(PoolId{0}).total_free_gpus(), 14U);
  EXPECT_EQ(walk(state.pool(PoolId{0}).by_free_gpus(), 4), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(walk(state.pool(PoolId{0}).by_free_gpus(), 2), (std::vector<std::uint32_t>{2}));
  state.release(groups, request);
  EXPECT_EQ(state.pool(PoolId{0}).total_free_gpus(), 20U);
  EXPECT_EQ(state.free_cpus(ServerId{1}), 20U);
  EXPECT_EQ(walk(state.pool(PoolId{0}).by_free_gpus(), 8), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(walk(state.pool(PoolId{0}).by_free_gpus(), 4), (std::vector<std::uint32_t>{2}));
}

TEST(ClusterState, CapacityIsTheScarcerOfGpusAndCpus) {
  const ClusterState state(ClusterSpec{{servers(1, 8, 20), servers(1, 8)}});
  // 8 / 1 GPUs; 8 / 3 = 2; 20 / 6 = 3 by CPUs; without a limit on CPUs 8.
  EXPECT_EQ(state.capacity_for(ServerId{0}, {1, 1, 0}), 8U);
  EXPECT_EQ(state.capacity_for(ServerId{0}, {1, 3, 0}), 2U);
  EXPECT_EQ(state.capacity_for(ServerId{0}, {1, 1, 6}), 3U);
  EXPECT_EQ(state.capacity_for(ServerId{0}, {1, 1, 21}), 0U);
  EXPECT_EQ(state.capacity_for(ServerId{1}, {1, 1, 1000}), 8U);
}

TEST(ClusterState, OversubscriptionThrowsAndChangesNothing) {
  ClusterState state(ClusterSpec{{servers(2, 4, 8)}});
  const auto expect_untouched = [&] {
    EXPECT_EQ(state.pool(PoolId{0}).total_free_gpus(), 8U);
    for (const ServerId server : {ServerId{0}, ServerId{1}}) {
      EXPECT_EQ(state.free_gpus(server), 4U);
      EXPECT_EQ(state.free_cpus(server), 8U);
    }
    EXPECT_EQ(walk(state.pool(PoolId{0}).by_free_gpus(), 4), (std::vector<std::uint32_t>{0, 1}));
  };
  // The first group fits, the second one does not: 5 of 4 GPUs.
  EXPECT_THROW(state.allocate(Groups{{ServerId{0}, 2}, {ServerId{1}, 5}}, {7, 1, 0}),
               std::logic_error);
  expect_untouched();
  // 3 x 3 of 8 CPUs.
  EXPECT_THROW(state.allocate(Groups{{ServerId{0}, 1}, {ServerId{1}, 3}}, {4, 1, 3}),
               std::logic_error);
  expect_untouched();
  // More than was taken comes back.
  EXPECT_THROW(state.release(Groups{{ServerId{0}, 1}}, {1, 1, 0}), std::logic_error);
  expect_untouched();
}

TEST(ClusterState, ServerNamedTwiceMustFitInAll) {
  ClusterState state(ClusterSpec{{servers(1, 8, 4)}});
  // Each group fits with 3 of 4 CPUs, both together do not: 6 of 4.
  EXPECT_THROW(state.allocate(Groups{{ServerId{0}, 1}, {ServerId{0}, 1}}, {2, 1, 3}),
               std::logic_error);
  EXPECT_EQ(state.free_cpus(ServerId{0}), 4U);
}

TEST(FreeGpuIndex, WalksInServerOrderOverManyServers) {
  // Over 64 x 64 servers the summary has more than one word too.
  constexpr std::uint32_t kServers = 64 * 64 * 2 + 7;
  FreeGpuIndex index(kServers, 8);
  const std::vector<std::uint32_t> chosen{0, 63, 64, 4095, 4096, 4097, 8191, 8192, kServers - 1};
  for (auto server = chosen.rbegin(); server != chosen.rend(); ++server) {
    index.insert(ServerId{*server}, 3);
  }
  EXPECT_EQ(walk(index, 3), chosen);
  EXPECT_EQ(walk(index, 2), std::vector<std::uint32_t>{});
  EXPECT_EQ(index.first_at(3, 65), 4095U);
  EXPECT_EQ(index.first_at(3, 4098), 8191U);
  EXPECT_EQ(index.first_at(3, kServers), FreeGpuIndex::kNone);
  index.erase(ServerId{4095}, 3);
  index.erase(ServerId{8191}, 3);
  index.insert(ServerId{8191}, 4);
  EXPECT_EQ(index.first_at(3, 65), 4096U);
  EXPECT_EQ(index.first_at(3, 4098), 8192U);
  EXPECT_EQ(walk(index, 4), (std::vector<std::uint32_t>{8191}));
}

TEST(FreeGpuIndex, IsASetOfServers) {
  EXPECT_TRUE(rc::check("as a std::set", [] {
    const auto servers = *rc::gen::inRange<std::uint32_t>(1, 9000);
    const auto steps = *rc::gen::container<std::vector<std::pair<bool, std::uint32_t>>>(
        rc::gen::pair(rc::gen::arbitrary<bool>(), rc::gen::inRange<std::uint32_t>(0, servers)));
    FreeGpuIndex index(servers, 2);
    std::set<std::uint32_t> model;
    for (const auto& [insert, server] : steps) {
      if (insert && model.insert(server).second) index.insert(ServerId{server}, 1);
      if (!insert && model.erase(server) > 0) index.erase(ServerId{server}, 1);
    }
    RC_ASSERT(walk(index, 1) == std::vector<std::uint32_t>(model.begin(), model.end()));
  }));
}

}  // namespace
}  // namespace mosim
