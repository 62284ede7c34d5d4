// Traces: what users submitted, as read from a file.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mosim/base.hpp"

namespace mosim {

// How a job of the traced cluster ended.
enum class JobStatus : std::uint8_t {
  unknown,  // the format does not say
  completed,
  failed,
  cancelled,
  timed_out,
  node_failed,
  unfinished,  // still running when the trace ends
};

inline constexpr std::size_t kJobStatuses = 7;

// "completed", "timed-out", ...
[[nodiscard]] std::string_view status_name(JobStatus status);

// One job of a trace: <a, g, d> of the paper, and what else the format knows.
struct TraceJob {
  std::string id;
  double submit_s = 0;            // see Trace::epoch_s
  double duration_s = 0;          // d: how long the job ran, loading included
  bool duration_known = true;     // false: the trace does not say how long
  std::optional<double> start_s;  // when the traced cluster started it, on the clock of submit_s
  std::optional<double> iterations;
  std::optional<double> deadline_s;  // on the clock of submit_s
  std::optional<double> estimate_s;  // what its user expected it to take
  std::optional<double> priority;    // larger goes first
  std::string model;                 // empty: the trace does not say; so are those below
  std::string user;
  std::string virtual_cluster;
  std::string gpu_type;
  JobStatus status = JobStatus::unknown;
  std::uint32_t workers = 1;
  std::uint32_t gpus_per_worker = 1;
  double gpu_share = 1;                    // of each of its GPUs; below 1 for jobs that share them
  std::uint32_t cpus_per_worker = 0;       // 0: the trace does not say
  std::uint32_t memory_mb_per_worker = 0;  // of the server, 10^6 bytes; 0: the trace does not say
  std::uint32_t batch_size = 0;            // of the whole job; 0: the trace does not say
  Position position;                       // of its row

  [[nodiscard]] std::uint64_t gpus() const { return std::uint64_t{workers} * gpus_per_worker; }
};

// What a reader may find in a job that is not a plain one. docs/formats.md says which formats have
// which.
enum class Finding : std::uint8_t {
  failed,                // the job ended in an error, at a time limit or with its server
  cancelled,             // by its user
  unfinished,            // still running when the trace ends
  never_started,         // no start: it was cancelled or still waiting
  zero_gpus,             // a job of CPUs only
  fractional_gpus,       // a part of a GPU
  missing_time,          // a time that the job must have is blank, null or "None"
  negative_duration,     // it ends before it starts
  overlapping_attempts,  // an attempt starts before the one before it ended
  bad_row,               // not what the format holds; `lenient` only
};

inline constexpr std::size_t kFindings = 10;

// What to do with such a job.
enum class Treatment : std::uint8_t {
  keep,      // as the trace has it
  drop,      // leave it out, and count it
  stop,      // refuse the trace, with the place
  as_ended,  // as a job that completed when it ended; an unfinished one ends with the trace
  one_gpu,   // zero_gpus: as a job of one GPU
  zero,      // negative_duration: as a job that took no time
  merge,     // overlapping_attempts: time in two attempts counts once
};

// "zero-gpus", "as-ended", ...
[[nodiscard]] std::string_view finding_name(Finding finding);
[[nodiscard]] std::string_view treatment_name(Treatment treatment);

// The treatments that a finding may have, its default first. Empty for `bad_row`.
[[nodiscard]] std::vector<Treatment> treatments_of(Finding finding);

// What `generic` needs to know of a CSV: the column of each thing, empty where there is none.
struct GenericColumns {
  std::string delimiter = ",";  // one character, or "tab"
  std::string time_unit = "s";  // of times: s, ms, us, min, h, or "calendar" (2017-10-09 07:01:55)
  std::string duration_unit = "s";
  std::string id, submit, start, end, duration, gpus, workers, gpus_per_worker, cpus, model,
      iterations, user, virtual_cluster, status, gpu_type;
};

// Which jobs of a trace are wanted. Applied while reading, so that the rest takes no memory.
struct TraceFilter {
  double from_s = 0;  // submission, on the clock of submit_s: from_s <= submit_s < to_s
  double to_s = 1e300;
  std::uint64_t min_gpus = 0;
  std::uint64_t max_gpus = 0;                      // 0: no limit
  std::vector<std::string> statuses = {};          // names of JobStatus; empty: all
  std::vector<std::string> virtual_clusters = {};  // empty: all
  double sample = 1;                               // the fraction of the jobs to keep, by their ids
  std::uint64_t sample_seed = 1;
  std::uint64_t limit = 0;  // of what is left, the first by submission; 0: all
  double time_scale = 1;    // all times and durations are multiplied by it
  double load_scale = 1;    // submissions come that much faster, durations stay
};

struct TraceOptions {
  std::string file;             // a path (plain, gz or zst), - for standard input, or `bundled:...`
  std::string format = "auto";  // a name of `trace_formats()`, or `auto`
  TraceFilter filter = {};
  bool lenient = false;  // count bad rows instead of refusing the trace
  std::array<Treatment, kFindings> treatments = default_treatments();
  double default_duration_s = 0;         // of jobs whose format does not say how long; 0: none
  GenericColumns columns = {};           // of `generic`
  std::string throughputs = {};          // of `gavel`: the file of measured steps per second
  std::string throughputs_gpu = "v100";  // whose throughputs give the durations

