// Small clusters for tests of placements, and where a placement puts a request on them.
#pragma once

#include <vector>

#include "schedule/placements.hpp"

namespace mosim::test {

using Groups = std::vector<WorkerGroup>;

inline WorkerGroup on(std::uint32_t server, std::uint32_t workers) {
  return {ServerId{server}, workers};
}

inline ServerGroup servers(std::uint32_t count, std::uint32_t gpus, std::uint32_t cpus = 0) {
  ServerGroup group;
  group.count = count;
  group.gpus = gpus;
  group.cpus = cpus;
  return group;
}

// The cluster with this many GPUs of each server free.
inline ClusterState with_free(const ClusterSpec& spec, const std::vector<std::uint32_t>& free) {
  ClusterState state(spec);
  for (std::uint32_t server = 0; server < free.size(); ++server) {
    const std::uint32_t taken = state.gpus(ServerId{server}) - free[server];
    if (taken > 0) state.allocate(Groups{on(server, taken)}, {taken, 1, 0});
  }
  return state;
}

// Servers of 8 GPUs with this many of them free.
inline ClusterState with_free(const std::vector<std::uint32_t>& free) {
  return with_free(ClusterSpec{{servers(static_cast<std::uint32_t>(free.size()), 8)}}, free);
}

// Where a request goes; nothing when it does not fit.
inline Groups placed(const Placement& placement, const ClusterState& state,
                     const ResourceRequest& request) {
  // What stood in `groups` before must not matter.
  Groups groups{on(0, 99)};
  if (!placement.place(state.pool(PoolId{0}), {.request = request}, groups)) groups.clear();
  return groups;
}

}  // namespace mosim::test
