// What reading a trace takes of a scenario.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "mosim/scenario.hpp"

namespace mosim {
namespace {

void set_treatment(TraceOptions& options, Finding finding, const std::string& name) {
  for (const Treatment treatment : treatments_of(finding)) {
    if (treatment_name(treatment) != name) continue;
    options.treatments[static_cast<std::size_t>(finding)] = treatment;
    return;
  }
  throw std::logic_error("the option table lets an unknown treatment through");
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view part : split(text, ',')) {
    if (!part.empty()) names.emplace_back(part);
  }
  return names;
}

std::vector<std::string> read_statuses(const std::string& text) {
  std::vector<std::string> known;
  known.reserve(kJobStatuses);
  for (std::size_t status = 0; status < kJobStatuses; ++status) {
    known.emplace_back(status_name(static_cast<JobStatus>(status)));
  }
  std::vector<std::string> statuses = split_names(text);
  for (const std::string& status : statuses) {
    if (std::find(known.begin(), known.end(), status) != known.end()) continue;
    throw InputError({"scenario", {}}, fmt::format("trace.statuses has '{}'", status),
                     one_of(status, known));
  }
  return statuses;
}

TraceFilter filter_of(const Scenario& scenario) {
  TraceFilter filter;
  filter.from_s = scenario.trace_from_s;
  if (scenario.trace_to_s > 0) filter.to_s = scenario.trace_to_s;
  filter.min_gpus = scenario.trace_min_gpus;
  filter.max_gpus = scenario.trace_max_gpus;
  filter.statuses = read_statuses(scenario.trace_statuses);
  filter.virtual_clusters = split_names(scenario.trace_virtual_clusters);
  filter.sample = scenario.trace_sample;
  filter.sample_seed = scenario.trace_sample_seed;
  filter.limit = scenario.trace_limit;
  filter.time_scale = scenario.trace_time_scale;
  filter.load_scale = scenario.trace_load_scale;
  return filter;
}

GenericColumns columns_of(const Scenario& scenario) {
  GenericColumns columns;
  columns.delimiter = scenario.trace_delimiter;
  columns.time_unit = scenario.trace_time_unit;
  columns.duration_unit = scenario.trace_duration_unit;
  columns.id = scenario.column_id;
  columns.submit = scenario.column_submit;
  columns.start = scenario.column_start;
  columns.end = scenario.column_end;
  columns.duration = scenario.column_duration;
  columns.gpus = scenario.column_gpus;
  columns.workers = scenario.column_workers;
  columns.gpus_per_worker = scenario.column_gpus_per_worker;
  columns.cpus = scenario.column_cpus;
  columns.model = scenario.column_model;
  columns.iterations = scenario.column_iterations;
  columns.user = scenario.column_user;
  columns.virtual_cluster = scenario.column_virtual_cluster;
  columns.status = scenario.column_status;
  columns.gpu_type = scenario.column_gpu_type;
  return columns;
}

}  // namespace

TraceOptions trace_options(const Scenario& scenario) {
  TraceOptions options;
  options.file = scenario.trace_file;
  options.format = scenario.trace_format;
  options.filter = filter_of(scenario);
  options.lenient = scenario.trace_lenient;
  set_treatment(options, Finding::failed, scenario.on_failed);
  set_treatment(options, Finding::cancelled, scenario.on_cancelled);
  set_treatment(options, Finding::unfinished, scenario.on_unfinished);
  set_treatment(options, Finding::never_started, scenario.on_never_started);
  set_treatment(options, Finding::zero_gpus, scenario.on_zero_gpus);
  set_treatment(options, Finding::fractional_gpus, scenario.on_fractional_gpus);
  set_treatment(options, Finding::missing_time, scenario.on_missing_time);
  set_treatment(options, Finding::negative_duration, scenario.on_negative_duration);
  set_treatment(options, Finding::overlapping_attempts, scenario.on_overlapping_attempts);
  options.default_duration_s = scenario.trace_default_duration_s;
  options.columns = columns_of(scenario);
  options.throughputs = scenario.trace_throughputs;
  options.throughputs_gpu = scenario.trace_throughputs_gpu;
  return options;
}

}  // namespace mosim
