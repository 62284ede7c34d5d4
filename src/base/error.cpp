#include <fmt/format.h>

#include <utility>

#include "mosim/base.hpp"

namespace mosim {
namespace {

// Inputs are quoted in messages. Control characters would end or garble a line on the terminal, and
// nobody reads a field of a megabyte.
std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 2000;
  constexpr std::size_t kEnd = 200;
  std::string out;
  const auto append = [&](std::string_view part) {
    for (const char c : part) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte == 0x7f) {
        out += fmt::format("\\x{:02x}", byte);
      } else {
        out += c;
      }
    }
  };
  if (text.size() <= kLongest) {
    append(text);
  } else {
    append(text.substr(0, kLongest - kEnd));
    out += " ... ";
    append(text.substr(text.size() - kEnd));
  }
  return out;
}

std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += diagnostic.text();
  }
  return text;
}

}  // namespace

std::string Diagnostic::text() const {
  std::string out = fmt::format("{}:{}:{}: {}", where.file, where.position.line,
                                where.position.column, printable(what));
  if (!expected.empty()) out += "; expected " + printable(expected);
  return out;
}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)), diagnostics_(std::move(diagnostics)) {}

InputError::InputError(SourceLocation where, std::string what, std::string expected)
    : InputError({{std::move(where), std::move(what), std::move(expected)}}) {}

std::string_view version() { return MOSIM_VERSION; }

}  // namespace mosim
