// A small table of cells, for a terminal or as Markdown.
#pragma once

#include <string>
#include <vector>

namespace mosim {

struct TextTable {
  enum class Align { left, right };
  struct Column {
    std::string name;
    Align align = Align::right;
  };
  using Row = std::vector<std::string>;  // a cell for each column

  std::string title;
  std::vector<Column> columns;  // no header line when no column has a name
  std::vector<Row> rows;
  std::vector<std::string> notes = {};  // lines below
};

// The table with its columns two blanks apart.
[[nodiscard]] std::string aligned_text(const TextTable& table);

[[nodiscard]] std::string markdown_text(const TextTable& table);

}  // namespace mosim
