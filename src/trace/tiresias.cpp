// `tiresias`, and `muri`, which grew out of it: more columns, and times in milliseconds.
#include "base/csv.hpp"
#include "trace/fields.hpp"
#include "trace/formats.hpp"

namespace mosim {
namespace {

// How the two differ.
struct Form {
  const char* format = nullptr;
  const char* expected = nullptr;
  double second = 1;  // in units of the file
  bool has_batch_size = false;
};

Trace read_form(const Form& form, TraceInput input, TraceBuilder& builder) {
  CsvReader csv(input.file, std::move(input.source), form.expected);
  const std::size_t id = csv.require({"job_id"});
  const std::size_t gpus = csv.require({"num_gpu"});
  const std::size_t submit = csv.require({"submit_time"});
  const std::size_t iterations = csv.require({"iterations"});
  const std::size_t model = csv.require({"model_name"});
  const std::size_t duration = csv.require({"duration"});
  const std::size_t batch_size = form.has_batch_size ? csv.require({"batch_size"}) : 0;
  const double longest = kLongestTime_s * form.second;
  Problems& problems = builder.problems();
  while (builder.next_row(csv)) {
    TraceJob job;
    job.position = csv.position(id);
    job.id = read_id(csv, id, problems);
    job.workers = read_count(csv, gpus, kGpusField, problems);
    job.submit_s = csv.number(submit, {0, longest}, problems) / form.second;
    job.iterations = read_optional(csv, iterations, kIterationsField, problems);
    job.model = csv.field(model);
    job.duration_s = csv.number(duration, {-longest, longest}, problems) / form.second;
    // Of one GPU in the file: a bert of 32 GPUs has batches of 4.
    if (form.has_batch_size) {
      job.batch_size = read_count(csv, batch_size, {1, 4000, true}, problems) * job.workers;
    }
    builder.add(std::move(job));
  }
  return builder.finish({.format = form.format});
}

}  // namespace

bool recognizes_tiresias(const TraceInput& input) {
  return has_columns(input, {"job_id", "num_gpu", "submit_time", "iterations", "duration"}) &&
         !recognizes_muri(input);
}

Trace read_tiresias_trace(TraceInput input, TraceBuilder& builder) {
  return read_form({.format = "tiresias", .expected = "a trace in the tiresias format"},
                   std::move(input), builder);
}

bool recognizes_muri(const TraceInput& input) {
  return has_columns(
      input, {"job_id", "num_gpu", "submit_time", "duration", "iteration_time", "resource_time_0"});
}

Trace read_muri_trace(TraceInput input, TraceBuilder& builder) {
  return read_form({.format = "muri",
                    .expected = "a trace in the muri format",
                    .second = 1000,
                    .has_batch_size = true},
                   std::move(input), builder);
}

}  // namespace mosim
