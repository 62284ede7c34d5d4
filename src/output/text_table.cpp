#include "output/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mosim {
namespace {

// Of UTF-8: the bytes that do not continue a character.
std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

bool has_header(const TextTable& table) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [](const TextTable::Column& column) { return !column.name.empty(); });
}

TextTable::Row header_of(const TextTable& table) {
  TextTable::Row header;
  for (const TextTable::Column& column : table.columns) header.push_back(column.name);
  return header;
}

std::string markdown_row(const TextTable::Row& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) {
    out += ' ';
    for (const char c : cell) {
      if (c == '|') out += '\\';
      out += c;
    }
    out += " |";
  }
  return out + "\n";
}

}  // namespace

std::string aligned_text(const TextTable& table) {
  std::vector<TextTable::Row> lines;
  if (has_header(table)) lines.push_back(header_of(table));
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (const TextTable::Row& line : lines) {
    for (std::size_t column = 0; column < line.size(); ++column) {
      widths[column] = std::max(widths[column], characters(line[column]));
    }
  }
  std::string out = table.title + "\n";
  for (const TextTable::Row& line : lines) {
    std::string text;
    for (std::size_t column = 0; column < line.size(); ++column) {
      const std::string fill(widths[column] - characters(line[column]), ' ');
      const bool left = table.columns[column].align == TextTable::Align::left;
      text += (column > 0 ? "  " : "") + (left ? line[column] + fill : fill + line[column]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  for (const std::string& note : table.notes) out += note + "\n";
  return out;
}

std::string markdown_text(const TextTable& table) {
  std::string out = fmt::format("### {}\n\n", table.title) + markdown_row(header_of(table)) + "|";
  for (const TextTable::Column& column : table.columns) {
    out += column.align == TextTable::Align::left ? "---|" : "---:|";
  }
  out += "\n";
  for (const TextTable::Row& row : table.rows) out += markdown_row(row);
  for (const std::string& note : table.notes) out += "\n" + note + "\n";
  return out;
}

}  // namespace mosim
