// Jobs that share GPUs: what a server has free, and that nothing is ever given twice.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "mosim/cluster.hpp"

namespace mosim {
namespace {

using Groups = std::vector<WorkerGroup>;

constexpr ServerId kFirst{0};

ServerGroup servers(std::uint32_t count, std::uint32_t gpus, std::uint32_t cpus = 0) {
  ServerGroup group;
  group.count = count;
  group.gpus = gpus;
  group.cpus = cpus;
  return group;
}

ResourceRequest share(std::uint32_t milli, std::uint32_t cpus = 0) {
  ResourceRequest request;
  request.cpus_per_worker = cpus;
  request.gpu_milli = milli;
  return request;
}

Groups on(ServerId server, std::uint32_t gpu) { return {{server, 1, gpu}}; }

// A server of 4 GPUs: 700 and 300 thousandths on GPU 2, 400 on GPU 0, one whole.
ClusterState partly_shared() {
  ClusterState state(ClusterSpec{{servers(1, 4)}});
  state.allocate(on(kFirst, 2), share(700));
  state.allocate(on(kFirst, 2), share(300));
  state.allocate(on(kFirst, 0), share(400));
  state.allocate(Groups{{kFirst, 1}}, {1, 1, 0});
  return state;
}

TEST(GpuShares, AGpuWithAnybodyOnItIsNotFree) {
  ClusterState state = partly_shared();
  EXPECT_EQ(state.free_gpus(kFirst), 1U);
  EXPECT_EQ(state.used_gpus(), 3U);
  EXPECT_DOUBLE_EQ(state.used_gpu_share(), 2.4);  // 0.7 + 0.3 + 0.4 + 1
  EXPECT_EQ(state.stranded_gpus(), 1U);
  EXPECT_EQ(state.pool(PoolId{0}).total_free_gpus(), 1U);
  EXPECT_EQ(state.pool(PoolId{0}).total_shared_room(), 600U);
  state.release(on(kFirst, 2), share(700));
  EXPECT_EQ(state.free_gpus(kFirst), 1U);  // GPU 2 has one job left
  state.release(on(kFirst, 2), share(300));
  state.release(on(kFirst, 0), share(400));
  EXPECT_EQ(state.free_gpus(kFirst), 3U);
  EXPECT_TRUE(state.gpu_rooms(kFirst).empty());
  EXPECT_EQ(state.used_gpu_share(), 1);
}

TEST(GpuShares, CapacityCountsTheJobsThatFit) {
  ClusterState state = partly_shared();
  // One GPU is free, one has room for 600.
  EXPECT_EQ(state.capacity_for(kFirst, share(600)), 2U);
  EXPECT_EQ(state.capacity_for(kFirst, share(601)), 1U);
  EXPECT_EQ(state.capacity_for(kFirst, share(300)), 5U);  // 3 + 2
  EXPECT_EQ(state.capacity_for(kFirst, {1, 1, 0}), 1U);
  state.allocate(Groups{{kFirst, 1}}, {1, 1, 0});
  EXPECT_EQ(state.capacity_for(kFirst, share(601)), 0U);
  EXPECT_EQ(state.capacity_for(kFirst, share(200)), 3U);
}

TEST(GpuShares, CapacityIsAlsoThatOfTheCores) {
  const ClusterState state(ClusterSpec{{servers(1, 4, 5)}});
  EXPECT_EQ(state.capacity_for(kFirst, share(100, 2)), 2U);
  EXPECT_EQ(state.capacity_for(kFirst, share(100, 6)), 0U);
}

TEST(GpuShares, TheBestFitIsTheSharedGpuWithTheLeastRoom) {
  ClusterState state(ClusterSpec{{servers(1, 4)}});
  EXPECT_EQ(state.choose_gpu(kFirst, share(500)), 0U);
  state.allocate(on(kFirst, 1), share(500));
  state.allocate(on(kFirst, 2), share(700));
  EXPECT_EQ(state.choose_gpu(kFirst, share(300)), 2U);
  EXPECT_EQ(state.choose_gpu(kFirst, share(301)), 1U);
  EXPECT_EQ(state.choose_gpu(kFirst, share(501)), 0U);  // a free one
  state.allocate(Groups{{kFirst, 2}}, {2, 1, 0});
  EXPECT_EQ(state.choose_gpu(kFirst, share(501)), kWholeGpus);
  EXPECT_EQ(state.choose_gpu(kFirst, share(400)), 1U);
}

TEST(GpuShares, WhatDoesNotFitThrowsAndChangesNothing) {
  ClusterState state = partly_shared();
  const auto refused = [&](const Groups& groups, const ResourceRequest& request) {
    EXPECT_THROW(state.allocate(groups, request), std::logic_error);
    EXPECT_EQ(state.pool(PoolId{0}).total_free_gpus(), 1U);
    EXPECT_EQ(state.pool(PoolId{0}).total_shared_room(), 600U);
    EXPECT_DOUBLE_EQ(state.used_gpu_share(), 2.4);
  };
  refused(on(kFirst, 0), share(601));
  refused(on(kFirst, 2), share(1));
  refused(on(kFirst, 4), share(1));
  refused(on(kFirst, kWholeGpus), share(1));
  refused({{kFirst, 2, 1}}, share(100));
  refused(on(kFirst, 1), {1, 1, 0});  // whole GPUs have no number
  ResourceRequest two = share(100);
  two.workers = 2;
  refused(on(kFirst, 0), two);
  // The second of two groups on the free GPU and beside it.
  refused({{kFirst, 1, 1}, {kFirst, 1, 3}}, share(500));
  // More than was taken, or never was.
  EXPECT_THROW(state.release(on(kFirst, 0), share(401)), std::logic_error);
  EXPECT_THROW(state.release(on(kFirst, 1), share(1)), std::logic_error);
  EXPECT_THROW(state.release(Groups{{kFirst, 2}}, {2, 1, 0}), std::logic_error);
  EXPECT_EQ(state.free_gpus(kFirst), 1U);
}

TEST(ClusterState, KnowsThePoolsOfAServer) {
  ClusterSpec spec{{servers(1, 8), servers(1, 4)}};
  spec.groups[1].gpu = "T4";
  ClusterState state(spec, true);  // pool 0 has both, 1 and 2 one type each
  state.set_accepting(ServerId{1}, false);
  EXPECT_TRUE(state.in_pool(ServerId{1}, PoolId{0}));
  EXPECT_FALSE(state.in_pool(ServerId{1}, PoolId{1}));
  EXPECT_TRUE(state.in_pool(ServerId{1}, PoolId{2}));
  EXPECT_TRUE(state.in_pool(ServerId{0}, PoolId{1}));
}

TEST(ClusterState, StrandedGpusAreThoseBesideOnesInUse) {
  ClusterState state(ClusterSpec{{servers(3, 4)}});
  EXPECT_EQ(state.stranded_gpus(), 0U);
  state.allocate(Groups{{ServerId{0}, 1}, {ServerId{1}, 4}}, {5, 1, 0});
  EXPECT_EQ(state.stranded_gpus(), 3U);
  state.allocate(on(ServerId{2}, 3), share(1));
  EXPECT_EQ(state.stranded_gpus(), 6U);
  state.set_accepting(ServerId{0}, false);
  EXPECT_EQ(state.stranded_gpus(), 3U);
  state.set_accepting(ServerId{0}, true);
  state.release(on(ServerId{2}, 3), share(1));
  EXPECT_EQ(state.stranded_gpus(), 3U);
}

// A job that holds something, and all that the model knows: the jobs.
struct Held {
  WorkerGroup group;
  ResourceRequest request;
};

struct Use {
  std::uint32_t whole = 0;
  std::uint32_t cpus = 0;
  std::map<std::uint32_t, std::uint32_t> milli;  // by GPU that is shared
};

Use use_of(const std::vector<Held>& jobs, ServerId server) {
  Use use;
  for (const Held& job : jobs) {
    if (job.group.server != server) continue;
    use.cpus += job.group.workers * job.request.cpus_per_worker;
    if (job.request.shares_gpu()) {
      use.milli[job.group.gpu] += job.request.gpu_milli;
    } else {
      use.whole += job.group.workers * job.request.gpus_per_worker;
    }
  }
  return use;
}

// How often the request fits, one job after the other wherever there is room.
std::uint32_t fit_one_by_one(Use use, std::uint32_t gpus, std::uint32_t cpus,
                             const ResourceRequest& request) {
  for (std::uint32_t fit = 0;; ++fit) {
    use.cpus += request.cpus_per_worker;
    if (cpus > 0 && use.cpus > cpus) return fit;
    const auto shared = static_cast<std::uint32_t>(use.milli.size());
    const std::uint32_t free = gpus - use.whole - shared;
    if (!request.shares_gpu()) {
      if (free < request.gpus_per_worker) return fit;
      use.whole += request.gpus_per_worker;
      continue;
    }
    const auto room = std::ranges::find_if(
        use.milli, [&](const auto& one) { return one.second + request.gpu_milli <= kGpuParts; });
    if (room != use.milli.end()) {
      room->second += request.gpu_milli;
    } else if (free > 0) {
      use.milli[1000 + fit] = request.gpu_milli;
    } else {
      return fit;
    }
  }
}

ResourceRequest random_request() {
  const auto pick = [](std::uint32_t low, std::uint32_t high) {
    return *rc::gen::inRange(low, high);
  };
  if (pick(0, 3) > 0) return share(pick(1, 10) * 100 + pick(0, 2), pick(0, 3));
  return {pick(1, 4), pick(1, 3), pick(0, 3)};
}

// All figures of the state from the jobs alone.
void check(const ClusterState& state, const ClusterSpec& spec, const std::vector<Held>& jobs) {
  std::uint64_t free = 0, room = 0, used = 0, stranded = 0, held_milli = 0;
  for (std::uint32_t at = 0; at < state.servers(); ++at) {
    const ServerId server{at};
    const Use use = use_of(jobs, server);
    const std::uint32_t gpus = state.gpus(server);
    const std::uint32_t cpus = spec.groups[at].cpus;
    const std::uint32_t taken = use.whole + static_cast<std::uint32_t>(use.milli.size());
    RC_ASSERT(taken <= gpus);
    RC_ASSERT(cpus == 0U || use.cpus <= cpus);
    RC_ASSERT(state.free_gpus(server) == gpus - taken);
    used += taken;
    held_milli += std::uint64_t{use.whole} * kGpuParts;
    std::vector<std::uint32_t> rooms(use.milli.empty() ? 0 : gpus, kGpuParts);
    std::uint32_t room_here = 0;
    for (const auto& [gpu, milli] : use.milli) {
      RC_ASSERT(milli <= kGpuParts);
      held_milli += milli;
      rooms[gpu] -= milli;
      room_here += rooms[gpu];
    }
    RC_ASSERT(std::ranges::equal(rooms, state.gpu_rooms(server)));
    if (state.accepting(server)) {
      free += gpus - taken;
      room += room_here;
      if (taken > 0) stranded += gpus - taken;
    }
    const ResourceRequest request = random_request();
    RC_ASSERT(state.capacity_for(server, request) == fit_one_by_one(use, gpus, cpus, request));
  }
  RC_ASSERT(state.used_gpus() == used);
  RC_ASSERT(std::abs(state.used_gpu_share() * kGpuParts - static_cast<double>(held_milli)) < 1e-6);
  RC_ASSERT(state.stranded_gpus() == stranded);
  RC_ASSERT(state.pool(PoolId{0}).total_free_gpus() == free);
  RC_ASSERT(state.pool(PoolId{0}).total_shared_room() == room);
}

ClusterSpec random_spec() {
  ClusterSpec spec;
  for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
    spec.groups.push_back(servers(1, *rc::gen::inRange(1U, 5U), *rc::gen::element(0U, 0U, 4U, 9U)));
  }
  return spec;
}

// What the request would take on a server: mostly what the state offers, at times anything.
Held random_try(const ClusterState& state) {
  Held held;
  held.request = random_request();
  held.group.server = ServerId{*rc::gen::inRange(0U, static_cast<unsigned>(state.servers()))};
  if (!held.request.shares_gpu()) {
    held.group.workers = held.request.workers;
  } else {
    held.group.workers = 1;
    held.group.gpu = *rc::gen::inRange(0, 2) == 0
                         ? state.choose_gpu(held.group.server, held.request)
                         : *rc::gen::inRange(0U, 6U);
  }
  return held;
}

bool fits(const ClusterState& state, const ClusterSpec& spec, std::vector<Held> jobs,
          const Held& more) {
  if (!state.accepting(more.group.server)) return false;
  const std::uint32_t gpus = state.gpus(more.group.server);
  if (more.request.shares_gpu() && more.group.gpu >= gpus) return false;
  jobs.push_back(more);
  const Use use = use_of(jobs, more.group.server);
  const std::uint32_t cpus = spec.groups[index(more.group.server)].cpus;
  return use.whole + use.milli.size() <= gpus && (cpus == 0 || use.cpus <= cpus) &&
         std::ranges::all_of(use.milli, [](const auto& one) { return one.second <= kGpuParts; });
}

RC_GTEST_PROP(GpuShares, CountsAreThoseOfTheJobsWhateverComesAndGoes, ()) {
  const ClusterSpec spec = random_spec();
  ClusterState state(spec);
  std::vector<Held> jobs;
  for (int step = *rc::gen::inRange(1, 60); step > 0; --step) {
    const int what = *rc::gen::inRange(0, 8);
    if (what == 0) {
      const ServerId server{*rc::gen::inRange(0U, static_cast<unsigned>(state.servers()))};
      state.set_accepting(server, !state.accepting(server));
    } else if (what < 3 && !jobs.empty()) {
      const auto at = jobs.begin() + *rc::gen::inRange(0, static_cast<int>(jobs.size()));
      state.release(Groups{at->group}, at->request);
      jobs.erase(at);
    } else {
      const Held more = random_try(state);
      if (fits(state, spec, jobs, more)) {
        state.allocate(Groups{more.group}, more.request);
        jobs.push_back(more);
      } else {
        RC_ASSERT_THROWS_AS(state.allocate(Groups{more.group}, more.request), std::logic_error);
      }
    }
    check(state, spec, jobs);
  }
}

}  // namespace
}  // namespace mosim
