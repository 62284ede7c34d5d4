// Fields that many formats have, and what they may hold. Values that are findings (no GPUs, an end
// before the start) are in range: the builder treats them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/csv.hpp"
#include "base/problems.hpp"
#include "mosim/trace.hpp"

namespace mosim {

inline constexpr NumberRange kTimeField{0, kLongestTime_s};
inline constexpr NumberRange kDurationField{-kLongestTime_s, kLongestTime_s};
inline constexpr NumberRange kGpusField{0, kMostGpus, true};
inline constexpr NumberRange kIterationsField{1, 1e15};
inline constexpr NumberRange kBatchField{1, 1e9, true};

// An id, which must not be blank.
[[nodiscard]] inline std::string read_id(const CsvReader& csv, std::size_t column,
                                         Problems& problems) {
  if (csv.field(column).empty()) {
    problems.add(csv.where(column), csv.header()[column] + " is empty", "a name");
  }
  return std::string(csv.field(column));
}

[[nodiscard]] inline std::uint32_t read_count(const CsvReader& csv, std::size_t column,
                                              const NumberRange& range, Problems& problems) {
  return static_cast<std::uint32_t>(csv.number(column, range, problems));
}

// Nothing where the field is blank, or the file lacks the column.
[[nodiscard]] inline std::optional<double> read_optional(const CsvReader& csv,
                                                         std::optional<std::size_t> column,
                                                         const NumberRange& range,
                                                         Problems& problems) {
  if (!column || csv.field(*column).empty()) return std::nullopt;
  return csv.number(*column, range, problems);
}

[[nodiscard]] inline std::string read_text(const CsvReader& csv,
                                           std::optional<std::size_t> column) {
  return column ? std::string(csv.field(*column)) : std::string();
}

}  // namespace mosim
