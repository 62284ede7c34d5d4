#include "profile/astra_sim/closed_form.hpp"

#include <algorithm>
#include <cmath>

namespace mosim::astra_sim {
namespace {

constexpr double kNsPerUs = 1e3;

double bytes_per_ns(double gib_per_s) { return gib_per_s * 1073741824.0 / 1e9; }

// What a rank sends on dimension `d` at least. An all-reduce works on all S bytes in the first
// dimension and on 1/n of them in each further one. How the tool orders the dimensions of other
// collectives is not known here: what must cross dimension d in any order counts.
double least_bytes(const Node& node, const Inputs& inputs, std::size_t d) {
  const double size = static_cast<double>(node.comm_size);
  const double npus = inputs.dimensions[d].npus;
  if (node.collective == Collective::all_reduce) {
    double inside = 1;
    for (std::size_t i = 0; i < d; ++i) inside *= inputs.dimensions[i].npus;
    return 2 * (npus - 1) / npus * size / inside;
  }
  const double shard =
      node.collective == Collective::all_gather ? size : size / static_cast<double>(inputs.ranks);
  return (npus - 1) * shard;
}

}  // namespace

// With k splits a chunk's message is m = S / k / N bytes. Each of the 2(N-1) steps crosses two
// links to and from the switch: floor(2L + m/B) + E. N-1 of the steps reduce, which reads two
// values and writes one: 3(N-1) floor(m/M). The chunks run one after the other.
double ring_all_reduce_ns(const RingAllReduce& ring) {
  const double steps = ring.ranks - 1.0;
  const double m = ring.bytes / ring.dataset_splits / ring.ranks;
  const double step_ns = std::floor(2 * ring.latency_ns + m / bytes_per_ns(ring.bandwidth_gib)) +
                         ring.endpoint_delay_ns;
  const double reduce_ns = std::floor(m / (ring.local_mem_gb * 1e9) * 1e9);
  return ring.dataset_splits *
         (2 * steps * step_ns + ring.endpoint_delay_ns + 3 * steps * reduce_ns);
}

double least_collective_ns(const Node& node, const Inputs& inputs) {
  const bool exact = node.collective == Collective::all_reduce && !inputs.congestion_aware &&
                     inputs.dimensions.size() == 1 && inputs.active_chunks == 1;
  if (exact) {
    const NetworkDimension& network = inputs.dimensions[0];
    const double ns =
        ring_all_reduce_ns({static_cast<double>(node.comm_size), network.npus,
                            inputs.dataset_splits, network.bandwidth_gib, network.latency_ns,
                            static_cast<double>(inputs.endpoint_delay_ns), inputs.local_mem_gb});
    // Whether a number just at a whole one is rounded down may differ in the tool: 1 ns each time.
    return std::max(0.0, ns - inputs.dataset_splits * 5.0 * (network.npus - 1.0));
  }
  double least = 0;
  for (std::size_t d = 0; d < inputs.dimensions.size(); ++d) {
    least = std::max(
        least, least_bytes(node, inputs, d) / bytes_per_ns(inputs.dimensions[d].bandwidth_gib));
  }
  return least;
}

Bounds least_times(const Inputs& inputs) {
  Bounds bounds;
  std::vector<std::vector<std::uint32_t>> after;
  after.reserve(inputs.nodes.size());
  for (const Node& node : inputs.nodes) after.push_back(node.after);
  std::vector<double> end(inputs.nodes.size(), 0);
  for (const std::uint32_t at : topological_order(after)) {
    const Node& node = inputs.nodes[at];
    double start = 0;
    for (const std::uint32_t before : node.after) start = std::max(start, end[before]);
    const double ns = node.collective ? least_collective_ns(node, inputs)
                                      : static_cast<double>(node.duration_us) * kNsPerUs;
    (node.collective ? bounds.communication_ns : bounds.compute_ns) += ns;
    end[at] = start + ns;
    bounds.wall_ns = std::max(bounds.wall_ns, end[at]);
  }
  bounds.wall_ns = std::max({bounds.wall_ns, bounds.compute_ns, bounds.communication_ns});
  return bounds;
}

}  // namespace mosim::astra_sim
