// Kubernetes' NodeResourcesFit scores. A server's score depends on the server alone, so only the
// one that got a worker is scored again.
#include <algorithm>
#include <tuple>

#include "schedule/placements.hpp"
#include "schedule/visit_servers.hpp"

namespace mosim {
namespace {

struct Scored {
  ServerId server{};
  std::uint32_t capacity = 0;
  double free_part = 0;
  std::size_t group = 0;  // where its workers are counted; unknown while it has none
  std::uint32_t workers = 0;
};

// The mean part of its GPUs, and of its CPU cores where it limits them, that a server has free once
// it has `workers` more.
double free_part(const ServerPool& servers, ServerId server, const ResourceRequest& request,
                 std::uint32_t workers) {
  const std::uint64_t free = servers.free_gpus(server) * std::uint64_t{kGpuParts} +
                             servers.shared_room(server) -
                             std::uint64_t{workers} * request.gpus_per_worker * request.gpu_milli;
  const double gpus = static_cast<double>(free) /
                      static_cast<double>(std::uint64_t{kGpuParts} * servers.gpus(server));
  if (servers.cpus(server) == 0) return gpus;
  const std::uint32_t free_cpus = servers.free_cpus(server) - workers * request.cpus_per_worker;
  return (gpus + static_cast<double>(free_cpus) / servers.cpus(server)) / 2;
}

// Whether the servers come in the order of the score when they come in that of free GPUs.
bool ordered(const ServerPool& servers) {
  return servers.alike() && servers.total_shared_room() == 0;
}

Scored scored(const ServerPool& servers, ServerId server, const ResourceRequest& request,
              std::uint32_t capacity) {
  return {
      .server = server, .capacity = capacity, .free_part = free_part(servers, server, request, 1)};
}

}  // namespace

bool MostAllocated::place(const ServerPool& servers, const PlacementQuery& query,
                          std::vector<WorkerGroup>& groups) const {
  const ResourceRequest& request = query.request;
  groups.clear();
  if (too_large(servers, request)) return false;
  std::vector<Scored> heap;
  std::uint64_t room = 0;
  const auto add = [&](ServerId server, std::uint32_t capacity) {
    heap.push_back(scored(servers, server, request, capacity));
    room += capacity;
    return !ordered(servers) || room < request.workers;  // in order of the score
  };
  visit_fewest_free_first(servers, request, add);
  if (room < request.workers) return false;
  const auto later = [](const Scored& a, const Scored& b) {
    return std::tie(a.free_part, a.server) > std::tie(b.free_part, b.server);
  };
  std::ranges::make_heap(heap, later);
  // A worker raises the score of the server that it goes to: so the next one follows it.
  for (std::uint32_t left = request.workers; left > 0; heap.pop_back()) {
    std::ranges::pop_heap(heap, later);
    const std::uint32_t workers = std::min(left, heap.back().capacity);
    groups.push_back(group_on(servers, request, heap.back().server, workers));
    left -= workers;
  }
  return true;
}

bool LeastAllocated::place(const ServerPool& servers, const PlacementQuery& query,
                           std::vector<WorkerGroup>& groups) const {
  const ResourceRequest& request = query.request;
  groups.clear();
  if (too_large(servers, request)) return false;
  std::vector<Scored> heap;
  std::uint64_t room = 0;
  const auto add = [&](ServerId server, std::uint32_t capacity) {
    heap.push_back(scored(servers, server, request, capacity));
    room += capacity;
    // In order of the score, no more of them than workers are needed.
    return !ordered(servers) || heap.size() < request.workers;
  };
  visit_most_free_first(servers, request, add);
  if (room < request.workers) return false;
  const auto later = [](const Scored& a, const Scored& b) {
    return std::tie(b.free_part, a.server) > std::tie(a.free_part, b.server);
  };
  std::ranges::make_heap(heap, later);
  for (std::uint32_t left = request.workers; left > 0; --left) {
    std::ranges::pop_heap(heap, later);
    Scored& best = heap.back();
    if (best.workers == 0) {
      best.group = groups.size();
      groups.push_back(group_on(servers, request, best.server, 0));
    }
    groups[best.group].workers = ++best.workers;
    if (best.workers == best.capacity) {
      heap.pop_back();
      continue;
    }
    best.free_part = free_part(servers, best.server, request, best.workers + 1);
    std::ranges::push_heap(heap, later);
  }
  return true;
}

}  // namespace mosim
