// Walking the servers of a pool that have room for a worker.
#pragma once

#include "mosim/schedule.hpp"

namespace mosim {

// The fewest free GPUs that a server with room for a worker has: none where there is room beside
// others on a GPU.
inline std::uint32_t least_free_gpus(const ServerPool& servers, const ResourceRequest& request) {
  if (!request.shares_gpu()) return request.gpus_per_worker;
  return servers.total_shared_room() >= request.gpu_milli ? 0 : 1;
}

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
  for (std::uint32_t free = least_free_gpus(servers, request); free <= most; ++free) {
    if (!visit_level(servers, request, free, visit)) return false;
  }
  return true;
}

// The same, those with the most free GPUs first.
template <typename Visit>
bool visit_most_free_first(const ServerPool& servers, const ResourceRequest& request,
                           Visit&& visit) {
  const std::uint32_t least = least_free_gpus(servers, request);
  for (std::uint32_t above = servers.by_free_gpus().most_gpus() + 1; above > least; --above) {
    const std::uint32_t free = above - 1;
    if (!visit_level(servers, request, free, visit)) return false;
  }
  return true;
}

// `workers` on a server; one that shares a GPU, on the one that it fits best.
inline WorkerGroup group_on(const ServerPool& servers, const ResourceRequest& request,
                            ServerId server, std::uint32_t workers) {
  return {server, workers, request.shares_gpu() ? servers.choose_gpu(server, request) : kWholeGpus};
}

// A quick no for what cannot fit.
inline bool too_large(const ServerPool& servers, const ResourceRequest& request) {
  if (request.shares_gpu()) {
    return request.gpus() != 1 ||
           (servers.total_free_gpus() == 0 && servers.total_shared_room() < request.gpu_milli);
  }
  return request.gpus() > servers.total_free_gpus() ||
         request.gpus_per_worker > servers.by_free_gpus().most_gpus();
}

}  // namespace mosim
