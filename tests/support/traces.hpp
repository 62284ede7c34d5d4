// Reading traces that a test writes itself.
#pragma once

#include <string>

#include "mosim/trace.hpp"
#include "support/command.hpp"

namespace mosim::test {

// Reads `content` as a trace file; `options` without its file.
inline Trace read_trace_text(const std::string& content, TraceOptions options = {}) {
  const TemporaryFolder folder;
  options.file = folder.write("trace", content);
  return read_trace(options);
}

// What the function throws as an InputError; empty when it does not.
template <typename Function>
std::string input_error(const Function& function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

inline std::string trace_error(const std::string& content, const TraceOptions& options = {}) {
  return input_error([&] { (void)read_trace_text(content, options); });
}

inline std::uint64_t found(const Trace& trace, Finding finding) {
  return trace.account.found[static_cast<std::size_t>(finding)];
}

inline std::uint64_t dropped(const Trace& trace, Finding finding) {
  return trace.account.dropped[static_cast<std::size_t>(finding)];
}

inline TraceOptions treating(Finding finding, Treatment treatment) {
  TraceOptions options;
  options.treatments[static_cast<std::size_t>(finding)] = treatment;
  return options;
}

}  // namespace mosim::test
