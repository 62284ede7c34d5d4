#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

#include "base/calendar.hpp"
#include "base/csv.hpp"
#include "trace/mosim_csv.hpp"

namespace mosim {
namespace {

template <typename Number>
void append_number(std::string& out, Number value) {
  fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}"), value);
}

void append_if(std::string& out, const std::optional<double>& value) {
  if (value) append_number(out, *value);
}

struct OptionalColumn {
  std::string_view name;
  bool (*used)(const TraceJob& job);
  void (*append)(std::string& out, const TraceJob& job);
};

using Job = const TraceJob&;
using Out = std::string&;

constexpr std::array kOptional{
    OptionalColumn{"num_iteration", [](Job job) { return job.iterations.has_value(); },
                   [](Out out, Job job) { append_if(out, job.iterations); }},
    OptionalColumn{"gpu_per_worker", [](Job job) { return job.gpus_per_worker != 1; },
                   [](Out out, Job job) { append_number(out, job.gpus_per_worker); }},
    OptionalColumn{"gpu_share", [](Job job) { return job.gpu_share != 1; },
                   [](Out out, Job job) { append_number(out, job.gpu_share); }},
    OptionalColumn{"gpu_type", [](Job job) { return !job.gpu_type.empty(); },
                   [](Out out, Job job) { append_csv_field(out, job.gpu_type); }},
    OptionalColumn{"cpu_per_gpu_worker", [](Job job) { return job.cpus_per_worker != 0; },
                   [](Out out, Job job) { append_number(out, job.cpus_per_worker); }},
    OptionalColumn{"memory_mb_per_worker", [](Job job) { return job.memory_mb_per_worker != 0; },
                   [](Out out, Job job) { append_number(out, job.memory_mb_per_worker); }},
    OptionalColumn{"batch_size", [](Job job) { return job.batch_size != 0; },
                   [](Out out, Job job) { append_number(out, job.batch_size); }},
    OptionalColumn{"start_time", [](Job job) { return job.start_s.has_value(); },
                   [](Out out, Job job) { append_if(out, job.start_s); }},
    OptionalColumn{"deadline", [](Job job) { return job.deadline_s.has_value(); },
                   [](Out out, Job job) { append_if(out, job.deadline_s); }},
    OptionalColumn{"estimate_s", [](Job job) { return job.estimate_s.has_value(); },
                   [](Out out, Job job) { append_if(out, job.estimate_s); }},
    OptionalColumn{"priority", [](Job job) { return job.priority.has_value(); },
                   [](Out out, Job job) { append_if(out, job.priority); }},
    OptionalColumn{"status", [](Job job) { return job.status != JobStatus::unknown; },
                   [](Out out, Job job) { out += status_name(job.status); }},
    OptionalColumn{"user", [](Job job) { return !job.user.empty(); },
                   [](Out out, Job job) { append_csv_field(out, job.user); }},
    OptionalColumn{"virtual_cluster", [](Job job) { return !job.virtual_cluster.empty(); },
                   [](Out out, Job job) { append_csv_field(out, job.virtual_cluster); }},
};

bool has(const MosimColumns& columns, std::size_t column) {
  return (columns.optional >> column & 1U) != 0;
}

}  // namespace

void add_columns_of(const TraceJob& job, MosimColumns& columns) {
  for (std::size_t column = 0; column < kOptional.size(); ++column) {
    if (!has(columns, column) && kOptional[column].used(job)) columns.optional |= 1U << column;
  }
}

MosimColumns mosim_columns(const Trace& trace) {
  MosimColumns columns{.optional = 0};
  for (const TraceJob& job : trace.jobs) add_columns_of(job, columns);
  if (trace.epoch_s) columns.time_zero = format_exact_calendar_time(*trace.epoch_s);
  return columns;
}

void append_mosim_header(std::string& out, const MosimColumns& columns) {
  out += "job_id,model,arrival_time,duration,gpu_workers";
  for (std::size_t column = 0; column < kOptional.size(); ++column) {
    if (!has(columns, column)) continue;
    out += ',';
    out += kOptional[column].name;
  }
  if (!columns.time_zero.empty()) out += ",time_zero";
  out += '\n';
}

void append_mosim_row(std::string& out, const TraceJob& job, const MosimColumns& columns) {
  append_csv_field(out, job.id);
  out += ',';
  append_csv_field(out, job.model);
  fmt::format_to(std::back_inserter(out), FMT_COMPILE(",{},"), job.submit_s);
  if (job.duration_known) append_number(out, job.duration_s);
  fmt::format_to(std::back_inserter(out), FMT_COMPILE(",{}"), job.workers);
  for (std::size_t column = 0; column < kOptional.size(); ++column) {
    if (!has(columns, column)) continue;
    out += ',';
    kOptional[column].append(out, job);
  }
  if (!columns.time_zero.empty()) {
    out += ',';
    out += columns.time_zero;
  }
  out += '\n';
}

}  // namespace mosim
