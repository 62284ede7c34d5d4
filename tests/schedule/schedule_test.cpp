#include "mosim/schedule.hpp"

#include <gtest/gtest.h>

#include <set>

namespace mosim {
namespace {

using Groups = std::vector<WorkerGroup>;

// Servers with `free` GPUs left of 8 each.
ClusterState servers_with(const std::vector<std::uint32_t>& free, std::uint32_t cpus = 0) {
  ClusterState cluster(
      {{ServerGroup{.count = static_cast<std::uint32_t>(free.size()), .gpus = 8, .cpus = cpus}}});
  for (std::uint32_t server = 0; server < free.size(); ++server) {
    if (free[server] == 8) continue;
    cluster.allocate(Groups{{ServerId{server}, 8 - free[server]}}, {8 - free[server], 1, 0});
  }
  return cluster;
}

Groups place(const char* name, const ClusterState& cluster, const ResourceRequest& request) {
  Groups groups;
  const bool fits = policies().make_placement(name)->place(cluster, request, groups);
  return fits ? groups : Groups{};
}

TEST(BinPacking, FillsTheFullestServersFirst) {
  const ClusterState cluster = servers_with({8, 3, 0, 3});
  EXPECT_EQ(place("bin-packing", cluster, {5, 1, 0}), (Groups{{ServerId{1}, 3}, {ServerId{3}, 2}}));
  // Workers of two GPUs: one fits where three are free.
  EXPECT_EQ(place("bin-packing", cluster, {3, 2, 0}),
            (Groups{{ServerId{1}, 1}, {ServerId{3}, 1}, {ServerId{0}, 1}}));
  EXPECT_TRUE(place("bin-packing", cluster, {15, 1, 0}).empty());
}

TEST(LoadBalancing, DealsRoundAfterRoundInTheOrderOfTheStart) {
  const ClusterState cluster = servers_with({2, 8, 1, 8});
  // By free GPUs: 1, 3, 0, 2. Seven workers: a round of four, then 1, 3, 0.
  EXPECT_EQ(place("load-balancing", cluster, {7, 1, 0}),
            (Groups{{ServerId{1}, 2}, {ServerId{3}, 2}, {ServerId{0}, 2}, {ServerId{2}, 1}}));
  EXPECT_EQ(place("load-balancing", cluster, {2, 1, 0}),
            (Groups{{ServerId{1}, 1}, {ServerId{3}, 1}}));
  EXPECT_TRUE(place("load-balancing", cluster, {20, 1, 0}).empty());
}

TEST(Consolidate, OneServerOrNone) {
  const ClusterState cluster = servers_with({5, 3, 7, 7});
  EXPECT_EQ(place("consolidate", cluster, {4, 1, 0}), (Groups{{ServerId{2}, 4}}));
  EXPECT_TRUE(place("consolidate", cluster, {8, 1, 0}).empty());
}

TEST(Placements, RespectCpus) {
  const ClusterState cluster = servers_with({8, 8}, 12);
  // Five cores a worker: two workers a server.
  EXPECT_EQ(place("bin-packing", cluster, {3, 1, 5}), (Groups{{ServerId{0}, 2}, {ServerId{1}, 1}}));
  EXPECT_TRUE(place("load-balancing", cluster, {5, 1, 5}).empty());
  EXPECT_TRUE(place("consolidate", cluster, {3, 1, 5}).empty());
}

TEST(Placements, LargestPlacement) {
  const ClusterSpec cluster{{ServerGroup{.count = 3, .gpus = 8}}};
  EXPECT_EQ(largest_placement(*policies().make_placement("load-balancing"), cluster, {1, 1, 0}),
            24U);
  EXPECT_EQ(largest_placement(*policies().make_placement("consolidate"), cluster, {1, 1, 0}), 8U);
  EXPECT_EQ(largest_placement(*policies().make_placement("bin-packing"), cluster, {1, 3, 0}), 6U);
  EXPECT_EQ(largest_placement(*policies().make_placement("bin-packing"), cluster, {1, 9, 0}), 0U);
}

TEST(Cluster, TakingMoreThanIsFreeChangesNothing) {
  ClusterState cluster = servers_with({8, 2});
  EXPECT_THROW(cluster.allocate(Groups{{ServerId{0}, 1}, {ServerId{1}, 3}}, {4, 1, 0}),
               std::logic_error);
  EXPECT_EQ(cluster.free_gpus(ServerId{0}), 8U);
  EXPECT_EQ(cluster.total_free_gpus(), 10U);
}

TEST(FreeGpuIndex, WalksServersInOrderHoweverFarApart) {
  FreeGpuIndex servers(10000, 8);
  for (const std::uint32_t server : {9999U, 5U, 4097U}) servers.insert(ServerId{server}, 3);
  EXPECT_EQ(servers.first_at(3, 0), 5U);
  EXPECT_EQ(servers.first_at(3, 6), 4097U);
  EXPECT_EQ(servers.first_at(3, 4098), 9999U);
  EXPECT_EQ(servers.first_at(3, 10000), FreeGpuIndex::kNone);
  servers.erase(ServerId{4097}, 3);
  EXPECT_EQ(servers.first_at(3, 6), 9999U);
}

// Starts what is small enough and remembers the order of the tries.
struct FakeStarter : JobStarter {
  std::set<JobIndex> fits;
  std::vector<std::uint32_t> tried;

  bool try_start(JobIndex job) override {
    tried.push_back(static_cast<std::uint32_t>(job));
    return fits.contains(job);
  }
};

TEST(Queues, FifoBlocksAndFifoSkipDoesNot) {
  for (const bool skip : {false, true}) {
    const auto queue = policies().make_queue(skip ? "fifo-skip" : "fifo");
    queue->enqueue({JobIndex{0}, {1, 1, 0}});
    queue->enqueue({JobIndex{1}, {8, 1, 0}});  // does not fit
    queue->enqueue({JobIndex{2}, {8, 1, 0}});  // the same request: not even tried
    queue->enqueue({JobIndex{3}, {1, 1, 0}});
    FakeStarter starter;
    starter.fits = {JobIndex{0}, JobIndex{3}};
    queue->schedule(starter);
    EXPECT_EQ(starter.tried,
              skip ? (std::vector<std::uint32_t>{0, 1, 3}) : (std::vector<std::uint32_t>{0, 1}));
  }
}

TEST(Registry, RefusesUnknownAndRepeatedNames) {
  EXPECT_THROW((void)policies().make_queue("lifo"), std::invalid_argument);
  PolicyRegistry registry;
  registry.add_placement({"mine", "", nullptr});
  EXPECT_THROW(registry.add_placement({"mine", "", nullptr}), std::invalid_argument);
}

}  // namespace
}  // namespace mosim
