#include "mosim/cluster.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace mosim {
namespace {

std::uint32_t racks_in(const ServerGroup& group) {
  if (group.servers_per_rack == 0) return group.count == 0 ? 0 : 1;
  return group.count / group.servers_per_rack + (group.count % group.servers_per_rack != 0 ? 1 : 0);
}

bool names_pods(const ClusterSpec& cluster) {
  return std::ranges::any_of(cluster.groups, [](const auto& group) { return !group.pod.empty(); });
}

// Whole units of 10^6 bytes, as jobs ask for them.
std::uint32_t memory_mb(const ServerGroup& group, std::uint32_t unlimited) {
  if (group.memory <= 0) return unlimited;
  return static_cast<std::uint32_t>(std::min(group.memory / 1e6, 4e9));
}

}  // namespace

std::uint64_t ClusterSpec::servers() const {
  std::uint64_t total = 0;
  for (const ServerGroup& group : groups) total += group.count;
  return total;
}

std::uint64_t ClusterSpec::gpus() const {
  std::uint64_t total = 0;
  for (const ServerGroup& group : groups) total += std::uint64_t{group.count} * group.gpus;
  return total;
}

std::uint64_t ClusterSpec::racks() const {
  std::uint64_t total = 0;
  for (const ServerGroup& group : groups) total += racks_in(group);
  return total;
}

std::vector<std::uint32_t> ClusterSpec::gpus_by_server() const {
  std::vector<std::uint32_t> gpus;
  for (const ServerGroup& group : groups) gpus.insert(gpus.end(), group.count, group.gpus);
  return gpus;
}

std::vector<std::uint32_t> ClusterSpec::racks_by_server() const {
  std::vector<std::uint32_t> racks;
  racks.reserve(servers());
  std::uint32_t first = 0;
  for (const ServerGroup& group : groups) {
    const std::uint32_t per_rack =
        group.servers_per_rack == 0 ? group.count : group.servers_per_rack;
    for (std::uint32_t i = 0; i < group.count; ++i) racks.push_back(first + i / per_rack);
    first += racks_in(group);
  }
  return racks;
}

bool ClusterSpec::has_pods() const { return fabric.pod_racks > 0 || names_pods(*this); }

std::vector<std::string> ClusterSpec::pod_names() const {
  std::vector<std::string> names;
  if (names_pods(*this)) {
    for (const ServerGroup& group : groups) {
      if (std::ranges::find(names, group.pod) == names.end()) names.push_back(group.pod);
    }
    return names;
  }
  const std::uint64_t all = racks();
  const std::uint64_t per_pod = fabric.pod_racks == 0 ? all : fabric.pod_racks;
  for (std::uint64_t rack = 0; rack < all; rack += per_pod) {
    names.push_back(std::to_string(names.size()));
  }
  return names;
}

std::vector<std::uint32_t> ClusterSpec::pods_by_rack() const {
  const bool named = names_pods(*this);
  const auto names = named ? pod_names() : std::vector<std::string>{};
  std::vector<std::uint32_t> pods;
  for (const ServerGroup& group : groups) {
    const auto pod =
        static_cast<std::uint32_t>(std::ranges::find(names, group.pod) - names.begin());
    for (std::uint32_t i = 0; i < racks_in(group); ++i) {
      const auto rack = static_cast<std::uint32_t>(pods.size());
      pods.push_back(named ? pod : fabric.pod_racks == 0 ? 0 : rack / fabric.pod_racks);
    }
  }
  return pods;
}

ClusterState::ClusterState(const ClusterSpec& spec, bool mix_gpu_types)
    : gpus_(spec.gpus_by_server()),
      racks_(spec.racks_by_server()),
      accepting_(gpus_.size(), 1),
      gpu_rooms_(gpus_.size()),
      total_gpus_(spec.gpus()) {
  gpus_up_ = total_gpus_;
  const std::vector<std::string> types = spec.gpu_types();
  std::vector<std::uint32_t> first_servers;
  for (const ServerGroup& group : spec.groups) {
    first_servers.push_back(static_cast<std::uint32_t>(free_.size()));
    const auto type = std::find(types.begin(), types.end(), canonical_gpu(group.gpu));
    gpu_types_.insert(gpu_types_.end(), group.count,
                      GpuTypeId{static_cast<std::uint32_t>(type - types.begin())});
    free_.insert(
        free_.end(), group.count,
        {group.gpus, group.cpus == 0 ? kUnlimited : group.cpus, memory_mb(group, kUnlimited)});
  }
  all_ = free_;
  memberships_.resize(gpus_.size(), {kNoPool, kNoPool});
  for (const PoolSpec& pool : divide_into_pools(spec, mix_gpu_types)) {
    std::uint32_t most = 0;
    for (const std::uint32_t group : pool.groups) most = std::max(most, spec.groups[group].gpus);
    const bool alike = std::ranges::all_of(pool.groups, [&](std::uint32_t group) {
      return spec.groups[group].gpus == most && spec.groups[group].cpus == 0;
    });
    const auto id = static_cast<std::uint32_t>(pools_.size());
    pools_.push_back({FreeGpuIndex(gpus_.size(), most), 0, 0, alike});
    for (const std::uint32_t group : pool.groups) {
      for (std::uint32_t i = 0; i < spec.groups[group].count; ++i) {
        Membership& member = memberships_[first_servers[group] + i];
        (member.pool == kNoPool ? member.pool : member.typed_pool) = id;
      }
    }
  }
  for (std::uint32_t server = 0; server < gpus_.size(); ++server) enter_pools(ServerId{server});
}

