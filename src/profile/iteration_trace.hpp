// One training iteration of a rank as a dependency graph: what it computes, which collectives it
// joins, and what waits for what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mosim/characterize.hpp"

namespace mosim {

// A computation, or a collective.
struct TraceNode {
  std::string name;
  double compute_s = 0;
  std::optional<Collective> collective;
  double bytes = 0;  // of a collective: what is reduced, gathered, scattered or sent
  std::vector<std::uint32_t> after;  // positions of the nodes it waits for, all before its own
  Communicator group = Communicator::data;
};

// Every rank does the same.
struct IterationTrace {
  std::vector<TraceNode> nodes;
  std::uint32_t ranks = 1;
};

}  // namespace mosim
