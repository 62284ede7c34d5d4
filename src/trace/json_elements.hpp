// Splits a JSON text into its elements without holding the text: one element is in memory at a
// time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "mosim/base.hpp"

namespace mosim {

// Hands out the elements of a top-level array, or the values of a text that has one after another
// (one per line, as a rule). It follows strings and brackets only: that an element is right inside
// is for a parser to find.
class JsonElements {
 public:
  // Bytes after an element's text that may be read too, as simdjson does.
  static constexpr std::size_t kPadding = 64;
  // An element that never ends must not take all memory.
  static constexpr std::size_t kLongest = 1U << 24;

  // `path` and `name`, "a job", are for messages. Bytes are asked for in pieces of `chunk`.
  JsonElements(std::string path, std::unique_ptr<ByteSource> source, std::string_view name,
               std::size_t chunk = 1U << 18);

  // Moves to the next element; false after the last. Throws InputError where the text is not a
  // sequence of elements: no element can be told from there on.
  bool next();

  // The element; valid until `next`.
  [[nodiscard]] std::string_view text() const;
  // Where it begins, and where a byte of it stands.
  [[nodiscard]] Position position() const { return here_; }
  [[nodiscard]] Position position_of(const char* byte) const;

 private:
  enum class Form : std::uint8_t { unknown, array, sequence, ended };

  void begin();
  bool find_element();
  void end_array();
  int peek();
  int skip_blanks();
  void advance(Position& position, std::size_t from, std::size_t to) const;
  void settle(std::size_t to);
  bool refill();
  void scan_element(char first);
  void scan_nested();
  bool scan_string();
  void scan_scalar();
  void open(bool object);
  void close(bool object);
  [[noreturn]] void refuse(std::size_t at, std::string what, std::string expected) const;
  [[noreturn]] void refuse_end() const;

  std::string path_;
  std::string name_;
  std::unique_ptr<ByteSource> source_;
  std::size_t chunk_;
  std::string buffer_;  // `filled_` bytes of the text, then zeros
  std::size_t filled_ = 0;
  std::size_t element_ = 0;  // where the element begins
  std::size_t at_ = 0;       // the next byte to look at: the end of the element
  Position here_;            // of `element_`
  Form form_ = Form::unknown;
  bool first_ = true;  // no element was handed out
  bool source_ended_ = false;
  std::uint64_t objects_ = 0;  // a bit for each open bracket, the innermost lowest: is it '{'?
  unsigned depth_ = 0;         // open brackets
};

}  // namespace mosim
