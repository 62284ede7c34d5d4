#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "trace/formats.hpp"

namespace mosim {
namespace {

constexpr std::size_t kHead = 1U << 16;

constexpr std::array kReaders{
    TraceReader{{"mosim", "CSV: job_id, model, arrival_time, duration, gpu_workers, ..."},
                recognizes_mosim,
                read_mosim_trace},
    TraceReader{{"philly-csv", "CSV: timestamp, duration, num_gpus, gpu_time, cluster"},
                recognizes_philly_csv,
                read_philly_csv_trace},
    TraceReader{{"philly", "JSON: Microsoft's cluster_job_log, jobs with their attempts"},
                recognizes_philly,
                read_philly_trace},
    TraceReader{{"helios", "CSV: SenseTime's cluster_log.csv (job_id, vc, gpu_num, state, ...)"},
                recognizes_helios,
                read_helios_trace},
    TraceReader{{"acme", "CSV: Shanghai AI Lab's trace_seren.csv and trace_kalos.csv"},
                recognizes_acme,
                read_acme_trace},
    TraceReader{{"pai-2020", "folder: pai_job_table, pai_task_table, pai_instance_table"},
                recognizes_pai_2020,
                read_pai_2020_trace,
                true},
    TraceReader{{"openb", "CSV: name, num_gpu, gpu_milli, pod_phase, creation_time, ..."},
                recognizes_openb,
                read_openb_trace},
    TraceReader{{"elasticflow", "CSV: job_id, submission_time, duration, num_gpu, ..."},
                recognizes_elasticflow,
                read_elasticflow_trace},
    TraceReader{{"tiresias", "CSV: job_id, num_gpu, submit_time, iterations, duration, ..."},
                recognizes_tiresias,
                read_tiresias_trace},
    TraceReader{{"muri", "CSV: as tiresias, with iteration_time, ...; milliseconds"},
                recognizes_muri,
                read_muri_trace},
    TraceReader{{"gavel", "tabs: job_type, command, ..., total_steps, scale_factor, ..."},
                recognizes_gavel,
                read_gavel_trace},
    TraceReader{{"pollux", "CSV: name, time, application, num_replicas, batch_size"},
                recognizes_pollux,
                read_pollux_trace},
    TraceReader{{"generic", "any CSV, whose columns trace.columns names"},
                recognizes_generic,
                read_generic_trace},
};

// The fields of the first line that is not blank, without quotes and blanks.
std::vector<std::string> first_row_of(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  std::string_view line;
  while (line.empty() && !head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    line = trim(head.substr(0, end));
    if (line.ends_with('\r')) line = trim(line.substr(0, line.size() - 1));
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  std::vector<std::string> fields;
  for (std::string_view field : split(line, ',')) {
    if (field.size() > 1 && field.starts_with('"') && field.ends_with('"')) {
      field = field.substr(1, field.size() - 2);
    }
    fields.emplace_back(field);
  }
  return fields;
}

TraceInput input_of(const std::string& file, std::unique_ptr<ByteSource> source) {
  TraceInput input;
  input.file = file;
  input.source = std::make_unique<PeekedSource>(std::move(source));
  input.head = input.source->peek(kHead);
  input.first_row = first_row_of(input.head);
  return input;
}

TraceInput open_input(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    TraceInput folder;
    folder.file = file;
    return folder;
  }
  return input_of(file, open_source(file, "a trace"));
}

[[noreturn]] void refuse_unrecognized(const TraceInput& input) {
  if (input.source == nullptr) {
    throw InputError({input.file, {}}, "is a directory",
                     "a trace file, or a folder of a format that is one");
  }
  if (trim(input.head).empty()) {
    throw InputError({input.file, {}}, "is empty", "a trace in one of the known formats");
  }
  std::vector<std::string> columns = input.first_row;
  constexpr std::size_t kShown = 12;
  if (columns.size() > kShown) columns.resize(kShown);
  throw InputError({input.file, {}},
                   fmt::format("is of no format that is known by its content (it begins with: {})",
                               join(columns, ", ").substr(0, 200)),
                   "--trace-format with its name; 'generic' takes any CSV");
}

const TraceReader& reader_for(const TraceOptions& options, const TraceInput& input) {
  std::vector<std::string> names{"auto"};
  for (const TraceReader& reader : kReaders) {
    if (options.format == "auto" ? reader.recognizes(input)
                                 : reader.format.name == options.format) {
      return reader;
    }
    names.emplace_back(reader.format.name);
  }
  if (options.format == "auto") refuse_unrecognized(input);
  throw InputError({options.file, {}},
                   fmt::format("is of format '{}', which is not known", options.format),
                   one_of(options.format, names));
}

}  // namespace

std::span<const TraceReader> trace_readers() { return kReaders; }

bool has_columns(const TraceInput& input, std::initializer_list<std::string_view> columns) {
  return std::all_of(columns.begin(), columns.end(), [&](std::string_view column) {
    return std::find(input.first_row.begin(), input.first_row.end(), column) !=
           input.first_row.end();
  });
}

const std::vector<TraceFormat>& trace_formats() {
  static const std::vector<TraceFormat> formats = [] {
    std::vector<TraceFormat> all;
    all.reserve(kReaders.size());
    for (const TraceReader& reader : kReaders) all.push_back(reader.format);
    return all;
  }();
  return formats;
}

namespace {

Trace read_trace(const TraceOptions& options, TraceInput input) {
  const TraceReader& reader = reader_for(options, input);
  if (input.source == nullptr && !reader.reads_folders) refuse_unrecognized(input);
  TraceBuilder builder(options, options.file);
  Trace trace = reader.read(std::move(input), builder);
  if (trace.jobs.empty()) {
    const std::string account = describe_account(trace, options);
    throw InputError({options.file, {}},
                     account.empty() ? "has no jobs" : fmt::format("has no jobs left: {}", account),
                     "at least one job");
  }
  return trace;
}

}  // namespace

Trace read_trace(const TraceOptions& options) {
  return read_trace(options, open_input(options.file));
}

Trace read_trace(const TraceOptions& options, std::string_view text) {
  return read_trace(options, input_of(options.file, text_source(text)));
}

}  // namespace mosim
