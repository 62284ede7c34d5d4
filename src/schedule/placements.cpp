#include "schedule/placements.hpp"

#include <algorithm>

namespace mosim {
namespace {

// Calls `visit(server, capacity)` for the servers with exactly `free` GPUs free that can take a
// worker, in server order, until it returns false. False when it did.
template <typename Visit>
bool visit_level(const ServerPool& servers, const ResourceRequest& request, std::uint32_t free,
                 Visit&& visit) {
  const FreeGpuIndex& order = servers.by_free_gpus();
  for (std::uint32_t at = order.first_at(free, 0); at != FreeGpuIndex::kNone;
       at = order.first_at(free, at + 1)) {
    const ServerId server{at};
    const std::uint32_t capacity = servers.capacity_for(server, request);
    if (capacity > 0 && !visit(server, capacity)) return false;
  }
  return true;
}

bool too_large(const ServerPool& servers, const ResourceRequest& request) {
  return request.gpus() > servers.total_free_gpus() ||
         request.gpus_per_worker > servers.by_free_gpus().most_gpus();
}

}  // namespace

bool BinPacking::place(const ServerPool& servers, const ResourceRequest& request,
                       std::vector<WorkerGroup>& groups) const {
  groups.clear();
  if (too_large(servers, request)) return false;
  std::uint32_t left = request.workers;
  const auto take = [&](ServerId server, std::uint32_t capacity) {
    const std::uint32_t workers = std::min(left, capacity);
    groups.push_back({server, workers});
    left -= workers;
    return left > 0;
  };
  const std::uint32_t most = servers.by_free_gpus().most_gpus();
  for (std::uint32_t free = request.gpus_per_worker; free <= most; ++free) {
    if (!visit_level(servers, request, free, take)) return true;
  }
  return false;
}

bool LoadBalancing::place(const ServerPool& servers, const ResourceRequest& request,
                          std::vector<WorkerGroup>& groups) const {
  groups.clear();
  if (too_large(servers, request)) return false;
  // The first round: one worker for each server, as far as they go.
  const auto take = [&](ServerId server, std::uint32_t) {
    groups.push_back({server, 1});
    return groups.size() < request.workers;
  };
  for (std::uint32_t free = servers.by_free_gpus().most_gpus(); free >= request.gpus_per_worker;
       --free) {
    if (!visit_level(servers, request, free, take)) return true;
  }
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

bool Consolidate::place(const ServerPool& servers, const ResourceRequest& request,
                        std::vector<WorkerGroup>& groups) const {
  groups.clear();
  if (too_large(servers, request) || request.gpus() > servers.by_free_gpus().most_gpus()) {
    return false;
  }
  const auto take = [&](ServerId server, std::uint32_t capacity) {
    if (capacity < request.workers) return true;
    groups.push_back({server, request.workers});
    return false;
  };
  for (std::uint32_t free = servers.by_free_gpus().most_gpus(); free >= request.gpus(); --free) {
    if (!visit_level(servers, request, free, take)) return true;
  }
  return false;
}

}  // namespace mosim
