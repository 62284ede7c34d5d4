// The formats that can be written: each says what it can hold of a job, and how a job is written.
// What a format cannot hold is taken away from a job first (`keep`), so that what is written and
// what is told of the losses are one thing.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "mosim/trace.hpp"

namespace mosim {

// How a format says how many GPUs a job has.
enum class GpuForm {
  workers,     // workers, and the GPUs of each
  total,       // one number: as many workers of one GPU
  one_worker,  // one number, all on one server
};

// Whether a format has a thing, and whether it can be without it.
enum class Has { no, yes, always };

struct TraceHolds {
  bool calendar = false;        // times are calendar times
  bool time_zero = false;       // they are not, and the file tells that of time 0
  bool whole_times = true;      // submission, start and deadline are whole seconds
  bool whole_durations = true;  // and so are durations
  Has duration = Has::always;   // a job without one cannot be written
  Has start = Has::no;          // the submission stands for a start that is not known
  Has model = Has::no;          // a job without one cannot be written
  bool ids = true;              // else the number of the row
  bool deadline = false;
  bool estimate = false;
  bool priority = false;
  bool iterations = false;
  bool whole_iterations = true;
  bool user = false;
  bool virtual_cluster = false;
  bool gpu_type = false;
  Has batch_size = Has::no;  // a job without one cannot be written
  bool cpus = false;
  double memory_unit = 0;  // bytes; 0: no memory
  double gpu_parts = 1;    // parts of a GPU that a share is counted in; 0: any share
  GpuForm gpus = GpuForm::total;
  bool json = false;                         // text is UTF-8
  std::span<const JobStatus> statuses = {};  // the first stands for an unknown one
};

// Appends a job that was kept.
using AppendRow = std::function<void(std::string& out, const TraceJob& job)>;

struct TraceWriter {
  std::string_view name;
  TraceHolds holds;
  // Appends what stands before the rows, and gives what appends a row.
  AppendRow (*begin)(const Trace& trace, std::string& out);
  std::string_view end = {};  // what stands after the rows
};

[[nodiscard]] std::span<const TraceWriter> trace_writers();

// The writer of a format. Throws InputError, with `file` as the place.
[[nodiscard]] const TraceWriter& writer_of(std::string_view format, const std::string& file);

// Takes away from the job what the format cannot hold. `row` is its number in the file. Returns why
// the job cannot be written; empty when it can.
[[nodiscard]] std::string_view keep(const TraceHolds& holds, const Trace& trace, std::uint64_t row,
                                    TraceJob& job);

AppendRow begin_mosim(const Trace& trace, std::string& out);
AppendRow begin_philly_csv(const Trace& trace, std::string& out);
AppendRow begin_philly(const Trace& trace, std::string& out);
AppendRow begin_helios(const Trace& trace, std::string& out);
AppendRow begin_acme(const Trace& trace, std::string& out);
AppendRow begin_elasticflow(const Trace& trace, std::string& out);
AppendRow begin_tiresias(const Trace& trace, std::string& out);
AppendRow begin_openb(const Trace& trace, std::string& out);
AppendRow begin_pollux(const Trace& trace, std::string& out);

}  // namespace mosim
