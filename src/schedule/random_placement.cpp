#include <algorithm>
#include <utility>

#include "schedule/placements.hpp"
#include "schedule/visit_servers.hpp"

namespace mosim {

bool RandomPlacement::place(const ServerPool& servers, const PlacementQuery& query,
                            std::vector<WorkerGroup>& groups) const {
  const ResourceRequest& request = query.request;
  groups.clear();
  if (too_large(servers, request)) return false;
  struct Open {
    WorkerGroup taken;
    std::uint32_t capacity = 0;
  };
  std::vector<Open> open;
  std::uint64_t room = 0;
  const auto add = [&](ServerId server, std::uint32_t capacity) {
    open.push_back({group_on(servers, request, server, 0), capacity});
    room += capacity;
    return true;
  };
  visit_fewest_free_first(servers, request, add);
  if (room < request.workers) return false;
  RandomStream stream = streams_.at(given_++);
  std::size_t full = 0;  // those in front
  for (std::uint32_t left = request.workers; left > 0; --left) {
    Open& drawn = open[full + stream.below(open.size() - full)];
    if (++drawn.taken.workers == drawn.capacity) std::swap(drawn, open[full++]);
  }
  for (const Open& one : open) {
    if (one.taken.workers > 0) groups.push_back(one.taken);
  }
  std::ranges::sort(groups, {}, &WorkerGroup::server);
  return true;
}

}  // namespace mosim
