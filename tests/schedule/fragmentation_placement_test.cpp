// Fragmentation gradient descent, worked by hand and against its definition.
#include "schedule/fragmentation_placement.hpp"

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

ResourceRequest task(std::uint32_t gpus, std::uint32_t milli, std::uint32_t cpus = 0) {
  ResourceRequest request{1, gpus, cpus};
  request.gpu_milli = milli;
  return request;
}

Groups on_gpu(std::uint32_t server, std::uint32_t gpu) { return {{ServerId{server}, 1, gpu}}; }

// Jobs of these kinds are the mix from now on: they are placed on an empty cluster, where they fit.
void learn(const Placement& placement, const std::vector<ResourceRequest>& kinds) {
  const ClusterState empty(ClusterSpec{{servers(1, 64)}});
  for (const ResourceRequest& kind : kinds) ASSERT_FALSE(placed(placement, empty, kind).empty());
}

// A server with 2 GPUs and 8 cores free, 600 and 300 thousandths of two more.
TEST(Fragmentation, IsWhatAKindCannotUse) {
  const FreeParts free{2, 8, {300, 600}};
  EXPECT_EQ(unusable(free, {1, 200, 0}), 0U);
  EXPECT_EQ(unusable(free, {1, 301, 0}), 300U);    // the smaller part
  EXPECT_EQ(unusable(free, {1, 601, 0}), 900U);    // both; a free GPU takes it
  EXPECT_EQ(unusable(free, {2, 1000, 8}), 900U);   // a whole job uses free GPUs only
  EXPECT_EQ(unusable(free, {3, 1000, 0}), 2900U);  // it cannot run: everything
  EXPECT_EQ(unusable(free, {1, 200, 9}), 2900U);
  EXPECT_EQ(unusable({0, 8, {300, 600}}, {1, 601, 0}), 900U);
  // Three in four ask for 301 thousandths, one for three GPUs: 3 x 300 + 2900.
  const std::vector<CountedKind> mix{{{1, 301, 0}, 3}, {{3, 1000, 0}, 1}};
  EXPECT_EQ(fragmentation(free, mix), 3800U);
}

// Servers of 2 GPUs: both free; one free and 500 of the other.
ClusterState half_and_whole() {
  ClusterState state(ClusterSpec{{servers(2, 2)}});
  state.allocate(on_gpu(1, 0), task(1, 500));
  return state;
}

// Half of the tasks ask for 500 thousandths (A), half for a GPU (B). F of server 0 is 0; of server
// 1: A can use all, B not the 500: (0 + 500) / 2 = 250.
TEST(FragmentationPlacement, TakesWhatNobodyElseCanUse) {
  const FragmentationPlacement placement;
  learn(placement, {task(1, 500), task(1, 1000)});
  // A on server 0: F becomes (0 + 500) / 2, growth 250. On server 1 beside the other: F becomes 0,
  // growth -250. On its free GPU: A can use the two halves, B nothing of 1000: growth 250.
  EXPECT_EQ(placed(placement, half_and_whole(), task(1, 500)), on_gpu(1, 0));
}

TEST(FragmentationPlacement, KeepsTheServerOrderOnTies) {
  const FragmentationPlacement placement;
  learn(placement, {task(1, 500), task(1, 1000)});
  // B on server 0: 0, growth 0; on server 1: F stays 250, growth 0. Bin-packing takes server 1.
  EXPECT_EQ(placed(placement, half_and_whole(), task(1, 1000)), (Groups{on(0, 1)}));
  EXPECT_EQ(placed(BinPacking(), half_and_whole(), task(1, 1000)), (Groups{on(1, 1)}));
}

