#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "trace/fields.hpp"
#include "trace/formats.hpp"

namespace mosim {
namespace {

using Fields = std::vector<std::string>;

// The forms that the traces had, by their number of fields; none has a header.
const Fields* columns_of(std::size_t fields) {
  static const Fields seven{"job_type",    "command",      "num_steps_arg", "needs_data_dir",
                            "total_steps", "arrival_time", "scale_factor"};
  static const Fields nine{"job_type",        "command",     "num_steps_arg",
                           "needs_data_dir",  "total_steps", "scale_factor",
                           "priority_weight", "SLO",         "arrival_time"};
  static const Fields ten{
      "job_type",    "command",      "working_directory", "num_steps_arg", "needs_data_dir",
      "total_steps", "scale_factor", "priority_weight",   "SLO",           "arrival_time"};
  for (const Fields* form : {&seven, &nine, &ten}) {
    if (form->size() == fields) return form;
  }
  return nullptr;
}

// The fields of the first line that is not blank.
std::vector<std::string_view> first_fields(std::string_view head) {
  const std::size_t begin = std::min(head.find_first_not_of("\r\n \t"), head.size());
  std::string_view line = head.substr(begin);
  line = line.substr(0, line.find_first_of("\r\n"));
  std::vector<std::string_view> fields;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t tab = std::min(line.find('\t', at), line.size());
    fields.push_back(line.substr(at, tab - at));
    at = tab + 1;
  }
  return fields;
}

// Steps per second of each "('job type', scale factor)" that runs alone on the GPUs of a type.
using Throughputs = std::unordered_map<std::string, double>;

[[noreturn]] void refuse(const std::string& file, std::string what, std::string expected) {
  throw InputError({file, {}}, std::move(what), std::move(expected));
}

Throughputs read_throughputs(const std::string& file, const std::string& gpu) {
  constexpr std::string_view kExpected =
      "measured steps per second, as simulation_throughputs.json";
  Throughputs throughputs;
  if (file.empty()) return throughputs;
  const auto document = nlohmann::json::parse(read_file(file, kExpected), nullptr, false);
  if (!document.is_object()) refuse(file, "is not a JSON object", std::string(kExpected));
  const auto of_gpu = document.find(gpu);
  if (of_gpu == document.end()) {
    std::vector<std::string> gpus;
    for (const auto& [name, value] : document.items()) gpus.push_back(name);
    refuse(file, fmt::format("has no GPU type '{}' (trace.throughputs_gpu)", gpu),
           one_of(gpu, gpus));
  }
  if (!of_gpu->is_object()) {
    refuse(file, fmt::format("has '{}', which is not an object", gpu), std::string(kExpected));
  }
  for (const auto& [job, measured] : of_gpu->items()) {
    const auto alone = measured.is_object() ? measured.find("null") : measured.end();
    if (alone == measured.end() || !alone->is_number()) {
      refuse(file, fmt::format("has no number of steps per second for {} alone on {}", job, gpu),
             "a number under \"null\"");
    }
    throughputs.emplace(job, alone->get<double>());
  }
  return throughputs;
}

// How long the job takes alone; nothing when that was not measured, or does not run.
std::optional<double> duration_of(const TraceJob& job, double steps,
                                  const Throughputs& throughputs) {
  const auto at = throughputs.find(fmt::format("('{}', {})", job.model, job.workers));
  if (at == throughputs.end() || at->second <= 0) return std::nullopt;
  return steps / at->second;
}

}  // namespace

bool recognizes_gavel(const TraceInput& input) {
  const std::vector<std::string_view> fields = first_fields(input.head);
  const Fields* columns = columns_of(fields.size());
  if (columns == nullptr) return false;
  for (std::size_t column = 0; column < fields.size(); ++column) {
    const std::string& name = (*columns)[column];
    const bool number = name == "total_steps" || name == "scale_factor" || name == "arrival_time";
    if (number && !parse_double(trim(fields[column]))) return false;
  }
  return true;
}

Trace read_gavel_trace(TraceInput input, TraceBuilder& builder) {
  const Fields* columns = columns_of(first_fields(input.head).size());
  if (columns == nullptr) {
    refuse(input.file, "is not a trace in the gavel format", "lines of 7, 9 or 10 fields, by tabs");
  }
  CsvReader csv(input.file, std::move(input.source), "a trace in the gavel format",
                {.delimiter = '\t', .columns = *columns});
  const std::size_t job_type = csv.require({"job_type"});
  const std::size_t steps = csv.require({"total_steps"});
  const std::size_t scale_factor = csv.require({"scale_factor"});
  const std::size_t arrival = csv.require({"arrival_time"});
  const auto slo = csv.find({"SLO"});
  const TraceOptions& options = builder.options();
  const Throughputs throughputs = read_throughputs(options.throughputs, options.throughputs_gpu);
  Problems& problems = builder.problems();
  for (std::uint64_t row = 0; builder.next_row(csv); ++row) {
    TraceJob job;
    job.position = csv.position(job_type);
    job.id = fmt::format_int(row).str();
    job.model = csv.field(job_type);
    const double total_steps = csv.number(steps, kIterationsField, problems);
    job.iterations = total_steps;
    job.workers = read_count(csv, scale_factor, kGpusField, problems);
    job.submit_s = csv.number(arrival, kTimeField, problems);
    const auto duration = duration_of(job, total_steps, throughputs);
    job.duration_known = duration.has_value();
    job.duration_s = duration.value_or(0);
    // A multiple of the duration; negative where there is none.
    const double multiple = read_optional(csv, slo, {-1, 1e6}, problems).value_or(-1);
    if (duration && multiple > 0) job.deadline_s = job.submit_s + multiple * *duration;
    builder.add(std::move(job));
  }
  return builder.finish({.format = "gavel", .ids = JobIds::made});
}

}  // namespace mosim
