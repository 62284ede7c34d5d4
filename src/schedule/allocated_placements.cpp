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
  const std::uint32_t free_gpus = servers.free_gpus(server) - workers * request.gpus_per_worker;
  const double gpus = static_cast<double>(free_gpus) / servers.gpus(server);
  if (servers.cpus(server) == 0) return gpus;
  const std::uint32_t free_cpus = servers.free_cpus(server) - workers * request.cpus_per_worker;
  return (gpus + static_cast<double>(free_cpus) / servers.cpus(server)) / 2;
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
    return !servers.alike() || room < request.workers;  // alike, they come in order of the score
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
    groups.push_back({heap.back().server, workers});
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
    // Alike, they come in order of the score, and no more of them than workers are needed.
    return !servers.alike() || heap.size() < request.workers;
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
      groups.push_back({best.server, 0});
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
