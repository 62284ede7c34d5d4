// Traces: what users submitted, as read from a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mosim/base.hpp"

namespace mosim {

// One job of a trace: <a, g, d> of the paper, and what else the format knows.
struct TraceJob {
  std::string id;
  double submit_s = 0;    // from the earliest submission of the trace (`mosim`: as written)
  double duration_s = 0;  // d: how long the job ran, loading included
  std::optional<double> iterations;
  std::string model;  // empty: the trace does not say
  std::uint32_t workers = 1;
  std::uint32_t gpus_per_worker = 1;
  std::uint32_t cpus_per_worker = 0;  // 0: the trace does not say
  Position position;                  // of its row
};

struct Trace {
  std::string file;
  std::string format;          // as read: never `auto`
  std::vector<TraceJob> jobs;  // by submission time; equal times in the file's order
};

struct TraceOptions {
  std::string file;         // a path (plain or gz) or `bundled:...`
  std::string format;       // a name of `trace_formats()`, or `auto`
  std::uint64_t limit = 0;  // keep the first jobs by submission; 0: all
};

// A format that `read_trace` knows.
struct TraceFormat {
  std::string_view name;
  std::string_view summary;
};

[[nodiscard]] const std::vector<TraceFormat>& trace_formats();

// Reads a trace. Throws InputError with the place of every problem found: a missing file or
// column, a value that is not what the column holds, a job id used twice, no jobs at all.
// Formats and their columns: docs/formats.md.
[[nodiscard]] Trace read_trace(const TraceOptions& options);

// Limits that keep absurd input from becoming absurd arithmetic.
inline constexpr double kLongestTime_s = 1e10;  // over 300 years
inline constexpr double kMostGpus = 1e6;        // of one job

}  // namespace mosim
