// Backend `simai`: profiles from results of SimAI-Analytical. See docs/simai.md.
#pragma once

#include <string>

#include "mosim/profile.hpp"

namespace mosim {

// The profile of one simulated iteration: times from SimAI's `...EndToEnd.csv`, volume from the
// workload file that was simulated. Throws InputError with the place of what is wrong, also when
// the two files do not belong together.
[[nodiscard]] JobProfile read_simai(const std::string& results_csv, const std::string& workload);

// Reads an index: a CSV file with the columns model, gpus, results and workload; the last two are
// paths, from the folder of the index.
[[nodiscard]] ProfileTable read_simai_table(const std::string& path, const ModelPool& pool);

}  // namespace mosim
