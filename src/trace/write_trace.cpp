#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "trace/writers.hpp"

namespace mosim {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr std::size_t kPiece = 1U << 18;

using enum JobStatus;

constexpr std::array kAllStatuses{unknown,   completed,   failed,    cancelled,
                                  timed_out, node_failed, unfinished};
constexpr std::array kPhillyStatuses{completed, failed, cancelled};
constexpr std::array kSlurmStatuses{completed, failed, cancelled, timed_out, node_failed};
constexpr std::array kPodPhases{completed, failed};

// docs/formats.md has the same table for users.
constexpr std::array kWriters{
    TraceWriter{"mosim",
                {.time_zero = true,
                 .whole_times = false,
                 .whole_durations = false,
                 .duration = Has::yes,
                 .start = Has::yes,
                 .model = Has::yes,
                 .deadline = true,
                 .estimate = true,
                 .priority = true,
                 .iterations = true,
                 .whole_iterations = false,
                 .user = true,
                 .virtual_cluster = true,
                 .gpu_type = true,
                 .batch_size = Has::yes,
                 .cpus = true,
                 .memory_unit = 1e6,
                 .gpu_parts = 0,
                 .gpus = GpuForm::workers,
                 .statuses = kAllStatuses},
                begin_mosim},
    TraceWriter{"philly-csv",
                {.calendar = true, .whole_durations = false, .ids = false, .virtual_cluster = true},
                begin_philly_csv},
    TraceWriter{"philly",
                {.calendar = true,
                 .start = Has::always,
                 .user = true,
                 .virtual_cluster = true,
                 .json = true,
                 .statuses = kPhillyStatuses},
                begin_philly,
                "\n]\n"},
    TraceWriter{"helios",
                {.calendar = true,
                 .start = Has::always,
                 .user = true,
                 .virtual_cluster = true,
                 .cpus = true,
                 .statuses = kSlurmStatuses},
                begin_helios},
    TraceWriter{"acme",
                {.calendar = true,
                 .start = Has::always,
                 .user = true,
                 .cpus = true,
                 .statuses = kSlurmStatuses},
                begin_acme},
    TraceWriter{"elasticflow",
                {.model = Has::yes, .deadline = true, .iterations = true, .batch_size = Has::yes},
                begin_elasticflow},
    TraceWriter{"tiresias", {.model = Has::yes, .iterations = true}, begin_tiresias},
    TraceWriter{"openb",
                {.start = Has::always,
                 .gpu_type = true,
                 .cpus = true,
                 .memory_unit = kMebibyte,
                 .gpu_parts = 1000,
                 .gpus = GpuForm::one_worker,
                 .statuses = kPodPhases},
                begin_openb},
    TraceWriter{"pollux",
                {.duration = Has::no, .model = Has::always, .batch_size = Has::always},
                begin_pollux},
};

}  // namespace

std::span<const TraceWriter> trace_writers() { return kWriters; }

std::vector<std::string> writable_trace_formats() {
  std::vector<std::string> names;
  names.reserve(kWriters.size());
  for (const TraceWriter& writer : kWriters) names.emplace_back(writer.name);
  return names;
}

const TraceWriter& writer_of(std::string_view format, const std::string& file) {
  const auto at = std::find_if(kWriters.begin(), kWriters.end(),
                               [&](const TraceWriter& writer) { return writer.name == format; });
  if (at != kWriters.end()) return *at;
  throw InputError({file, {}}, fmt::format("cannot be written in format '{}'", format),
                   one_of(format, writable_trace_formats()));
}

std::uint64_t write_trace(const Trace& trace, std::string_view format,
                          const std::function<void(std::string_view)>& write) {
  const TraceWriter& writer = writer_of(format, trace.file);
  std::string buffer;
  const AppendRow append = writer.begin(trace, buffer);
  std::uint64_t rows = 0;
  TraceJob kept;
  for (const TraceJob& job : trace.jobs) {
    kept = job;
    if (!keep(writer.holds, trace, rows, kept).empty()) continue;
    append(buffer, kept);
    ++rows;
    if (buffer.size() < kPiece) continue;
    write(buffer);
    buffer.clear();
  }
  if (rows == 0) {
    throw InputError({trace.file, {}}, fmt::format("has no job that format '{}' can hold", format),
                     join(losses_of(trace, format), "; "));
  }
  buffer += writer.end;
  write(buffer);
  return rows;
}

}  // namespace mosim
