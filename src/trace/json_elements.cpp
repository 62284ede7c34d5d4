#include "trace/json_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace mosim {
namespace {

constexpr unsigned kDeepest = 64;  // bits of a word

using ByteSet = std::array<bool, 256>;

constexpr ByteSet bytes_of(std::string_view members) {
  ByteSet set{};
  for (const char member : members) set[static_cast<unsigned char>(member)] = true;
  return set;
}

// Zero ends the bytes in memory.
constexpr ByteSet kStructure = bytes_of(std::string_view("\0\"{}[]", 6));
constexpr ByteSet kInString = bytes_of(std::string_view("\0\"\\", 3));
constexpr ByteSet kEndsScalar = bytes_of(std::string_view("\0 \t\r\n,]}", 8));

bool contains(const ByteSet& set, char byte) { return set[static_cast<unsigned char>(byte)]; }

// The first byte of the set, which there must be.
const char* find(const ByteSet& set, const char* at) {
  while (!contains(set, *at)) ++at;
  return at;
}

std::string shown(int byte) {
  return byte > 0x20 && byte < 0x7f ? fmt::format("'{}'", static_cast<char>(byte))
                                    : fmt::format("the byte {}", byte);
}

}  // namespace

JsonElements::JsonElements(std::string path, std::unique_ptr<ByteSource> source,
                           std::string_view name, std::size_t chunk)
    : path_(std::move(path)),
      name_(name),
      source_(std::move(source)),
      chunk_(chunk),
      buffer_(chunk + kPadding, '\0') {}

std::string_view JsonElements::text() const {
  return std::string_view(buffer_).substr(element_, at_ - element_);
}

Position JsonElements::position_of(const char* byte) const {
  Position position = here_;
  advance(position, element_, static_cast<std::size_t>(byte - buffer_.data()));
  return position;
}

bool JsonElements::next() {
  settle(at_);
  if (form_ == Form::unknown) begin();
  if (form_ == Form::ended || !find_element()) return false;
  first_ = false;
  settle(at_);
  scan_element(buffer_[at_]);
  return true;
}

// Steps over a byte-order mark and the array's bracket.
void JsonElements::begin() {
  while (filled_ < 3 && refill()) {
  }
  if (std::string_view(buffer_).starts_with("\xEF\xBB\xBF")) at_ += 3;
  const int byte = skip_blanks();
  form_ = byte < 0 ? Form::ended : byte == '[' ? Form::array : Form::sequence;
  if (form_ == Form::array) ++at_;
}

// Whether there is another element; `at_` is then on its first byte.
bool JsonElements::find_element() {
  int byte = skip_blanks();
  if (form_ == Form::array) {
    if (byte == ']') {
      end_array();
      return false;
    }
    if (!first_) {
      if (byte < 0) refuse_end();
      if (byte != ',') {
        refuse(at_, fmt::format("has {} after {}", shown(byte), name_), "',' or ']'");
      }
      ++at_;
      byte = skip_blanks();
    }
    if (byte < 0) refuse_end();
  }
  if (byte < 0) return false;
  if (std::string_view("]},:").find(static_cast<char>(byte)) != std::string_view::npos) {
    refuse(at_, fmt::format("has {} where {} should be", shown(byte), name_), name_);
  }
  return true;
}

void JsonElements::end_array() {
  ++at_;
  const int byte = skip_blanks();
  if (byte >= 0) refuse(at_, fmt::format("has {} after the array", shown(byte)), "nothing more");
  form_ = Form::ended;
}

// The byte at `at_`, or -1 after the last.
int JsonElements::peek() {
  if (at_ == filled_ && !refill()) return -1;
  return static_cast<unsigned char>(buffer_[at_]);
}

int JsonElements::skip_blanks() {
  for (;;) {
    const int byte = peek();
    if (byte != ' ' && byte != '\n' && byte != '\r' && byte != '\t') return byte;
    ++at_;
  }
}

void JsonElements::advance(Position& position, std::size_t from, std::size_t to) const {
  const std::string_view passed = std::string_view(buffer_).substr(from, to - from);
  const std::size_t last = passed.rfind('\n');
  if (last == std::string_view::npos) {
    position.column += static_cast<std::uint32_t>(passed.size());
    return;
  }
  position.line += static_cast<std::uint32_t>(std::count(passed.begin(), passed.end(), '\n'));
  position.column = static_cast<std::uint32_t>(passed.size() - last);
}

