// Adapter to the user's own ASTRA-sim analytical binary: an iteration in, its times out. Nothing of
// ASTRA-sim is part of MoSim. See docs/astra-sim.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/iteration_trace.hpp"

namespace mosim {

struct AstraSimOptions {
  // One level of the network, the innermost first: each of its GPUs has a link of this speed.
  struct Dimension {
    std::uint32_t npus = 1;
    double bandwidth = 0;  // bytes per second
    double latency_s = 0;
  };

  std::string binary;             // a path, or a name that is looked up in PATH
  bool congestion_aware = false;  // which of the two backends `binary` is
  double timeout_s = 60;
  std::vector<Dimension> dimensions;
  std::uint32_t active_chunks = 1;  // of a dimension; the congestion-unaware backend takes 1 only
  std::uint32_t dataset_splits = 4;
  double endpoint_delay_ns = 10;
  double local_mem_bw = 3350e9;  // bytes per second
  bool keep_files = false;       // leave the folder of the run, for a look at it
};

struct AstraSimRank {
  std::uint64_t wall_ns = 0;
  std::uint64_t compute_ns = 0;
  std::uint64_t communication_ns = 0;  // while a collective runs, waiting for other ranks included
  std::uint64_t exposed_ns = 0;        // wall time without compute
};

// Times of one iteration: the largest of all ranks, and each rank's.
struct AstraSimResult {
  std::uint64_t wall_ns = 0;
  std::uint64_t compute_ns = 0;
  std::uint64_t communication_ns = 0;
  std::uint64_t exposed_ns = 0;
  std::vector<AstraSimRank> ranks;
  std::string folder;  // of the run's files, when they are kept
};

// Runs one iteration. Answers without the binary when there is nothing to exchange: one rank, or an
// iteration without work. Throws RunError that names the cause when the iteration or the options do
// not fit the tool, the run fails, or its output is incomplete or cannot be right.
[[nodiscard]] AstraSimResult run_astra_sim(const IterationTrace& trace,
                                           const AstraSimOptions& options);

}  // namespace mosim
