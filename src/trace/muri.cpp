#include "base/csv.hpp"
#include "trace/fields.hpp"
#include "trace/formats.hpp"

namespace mosim {
namespace {

constexpr double kMillisecond = 1e-3;
constexpr NumberRange kTime{0, kLongestTime_s / kMillisecond};
constexpr NumberRange kDuration{-kLongestTime_s / kMillisecond, kLongestTime_s / kMillisecond};

}  // namespace

bool recognizes_muri(const TraceInput& input) {
  return has_columns(
      input, {"job_id", "num_gpu", "submit_time", "duration", "iteration_time", "resource_time_0"});
}

Trace read_muri_trace(TraceInput input, TraceBuilder& builder) {
  CsvReader csv(input.file, std::move(input.source), "a trace in the muri format");
  const std::size_t id = csv.require({"job_id"});
  const std::size_t gpus = csv.require({"num_gpu"});
  const std::size_t submit = csv.require({"submit_time"});
  const std::size_t iterations = csv.require({"iterations"});
  const std::size_t model = csv.require({"model_name"});
  const std::size_t batch_size = csv.require({"batch_size"});
  const std::size_t duration = csv.require({"duration"});
  Problems& problems = builder.problems();
  while (builder.next_row(csv)) {
    TraceJob job;
    job.position = csv.position(id);
    job.id = read_id(csv, id, problems);
    job.workers = read_count(csv, gpus, kGpusField, problems);
    job.submit_s = csv.number(submit, kTime, problems) * kMillisecond;
    job.iterations = read_optional(csv, iterations, kIterationsField, problems);
    job.model = csv.field(model);
    // Of one GPU in the file: a bert of 32 GPUs has batches of 4.
    job.batch_size = read_count(csv, batch_size, {1, 4000, true}, problems) * job.workers;
    job.duration_s = csv.number(duration, kDuration, problems) * kMillisecond;
    builder.add(std::move(job));
  }
  return builder.finish({.format = "muri"});
}

}  // namespace mosim
