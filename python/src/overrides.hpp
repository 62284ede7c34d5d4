// Overrides as Python passes them.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "mosim/scenario.hpp"

namespace mosim::python {

// (key, value, source, whether the value is YAML), as in `Override`.
using PythonOverrides = std::vector<std::tuple<std::string, std::string, std::string, bool>>;

inline std::vector<Override> overrides_of(const PythonOverrides& given) {
  std::vector<Override> overrides;
  overrides.reserve(given.size());
  for (const auto& [key, value, source, yaml] : given) {
    overrides.push_back({key, value, source, yaml});
  }
  return overrides;
}

}  // namespace mosim::python
