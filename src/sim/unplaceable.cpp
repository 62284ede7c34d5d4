#include <fmt/format.h>

#include <map>
#include <tuple>

#include "mosim/sim.hpp"

namespace mosim {
namespace {

std::string describe(const ResourceRequest& request) {
  std::string text =
      fmt::format("{} workers with {} GPUs", request.workers, request.gpus_per_worker);
  if (request.shares_gpu()) text = fmt::format("{} % of a GPU", request.gpu_milli / 10.0);
  if (request.cpus_per_worker > 0) text += fmt::format(" and {} CPUs", request.cpus_per_worker);
  if (request.memory_mb_per_worker > 0) {
    text += fmt::format(" and {} MB of memory", request.memory_mb_per_worker);
  }
  return request.shares_gpu() ? text : text + " each";
}

// The servers that a job may use: "this cluster" when that is all there is.
std::string describe(const ClusterSpec& cluster, const std::vector<PoolSpec>& pools,
                     const JobHome& home, const std::vector<PoolId>& usable) {
  std::uint64_t gpus = 0;
  std::uint64_t servers = 0;
  for (const PoolId pool : usable) {
    for (const std::uint32_t group : pools[index(pool)].groups) {
      servers += cluster.groups[group].count;
      gpus += std::uint64_t{cluster.groups[group].count} * cluster.groups[group].gpus;
    }
  }
  if (usable.size() == 1 && servers == cluster.servers()) {
    return fmt::format("this cluster of {} GPUs on {} servers", gpus, servers);
  }
  std::string text = fmt::format("the {} GPUs on {} servers that it may use", gpus, servers);
  if (home.gpu_type != kAnyGpuType) {
    text += fmt::format(", of type {}", cluster.gpu_types()[index(home.gpu_type)]);
  }
  if (!cluster.virtual_clusters.empty()) {
    text += fmt::format(", in virtual cluster {}",
                        cluster.virtual_clusters[index(home.virtual_cluster)].name);
  }
  if (usable.size() > 1) text += ", of one kind at a time";
  return text;
}

}  // namespace

std::vector<Unplaceable> find_unplaceable(const ClusterSpec& cluster, std::span<const Job> jobs,
                                          const Placement& placement, bool mix_gpu_types) {
  const ClusterState empty(cluster, mix_gpu_types);
  const std::vector<PoolSpec> pools = divide_into_pools(cluster, mix_gpu_types);
  // The most workers for each kind of worker in each kind of home; a trace has few of both.
  std::map<std::tuple<JobHome, ResourceRequest, std::uint32_t>, std::uint32_t> largest;
  std::vector<Unplaceable> found;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const ResourceRequest& request = jobs[i].request;
    const JobHome home{jobs[i].virtual_cluster, request.gpu_type};
    PlacementQuery one{.request = request, .skew = jobs[i].facts.skew, .forecast = nullptr};
    one.request.workers = 1;
    const std::uint32_t kind = placement.kind_of(one);
    const auto [at, added] = largest.try_emplace({home, one.request, kind});
    if (added) {
      for (const PoolId pool : pools_for(cluster, pools, home)) {
        at->second = std::max(at->second, largest_placement(placement, empty.pool(pool), one));
      }
    }
    const JobIndex job{static_cast<std::uint32_t>(i)};
    if (request.workers > at->second) {
      found.push_back(
          {job, fmt::format("asks for {}; the largest placement of such workers on {} "
                            "is {}",
                            describe(request),
                            describe(cluster, pools, home, pools_for(cluster, pools, home)),
                            at->second)});
    } else if (!cluster.virtual_clusters.empty()) {
      const VirtualCluster& owner = cluster.virtual_clusters[index(home.virtual_cluster)];
      if (owner.quota == 0 || request.gpus() <= owner.quota) continue;
      found.push_back({job, fmt::format("asks for {}; the quota of virtual cluster {} is {} GPUs",
                                        describe(request), owner.name, owner.quota)});
    }
  }
  return found;
}

}  // namespace mosim