// Lets the bytes before `to` go.
void JsonElements::settle(std::size_t to) {
  advance(here_, element_, to);
  element_ = to;
}

// Reads more bytes behind those from `element_` on. False at the end of the source.
bool JsonElements::refill() {
  if (source_ended_) return false;
  if (depth_ == 0) settle(at_);
  const std::size_t kept = filled_ - element_;
  if (kept > kLongest) {
    refuse(element_, fmt::format("has {} of over 16 MiB", name_),
           "shorter ones (is a quote or a bracket left open?)");
  }
  std::memmove(buffer_.data(), buffer_.data() + element_, kept);
  at_ -= element_;
  element_ = 0;
  if (buffer_.size() < kept + chunk_ + kPadding) buffer_.resize(2 * kept + chunk_ + kPadding);
  const std::size_t got = source_->read(buffer_.data() + kept, chunk_);
  filled_ = kept + got;
  std::fill_n(buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), kPadding, '\0');
  source_ended_ = got == 0;
  return !source_ended_;
}

// Moves `at_` from the first byte of an element to behind its last.
void JsonElements::scan_element(char first) {
  depth_ = 1;  // keeps the bytes from `element_` on
  if (first == '{' || first == '[') {
    depth_ = 0;
    scan_nested();
  } else if (first == '"') {
    ++at_;
    while (!scan_string()) {
    }
  } else {
    scan_scalar();
  }
  depth_ = 0;
}

void JsonElements::scan_nested() {
  do {
    at_ = static_cast<std::size_t>(find(kStructure, buffer_.data() + at_) - buffer_.data());
    const char byte = buffer_[at_];
    if (at_ == filled_) {
      if (!refill()) refuse_end();
      continue;
    }
    ++at_;
    switch (byte) {
      case '"':
        while (!scan_string()) {
        }
        break;
      case '{':
      case '[':
        open(byte == '{');
        break;
      case '}':
      case ']':
        close(byte == '}');
        break;
      default:  // a zero in the text: the parser will refuse it
        break;
    }
  } while (depth_ > 0);
}

// Moves behind the closing quote; false when it has not come there yet.
bool JsonElements::scan_string() {
  at_ = static_cast<std::size_t>(find(kInString, buffer_.data() + at_) - buffer_.data());
  const bool escape = at_ < filled_ && buffer_[at_] == '\\';
  if (at_ + (escape ? 1 : 0) >= filled_) {
    if (!refill()) refuse_end();
    return false;
  }
  const bool closed = buffer_[at_] == '"';
  at_ += escape ? 2 : 1;
  return closed;
}

void JsonElements::scan_scalar() {
  do {
    at_ = static_cast<std::size_t>(find(kEndsScalar, buffer_.data() + at_) - buffer_.data());
    if (at_ < filled_ && buffer_[at_] == '\0') ++at_;
  } while (at_ == filled_ && refill());
}

void JsonElements::open(bool object) {
  if (depth_ == kDeepest) {
    refuse(at_ - 1, fmt::format("is nested over {} levels deep", kDeepest), "a flatter text");
  }
  objects_ = objects_ << 1 | (object ? 1U : 0U);
  ++depth_;
}

void JsonElements::close(bool object) {
  if ((objects_ & 1) != (object ? 1U : 0U)) {
    refuse(at_ - 1,
           fmt::format("has '{}' where '{}' should be", object ? '}' : ']', object ? ']' : '}'),
           "brackets that match");
  }
  objects_ >>= 1;
  --depth_;
}

void JsonElements::refuse(std::size_t at, std::string what, std::string expected) const {
  Position position = here_;
  advance(position, element_, at);
  throw InputError({path_, position}, std::move(what), std::move(expected));
}

void JsonElements::refuse_end() const {
  const bool inside = depth_ > 0;
  refuse(filled_, inside ? fmt::format("ends inside {}", name_) : "ends inside the array",
         inside ? fmt::format("the rest of what begins on line {}", here_.line) : "',' or ']'");
}

}  // namespace mosim
