// How long collectives take in ASTRA-sim's analytical backends, or at least take.
#pragma once

#include "profile/astra_sim/inputs.hpp"

namespace mosim::astra_sim {

// One all-reduce on a ring over one Switch dimension; units of the tool's input files.
struct RingAllReduce {
  double bytes = 0;
  std::uint32_t ranks = 1;
  std::uint32_t dataset_splits = 1;
  double bandwidth_gib = 0;
  double latency_ns = 0;
  double endpoint_delay_ns = 0;
  double local_mem_gb = 0;
};

// Exactly what the congestion-unaware backend needs for it, with one active chunk.
[[nodiscard]] double ring_all_reduce_ns(const RingAllReduce& ring);

// The closed form where it holds (less what rounding can make), else the time that the bytes take
// on the slowest dimension.
[[nodiscard]] double least_collective_ns(const Node& node, const Inputs& inputs);

// Lower bounds of a rank's times.
struct Bounds {
  double compute_ns = 0;        // exact: a rank computes one node at a time
  double communication_ns = 0;  // collectives run one at a time
  double wall_ns = 0;           // the longest of both, and of the paths through the graph
};

// For inputs that `check_inputs` takes.
[[nodiscard]] Bounds least_times(const Inputs& inputs);

}  // namespace mosim::astra_sim
