#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/calendar.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"
#include "trace/fields.hpp"
#include "trace/formats.hpp"

namespace mosim {
namespace {

[[noreturn]] void refuse(const std::string& file, std::string what, std::string expected) {
  throw InputError({file, {}}, std::move(what), std::move(expected));
}

char delimiter_of(const std::string& file, const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() != 1 || text == "\"" || text == "\n") {
    refuse(file, fmt::format("cannot be split: trace.delimiter is '{}'", text),
           "one character, or tab");
  }
  return text.front();
}

double seconds_of(std::string_view unit) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}, {"h", 3600}};
  for (const auto& [name, seconds] : kUnits) {
    if (name == unit) return seconds;
  }
  return 1;  // calendar
}

JobStatus status_of(std::string_view text) {
  const std::string words = lower(text);
  const std::string_view word = std::string_view(words).substr(0, words.find(' '));
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), word) != names.end();
  };
  if (is({"completed", "complete", "succeeded", "success", "pass", "passed", "terminated",
          "finished", "done"})) {
    return JobStatus::completed;
  }
  if (is({"failed", "failure", "fail", "error", "out_of_memory"})) return JobStatus::failed;
  if (is({"cancelled", "canceled", "killed"})) return JobStatus::cancelled;
  if (is({"timeout", "timed-out", "timed_out"})) return JobStatus::timed_out;
  if (is({"node_fail", "node-fail", "node-failed"})) return JobStatus::node_failed;
  if (is({"running", "unfinished"})) return JobStatus::unfinished;
  return JobStatus::unknown;
}

void need(const std::string& file, const std::string& column, std::string_view key,
          std::string_view expected) {
  if (!column.empty()) return;
  refuse(file, fmt::format("needs {}, which is not set", key),
         fmt::format("the name of {}", expected));
}

struct Columns {
  std::size_t submit;
  std::optional<std::size_t> id, start, end, duration, gpus, workers, gpus_per_worker, cpus, model,
      iterations, user, virtual_cluster, status, gpu_type;
};

Columns find_columns(const CsvReader& csv, const std::string& file, const GenericColumns& names) {
  need(file, names.submit, "trace.columns.submit", "the column of submission times");
  need(file, names.duration + names.end, "trace.columns.duration or trace.columns.end",
       "the column that tells how long jobs ran, or when they ended");
  need(file, names.gpus + names.workers, "trace.columns.gpus or trace.columns.workers",
       "the column of a job's GPUs, or of its workers");
  const auto find = [&](const std::string& name) -> std::optional<std::size_t> {
    if (name.empty()) return std::nullopt;
    return csv.require({name});
  };
  return {.submit = csv.require({names.submit}),
          .id = find(names.id),
          .start = find(names.start),
          .end = find(names.end),
          .duration = find(names.duration),
          .gpus = find(names.gpus),
          .workers = find(names.workers),
          .gpus_per_worker = find(names.gpus_per_worker),
          .cpus = find(names.cpus),
          .model = find(names.model),
          .iterations = find(names.iterations),
          .user = find(names.user),
          .virtual_cluster = find(names.virtual_cluster),
          .status = find(names.status),
          .gpu_type = find(names.gpu_type)};
}

// Reads the fields of one file.
class RowReader {
 public:
  RowReader(const CsvReader& csv, const Columns& columns, const GenericColumns& names,
            Problems& problems)
      : csv_(csv),
        columns_(columns),
        problems_(problems),
        calendar_(names.time_unit == "calendar"),
        time_unit_(seconds_of(names.time_unit)),
        duration_unit_(seconds_of(names.duration_unit)) {}

  // What does not depend on others.
  [[nodiscard]] TraceJob plain_fields() const {
    TraceJob job;
    job.position = csv_.position(columns_.id.value_or(columns_.submit));
    if (columns_.id) job.id = read_id(csv_, *columns_.id, problems_);
    job.model = read_text(csv_, columns_.model);
    job.user = read_text(csv_, columns_.user);
    job.virtual_cluster = read_text(csv_, columns_.virtual_cluster);
    job.gpu_type = read_text(csv_, columns_.gpu_type);
    job.status = status_of(read_text(csv_, columns_.status));
    job.iterations = read_optional(csv_, columns_.iterations, kIterationsField, problems_);
    const auto cpus = read_optional(csv_, columns_.cpus, {0, 1e6}, problems_);
    job.cpus_per_worker = static_cast<std::uint32_t>(std::ceil(cpus.value_or(0)));
    read_gpus(job);
    return job;
  }

