// Walking the servers of a pool that have room for a worker.
#pragma once

#include "mosim/schedule.hpp"

namespace mosim {

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

// The same for all servers, those with the fewest free GPUs first.
template <typename Visit>
bool visit_fewest_free_first(const ServerPool& servers, const ResourceRequest& request,
                             Visit&& visit) {
  const std::uint32_t most = servers.by_free_gpus().most_gpus();
  for (std::uint32_t free = request.gpus_per_worker; free <= most; ++free) {
    if (!visit_level(servers, request, free, visit)) return false;
  }
  return true;
}

// The same, those with the most free GPUs first.
template <typename Visit>
bool visit_most_free_first(const ServerPool& servers, const ResourceRequest& request,
                           Visit&& visit) {
  const std::uint32_t least = request.gpus_per_worker;
  for (std::uint32_t free = servers.by_free_gpus().most_gpus(); free >= least; --free) {
    if (!visit_level(servers, request, free, visit)) return false;
  }
  return true;
}

// A quick no for what cannot fit.
inline bool too_large(const ServerPool& servers, const ResourceRequest& request) {
  return request.gpus() > servers.total_free_gpus() ||
         request.gpus_per_worker > servers.by_free_gpus().most_gpus();
}

}  // namespace mosim
