// A hash of everything that a run depends on.
#pragma once

#include <string>

#include "mosim/scenario.hpp"

namespace mosim {

// Over what `run`, whose digest is not set yet, depends on; not over where its inputs lie.
[[nodiscard]] std::string digest_of(const Scenario& scenario, const PreparedRun& run);

}  // namespace mosim
