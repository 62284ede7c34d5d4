// How much of a shared cluster placements fill with the jobs of Alibaba's trace, as Weng et al. ask
// it: jobs drawn from the trace come until one does not fit.
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "cluster/read_cluster.hpp"
#include "schedule/places.hpp"
#include "support/traces.hpp"

namespace mosim::test {
namespace {

ResourceRequest request_of(const TraceJob& job) {
  ResourceRequest request{job.workers, job.gpus_per_worker, job.cpus_per_worker,
                          job.memory_mb_per_worker};
  if (job.gpu_share < 1) request.gpu_milli = static_cast<std::uint32_t>(job.gpu_share * 1000 + 0.5);
  return request;
}

// The part of the GPUs that is held: when the first job does not fit, and when jobs came that ask
// for all GPUs and those that did not fit left.
struct Filled {
  double first = 0;
  double all = 0;
};

Filled filled(const ClusterSpec& spec, const std::vector<TraceJob>& jobs, const char* name,
              std::uint64_t seed) {
  ClusterState state(spec, true);
  const auto placement = policies().make_placement(name);
  RandomStream stream = RandomStreams(seed, "openb").at(0);
  const auto gpus = static_cast<double>(state.total_gpus());
  Filled filled;
  for (double asked = 0; asked < gpus;) {
    const ResourceRequest request = request_of(jobs[stream.below(jobs.size())]);
    asked += request.gpu_share();
    const Groups groups = placed(*placement, state, request);
    if (groups.empty() && filled.first == 0) filled.first = state.used_gpu_share() / gpus;
    state.allocate(groups, request);
  }
  filled.all = state.used_gpu_share() / gpus;
  return filled;
}

TEST(FragmentationPlacement, FillsASharedClusterFurtherThanBinPacking) {
  const std::string pods = shared_path("traces/alibaba-openb-2023/openb_pod_list_default.csv");
  const std::string nodes = shared_path("traces/alibaba-openb-2023/openb_node_list_gpu_node.csv");
  MOSIM_NEEDS(pods);
  MOSIM_NEEDS(nodes);
  const Trace trace = read_trace({.file = pods});
  const ClusterSpec spec = import_cluster({.file = nodes}).spec;
  Filled gradient_sum, packing_sum;
  constexpr int kDraws = 10;
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const Filled gradient = filled(spec, trace.jobs, "fragmentation", seed);
    const Filled packing = filled(spec, trace.jobs, "bin-packing", seed);
    const Filled most = filled(spec, trace.jobs, "most-allocated", seed);
    std::printf("seed %d: %.4f %.4f %.4f  %.4f %.4f %.4f\n", int(seed), gradient.first,
                packing.first, most.first, gradient.all, packing.all, most.all);
    gradient_sum.first += gradient.first;
    gradient_sum.all += gradient.all;
    packing_sum.first += packing.first;
    packing_sum.all += packing.all;
  }
  std::printf("%.4f %.4f %.4f %.4f\n", gradient_sum.first, packing_sum.first, gradient_sum.all,
              packing_sum.all);
}

}  // namespace
}  // namespace mosim::test
