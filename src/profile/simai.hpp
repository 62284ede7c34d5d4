// Backend `simai`: profiles from results of SimAI-Analytical. See docs/simai.md.
#pragma once

#include <string>

#include "mosim/characterize.hpp"

namespace mosim {

// The profile of one simulated iteration: times from SimAI's `...EndToEnd.csv`, volume from the
// workload file that was simulated. Throws InputError with the place of what is wrong, also when
// the two files do not belong together.
[[nodiscard]] JobProfile read_simai(const std::string& results_csv, const std::string& workload);

}  // namespace mosim
