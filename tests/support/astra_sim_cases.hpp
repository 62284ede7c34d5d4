// The recorded runs of ASTRA-sim, and standing in for its binary.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mosim/base.hpp"
#include "profile/astra_sim/astra_sim.hpp"
#include "support/command.hpp"

namespace mosim::test {

// A CSV file without quotes, each line by the names of its columns.
using CsvLine = std::map<std::string, std::string>;
[[nodiscard]] std::vector<CsvLine> read_plain_csv(const std::string& path);

// A path below the recorded runs; empty when they are absent.
[[nodiscard]] std::string astra_sim_path(const std::string& below);

// The iteration of a recorded case as its table gives it: the lines of `rank`, or of all ranks.
[[nodiscard]] IterationTrace recorded_trace(const std::string& name, std::uint32_t ranks,
                                            std::uint32_t rank = 0);

// The options that a recorded case was run with, the binary left out.
[[nodiscard]] AstraSimOptions recorded_options(const std::string& name, bool congestion_aware);

// The stand-in under a name that says what it does, in `folder`.
[[nodiscard]] std::string stand_in(const TemporaryFolder& folder, const std::string& name);

// What the function throws as a RunError; empty when it does not.
template <typename Function>
std::string run_error(const Function& function) {
  try {
    function();
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

}  // namespace mosim::test
