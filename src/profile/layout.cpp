#include "profile/layout.hpp"

#include <algorithm>
#include <limits>

namespace mosim {
namespace {

std::uint32_t divide_up(std::uint32_t a, std::uint32_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace

double GroupSpan::ring_bandwidth() const {
  return servers > 1 ? std::min(inside, between) : inside;
}

// The slowest of everything counts in a mixed cluster: a job's profile does not know its servers.
RankLayout lay_out(std::uint32_t gpus, const ClusterSpec& cluster, Layout layout) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  RankLayout result;
  result.ranks = gpus;
  result.inside = result.between = kNoLimit;
  std::uint32_t gpus_per_server = std::numeric_limits<std::uint32_t>::max();
  double shared_inside = kNoLimit;
  for (const ServerGroup& group : cluster.groups) {
    const GpuSpec& gpu = known_gpu(group.gpu);
    gpus_per_server = std::min(gpus_per_server, group.gpus);
    result.inside = std::min(result.inside, gpu.intra_bandwidth);
    result.inside_delay = std::max(result.inside_delay, gpu.intra_latency_s);
    result.between = std::min(result.between, group.nic * group.nics);
    result.between_delay = std::max(result.between_delay, group.latency_s);
    if (group.intra > 0) shared_inside = std::min(shared_inside, group.intra);
  }
  const auto servers = static_cast<std::uint32_t>(cluster.servers());
  result.servers = layout == Layout::packed ? divide_up(gpus, gpus_per_server)
                                            : std::min(gpus, std::max(servers, 1U));
  result.per_server = divide_up(gpus, result.servers);
  // A limit on what a server's GPUs exchange in all is divided among those that do.
  result.inside = std::min(result.inside, shared_inside / result.per_server);
  return result;
}

GroupSpan span_of(const RankGroup& group, const RankLayout& layout) {
  GroupSpan span;
  span.size = group.size;
  span.per_server = std::clamp(layout.per_server / group.stride, 1U, group.size);
  span.servers = divide_up(group.size, span.per_server);
  // Every rank of a server belongs to a group of this kind; those that cross share the NIC.
  const double groups = std::max(1U, layout.per_server / span.per_server);
  span.inside = layout.inside;
  span.between = layout.between / groups;
  span.inside_delay = layout.inside_delay;
  span.between_delay = layout.between_delay;
  if (layout.servers == 1) {
    span.servers = 1;
  } else if (group.size > 1 && span.servers == 1 &&
             layout.per_server % (group.size * group.stride) != 0) {
    // It would fit, but a border of servers goes through some groups, and the slowest counts.
    span.servers = 2;
    span.per_server = divide_up(group.size, 2);
  }
  return span;
}

RankGroup group_of(Communicator communicator, std::uint32_t gpus, const Parallelism& parallelism) {
  const std::uint32_t replicas = gpus / (parallelism.tensor * parallelism.pipeline);
  switch (communicator) {
    case Communicator::data:
      return {replicas, parallelism.tensor};
    case Communicator::tensor:
      return {parallelism.tensor, 1};
    case Communicator::pipeline:
      return {parallelism.pipeline, parallelism.tensor * replicas};
    case Communicator::expert:
      return {parallelism.expert, parallelism.tensor};
    case Communicator::expert_data:
      return {replicas / parallelism.expert, parallelism.tensor * parallelism.expert};
  }
  return {};
}

}  // namespace mosim
