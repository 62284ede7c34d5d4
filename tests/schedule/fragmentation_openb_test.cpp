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

// The part of the GPUs that is held when the first job does not fit.
double filled(const ClusterSpec& spec, const std::vector<TraceJob>& jobs, const char* name,
              std::uint64_t seed) {
  ClusterState state(spec, true);
  const auto placement = policies().make_placement(name);
  RandomStream stream = RandomStreams(seed, "openb").at(0);
  for (;;) {
    const ResourceRequest request = request_of(jobs[stream.below(jobs.size())]);
    const Groups groups = placed(*placement, state, request);
    if (groups.empty()) return state.used_gpu_share() / static_cast<double>(state.total_gpus());
    state.allocate(groups, request);
  }
}

TEST(FragmentationPlacement, FillsASharedClusterFurtherThanBinPacking) {
  const std::string pods = shared_path("traces/alibaba-openb-2023/openb_pod_list_default.csv");
  const std::string nodes = shared_path("traces/alibaba-openb-2023/openb_node_list_gpu_node.csv");
  MOSIM_NEEDS(pods);
  MOSIM_NEEDS(nodes);
  const Trace trace = read_trace({.file = pods});
  const ClusterSpec spec = import_cluster({.file = nodes}).spec;
  double sum = 0;
  double packed = 0;
  constexpr int kDraws = 5;
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const double gradient = filled(spec, trace.jobs, "fragmentation", seed);
    const double packing = filled(spec, trace.jobs, "bin-packing", seed);
    sum += gradient;
    packed += packing;
  }
  EXPECT_GT(sum / kDraws, packed / kDraws);
}

}  // namespace
}  // namespace mosim::test
