// Random clusters, partly taken: what every placement that ships must do, and that those that
// promise the best of something reach what trying every choice reaches.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>

#include "schedule/places.hpp"
#include "sim/jobs.hpp"

namespace mosim::test {
namespace {

ClusterSpec random_spec() {
  ClusterSpec spec;
  const bool alike = pick(0, 3) == 0;
  for (int i = pick(1, 4); i > 0; --i) {
    ServerGroup group;
    group.count = pick(1U, 4U);
    group.gpus = alike ? 6 : pick(1U, 9U);
    if (!alike && pick(0, 2) == 0) group.cpus = pick(1U, 25U);
    if (pick(0, 3) == 0) group.memory = pick(1U, 9U) * 1e6;
    group.servers_per_rack = pick(0U, 3U);
    spec.groups.push_back(group);
  }
  return spec;
}

void take_some(ClusterState& state) {
  for (std::uint32_t server = 0; server < state.servers(); ++server) {
    if (pick(0, 8) == 0) {
      state.set_accepting(ServerId{server}, false);
      continue;
    }
    const ResourceRequest one{1, 1, pick(0U, 3U), pick(0U, 2U)};
    const std::uint32_t taken = pick(0U, state.capacity_for(ServerId{server}, one) + 1);
    if (taken > 0) state.allocate(Groups{on(server, taken)}, one);
  }
}

ResourceRequest random_request() {
  return {pick(1U, 20U), pick(1U, 4U), pick(0U, 4U), pick(0, 3) == 0 ? 1U : 0U};
}

// How many workers each server takes.
std::vector<std::uint32_t> capacities(const ClusterState& state, const ResourceRequest& request) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t server = 0; server < state.servers(); ++server) {
    const ServerId id{server};
    out.push_back(state.accepting(id) ? state.capacity_for(id, request) : 0);
  }
  return out;
}

std::uint32_t sum(const std::vector<std::uint32_t>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0U);
}

// The fewest of the parts that add up to `enough`, by trying all sets; more than all when none
// does.
std::size_t fewest(const std::vector<std::uint32_t>& parts, std::uint32_t enough) {
  std::size_t best = parts.size() + 1;
  for (std::uint32_t set = 0; set < 1U << parts.size(); ++set) {
    std::uint32_t total = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) total += (set >> i & 1U) != 0 ? parts[i] : 0;
    if (total >= enough) best = std::min(best, static_cast<std::size_t>(std::popcount(set)));
  }
  return best;
}

std::vector<std::uint32_t> by_server(const ClusterState& state, const Groups& groups) {
  std::vector<std::uint32_t> workers(state.servers());
  for (const WorkerGroup& group : groups) workers[index(group.server)] += group.workers;
  return workers;
}

RC_GTEST_PROP(PlacementProperties, PlacesAllWorkersIfTheyFit, ()) {
  ClusterState state(random_spec());
  take_some(state);
  const ResourceRequest request = random_request();
  const std::vector<std::uint32_t> room = capacities(state, request);
  for (const auto& entry : policies().placements()) {
    const auto placement = policies().make_placement(entry.info.name);
    const std::uint32_t most =
        entry.info.name == "consolidate" ? *std::ranges::max_element(room) : sum(room);
    const Groups groups = placed(*placement, state, request);
    RC_ASSERT(groups.empty() == (request.workers > most));
    RC_ASSERT(largest_placement(*placement, state.pool(PoolId{0}), {.request = request}) == most);
    if (groups.empty()) continue;
    RC_ASSERT(sum(by_server(state, groups)) == request.workers);
    std::set<ServerId> seen;
    for (const WorkerGroup& group : groups) {
      RC_ASSERT(seen.insert(group.server).second);
      RC_ASSERT(group.workers > 0U);
      RC_ASSERT(group.workers <= room[index(group.server)]);
    }
    ClusterState after = state;
    after.allocate(groups, request);  // throws when it takes more than is free
  }
}

RC_GTEST_PROP(PlacementProperties, ConsolidateRelaxedUsesTheFewestServers, ()) {
  ClusterState state(random_spec());
  take_some(state);
  const ResourceRequest request = random_request();
  const std::vector<std::uint32_t> room = capacities(state, request);
  RC_PRE(sum(room) >= request.workers);
  RC_ASSERT(placed(ConsolidateRelaxed(), state, request).size() == fewest(room, request.workers));
}

RC_GTEST_PROP(PlacementProperties, TopologyUsesTheFewestRacksThenServers, ()) {
  ClusterState state(random_spec());
  take_some(state);
  const ResourceRequest request = random_request();
  std::map<std::uint32_t, std::vector<std::uint32_t>> racks;
  const std::vector<std::uint32_t> room = capacities(state, request);
  RC_PRE(sum(room) >= request.workers);
  for (std::uint32_t server = 0; server < room.size(); ++server) {
    racks[state.rack(ServerId{server})].push_back(room[server]);
  }
  std::vector<std::uint32_t> totals;
  std::size_t fewest_servers = room.size();  // in one rack
  for (const auto& [rack, servers] : racks) {
    totals.push_back(sum(servers));
    if (totals.back() < request.workers) continue;
    fewest_servers = std::min(fewest_servers, fewest(servers, request.workers));
  }
  const Groups groups = placed(Topology(), state, request);
  std::set<std::uint32_t> used;
  for (const WorkerGroup& group : groups) used.insert(state.rack(group.server));
  RC_ASSERT(used.size() == fewest(totals, request.workers));
  if (used.size() == 1) RC_ASSERT(groups.size() == fewest_servers);
}

// Kubernetes' own way: score every server for every worker. `best_first` compares scores.
template <typename Better>
std::vector<std::uint32_t> scored_one_by_one(ClusterState state, ResourceRequest request,
                                             Better better) {
  std::vector<std::uint32_t> workers(state.servers());
  const std::uint32_t all = request.workers;
  request.workers = 1;
  for (std::uint32_t i = 0; i < all; ++i) {
    const std::vector<std::uint32_t> room = capacities(state, request);
    std::uint32_t best = 0;
    double best_free = 0;
    bool found = false;
    for (std::uint32_t server = 0; server < room.size(); ++server) {
      if (room[server] == 0) continue;
      const ServerId id{server};
      double free = (state.free_gpus(id) - request.gpus_per_worker) * 1.0 / state.gpus(id);
      if (state.cpus(id) > 0) {
        free += (state.free_cpus(id) - request.cpus_per_worker) * 1.0 / state.cpus(id);
        free /= 2;
      }
      if (found && !better(free, best_free)) continue;
      found = true;
      best = server;
      best_free = free;
    }
    ++workers[best];
    state.allocate(Groups{on(best, 1)}, request);
  }
  return workers;
}

RC_GTEST_PROP(PlacementProperties, ScoresAreThoseOfEveryServerForEveryWorker, ()) {
  ClusterState state(random_spec());
  take_some(state);
  const ResourceRequest request = random_request();
  RC_PRE(sum(capacities(state, request)) >= request.workers);
  RC_ASSERT(by_server(state, placed(MostAllocated(), state, request)) ==
            scored_one_by_one(state, request, std::less<>()));
  RC_ASSERT(by_server(state, placed(LeastAllocated(), state, request)) ==
            scored_one_by_one(state, request, std::greater<>()));
}

}  // namespace
}  // namespace mosim::test
