// Jobs that share a GPU. Only a server that has such jobs keeps figures for each of its GPUs.
#include <algorithm>
#include <functional>
#include <numeric>

#include "mosim/cluster.hpp"

namespace mosim {
namespace {

// What is free of a GPU that is shared.
std::uint32_t room_beside_others(std::uint32_t room) { return room == kGpuParts ? 0 : room; }

}  // namespace

std::uint32_t ClusterState::shares_that_fit(ServerId server, std::uint32_t milli) const {
  if (milli == 0) return 0;
  std::uint32_t fit = free_gpus(server) * (kGpuParts / milli);
  for (const std::uint32_t room : gpu_rooms(server)) fit += room_beside_others(room) / milli;
  return fit;
}

std::uint32_t ClusterState::choose_gpu(ServerId server, const ResourceRequest& request) const {
  const std::span<const std::uint32_t> rooms = gpu_rooms(server);
  std::uint32_t best = kWholeGpus;
  for (std::uint32_t gpu = 0; gpu < rooms.size(); ++gpu) {
    if (rooms[gpu] == kGpuParts || rooms[gpu] < request.gpu_milli) continue;
    if (best == kWholeGpus || rooms[gpu] < rooms[best]) best = gpu;
  }
  if (best != kWholeGpus || free_gpus(server) == 0) return best;
  const auto free = std::ranges::find(rooms, kGpuParts);
  return static_cast<std::uint32_t>(free - rooms.begin());
}

std::uint64_t ClusterState::shared_room(ServerId server) const {
  const std::span<const std::uint32_t> rooms = gpu_rooms(server);
  return std::transform_reduce(rooms.begin(), rooms.end(), std::uint64_t{0}, std::plus<>(),
                               room_beside_others);
}

bool ClusterState::holds_share(const WorkerGroup& group, std::uint32_t milli) const {
  const std::span<const std::uint32_t> rooms = gpu_rooms(group.server);
  return group.workers == 1 && group.gpu < rooms.size() && rooms[group.gpu] + milli <= kGpuParts;
}

void ClusterState::take_share(const WorkerGroup& group, std::uint32_t milli, Resources& free) {
  std::vector<std::uint32_t>& rooms = gpu_rooms_[index(group.server)];
  if (rooms.empty()) rooms.assign(gpus(group.server), kGpuParts);
  if (rooms[group.gpu] == kGpuParts) {
    --free.gpus;
    --all_[index(group.server)].gpus;
    ++shared_gpus_;
  }
  shared_milli_ += milli;
  change_room(group.server, group.gpu, rooms[group.gpu] - milli);
}

void ClusterState::give_share(const WorkerGroup& group, std::uint32_t milli, Resources& free) {
  std::vector<std::uint32_t>& rooms = gpu_rooms_[index(group.server)];
  shared_milli_ -= milli;
  change_room(group.server, group.gpu, rooms[group.gpu] + milli);
  if (rooms[group.gpu] < kGpuParts) return;
  ++free.gpus;
  ++all_[index(group.server)].gpus;
  --shared_gpus_;
  if (std::ranges::count(rooms, kGpuParts) == std::ssize(rooms)) rooms.clear();
}

void ClusterState::change_room(ServerId server, std::uint32_t gpu, std::uint32_t room) {
  std::uint32_t& kept = gpu_rooms_[index(server)][gpu];
  const std::uint64_t was = room_beside_others(kept);
  kept = room;
  if (!accepting(server)) return;
  const Membership& member = memberships_[index(server)];
  for (const std::uint32_t pool : {member.pool, member.typed_pool}) {
    if (pool == kNoPool) continue;
    std::uint64_t& total = pools_[pool].total_shared_room;
    total = total - was + room_beside_others(room);
  }
}

}  // namespace mosim
