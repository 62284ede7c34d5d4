// A small streaming CSV reader (RFC 4180: quotes, CRLF; also a byte-order mark and blank lines),
// and the quoting of fields.
#pragma once

#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/problems.hpp"
#include "mosim/base.hpp"

namespace mosim {

// What a numeric field may hold.
struct NumberRange {
  double minimum = 0;
  double maximum = 0;
  bool integer = false;
};

// How a file departs from a CSV with a header.
struct CsvShape {
  char delimiter = ',';
  std::vector<std::string> columns = {};  // of a file without a header row
};

// Adds a field to a row that is being written, quoted when it holds a comma, a quote or a line
// break.
void append_csv_field(std::string& out, std::string_view text);

enum class CsvRow { row, bad, end };

// Reads row after row; memory is one row, not the file. Columns are found by name in the header.
class CsvReader {
 public:
  // Opens `path` and reads its header. `expected` says what the file should be, for messages.
  CsvReader(const std::string& path, std::string_view expected);

  // The same of an opened source; `path` is for messages.
  CsvReader(const std::string& path, std::unique_ptr<ByteSource> source, std::string_view expected,
            CsvShape shape = {});

  // The column with one of `names` (the first name found wins). Throws InputError when none is
  // there, or when the header has the found name twice.
  [[nodiscard]] std::size_t require(std::initializer_list<std::string_view> names) const;
  [[nodiscard]] std::optional<std::size_t> find(
      std::initializer_list<std::string_view> names) const;

  // The first column with this name, however many there are.
  [[nodiscard]] std::optional<std::size_t> find_first(std::string_view name) const;

  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }

  // Moves to the next row that is not blank. Throws InputError when its number of fields is not the
  // header's.
  bool next();

  // The same, with such a row added to `problems` and stepped over.
  CsvRow next(Problems& problems);

  // The field of the current row, without quotes and surrounding blanks; valid until `next`.
  [[nodiscard]] std::string_view field(std::size_t column) const { return trim_field(column); }

  // The field as a number in `range`; adds to `problems` and gives `range.minimum` when it is not.
  [[nodiscard]] double number(std::size_t column, const NumberRange& range,
                              Problems& problems) const;

  // Where the field stands in the file.
  [[nodiscard]] SourceLocation where(std::size_t column) const;
  [[nodiscard]] Position position(std::size_t column) const;

 private:
  [[nodiscard]] std::string_view trim_field(std::size_t column) const;
  bool read_line();
  bool read_row();
  bool refill();
  void split();
  void split_quoted(std::size_t& at);

  std::string path_;
  char delimiter_ = ',';
  std::unique_ptr<ByteSource> source_;
  std::string buffer_;             // bytes read and not yet handed out, from begin_
  std::size_t begin_ = 0;          // start of what is not yet read as a line
  bool ended_ = false;             // the source has no more bytes
  bool has_quotes_ = false;        // the buffer has one somewhere
  std::string_view line_;          // the current row, without its line end
  std::uint32_t line_number_ = 0;  // of the row's first line
  std::uint32_t next_line_number_ = 1;
  std::vector<std::string> header_;
  std::vector<std::string_view> fields_;
  std::vector<std::uint32_t> columns_;  // 1-based byte where each field starts
  std::deque<std::string> unescaped_;   // fields that held doubled quotes
};

}  // namespace mosim
