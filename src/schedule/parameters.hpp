// Policies as users write them: "las" or "las(thresholds=3250 7200, promote=8)".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mosim/registry.hpp"

namespace mosim {

struct PolicyCall {
  std::string name;
  std::vector<std::pair<std::string, std::string>> arguments;  // key, value
};

// Throws std::invalid_argument for what is neither of the two forms.
[[nodiscard]] PolicyCall parse_policy_call(std::string_view text);

// The values of all of the policy's parameters: the arguments, and defaults for the others. Throws
// std::invalid_argument, with what was expected, for an unknown parameter, one given twice, or a
// value that is not what it holds.
[[nodiscard]] Parameters read_parameters(
    const PolicyInfo& info, const std::vector<std::pair<std::string, std::string>>& arguments);

}  // namespace mosim