TEST(FragmentationPlacement, ChoosesTheGpuThatFitsTheMixNotTheTightest) {
  // 700 and 500 are free of the GPUs of a server. The mix asks for 300 and 500, as often.
  ClusterState state(ClusterSpec{{servers(1, 2)}});
  state.allocate(on_gpu(0, 0), task(1, 300));
  state.allocate(on_gpu(0, 1), task(1, 500));
  const FragmentationPlacement placement;
  learn(placement, {task(1, 500), task(1, 300), task(1, 500), task(1, 300)});
  // 300 on the 700: {400, 500}, of which 500 cannot use 400: growth 400 / 2.
  // 300 on the 500: {200, 700}, of which neither can use 200: growth 200 / 2 + 200 / 2.
  EXPECT_EQ(placed(placement, state, task(1, 300)), on_gpu(0, 1));  // a tie: the least room
  learn(placement, {task(1, 300)});
  // Now two in six ask for 500: growths 2 x 400 and 6 x 200.
  EXPECT_EQ(placed(placement, state, task(1, 300)), on_gpu(0, 0));
  EXPECT_EQ(state.choose_gpu(ServerId{0}, task(1, 300)), 1U);
}

TEST(FragmentationPlacement, KeepsCoresWithTheGpusThatNeedThem) {
  // 2 GPUs each, with 4 and 8 cores. Half of the tasks need 4 cores a GPU, half one.
  const ClusterState state(ClusterSpec{{servers(1, 2, 4), servers(1, 2, 8)}});
  const FragmentationPlacement placement;
  learn(placement, {task(1, 1000, 4), task(1, 1000, 1)});
  // One core of server 0 leaves a GPU with 3 cores: half of the tasks cannot use it, growth 500. On
  // server 1 a GPU with 7 cores is left: growth 0.
  EXPECT_EQ(placed(placement, state, task(1, 1000, 1)), (Groups{on(1, 1)}));
}

TEST(FragmentationPlacement, PlacesAGangWorkerByWorker) {
  // 3, 4 and 8 of 8 GPUs free; the mix: 3 of 4 workers ask for 4 GPUs, one for one.
  const ClusterState state = with_free({3, 4, 8});
  const FragmentationPlacement placement;
  learn(placement, {task(4, 1000), task(4, 1000), task(4, 1000), task(1, 1000)});
  // F: 3 x 3 in the first server, 0 in the others. Workers of one GPU take the 3 of the first, each
  // with growth -3; the fourth breaks up server 1 (4 to 3: 3 x 3) or server 2 (8 to 7: 0).
  ResourceRequest gang = task(1, 1000);
  gang.workers = 4;
  EXPECT_EQ(placed(placement, state, gang), (Groups{on(0, 3), on(2, 1)}));
}

TEST(FragmentationPlacement, WhatDoesNotFitTeachesNothing) {
  const ClusterState state = half_and_whole();
  const FragmentationPlacement one;
  const FragmentationPlacement other;
  for (const FragmentationPlacement* placement : {&one, &other}) {
    learn(*placement, {task(1, 500), task(1, 1000)});
  }
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(placed(one, state, task(2, 1000, 0)).size() == 1);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(placed(other, state, task(3, 1000)).empty());
  // Jobs of 2 GPUs would be hurt on server 0: only the one that placed such jobs knows.
  EXPECT_EQ(placed(one, state, task(1, 1000)), (Groups{on(1, 1)}));
  EXPECT_EQ(placed(other, state, task(1, 1000)), (Groups{on(0, 1)}));
}

// The definition: what is free of every GPU, the tasks one by one.
struct PlainServer {
  std::vector<std::uint32_t> gpus;  // thousandths free
  std::uint32_t cpus = 0;
};

std::uint64_t plain_fragmentation(const PlainServer& server,
                                  const std::vector<ResourceRequest>& tasks) {
  std::uint64_t sum = 0;
  for (const ResourceRequest& task : tasks) {
    const auto usable = std::ranges::count_if(
        server.gpus, [&](std::uint32_t free) { return free >= task.gpu_milli; });
    const bool runs =
        usable >= std::ptrdiff_t{task.gpus_per_worker} && server.cpus >= task.cpus_per_worker;
    for (const std::uint32_t free : server.gpus) {
      if (!runs || free < task.gpu_milli) sum += free;
    }
  }
  return sum;
}

