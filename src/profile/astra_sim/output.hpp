// Reading and judging what ASTRA-sim printed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/astra_sim/astra_sim.hpp"
#include "profile/astra_sim/child_process.hpp"
#include "profile/astra_sim/closed_form.hpp"

namespace mosim::astra_sim {

// What a right answer looks like.
struct Expected {
  std::uint32_t ranks = 0;
  bool computes = true;      // else there is no line `GPU time`
  bool communicates = true;  // else there is no line `Comm time`
  Bounds bounds;
};

[[nodiscard]] Expected expected_output(const Inputs& inputs);

// The times of each rank. Throws RunError, with the tool's own words where it has any, when the run
// did not end well, a line is missing, twice there or unreadable, or a rank's times do not add up.
[[nodiscard]] std::vector<AstraSimRank> read_output(const ChildResult& run,
                                                    const Expected& expected);

// Throws RunError when times cannot be right: below the lower bounds, or other compute than given.
void check_times(const std::vector<AstraSimRank>& ranks, const Bounds& bounds);

}  // namespace mosim::astra_sim
