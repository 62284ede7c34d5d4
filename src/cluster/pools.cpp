#include <algorithm>

#include "mosim/cluster.hpp"

namespace mosim {
namespace {

GpuTypeId type_of(const std::vector<std::string>& types, const ServerGroup& group) {
  const auto at = std::find(types.begin(), types.end(), canonical_gpu(group.gpu));
  return GpuTypeId{static_cast<std::uint32_t>(at - types.begin())};
}

void add_to_pool(std::vector<PoolSpec>& pools, GpuTypeId type, const std::string& owner,
                 std::uint32_t group) {
  const auto same = [&](const PoolSpec& pool) {
    return pool.gpu_type == type && pool.virtual_cluster == owner;
  };
  const auto at = std::find_if(pools.begin(), pools.end(), same);
  PoolSpec& pool = at != pools.end() ? *at : pools.emplace_back(PoolSpec{type, owner, {}});
  pool.groups.push_back(group);
}

}  // namespace

std::vector<std::string> ClusterSpec::gpu_types() const {
  std::vector<std::string> types;
  for (const ServerGroup& group : groups) {
    std::string type = canonical_gpu(group.gpu);
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  }
  return types;
}

std::vector<PoolSpec> divide_into_pools(const ClusterSpec& spec, bool mix_gpu_types) {
  const std::vector<std::string> types = spec.gpu_types();
  std::vector<PoolSpec> pools;
  const bool mix = mix_gpu_types && types.size() > 1;
  const auto divide = [&](bool by_type) {
    for (std::uint32_t group = 0; group < spec.groups.size(); ++group) {
      const ServerGroup& servers = spec.groups[group];
      const GpuTypeId type = by_type ? type_of(types, servers) : kAnyGpuType;
      add_to_pool(pools, type, servers.virtual_cluster, group);
    }
  };
  if (mix) divide(false);
  divide(true);
  return pools;
}

std::vector<PoolId> pools_for(const ClusterSpec& spec, const std::vector<PoolSpec>& pools,
                              const JobHome& home) {
  std::vector<PoolId> found;
  const bool mixed = !pools.empty() && pools.front().gpu_type == kAnyGpuType;
  for (std::uint32_t pool = 0; pool < pools.size(); ++pool) {
    const std::string& owner = pools[pool].virtual_cluster;
    const bool serves =
        owner.empty() || (index(home.virtual_cluster) < spec.virtual_clusters.size() &&
                          spec.virtual_clusters[index(home.virtual_cluster)].name == owner);
    // Where types mix, a job of any type has the pools of any type, and only those.
    const bool right_type =
        home.gpu_type == pools[pool].gpu_type || (home.gpu_type == kAnyGpuType && !mixed);
    if (serves && right_type) found.push_back(PoolId{pool});
  }
  return found;
}

}  // namespace mosim
