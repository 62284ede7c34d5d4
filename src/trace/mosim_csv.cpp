#include <fmt/format.h>

#include "base/csv.hpp"
#include "trace/formats.hpp"

namespace mosim {
namespace {

constexpr NumberRange kTime{0, kLongestTime_s};
constexpr NumberRange kCount{1, kMostGpus, true};

struct Columns {
  std::size_t id, model, submit, duration, workers;
  std::optional<std::size_t> iterations, gpus_per_worker, cpus_per_worker, servers;

  explicit Columns(const CsvReader& csv)
      : id(csv.require({"job_id"})),
        model(csv.require({"model"})),
        submit(csv.require({"arrival_time"})),
        duration(csv.require({"duration"})),
        workers(csv.require({"gpu_workers"})),
        iterations(csv.find({"num_iteration"})),
        gpus_per_worker(csv.find({"gpu_per_worker"})),
        cpus_per_worker(csv.find({"cpu_per_gpu_worker"})),
        servers(csv.find({"ps"})) {}
};

TraceJob read_job(const CsvReader& csv, const Columns& columns, Problems& problems) {
  TraceJob job;
  job.id = csv.field(columns.id);
  job.model = csv.field(columns.model);
  job.position = csv.position(columns.id);
  if (job.id.empty()) problems.add(csv.where(columns.id), "job_id is empty", "a name");
  job.submit_s = csv.number(columns.submit, kTime, problems);
  job.duration_s = csv.number(columns.duration, kTime, problems);
  const auto count = [&](std::size_t column, NumberRange range) {
    return static_cast<std::uint32_t>(csv.number(column, range, problems));
  };
  job.workers = count(columns.workers, kCount);
  if (columns.gpus_per_worker) job.gpus_per_worker = count(*columns.gpus_per_worker, kCount);
  if (columns.cpus_per_worker) {
    job.cpus_per_worker = count(*columns.cpus_per_worker, {0, 1e6, true});
  }
  if (columns.iterations && !csv.field(*columns.iterations).empty()) {
    job.iterations = csv.number(*columns.iterations, {1, 1e15}, problems);
  }
  if (columns.servers && count(*columns.servers, {0, 1e6, true}) != 0) {
    problems.add(csv.where(*columns.servers), "ps is not 0",
                 "0: jobs with parameter servers are not modelled");
  }
  return job;
}

}  // namespace

bool recognizes_mosim(const TraceInput& input) { return has_columns(input, {"gpu_workers"}); }

Trace read_mosim_trace(TraceInput input, TraceBuilder& builder) {
  CsvReader csv(input.file, std::move(input.source), "a trace in the mosim CSV format");
  const Columns columns(csv);
  while (builder.next_row(csv)) builder.add(read_job(csv, columns, builder.problems()));
  return builder.finish({.format = "mosim"});
}

}  // namespace mosim
