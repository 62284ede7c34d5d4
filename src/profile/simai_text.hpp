// What both files of SimAI are made of: lines of cells that know their place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.hpp"
#include "base/problems.hpp"
#include "mosim/base.hpp"

namespace mosim {

struct SimaiCell {
  std::string_view text;
  Position position;
};

// A text file, line after line; blank lines are left out.
class SimaiLines {
 public:
  // Reads the whole file. `expected` says what it should be, for messages.
  SimaiLines(std::string path, std::string_view expected);
  SimaiLines(const SimaiLines&) = delete;  // the lines point into the content
  SimaiLines& operator=(const SimaiLines&) = delete;

  // Moves to the next line that is not blank.
  bool next();

  // The current line's cells, between commas (without the blanks around them) or between blanks.
  [[nodiscard]] std::vector<SimaiCell> between_commas() const;
  [[nodiscard]] std::vector<SimaiCell> between_blanks() const;

  // Where a cell, the current line or the line after the last one stands.
  [[nodiscard]] SourceLocation where(const SimaiCell& cell) const { return {path_, cell.position}; }
  [[nodiscard]] SourceLocation line() const { return {path_, {line_number_, 1}}; }

  // A cell's number in `range`; adds to `problems` and gives `range.minimum` when it is none.
  [[nodiscard]] double number(const SimaiCell& cell, std::string_view name,
                              const NumberRange& range, Problems& problems) const;

 private:
  [[nodiscard]] SimaiCell cell(std::size_t begin, std::size_t end) const;

  std::string path_;
  std::string content_;
  std::size_t next_ = 0;           // start of what is not yet read
  std::string_view line_;          // the current line, without its end
  std::uint32_t line_number_ = 0;  // of the current line
};

}  // namespace mosim
