#include "schedule/sensitive_placements.hpp"

#include <algorithm>
#include <tuple>

#include "schedule/placements.hpp"
#include "schedule/visit_servers.hpp"

namespace mosim {
namespace {

// The most workers of the request that an empty server of the pool would take.
std::uint32_t largest_capacity(const ServerPool& servers, const ResourceRequest& request) {
  std::uint32_t most = 0;
  const auto look = [&](ServerId server) {
    std::uint32_t capacity = servers.gpus(server) / request.gpus_per_worker;
    if (servers.cpus(server) > 0 && request.cpus_per_worker > 0) {
      capacity = std::min(capacity, servers.cpus(server) / request.cpus_per_worker);
    }
    most = std::max(most, capacity);
  };
  const FreeGpuIndex& order = servers.by_free_gpus();
  for (std::uint32_t free = 0; free <= order.most_gpus(); ++free) {
    for (std::uint32_t at = order.first_at(free, 0); at != FreeGpuIndex::kNone;
         at = order.first_at(free, at + 1)) {
      look(ServerId{at});
      if (servers.alike()) return most;
    }
  }
  return most;
}

struct Quiet {
  ServerId server{};
  std::uint32_t capacity = 0;
  double load = 0;
};

// Fills the servers with the least loaded NICs; of equal ones those that take the most workers.
bool place_on_quiet(const ServerPool& servers, const PlacementQuery& query,
                    std::vector<WorkerGroup>& groups) {
  groups.clear();
  std::vector<Quiet> rooms;
  std::uint64_t room = 0;
  const auto add = [&](ServerId server, std::uint32_t capacity) {
    rooms.push_back({server, capacity, query.forecast->nic_load(server)});
    room += capacity;
    return true;
  };
  visit_most_free_first(servers, query.request, add);
  if (room < query.request.workers) return false;
  std::ranges::sort(rooms, [](const Quiet& a, const Quiet& b) {
    return std::tie(a.load, b.capacity, a.server) < std::tie(b.load, a.capacity, b.server);
  });
  std::uint32_t left = query.request.workers;
  for (const Quiet& one : rooms) {
    const std::uint32_t workers = std::min(left, one.capacity);
    groups.push_back({one.server, workers});
    left -= workers;
    if (left == 0) break;
  }
  return true;
}

}  // namespace

bool TiresiasPlacement::place(const ServerPool& servers, const PlacementQuery& query,
                              std::vector<WorkerGroup>& groups) const {
  if (kind_of(query) == 0) return BinPacking().place(servers, query, groups);
  if (!ConsolidateRelaxed().place(servers, query, groups)) return false;
  const std::uint32_t capacity = largest_capacity(servers, query.request);
  return groups.size() <= (query.request.workers + capacity - 1) / capacity;
}

std::uint32_t TiresiasPlacement::kind_of(const PlacementQuery& query) const {
  return query.skew > threshold_ ? 1 : 0;
}

MinContention::MinContention() {
  candidates_.push_back(std::make_unique<ConsolidateRelaxed>());
  candidates_.push_back(std::make_unique<Topology>());
  candidates_.push_back(std::make_unique<BinPacking>());
  candidates_.push_back(std::make_unique<LoadBalancing>());
}

bool MinContention::place(const ServerPool& servers, const PlacementQuery& query,
                          std::vector<WorkerGroup>& groups) const {
  if (!candidates_.front()->place(servers, query, groups)) return false;
  if (query.forecast == nullptr) return true;
  double least = query.forecast->added_slowdown(groups);
  std::vector<WorkerGroup> other;
  const auto consider = [&](bool fits) {
    if (!fits) return;
    const double rise = query.forecast->added_slowdown(other);
    if (rise >= least) return;
    least = rise;
    groups.swap(other);
  };
  for (std::size_t i = 1; i < candidates_.size() && least > 0; ++i) {
    consider(candidates_[i]->place(servers, query, other));
  }
  if (least > 0) consider(place_on_quiet(servers, query, other));
  return true;
}

}  // namespace mosim
