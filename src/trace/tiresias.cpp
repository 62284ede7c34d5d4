#include "base/csv.hpp"
#include "trace/fields.hpp"
#include "trace/formats.hpp"

namespace mosim {

bool recognizes_tiresias(const TraceInput& input) {
  return has_columns(input, {"job_id", "num_gpu", "submit_time", "iterations", "duration"}) &&
         !recognizes_muri(input);
}

Trace read_tiresias_trace(TraceInput input, TraceBuilder& builder) {
  CsvReader csv(input.file, std::move(input.source), "a trace in the tiresias format");
  const std::size_t id = csv.require({"job_id"});
  const std::size_t gpus = csv.require({"num_gpu"});
  const std::size_t submit = csv.require({"submit_time"});
  const std::size_t iterations = csv.require({"iterations"});
  const std::size_t model = csv.require({"model_name"});
  const std::size_t duration = csv.require({"duration"});
  Problems& problems = builder.problems();
  while (builder.next_row(csv)) {
    TraceJob job;
    job.position = csv.position(id);
    job.id = read_id(csv, id, problems);
    job.workers = read_count(csv, gpus, kGpusField, problems);
    job.submit_s = csv.number(submit, kTimeField, problems);
    job.iterations = read_optional(csv, iterations, kIterationsField, problems);
    job.model = csv.field(model);
    job.duration_s = csv.number(duration, kDurationField, problems);
    builder.add(std::move(job));
  }
  return builder.finish({.format = "tiresias"});
}

}  // namespace mosim
