#include "base/csv.hpp"
#include "trace/fields.hpp"
#include "trace/formats.hpp"

namespace mosim {

bool recognizes_pollux(const TraceInput& input) {
  return has_columns(input, {"name", "time", "application", "num_replicas", "batch_size"});
}

Trace read_pollux_trace(TraceInput input, TraceBuilder& builder) {
  CsvReader csv(input.file, std::move(input.source), "a trace in the pollux format");
  const std::size_t name = csv.require({"name"});
  const std::size_t time = csv.require({"time"});
  const std::size_t application = csv.require({"application"});
  const std::size_t replicas = csv.require({"num_replicas"});
  const std::size_t batch_size = csv.require({"batch_size"});
  Problems& problems = builder.problems();
  while (builder.next_row(csv)) {
    TraceJob job;
    job.position = csv.position(name);
    job.id = read_id(csv, name, problems);
    job.submit_s = csv.number(time, kTimeField, problems);
    job.duration_known = false;
    job.model = csv.field(application);
    job.workers = read_count(csv, replicas, kGpusField, problems);
    job.batch_size = read_count(csv, batch_size, kBatchField, problems);
    builder.add(std::move(job));
  }
  return builder.finish({.format = "pollux"});
}

}  // namespace mosim
