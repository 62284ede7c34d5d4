// Tells what became of the rows of a trace: nothing is left out silently.
#pragma once

#include <spdlog/spdlog.h>

#include "mosim/trace.hpp"

namespace mosim::cli {

inline void report_account(const Trace& trace, const TraceOptions& options) {
  const std::string account = describe_account(trace, options);
  if (account.empty()) return;
  spdlog::info("{} jobs read, {} kept; {}", trace.account.jobs_read, trace.jobs.size(), account);
  for (const Diagnostic& bad : trace.account.bad_rows) spdlog::warn("{}", bad.text());
}

}  // namespace mosim::cli
