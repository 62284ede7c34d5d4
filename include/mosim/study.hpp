// Studies: several runs that answer one question. So far: does MoSim reproduce its paper?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mosim/metrics.hpp"

namespace mosim {

// One row of Tables II-IV: a simulator against a measured run.
struct ReproducedRow {
  std::string testbed;    // "16gpu" or "32gpu"
  std::string placement;  // by our name
  std::string method;     // "Tiresias", "Pollux", "MoSim" or "MoSim (event)"
  Fidelity ours;
  std::optional<Fidelity> paper;  // what the paper prints; Table II has only four MAPEs
  Summary summary;
};

struct Reproduction {
  std::vector<ReproducedRow> rows;
  std::vector<std::string> ignored;  // measured runs under policies that we do not know
};

// Runs every simulator of the paper on every measured run found below `artifact`, a folder laid out
// as the authors' artifact (docs/reproduction.md). Throws InputError when there is none.
[[nodiscard]] Reproduction reproduce_paper(const std::string& artifact);

// The tables with the paper's value beside ours.
[[nodiscard]] std::string reproduction_tables(const Reproduction& reproduction);
[[nodiscard]] std::string reproduction_json(const Reproduction& reproduction);

}  // namespace mosim
