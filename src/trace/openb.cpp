#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/csv.hpp"
#include "trace/fields.hpp"
#include "trace/formats.hpp"

namespace mosim {
namespace {

constexpr double kMebibyte = 1.048576;  // in 10^6 bytes

struct Pod {
  TraceJob job;  // with everything but its times and how it ended
  std::string phase;
  std::optional<double> created, deleted, scheduled;
};

struct Columns {
  std::size_t name, cpu, memory, gpus, gpu_milli, gpu_spec, phase, created, deleted, scheduled;

  explicit Columns(const CsvReader& csv)
      : name(csv.require({"name"})),
        cpu(csv.require({"cpu_milli"})),
        memory(csv.require({"memory_mib"})),
        gpus(csv.require({"num_gpu"})),
        gpu_milli(csv.require({"gpu_milli"})),
        gpu_spec(csv.require({"gpu_spec"})),
        phase(csv.require({"pod_phase"})),
        created(csv.require({"creation_time"})),
        deleted(csv.require({"deletion_time"})),
        scheduled(csv.require({"scheduled_time"})) {}
};

Pod read_pod(const CsvReader& csv, const Columns& columns, Problems& problems) {
  Pod pod;
  TraceJob& job = pod.job;
  job.position = csv.position(columns.name);
  job.id = read_id(csv, columns.name, problems);
  job.cpus_per_worker =
      static_cast<std::uint32_t>(std::ceil(csv.number(columns.cpu, {0, 1e9}, problems) / 1000));
  job.memory_mb_per_worker = static_cast<std::uint32_t>(
      std::lround(csv.number(columns.memory, {0, 1e9}, problems) * kMebibyte));
  job.gpus_per_worker = read_count(csv, columns.gpus, kGpusField, problems);
  // Pods without a GPU have 0 here.
  if (job.gpus_per_worker > 0) {
    job.gpu_share = csv.number(columns.gpu_milli, {1, 1000}, problems) / 1000;
  }
  job.gpu_type = csv.field(columns.gpu_spec);
  pod.phase = csv.field(columns.phase);
  pod.created = read_optional(csv, columns.created, kTimeField, problems);
  pod.deleted = read_optional(csv, columns.deleted, kTimeField, problems);
  pod.scheduled = read_optional(csv, columns.scheduled, kTimeField, problems);
  return pod;
}

bool is_phase(std::string_view phase) {
  return phase == "Succeeded" || phase == "Failed" || phase == "Running" || phase == "Pending";
}

// A pod still runs when the trace ends if it is never deleted, or only by that end.
JobStatus status_of(const Pod& pod, double trace_end) {
  if (pod.phase == "Succeeded") return JobStatus::completed;
  if (pod.phase == "Failed") return JobStatus::failed;
  const bool ended = pod.deleted && *pod.deleted < trace_end;
  return ended ? JobStatus::unknown : JobStatus::unfinished;
}

void add_pod(Pod pod, double trace_end, TraceBuilder& builder) {
  TraceJob& job = pod.job;
  if (!pod.created) {
    (void)builder.admits(Finding::missing_time, job.position, job.id);
    return;
  }
  if (!pod.scheduled) {
    builder.saw_submission(*pod.created);
    (void)builder.admits(Finding::never_started, job.position, job.id);
    return;
  }
  job.submit_s = *pod.created;
  job.start_s = pod.scheduled;
  job.status = status_of(pod, trace_end);
  if (job.status != JobStatus::unfinished) {
    if (!pod.deleted) {
      (void)builder.admits(Finding::missing_time, job.position, job.id);
      return;
    }
    // One that is deleted before it was created ended before it started, whatever else is said.
    job.duration_s = *pod.deleted - std::max(*pod.scheduled, *pod.created);
  }
  builder.add(std::move(job));
}

}  // namespace

bool recognizes_openb(const TraceInput& input) {
  return has_columns(input, {"name", "num_gpu", "gpu_milli", "pod_phase", "creation_time"});
}

// A pod that runs until the last deletion of the file still ran when the trace ended. Until a later
// deletion is read, any pod that was deleted last may be such a one, and waits.
Trace read_openb_trace(TraceInput input, TraceBuilder& builder) {
  CsvReader csv(input.file, std::move(input.source), "a trace in the openb format");
  const Columns columns(csv);
  Problems& problems = builder.problems();
  std::vector<Pod> waiting;
  double trace_end = 0;
  const auto add_waiting = [&] {
    for (Pod& pod : waiting) add_pod(std::move(pod), trace_end, builder);
    waiting.clear();
  };
  while (builder.next_row(csv)) {
    Pod pod = read_pod(csv, columns, problems);
    if (!is_phase(pod.phase)) {
      problems.add(csv.where(columns.phase), fmt::format("pod_phase is '{}'", pod.phase),
                   "Succeeded, Failed, Running or Pending");
    }
    if (builder.settle_problems()) continue;
    if (pod.deleted && *pod.deleted > trace_end) {
      trace_end = *pod.deleted;
      add_waiting();
    }
    if (pod.deleted == trace_end) {
      waiting.push_back(std::move(pod));
    } else {
      add_pod(std::move(pod), trace_end, builder);
    }
  }
  builder.saw(trace_end);
  add_waiting();
  return builder.finish({.format = "openb"});
}

}  // namespace mosim
