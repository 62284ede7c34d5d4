#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/csv.hpp"
#include "base/problems.hpp"
#include "base/text.hpp"
#include "mosim/trace.hpp"
#include "trace/formats.hpp"

namespace mosim {
namespace {

struct Reader {
  TraceFormat format;
  std::string_view mark;  // a column that no other format has
  std::vector<TraceJob> (*read)(const TraceOptions&);
};

constexpr Reader kReaders[] = {
    {{"mosim", "CSV: job_id, model, arrival_time, duration, gpu_workers, ..."},
     "gpu_workers",
     read_mosim_trace},
    {{"philly-csv", "CSV: timestamp, duration, num_gpus, gpu_time, cluster"},
     "num_gpus",
     read_philly_csv_trace},
};

// `auto`: the format whose own column stands in the header; the first one when none does, so that
// its message says what is missing.
const Reader& recognize(const std::string& file) {
  const CsvReader csv(file, "a trace");
  for (const Reader& reader : kReaders) {
    if (csv.find_first(reader.mark)) return reader;
  }
  return kReaders[0];
}

const Reader& reader_for(const TraceOptions& options) {
  if (options.format == "auto") return recognize(options.file);
  std::vector<std::string> names{"auto"};
  for (const Reader& reader : kReaders) {
    if (reader.format.name == options.format) return reader;
    names.emplace_back(reader.format.name);
  }
  throw InputError({options.file, {}},
                   fmt::format("is of format '{}', which is not known", options.format),
                   one_of(options.format, names));
}

void refuse_duplicate_ids(const Trace& trace) {
  std::unordered_map<std::string_view, std::uint32_t> lines;
  lines.reserve(trace.jobs.size());
  Problems problems;
  for (const TraceJob& job : trace.jobs) {
    const auto [at, added] = lines.emplace(job.id, job.position.line);
    if (added) continue;
    problems.add({trace.file, job.position},
                 fmt::format("job id '{}' was used on line {} already", job.id, at->second),
                 "each id once");
  }
  problems.throw_if_any();
}

}  // namespace

const std::vector<TraceFormat>& trace_formats() {
  static const std::vector<TraceFormat> formats = [] {
    std::vector<TraceFormat> all;
    for (const Reader& reader : kReaders) all.push_back(reader.format);
    return all;
  }();
  return formats;
}

Trace read_trace(const TraceOptions& options) {
  const Reader& reader = reader_for(options);
  Trace trace{options.file, std::string(reader.format.name), reader.read(options)};
  if (trace.jobs.empty()) {
    throw InputError({options.file, {}}, "has no jobs", "at least one row after the header");
  }
  refuse_duplicate_ids(trace);
  std::stable_sort(trace.jobs.begin(), trace.jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.submit_s < b.submit_s; });
  if (options.filter.limit > 0 && trace.jobs.size() > options.filter.limit)
    trace.jobs.resize(options.filter.limit);
  return trace;
}

}  // namespace mosim