void ClusterState::enter_pools(ServerId server) {
  const std::uint32_t free = free_gpus(server);
  const std::uint64_t room = shared_room(server);
  stranded_gpus_ += stranded(server);
  const Membership& member = memberships_[index(server)];
  for (const std::uint32_t pool : {member.pool, member.typed_pool}) {
    if (pool == kNoPool) continue;
    pools_[pool].by_free_gpus.insert(server, free);
    pools_[pool].total_free_gpus += free;
    pools_[pool].total_shared_room += room;
  }
}

void ClusterState::leave_pools(ServerId server) {
  const std::uint32_t free = free_gpus(server);
  const std::uint64_t room = shared_room(server);
  stranded_gpus_ -= stranded(server);
  const Membership& member = memberships_[index(server)];
  for (const std::uint32_t pool : {member.pool, member.typed_pool}) {
    if (pool == kNoPool) continue;
    pools_[pool].by_free_gpus.erase(server, free);
    pools_[pool].total_free_gpus -= free;
    pools_[pool].total_shared_room -= room;
  }
}

void ClusterState::change_free(ServerId server, const Resources& free) {
  const std::uint32_t was = free_[index(server)].gpus;
  const std::uint32_t were_stranded = stranded(server);
  free_[index(server)] = free;
  used_gpus_ = used_gpus_ + was - free.gpus;
  if (!accepting(server)) {
    if (free.gpus == gpus(server)) gpus_up_ -= free.gpus;  // the last job has left
    return;
  }
  stranded_gpus_ = stranded_gpus_ - were_stranded + stranded(server);
  const auto change = [&](ServerPool::Entry& pool) {
    pool.by_free_gpus.erase(server, was);
    pool.by_free_gpus.insert(server, free.gpus);
    pool.total_free_gpus = pool.total_free_gpus - was + free.gpus;
  };
  const Membership& member = memberships_[index(server)];
  change(pools_[member.pool]);
  if (member.typed_pool != kNoPool) change(pools_[member.typed_pool]);
}

void ClusterState::set_accepting(ServerId server, bool accepting) {
  if (this->accepting(server) == accepting) return;
  accepting_[index(server)] = accepting ? 1 : 0;
  if (accepting) {
    enter_pools(server);
  } else {
    leave_pools(server);
  }
  if (free_gpus(server) != gpus(server)) return;  // a server that runs jobs is up anyhow
  gpus_up_ = accepting ? gpus_up_ + gpus(server) : gpus_up_ - gpus(server);
}

bool ClusterState::takes(const WorkerGroup& group, const ResourceRequest& request) const {
  if (!accepting(group.server)) return false;
  const std::uint32_t capacity = capacity_for(group.server, request);
  if (!request.shares_gpu()) return group.gpu == kWholeGpus && group.workers <= capacity;
  if (request.gpus() != 1 || group.workers != 1 || capacity == 0) return false;
  if (group.gpu >= gpus(group.server)) return false;
  const std::span<const std::uint32_t> rooms = gpu_rooms(group.server);
  if (rooms.empty() || rooms[group.gpu] == kGpuParts) return free_gpus(group.server) > 0;
  return rooms[group.gpu] >= request.gpu_milli;
}

void ClusterState::allocate(std::span<const WorkerGroup> groups, const ResourceRequest& request) {
  for (std::size_t taken = 0; taken < groups.size(); ++taken) {
    const WorkerGroup& group = groups[taken];
    if (!takes(group, request)) {
      release(groups.first(taken), request);
      throw std::logic_error("a placement takes more than a server has free");
    }
    Resources free = free_[index(group.server)];
    if (request.shares_gpu()) {
      take_share(group, request.gpu_milli, free);
    } else {
      free.gpus -= group.workers * request.gpus_per_worker;
    }
    free.cpus -= group.workers * request.cpus_per_worker;
    free.memory_mb -= group.workers * request.memory_mb_per_worker;
    change_free(group.server, free);
  }
}

void ClusterState::release(std::span<const WorkerGroup> groups, const ResourceRequest& request) {
  for (const WorkerGroup& group : groups) {
    const bool shares = request.shares_gpu();
    const Resources& all = all_[index(group.server)];
    Resources free = free_[index(group.server)];
    if (!shares) free.gpus += group.workers * request.gpus_per_worker;
    free.cpus += group.workers * request.cpus_per_worker;
    free.memory_mb += group.workers * request.memory_mb_per_worker;
    if (free.gpus > all.gpus || free.cpus > all.cpus || free.memory_mb > all.memory_mb ||
        (shares && !holds_share(group, request.gpu_milli))) {
      throw std::logic_error("a release gives back more than was taken");
    }
    if (shares) give_share(group, request.gpu_milli, free);
    change_free(group.server, free);
  }
}

}  // namespace mosim
