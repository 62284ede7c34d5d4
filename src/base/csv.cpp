#include "base/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.hpp"

namespace mosim {
namespace {

constexpr std::size_t kChunk = 1U << 18;
// A row that never ends (a stray quote in a large file) must not take all memory.
constexpr std::size_t kLongestRow = 1U << 24;

// Follows quotes over the bytes of a row. A quote inside a field that does not begin with one is a
// letter like others.
struct QuoteTracker {
  char delimiter = ',';
  bool at_start = true;       // of a field
  bool quoted_field = false;  // the field began with a quote
  bool open = false;          // a quote is not closed yet

  void read(const char* first, const char* last) {
    for (; first != last; ++first) {
      if (*first == '"' && (at_start || quoted_field)) {
        open = !open;
        quoted_field = true;
      } else if (*first == delimiter && !open) {
        quoted_field = false;
        at_start = true;
        continue;
      }
      at_start = false;
    }
  }
};

}  // namespace

void append_csv_field(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

CsvReader::CsvReader(const std::string& path, std::string_view expected)
    : CsvReader(path, open_source(path, expected), expected) {}

CsvReader::CsvReader(const std::string& path, std::unique_ptr<ByteSource> source,
                     std::string_view expected, CsvShape shape)
    : path_(path),
      delimiter_(shape.delimiter),
      source_(std::move(source)),
      header_(std::move(shape.columns)) {
  if (!header_.empty()) return;
  if (!read_row()) {
    throw InputError({path_, {}}, "is empty",
                     fmt::format("a header line that names the columns ({})", expected));
  }
  split();
  for (std::size_t column = 0; column < fields_.size(); ++column) {
    header_.emplace_back(field(column));
  }
}

std::optional<std::size_t> CsvReader::find_first(std::string_view name) const {
  const auto at = std::find(header_.begin(), header_.end(), name);
  if (at == header_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - header_.begin());
}

std::optional<std::size_t> CsvReader::find(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    const auto column = find_first(name);
    if (!column) continue;
    if (std::count(header_.begin(), header_.end(), name) > 1) {
      throw InputError({path_, {}}, fmt::format("has two columns named '{}'", name), "one");
    }
    return column;
  }
  return std::nullopt;
}

std::size_t CsvReader::require(std::initializer_list<std::string_view> names) const {
  if (const auto column = find(names)) return *column;
  const std::string_view name = *names.begin();
  const auto near = nearest(name, header_);
  throw InputError({path_, {}}, fmt::format("has no column '{}'", name),
                   near ? fmt::format("that column (nearest: '{}')", *near)
                        : fmt::format("that column beside {}", join(header_, ", ")));
}

bool CsvReader::refill() {
  if (ended_) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  if (buffer_.size() > kLongestRow) {
    throw InputError({path_, {next_line_number_, 1}}, "is a row of over 16 MiB",
                     "shorter rows (is a quote left open?)");
  }
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kChunk);
  const std::size_t got = source_->read(buffer_.data() + size, kChunk);
  buffer_.resize(size + got);
  has_quotes_ = std::memchr(buffer_.data(), '"', buffer_.size()) != nullptr;
  ended_ = got == 0;
  return !ended_;
}

// Takes the next row into line_. A line break inside quotes belongs to the row.
bool CsvReader::read_line() {
  std::size_t searched = 0;  // bytes after begin_ known to hold no row end
  QuoteTracker quotes{delimiter_};
  bool any_quote = false;
  std::uint32_t lines = 1;
  for (;;) {
    const char* start = buffer_.data() + begin_ + searched;
    const std::size_t left = buffer_.size() - begin_ - searched;
    const void* hit = left == 0 ? nullptr : std::memchr(start, '\n', left);
    if (hit == nullptr) {
      if (refill()) continue;
      if (buffer_.size() == begin_) return false;
      line_ = std::string_view(buffer_).substr(begin_);
      begin_ = buffer_.size();
      break;
    }
    const auto length = static_cast<std::size_t>(static_cast<const char*>(hit) - start);
    // Most rows have no quote at all and need no second look.
    any_quote = any_quote || (has_quotes_ && std::memchr(start, '"', length) != nullptr);
    if (any_quote) quotes.read(start, start + length);
    searched += length;
    if (quotes.open) {
      ++searched;
      ++lines;
      continue;
    }
    line_ = std::string_view(buffer_).substr(begin_, searched);
    begin_ += searched + 1;
    break;
  }
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  line_number_ = next_line_number_;
  next_line_number_ += lines;
  return true;
}

