#include "profile/simai_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"

namespace mosim {

SimaiLines::SimaiLines(std::string path, std::string_view expected)
    : path_(std::move(path)), content_(read_file(path_, expected)) {}

bool SimaiLines::next() {
  const std::string_view content = content_;
  while (next_ < content.size()) {
    const std::size_t end = std::min(content.find('\n', next_), content.size());
    line_ = content.substr(next_, end - next_);
    next_ = end + 1;
    ++line_number_;
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    if (!trim(line_).empty()) return true;
  }
  line_ = {};
  ++line_number_;
  return false;
}

SimaiCell SimaiLines::cell(std::size_t begin, std::size_t end) const {
  return {line_.substr(begin, end - begin), {line_number_, static_cast<std::uint32_t>(begin + 1)}};
}

std::vector<SimaiCell> SimaiLines::between_commas() const {
  std::vector<SimaiCell> cells;
  for (std::size_t begin = 0; begin <= line_.size();) {
    const std::size_t end = std::min(line_.find(',', begin), line_.size());
    const std::size_t first = std::min(line_.find_first_not_of(" \t", begin), end);
    SimaiCell found = cell(first, end);
    found.text = trim(found.text);
    cells.push_back(found);
    begin = end + 1;
  }
  return cells;
}

std::vector<SimaiCell> SimaiLines::between_blanks() const {
  std::vector<SimaiCell> cells;
  for (std::size_t begin = line_.find_first_not_of(" \t"); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line_.find_first_of(" \t", begin), line_.size());
    cells.push_back(cell(begin, end));
    begin = line_.find_first_not_of(" \t", end);
  }
  return cells;
}

double SimaiLines::number(const SimaiCell& cell, std::string_view name, const NumberRange& range,
                          Problems& problems) const {
  const auto value = parse_double(cell.text);
  const bool whole = value && std::floor(*value) == *value;
  if (value && *value >= range.minimum && *value <= range.maximum && (whole || !range.integer)) {
    return *value;
  }
  problems.add(where(cell), fmt::format("{} is '{}'", name, cell.text),
               range.minimum == range.maximum
                   ? fmt::format("{}", range.minimum)
                   : fmt::format("{} from {} to {}", range.integer ? "an integer" : "a number",
                                 range.minimum, range.maximum));
  return range.minimum;
}

}  // namespace mosim
