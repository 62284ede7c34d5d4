#include <fmt/format.h>

#include <utility>

#include "mosim/base.hpp"

namespace mosim {
namespace {

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
  std::string out =
      fmt::format("{}:{}:{}: {}", where.file, where.position.line, where.position.column, what);
  if (!expected.empty()) out += "; expected " + expected;
  return out;
}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)), diagnostics_(std::move(diagnostics)) {}

InputError::InputError(SourceLocation where, std::string what, std::string expected)
    : InputError({{std::move(where), std::move(what), std::move(expected)}}) {}

std::string_view version() { return MOSIM_VERSION; }

}  // namespace mosim
