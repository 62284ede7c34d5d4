// A finished run as Python holds it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "mosim/metrics.hpp"
#include "mosim/scenario.hpp"

namespace mosim::python {

struct Result {
  Scenario scenario;
  Run run;
  Summary summary;
  std::vector<JobMeasures> measures;
  std::string scenario_digest;
  std::vector<std::string> warnings;
  // What the run was given in memory: the folder of the run gets it as files.
  std::optional<std::string> trace;
  std::optional<std::string> profiles;
};

// Writes the run into a folder that was claimed, as `mosim run` does.
void save(const Result& result, const std::filesystem::path& dir);

// What summary.json holds.
[[nodiscard]] std::string json_of(const Result& result);

}  // namespace mosim::python
