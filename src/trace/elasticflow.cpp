#include "base/csv.hpp"
#include "trace/fields.hpp"
#include "trace/formats.hpp"

namespace mosim {

bool recognizes_elasticflow(const TraceInput& input) {
  return has_columns(input, {"job_id", "submission_time", "duration", "num_gpu"});
}

Trace read_elasticflow_trace(TraceInput input, TraceBuilder& builder) {
  CsvReader csv(input.file, std::move(input.source), "a trace in the elasticflow format");
  const std::size_t id = csv.require({"job_id"});
  const std::size_t submit = csv.require({"submission_time"});
  const std::size_t duration = csv.require({"duration"});
  const std::size_t gpus = csv.require({"num_gpu"});
  const auto model = csv.find({"model_name"});
  const auto iterations = csv.find({"num_iteration"});
  const auto deadline = csv.find({"deadline"});
  const auto batch_size = csv.find({"batch_size"});
  Problems& problems = builder.problems();
  while (builder.next_row(csv)) {
    TraceJob job;
    job.position = csv.position(id);
    job.id = read_id(csv, id, problems);
    job.submit_s = csv.number(submit, kTimeField, problems);
    job.duration_s = csv.number(duration, kDurationField, problems);
    job.workers = read_count(csv, gpus, kGpusField, problems);
    job.model = read_text(csv, model);
    job.iterations = read_optional(csv, iterations, kIterationsField, problems);
    job.deadline_s = read_optional(csv, deadline, kTimeField, problems);
    const auto batch = read_optional(csv, batch_size, kBatchField, problems);
    job.batch_size = static_cast<std::uint32_t>(batch.value_or(0));
    builder.add(std::move(job));
  }
  return builder.finish({.format = "elasticflow"});
}

}  // namespace mosim
