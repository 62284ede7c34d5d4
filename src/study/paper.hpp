// What Tables II-IV of the paper print.
#pragma once

#include <optional>
#include <string_view>

#include "mosim/metrics.hpp"

namespace mosim {

inline constexpr double kNotPrinted = -1;

// The paper's cells of a row, kNotPrinted where it has none; nothing for a row that it does not
// have. Source: Yoo et al., IEEE MASCOTS 2026, Tables II-IV, to the two digits that the authors'
// artifact lists as expected (GUIDE.ipynb).
[[nodiscard]] std::optional<Fidelity> paper_row(std::string_view testbed,
                                                std::string_view placement,
                                                std::string_view method);

}  // namespace mosim
