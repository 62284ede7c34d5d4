#include "mosim/cluster.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace mosim {
namespace {

std::uint32_t most_gpus(const ClusterSpec& spec) {
  std::uint32_t most = 0;
  for (const ServerGroup& group : spec.groups) most = std::max(most, group.gpus);
  return most;
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

std::vector<std::uint32_t> ClusterSpec::gpus_by_server() const {
  std::vector<std::uint32_t> gpus;
  for (const ServerGroup& group : groups) gpus.insert(gpus.end(), group.count, group.gpus);
  return gpus;
}

ClusterState::ClusterState(const ClusterSpec& spec)
    : gpus_(spec.gpus_by_server()),
      free_gpus_(gpus_),
      total_gpus_(spec.gpus()),
      total_free_gpus_(total_gpus_),
      by_free_gpus_(gpus_.size(), most_gpus(spec)) {
  constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max();
  for (const ServerGroup& group : spec.groups) {
    cpus_.insert(cpus_.end(), group.count, group.cpus == 0 ? kUnlimited : group.cpus);
  }
  free_cpus_ = cpus_;
  for (std::uint32_t server = 0; server < gpus_.size(); ++server) {
    by_free_gpus_.insert(ServerId{server}, gpus_[server]);
  }
}

void ClusterState::change_free(ServerId server, std::uint32_t gpus, std::uint32_t cpus) {
  by_free_gpus_.erase(server, free_gpus_[index(server)]);
  total_free_gpus_ += gpus;
  total_free_gpus_ -= free_gpus_[index(server)];
  free_gpus_[index(server)] = gpus;
  free_cpus_[index(server)] = cpus;
  by_free_gpus_.insert(server, gpus);
}

void ClusterState::allocate(std::span<const WorkerGroup> groups, const ResourceRequest& request) {
  for (std::size_t taken = 0; taken < groups.size(); ++taken) {
    const WorkerGroup& group = groups[taken];
    if (group.workers > capacity_for(group.server, request)) {
      release(groups.first(taken), request);
      throw std::logic_error("a placement takes more than a server has free");
    }
    change_free(group.server, free_gpus(group.server) - group.workers * request.gpus_per_worker,
                free_cpus(group.server) - group.workers * request.cpus_per_worker);
  }
}

void ClusterState::release(std::span<const WorkerGroup> groups, const ResourceRequest& request) {
  for (const WorkerGroup& group : groups) {
    const std::size_t server = index(group.server);
    const std::uint32_t gpus = free_gpus_[server] + group.workers * request.gpus_per_worker;
    const std::uint32_t cpus = free_cpus_[server] + group.workers * request.cpus_per_worker;
    if (gpus > gpus_[server] || cpus > cpus_[server]) {
      throw std::logic_error("a release gives back more than was taken");
    }
    change_free(group.server, gpus, cpus);
  }
}

}  // namespace mosim
