// What the jobs that can never start ask for, and what there is for them: for the message.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "sim/engine.hpp"

namespace mosim {
namespace {

struct Demand {
  std::size_t jobs = 0;
  std::uint64_t largest = 0;  // GPUs
  std::uint64_t total = 0;
};

std::uint64_t gpus_of(const ClusterSpec& cluster, const PoolSpec& pool) {
  std::uint64_t gpus = 0;
  for (const std::uint32_t group : pool.groups) {
    gpus += std::uint64_t{cluster.groups[group].count} * cluster.groups[group].gpus;
  }
  return gpus;
}

// "4 of 16 T4 GPUs"
std::string capacity_of(const ClusterSpec& cluster, const PoolSpec& pool, std::uint64_t left) {
  const bool any = pool.gpu_type == kAnyGpuType;
  std::string text =
      fmt::format("{} of {}{} GPUs", left, gpus_of(cluster, pool),
                  any ? std::string() : " " + cluster.gpu_types()[index(pool.gpu_type)]);
  if (!pool.virtual_cluster.empty()) {
    text += fmt::format(" of virtual cluster {} alone", pool.virtual_cluster);
  }
  return text;
}

std::string home_of(const ClusterSpec& cluster, const JobHome& home) {
  std::string text = home.gpu_type == kAnyGpuType
                         ? "any GPU type"
                         : "GPU type " + cluster.gpu_types()[index(home.gpu_type)];
  if (!cluster.virtual_clusters.empty()) {
    const VirtualCluster& owner = cluster.virtual_clusters[index(home.virtual_cluster)];
    text += fmt::format(" in virtual cluster {}", owner.name);
    if (owner.quota > 0) text += fmt::format(" (quota: {} GPUs)", owner.quota);
  }
  return text;
}

}  // namespace

// A line for each virtual cluster and GPU type that jobs wait for. None runs: what is free is all
// that there is.
std::string Engine::who_waits() const {
  std::map<JobHome, Demand> demands;
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    if (states_[i].stage != JobStage::waiting) continue;
    const ResourceRequest& request = jobs_[i].request;
    Demand& demand = demands[{jobs_[i].virtual_cluster, request.gpu_type}];
    ++demand.jobs;
    demand.largest = std::max(demand.largest, request.gpus());
    demand.total += request.gpus();
  }
  std::string text;
  for (const auto& [home, demand] : demands) {
    std::vector<std::string> left;
    for (const PoolId pool : pools_for(spec_, result_.pools, home)) {
      left.push_back(
          capacity_of(spec_, result_.pools[index(pool)], cluster_.pool(pool).total_free_gpus()));
    }
    text += fmt::format("\n  {}: {} jobs wait, the largest for {} GPUs, all for {}; left: {}",
                        home_of(spec_, home), demand.jobs, demand.largest, demand.total,
                        left.empty() ? "none" : join(left, ", "));
  }
  return text;
}

}  // namespace mosim
