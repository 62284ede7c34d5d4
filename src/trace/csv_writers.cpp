// Rows of the CSV formats of others. docs/formats.md names their sources.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/calendar.hpp"
#include "base/csv.hpp"
#include "trace/mosim_csv.hpp"
#include "trace/writers.hpp"

namespace mosim {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;

template <typename Number>
void append_number(std::string& out, Number value) {
  fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}"), value);
}

// A blank for what the trace does not say.
void append_known(std::string& out, double value) {
  if (value != 0) append_number(out, value);
}

// The calendar time of a whole second of the trace.
std::string calendar_time(double zero, double time) {
  return format_calendar_time(std::round(zero + time));
}

std::string_view slurm_state(JobStatus status) {
  switch (status) {
    case JobStatus::failed:
      return "FAILED";
    case JobStatus::cancelled:
      return "CANCELLED";
    case JobStatus::timed_out:
      return "TIMEOUT";
    case JobStatus::node_failed:
      return "NODE_FAIL";
    default:
      return "COMPLETED";
  }
}

// The clusters of these formats have servers of 8 GPUs.
std::uint64_t nodes_of(const TraceJob& job) { return (job.gpus() + 7) / 8; }

}  // namespace

AppendRow begin_mosim(const Trace& trace, std::string& out) {
  const MosimColumns columns = mosim_columns(trace);
  append_mosim_header(out, columns);
  return [columns](std::string& row, const TraceJob& job) { append_mosim_row(row, job, columns); };
}

AppendRow begin_philly_csv(const Trace& trace, std::string& out) {
  out += "timestamp,duration,num_gpus,gpu_time,cluster\n";
  return [zero = trace.epoch_s.value_or(0)](std::string& row, const TraceJob& job) {
    fmt::format_to(std::back_inserter(row), FMT_COMPILE("{},{},{},{},"),
                   calendar_time(zero, job.submit_s), job.duration_s, job.gpus(),
                   job.duration_s * static_cast<double>(job.gpus()));
    append_csv_field(row, job.virtual_cluster);
    row += '\n';
  };
}

AppendRow begin_helios(const Trace& trace, std::string& out) {
  out +=
      "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"
      "queue\n";
  return [zero = trace.epoch_s.value_or(0)](std::string& row, const TraceJob& job) {
    append_csv_field(row, job.id);
    row += ',';
    append_csv_field(row, job.user);
    row += ',';
    append_csv_field(row, job.virtual_cluster);
    const double start = job.start_s.value_or(job.submit_s);
    fmt::format_to(std::back_inserter(row), FMT_COMPILE(",{},{},{},{},{},{},{},{},{}\n"),
                   job.gpus(), std::uint64_t{job.cpus_per_worker} * job.workers, nodes_of(job),
                   slurm_state(job.status), calendar_time(zero, job.submit_s),
                   calendar_time(zero, start), calendar_time(zero, start + job.duration_s),
                   job.duration_s, start - job.submit_s);
  };
}

AppendRow begin_acme(const Trace& trace, std::string& out) {
  out +=
      "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,"
      "queue,gpu_time\n";
  return [zero = trace.epoch_s.value_or(0)](std::string& row, const TraceJob& job) {
    append_csv_field(row, job.id);
    row += ',';
    append_csv_field(row, job.user);
    const double start = job.start_s.value_or(job.submit_s);
    fmt::format_to(std::back_inserter(row), FMT_COMPILE(",{},{},{},Other,{},{},{},{},{},{},{}\n"),
                   nodes_of(job), job.gpus(), std::uint64_t{job.cpus_per_worker} * job.workers,
                   slurm_state(job.status), calendar_time(zero, job.submit_s),
                   calendar_time(zero, start), calendar_time(zero, start + job.duration_s),
                   job.duration_s, start - job.submit_s,
                   job.duration_s * static_cast<double>(job.gpus()));
  };
}

// The raw files have four columns; those of the experiments have what else a job is given.
AppendRow begin_elasticflow(const Trace& trace, std::string& out) {
  const bool whole = std::any_of(trace.jobs.begin(), trace.jobs.end(), [](const TraceJob& job) {
    return job.iterations || job.deadline_s || job.batch_size != 0 || !job.model.empty();
  });
  if (!whole) {
    out += "job_id,submission_time,duration,num_gpu\n";
    return [](std::string& row, const TraceJob& job) {
      append_csv_field(row, job.id);
      fmt::format_to(std::back_inserter(row), FMT_COMPILE(",{},{},{}\n"), job.submit_s,
                     job.duration_s, job.gpus());
    };
  }
  out += "job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration\n";
  return [](std::string& row, const TraceJob& job) {
    append_csv_field(row, job.id);
    fmt::format_to(std::back_inserter(row), FMT_COMPILE(",{},"), job.submit_s);
    if (job.iterations) append_number(row, *job.iterations);
    row += ',';
    append_csv_field(row, job.model);
    row += ',';
    if (job.deadline_s) append_number(row, *job.deadline_s);
    row += ',';
    append_known(row, job.batch_size);
    fmt::format_to(std::back_inserter(row), FMT_COMPILE(",{},{}\n"), job.gpus(), job.duration_s);
  };
}

// `interval` is the time since the submission before.
AppendRow begin_tiresias(const Trace& /*trace*/, std::string& out) {
  out += "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n";
  return [before = std::optional<double>()](std::string& row, const TraceJob& job) mutable {
    append_csv_field(row, job.id);
    fmt::format_to(std::back_inserter(row), FMT_COMPILE(",{},{},"), job.gpus(), job.submit_s);
    if (job.iterations) append_number(row, *job.iterations);
    row += ',';
    append_csv_field(row, job.model);
    fmt::format_to(std::back_inserter(row), FMT_COMPILE(",{},{}\n"), job.duration_s,
                   job.submit_s - before.value_or(job.submit_s));
    before = job.submit_s;
  };
}

AppendRow begin_openb(const Trace& /*trace*/, std::string& out) {
  out +=
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
      "deletion_time,scheduled_time\n";
  return [](std::string& row, const TraceJob& job) {
    // "Running" would be a pod that is not seen to end.
    const std::string_view phase = job.status == JobStatus::failed ? "Failed" : "Succeeded";
    append_csv_field(row, job.id);
    fmt::format_to(std::back_inserter(row), FMT_COMPILE(",{},{},{},{},"),
                   std::uint64_t{job.cpus_per_worker} * 1000,
                   std::round(job.memory_mb_per_worker * 1e6 / kMebibyte), job.gpus(),
                   std::round(job.gpu_share * 1000));
    append_csv_field(row, job.gpu_type);
    const double start = job.start_s.value_or(job.submit_s);
    fmt::format_to(std::back_inserter(row), FMT_COMPILE(",LS,{},{},{},{}\n"), phase, job.submit_s,
                   std::max(start, job.submit_s) + job.duration_s, start);
  };
}

AppendRow begin_pollux(const Trace& /*trace*/, std::string& out) {
  out += "name,time,application,num_replicas,batch_size\n";
  return [](std::string& row, const TraceJob& job) {
    append_csv_field(row, job.id);
    fmt::format_to(std::back_inserter(row), FMT_COMPILE(",{},"), job.submit_s);
    append_csv_field(row, job.model);
    fmt::format_to(std::back_inserter(row), FMT_COMPILE(",{},"), job.gpus());
    append_known(row, job.batch_size);
    row += '\n';
  };
}

}  // namespace mosim