void CsvReader::split() {
  fields_.clear();
  columns_.clear();
  unescaped_.clear();
  std::size_t at = 0;
  for (;;) {
    columns_.push_back(static_cast<std::uint32_t>(at + 1));
    if (at < line_.size() && line_[at] == '"') {
      split_quoted(at);
    } else {
      const std::size_t comma = std::min(line_.find(delimiter_, at), line_.size());
      fields_.push_back(line_.substr(at, comma - at));
      at = comma;
    }
    if (at >= line_.size()) return;
    ++at;  // the comma
  }
}

// Reads the quoted field that starts at `at` and leaves `at` on the comma after it.
void CsvReader::split_quoted(std::size_t& at) {
  const std::size_t open = at;
  bool doubled = false;
  std::size_t close = line_.find('"', open + 1);
  while (close != std::string_view::npos && close + 1 < line_.size() && line_[close + 1] == '"') {
    doubled = true;
    close = line_.find('"', close + 2);
  }
  if (close == std::string_view::npos) {
    throw InputError({path_, {line_number_, static_cast<std::uint32_t>(open + 1)}},
                     "has a quote that is not closed", "a closing quote");
  }
  at = close + 1;
  if (at < line_.size() && line_[at] != delimiter_) {
    throw InputError({path_, {line_number_, static_cast<std::uint32_t>(at + 1)}},
                     "has text after a closing quote", "a comma or the end of the line");
  }
  const std::string_view inside = line_.substr(open + 1, close - open - 1);
  if (!doubled) {
    fields_.push_back(inside);
    return;
  }
  std::string& text = unescaped_.emplace_back();
  for (std::size_t i = 0; i < inside.size(); ++i) {
    text.push_back(inside[i]);
    if (inside[i] == '"') ++i;
  }
  fields_.emplace_back(text);
}

// Takes the next row that is not blank into line_.
bool CsvReader::read_row() {
  do {
    if (!read_line()) return false;
    if (line_number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.remove_prefix(3);
  } while (trim(line_).empty());
  return true;
}

bool CsvReader::next() {
  if (!read_row()) return false;
  split();
  if (fields_.size() != header_.size()) {
    throw InputError({path_, {line_number_, 1}}, fmt::format("has {} fields", fields_.size()),
                     fmt::format("{}, as in the header", header_.size()));
  }
  return true;
}

CsvRow CsvReader::next(Problems& problems) {
  if (!read_row()) return CsvRow::end;
  try {
    split();
  } catch (const InputError& error) {
    // No single bad row: nobody knows how many rows a quote hides that took several lines.
    if (next_line_number_ > line_number_ + 1) throw;
    for (const Diagnostic& found : error.diagnostics()) {
      problems.add(found.where, found.what, found.expected);
    }
    return CsvRow::bad;
  }
  if (fields_.size() == header_.size()) return CsvRow::row;
  problems.add({path_, {line_number_, 1}}, fmt::format("has {} fields", fields_.size()),
               fmt::format("{}, as in the header", header_.size()));
  return CsvRow::bad;
}

std::string_view CsvReader::trim_field(std::size_t column) const { return trim(fields_[column]); }

Position CsvReader::position(std::size_t column) const { return {line_number_, columns_[column]}; }

SourceLocation CsvReader::where(std::size_t column) const { return {path_, position(column)}; }

double CsvReader::number(std::size_t column, const NumberRange& range, Problems& problems) const {
  const std::string_view text = field(column);
  const auto value = parse_double(text);
  const bool whole = value && std::floor(*value) == *value;
  if (value && *value >= range.minimum && *value <= range.maximum && (whole || !range.integer)) {
    return *value;
  }
  problems.add(where(column), fmt::format("{} is '{}'", header_[column], text),
               fmt::format("{} from {} to {}", range.integer ? "an integer" : "a number",
                           range.minimum, range.maximum));
  return range.minimum;
}

}  // namespace mosim
