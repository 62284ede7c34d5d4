// One training iteration as a graph of what runs and what waits for what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mosim {

enum class Collective { all_reduce, all_gather, reduce_scatter, all_to_all };

// A compute node or, with `collective`, a collective over all ranks.
struct TraceNode {
  std::string name;
  double compute_s = 0;
  std::optional<Collective> collective;
  // The whole buffer: what a rank holds before an all-reduce, a reduce-scatter or an all-to-all,
  // what it holds after an all-gather.
  double bytes = 0;
  std::vector<std::uint32_t> after;  // positions of the nodes that it waits for
};

// Every rank runs the same nodes.
struct IterationTrace {
  std::vector<TraceNode> nodes;
  std::uint32_t ranks = 1;
};

}  // namespace mosim