  static std::array<Treatment, kFindings> default_treatments();
};

// What became of the rows of a file.
struct TraceAccount {
  std::uint64_t jobs_read = 0;  // jobs, or rows that should have been one
  std::array<std::uint64_t, kFindings> found = {};
  std::array<std::uint64_t, kFindings> dropped = {};  // of those found; a job counts once
  std::uint64_t filtered = 0;                         // right, and not wanted by the filter
  std::vector<Diagnostic> bad_rows = {};              // the first few
};

struct Trace {
  std::string file;
  std::string format;          // as read: never `auto`
  std::vector<TraceJob> jobs;  // by submission time; equal times in the file's order
  // Seconds from 1970-01-01 00:00 of the trace's own clock to time 0, for traces with calendar
  // times: time 0 is the earliest submission of the file. Nothing for others, whose times are as
  // written.
  std::optional<double> epoch_s = std::nullopt;
  TraceAccount account = {};
};

// A format that `read_trace` knows.
struct TraceFormat {
  std::string_view name;
  std::string_view summary;
};

[[nodiscard]] const std::vector<TraceFormat>& trace_formats();

// Reads a trace. Throws InputError with the place of every problem found: a missing file or
// column, a value that is not what the column holds, a job id used twice, no jobs at all.
// Memory grows with the jobs kept, not with the text. Formats and their columns: docs/formats.md.
[[nodiscard]] Trace read_trace(const TraceOptions& options);

// The same of a trace that is in memory, uncompressed; `options.file` is its name in messages.
[[nodiscard]] Trace read_trace(const TraceOptions& options, std::string_view text);

// The formats that `write_trace` writes.
[[nodiscard]] std::vector<std::string> writable_trace_formats();

// What the format cannot hold of this trace, and what it needs and the trace does not say, a line
// each: "user names of 80 jobs", "durations of 12 jobs (rounded)". Empty when a reader gets all of
// it back. Throws InputError when the format cannot be written.
[[nodiscard]] std::vector<std::string> losses_of(const Trace& trace, std::string_view format);

// Writes the trace, piece by piece; what the format cannot hold is left out. Returns the number of
// jobs written. Throws InputError when the format cannot be written or can hold none of the jobs,
// before it writes anything.
std::uint64_t write_trace(const Trace& trace, std::string_view format,
                          const std::function<void(std::string_view)>& write);

// "failed 3 kept, zero-gpus 10 dropped, ...": a line for people; empty when there is nothing to
// say.
[[nodiscard]] std::string describe_account(const Trace& trace, const TraceOptions& options);

// Limits that keep absurd input from becoming absurd arithmetic.
inline constexpr double kLongestTime_s = 1e10;  // over 300 years
inline constexpr double kMostGpus = 1e6;        // of one job

}  // namespace mosim