ResourceRequest random_task() {
  if (pick(0, 2) == 0) return task(pick(1U, 4U), 1000, pick(0U, 5U));
  return task(1, pick(1U, 10U) * 100, pick(0U, 5U));
}

// Every server, and every GPU of it, by the definition.
WorkerGroup first_of_the_best(const std::vector<PlainServer>& servers, const ResourceRequest& task,
                              const std::vector<ResourceRequest>& mix) {
  WorkerGroup best;
  std::int64_t least = 0;
  std::uint32_t room = 0;
  for (std::uint32_t at = 0; at < servers.size(); ++at) {
    const PlainServer& server = servers[at];
    if (server.cpus < task.cpus_per_worker) continue;
    for (std::uint32_t gpu = 0; gpu < server.gpus.size(); ++gpu) {
      PlainServer after = server;
      after.cpus -= task.cpus_per_worker;
      std::uint32_t missing = task.gpus_per_worker;
      for (std::uint32_t next = gpu; next < after.gpus.size() && missing > 0; ++next) {
        if (after.gpus[next] < task.gpu_milli) continue;
        after.gpus[next] -= task.gpu_milli;
        --missing;
      }
      if (missing > 0 || (task.shares_gpu() && server.gpus[gpu] < task.gpu_milli)) continue;
      const auto growth = static_cast<std::int64_t>(plain_fragmentation(after, mix)) -
                          static_cast<std::int64_t>(plain_fragmentation(server, mix));
      const bool tighter = index(best.server) == at && server.gpus[gpu] < room;
      if (best.workers > 0 && (growth > least || (growth == least && !tighter))) continue;
      best = {ServerId{at}, 1, task.shares_gpu() ? gpu : kWholeGpus};
      least = growth;
      room = server.gpus[gpu];
    }
  }
  return best;
}

RC_GTEST_PROP(FragmentationPlacement, TakesTheLeastGrowthByItsDefinition, ()) {
  ClusterSpec spec;
  std::vector<PlainServer> plain;
  for (int i = pick(1, 5); i > 0; --i) {
    spec.groups.push_back(servers(1, pick(1U, 5U), pick(4U, 20U)));
    plain.push_back(
        {std::vector<std::uint32_t>(spec.groups.back().gpus, kGpuParts), spec.groups.back().cpus});
  }
  ClusterState state(spec);
  const FragmentationPlacement placement;
  std::vector<ResourceRequest> mix;
  // While there are fewer than 20, every job placed changes the mix at once.
  for (int step = pick(1, 18); step > 0; --step) {
    const ResourceRequest next = random_task();
    std::vector<ResourceRequest> known = mix;
    const auto same = [&](const ResourceRequest& other) { return other == next; };
    if (std::ranges::none_of(known, same)) known.push_back(next);
    const WorkerGroup best = first_of_the_best(plain, next, known);
    const Groups groups = placed(placement, state, next);
    RC_ASSERT(groups.empty() == (best.workers == 0));
    if (groups.empty()) continue;
    RC_ASSERT(groups.front() == best);
    mix.push_back(next);
    state.allocate(groups, next);
    PlainServer& server = plain[index(best.server)];
    server.cpus -= next.cpus_per_worker;
    if (next.shares_gpu()) {
      server.gpus[best.gpu] -= next.gpu_milli;
    } else {
      // Whole jobs take the last free ones, so that the first numbers stay those of shared ones.
      std::uint32_t missing = next.gpus_per_worker;
      for (auto gpu = server.gpus.rbegin(); missing > 0; ++gpu) {
        if (*gpu != kGpuParts) continue;
        *gpu = 0;
        --missing;
      }
    }
  }
}

}  // namespace
}  // namespace mosim::test
