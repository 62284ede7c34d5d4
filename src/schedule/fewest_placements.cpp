// Placements that use as few servers, or racks, as possible.
#include <algorithm>
#include <functional>
#include <span>
#include <tuple>
#include <utility>

#include "schedule/placements.hpp"
#include "schedule/visit_servers.hpp"

namespace mosim {
namespace {

struct Room {
  ServerId server{};
  std::uint32_t capacity = 0;
  std::uint32_t free_gpus = 0;
};

struct Rack {
  std::vector<Room> rooms;  // by capacity, most first
  std::uint64_t capacity = 0;
};

std::uint64_t total_capacity(std::span<const Room> rooms) {
  std::uint64_t total = 0;
  for (const Room& room : rooms) total += room.capacity;
  return total;
}

// The server with the fewest free GPUs that takes the whole job: true when there is one.
bool place_on_one(const ServerPool& servers, const ResourceRequest& request,
                  std::vector<WorkerGroup>& groups) {
  const auto take = [&](ServerId server, std::uint32_t capacity) {
    if (capacity < request.workers) return true;
    groups.push_back(group_on(servers, request, server, request.workers));
    return false;
  };
  const std::uint32_t most = servers.by_free_gpus().most_gpus();
  for (std::uint64_t free = request.shares_gpu() ? 0 : request.gpus(); free <= most; ++free) {
    if (!visit_level(servers, request, static_cast<std::uint32_t>(free), take)) return true;
  }
  return false;
}

// The servers that have room, by how many workers they take, most first.
std::vector<Room> rooms_by_capacity(const ServerPool& servers, const ResourceRequest& request) {
  const std::uint32_t most = servers.by_free_gpus().most_gpus() / request.gpus_per_worker;
  std::vector<std::vector<Room>> by_capacity(std::size_t{most} + 1);
  const auto add = [&](ServerId server, std::uint32_t capacity) {
    by_capacity[capacity].push_back({server, capacity, servers.free_gpus(server)});
    return true;
  };
  visit_fewest_free_first(servers, request, add);
  std::vector<Room> rooms;
  for (std::size_t capacity = most; capacity > 0; --capacity) {
    rooms.insert(rooms.end(), by_capacity[capacity].begin(), by_capacity[capacity].end());
  }
  return rooms;
}

// Fills `rooms` in their order until one holds what is left, which goes to the one with the fewest
// free GPUs that does. They hold all the workers.
void fill_fewest(std::span<const Room> rooms, std::uint32_t workers,
                 std::vector<WorkerGroup>& groups) {
  while (rooms.front().capacity < workers) {
    groups.push_back({rooms.front().server, rooms.front().capacity});
    workers -= rooms.front().capacity;
    rooms = rooms.subspan(1);
  }
  const auto too_small =
      std::ranges::upper_bound(rooms, workers, std::ranges::greater{}, &Room::capacity);
  const auto tightest =
      std::min_element(rooms.begin(), too_small, [](const Room& a, const Room& b) {
        return std::tie(a.free_gpus, a.server) < std::tie(b.free_gpus, b.server);
      });
  groups.push_back({tightest->server, workers});
}

std::size_t fewest_servers(std::span<const Room> rooms, std::uint32_t workers) {
  std::size_t count = 1;
  for (; rooms[count - 1].capacity < workers; ++count) workers -= rooms[count - 1].capacity;
  return count;
}

// The racks with room, those that take the most workers first.
std::vector<Rack> racks_by_capacity(const ServerPool& servers, std::span<const Room> rooms) {
  std::vector<Rack> racks;
  for (const Room& room : rooms) {
    const std::uint32_t rack = servers.rack(room.server);
    if (rack >= racks.size()) racks.resize(std::size_t{rack} + 1);
    racks[rack].rooms.push_back(room);
    racks[rack].capacity += room.capacity;
  }
  std::erase_if(racks, [](const Rack& rack) { return rack.rooms.empty(); });
  std::ranges::stable_sort(racks, std::ranges::greater{}, &Rack::capacity);
  return racks;
}

}  // namespace

bool ConsolidateRelaxed::place(const ServerPool& servers, const PlacementQuery& query,
                               std::vector<WorkerGroup>& groups) const {
  const ResourceRequest& request = query.request;
  groups.clear();
  if (too_large(servers, request)) return false;
  if (place_on_one(servers, request, groups)) return true;
  if (request.workers == 1) return false;
  const std::vector<Room> rooms = rooms_by_capacity(servers, request);
  if (total_capacity(rooms) < request.workers) return false;
  fill_fewest(rooms, request.workers, groups);
  return true;
}

bool Topology::place(const ServerPool& servers, const PlacementQuery& query,
                     std::vector<WorkerGroup>& groups) const {
  const ResourceRequest& request = query.request;
  groups.clear();
  if (too_large(servers, request)) return false;
  if (place_on_one(servers, request, groups)) return true;
  if (request.workers == 1) return false;
  const std::vector<Room> rooms = rooms_by_capacity(servers, request);
  if (total_capacity(rooms) < request.workers) return false;
  const std::vector<Rack> racks = racks_by_capacity(servers, rooms);
  std::uint32_t left = request.workers;
  auto next = racks.begin();
  for (; next->capacity < left; ++next) {
    for (const Room& room : next->rooms) groups.push_back({room.server, room.capacity});
    left -= static_cast<std::uint32_t>(next->capacity);
  }
  const auto too_small =
      std::find_if(next, racks.end(), [&](const Rack& rack) { return rack.capacity < left; });
  const auto best = std::min_element(next, too_small, [&](const Rack& a, const Rack& b) {
    return std::pair(fewest_servers(a.rooms, left), a.capacity) <
           std::pair(fewest_servers(b.rooms, left), b.capacity);
  });
  fill_fewest(best->rooms, left, groups);
  return true;
}

}  // namespace mosim