  [[nodiscard]] std::optional<double> time(std::optional<std::size_t> column) {
    if (!column || csv_.field(*column).empty()) return std::nullopt;
    if (!calendar_) {
      return csv_.number(*column, {0, kLongestTime_s / time_unit_}, problems_) * time_unit_;
    }
    const auto time = clock_.read(csv_.field(*column));
    if (!time) {
      problems_.add(csv_.where(*column),
                    fmt::format("{} is '{}'", csv_.header()[*column], csv_.field(*column)),
                    "a time such as 2017-10-09 07:01:55");
    }
    return time.value_or(0);
  }

  [[nodiscard]] std::optional<double> duration() const {
    const double most = kLongestTime_s / duration_unit_;
    const auto value = read_optional(csv_, columns_.duration, {-most, most}, problems_);
    if (!value) return std::nullopt;
    return *value * duration_unit_;
  }

 private:
  // GPUs of the job, workers and GPUs per worker: two of them give the third. Of GPUs alone, each
  // is a worker; there, a part of one may be asked for.
  void read_gpus(TraceJob& job) const {
    if (columns_.gpus && !columns_.workers && !columns_.gpus_per_worker) {
      const double gpus = csv_.number(*columns_.gpus, {0, kMostGpus}, problems_);
      job.workers = static_cast<std::uint32_t>(std::ceil(gpus));
      if (job.workers > 0) job.gpu_share = gpus / job.workers;
      return;
    }
    if (columns_.workers) job.workers = read_count(csv_, *columns_.workers, kGpusField, problems_);
    if (columns_.gpus_per_worker) {
      job.gpus_per_worker = read_count(csv_, *columns_.gpus_per_worker, kGpusField, problems_);
    }
    if (!columns_.gpus) return;
    const std::uint32_t gpus = read_count(csv_, *columns_.gpus, kGpusField, problems_);
    const std::uint32_t by = columns_.workers ? job.workers : job.gpus_per_worker;
    const std::uint32_t other = by == 0 ? 0 : gpus / by;
    if (!columns_.gpus_per_worker) job.gpus_per_worker = other;
    if (!columns_.workers) job.workers = other;
    if (job.gpus() != gpus) {
      problems_.add(
          csv_.where(*columns_.gpus),
          fmt::format("{} GPUs are not {} workers of {}", gpus, job.workers, job.gpus_per_worker),
          "GPUs that are the workers times the GPUs of each");
    }
  }

  const CsvReader& csv_;
  const Columns& columns_;
  Problems& problems_;
  bool calendar_;
  double time_unit_;
  double duration_unit_;
  CalendarClock clock_;
};

// Adds the job, unless a time that it needs is blank.
void add_job(TraceJob job, RowReader& row, const Columns& columns, TraceBuilder& builder) {
  const auto submit = row.time(columns.submit);
  const auto start = row.time(columns.start);
  const auto end = row.time(columns.end);
  auto duration = row.duration();
  if (builder.settle_problems()) return;
  if (submit) builder.saw_submission(*submit);
  const bool unfinished = job.status == JobStatus::unfinished;
  const bool started = !columns.start || start;  // without the column: when it was submitted
  if (!duration && started && end && submit) duration = *end - start.value_or(*submit);
  if (submit && !started && !duration) {
    (void)builder.admits(Finding::never_started, job.position, job.id);
    return;
  }
  if (!submit || (!duration && !unfinished)) {
    (void)builder.admits(Finding::missing_time, job.position, job.id);
    return;
  }
  job.submit_s = *submit;
  job.start_s = unfinished ? start.value_or(*submit) : start;
  job.duration_s = unfinished ? 0 : *duration;
  builder.add(std::move(job));
}

}  // namespace

// Any CSV could be meant.
bool recognizes_generic(const TraceInput& /*input*/) { return false; }

Trace read_generic_trace(TraceInput input, TraceBuilder& builder) {
  const GenericColumns& names = builder.options().columns;
  CsvReader csv(input.file, std::move(input.source), "a trace, with its columns in trace.columns",
                {.delimiter = delimiter_of(input.file, names.delimiter)});
  const Columns columns = find_columns(csv, input.file, names);
  RowReader reader(csv, columns, names, builder.problems());
  if (names.time_unit == "calendar") builder.times_are(TraceTimes::calendar);
  for (std::uint64_t row = 0; builder.next_row(csv); ++row) {
    TraceJob job = reader.plain_fields();
    if (!columns.id) job.id = fmt::format_int(row).str();
    add_job(std::move(job), reader, columns, builder);
  }
  TraceShape shape{.format = "generic"};
  if (!columns.id) shape.ids = JobIds::made;
  return builder.finish(shape);
}

}  // namespace mosim
