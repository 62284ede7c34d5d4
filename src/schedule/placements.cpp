#include "schedule/placements.hpp"

#include <algorithm>

#include "schedule/visit_servers.hpp"

namespace mosim {

bool BinPacking::place(const ServerPool& servers, const PlacementQuery& query,
                       std::vector<WorkerGroup>& groups) const {
  const ResourceRequest& request = query.request;
  groups.clear();
  if (too_large(servers, request)) return false;
  std::uint32_t left = request.workers;
  const auto take = [&](ServerId server, std::uint32_t capacity) {
    const std::uint32_t workers = std::min(left, capacity);
    groups.push_back(group_on(servers, request, server, workers));
    left -= workers;
    return left > 0;
  };
  return !visit_fewest_free_first(servers, request, take);
}

bool LoadBalancing::place(const ServerPool& servers, const PlacementQuery& query,
                          std::vector<WorkerGroup>& groups) const {
  const ResourceRequest& request = query.request;
  groups.clear();
  if (too_large(servers, request)) return false;
  // The first round: one worker for each server, as far as they go.
  const auto take = [&](ServerId server, std::uint32_t) {
    groups.push_back(group_on(servers, request, server, 1));
    return groups.size() < request.workers;
  };
  if (!visit_most_free_first(servers, request, take)) return true;
  // More rounds over the same servers, while any has room.
  auto left = request.workers - static_cast<std::uint32_t>(groups.size());
  for (bool dealt = true; dealt && left > 0;) {
    dealt = false;
    for (WorkerGroup& group : groups) {
      if (left == 0) break;
      if (group.workers == servers.capacity_for(group.server, request)) continue;
      ++group.workers;
      --left;
      dealt = true;
    }
  }
  return left == 0;
}

bool Consolidate::place(const ServerPool& servers, const PlacementQuery& query,
                        std::vector<WorkerGroup>& groups) const {
  const ResourceRequest& request = query.request;
  groups.clear();
  if (too_large(servers, request) || request.gpus() > servers.by_free_gpus().most_gpus()) {
    return false;
  }
  const auto take = [&](ServerId server, std::uint32_t capacity) {
    if (capacity < request.workers) return true;
    groups.push_back(group_on(servers, request, server, request.workers));
    return false;
  };
  const std::uint64_t least = request.shares_gpu() ? 0 : request.gpus();
  for (std::uint32_t above = servers.by_free_gpus().most_gpus() + 1; above > least; --above) {
    if (!visit_level(servers, request, above - 1, take)) return true;
  }
  return false;
}

}  // namespace mosim
