#include <fmt/format.h>

#include <map>

#include "mosim/sim.hpp"

namespace mosim {
namespace {

std::string describe(const ResourceRequest& request) {
  std::string text =
      fmt::format("{} workers with {} GPUs", request.workers, request.gpus_per_worker);
  if (request.cpus_per_worker > 0) text += fmt::format(" and {} CPUs", request.cpus_per_worker);
  return text + " each";
}

}  // namespace

std::vector<Unplaceable> find_unplaceable(const ClusterSpec& cluster, std::span<const Job> jobs,
                                          const Placement& placement) {
  // The most workers for each kind of worker; a trace has few kinds.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> largest;
  std::vector<Unplaceable> found;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const ResourceRequest& request = jobs[job].request;
    const auto [at, added] =
        largest.try_emplace({request.gpus_per_worker, request.cpus_per_worker});
    if (added) at->second = largest_placement(placement, cluster, request);
    if (request.workers <= at->second) continue;
    found.push_back(
        {JobIndex{static_cast<std::uint32_t>(job)},
         fmt::format("asks for {}; the largest placement of such workers on this "
                     "cluster of {} GPUs on {} servers is {}",
                     describe(request), cluster.gpus(), cluster.servers(), at->second)});
  }
  return found;
}

}  // namespace mosim
