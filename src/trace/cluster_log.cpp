// Helios and Acme: logs with the same columns, of clusters whose scheduler is Slurm or names things
// as Slurm does.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/calendar.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"
#include "trace/formats.hpp"

namespace mosim {
namespace {

struct State {
  std::string_view name;
  JobStatus status;
};

// A suspended job has not ended.
constexpr std::array kStates{
    State{"COMPLETED", JobStatus::completed},   State{"CANCELLED", JobStatus::cancelled},
    State{"FAILED", JobStatus::failed},         State{"TIMEOUT", JobStatus::timed_out},
    State{"NODE_FAIL", JobStatus::node_failed}, State{"OUT_OF_MEMORY", JobStatus::failed},
    State{"RUNNING", JobStatus::unfinished},    State{"PENDING", JobStatus::unfinished},
    State{"SUSPENDED", JobStatus::unfinished}};

struct Columns {
  std::size_t id, user, gpus, state, submit, start, end;
  std::optional<std::size_t> virtual_cluster, duration;

  explicit Columns(const CsvReader& csv)
      : id(csv.require({"job_id"})),
        user(csv.require({"user"})),
        gpus(csv.require({"gpu_num"})),
        state(csv.require({"state"})),
        submit(csv.require({"submit_time"})),
        start(csv.require({"start_time"})),
        end(csv.require({"end_time"})) {}
};

class LogReader {
 public:
  LogReader(const CsvReader& csv, const Columns& columns, TraceBuilder& builder)
      : csv_(csv), columns_(columns), builder_(builder) {}

  // Takes the current row.
  void read_row();

 private:
  // What a row says of when the job ran.
  struct Times {
    std::optional<double> submit_s, start_s, end_s;
  };

  std::optional<double> time(std::size_t column);
  JobStatus status();
  void check_duration(std::size_t column, const Times& times);
  std::optional<Finding> apply(const Times& times, TraceJob& job);

  const CsvReader& csv_;
  const Columns& columns_;
  TraceBuilder& builder_;
  CalendarClock clock_;
};

// Nothing where the log has no time: such a field is blank, or "None" as Python writes it.
std::optional<double> LogReader::time(std::size_t column) {
  const std::string_view text = csv_.field(column);
  if (text.empty() || text == "None") return std::nullopt;
  const auto read = clock_.read(text);
  if (!read) {
    builder_.problems().add(csv_.where(column),
                            fmt::format("{} is '{}'", csv_.header()[column], text),
                            "a time such as 2020-06-09 18:41:01, or nothing");
  }
  return read;
}

JobStatus LogReader::status() {
  const std::string_view name = csv_.field(columns_.state);
  for (const State& state : kStates) {
    if (state.name == name) return state.status;
  }
  builder_.problems().add(csv_.where(columns_.state), fmt::format("state is '{}'", name),
                          "COMPLETED, CANCELLED, FAILED, TIMEOUT, NODE_FAIL, OUT_OF_MEMORY, "
                          "RUNNING, PENDING or SUSPENDED");
  return JobStatus::unknown;
}

void LogReader::check_duration(std::size_t column, const Times& times) {
  const std::string_view text = csv_.field(column);
  if (text.empty() || text == "None" || !times.start_s || !times.end_s) return;
  const double ran = *times.end_s - *times.start_s;
  const auto told = parse_double(text);
  if (told && std::abs(*told - ran) <= 1) return;
  builder_.problems().add(csv_.where(column), fmt::format("duration is '{}'", text),
                          fmt::format("{}, the seconds from start_time to end_time", ran));
}

// Puts the times into the job; what is odd when they do not suffice.
std::optional<Finding> LogReader::apply(const Times& times, TraceJob& job) {
  if (!times.submit_s) return Finding::missing_time;
  job.submit_s = *times.submit_s;
  if (!times.start_s) {
    return job.status == JobStatus::completed ? Finding::missing_time : Finding::never_started;
  }
  job.start_s = times.start_s;
  if (job.status == JobStatus::unfinished) return std::nullopt;
  if (!times.end_s) return Finding::missing_time;
  job.duration_s = *times.end_s - *times.start_s;
  return std::nullopt;
}

void LogReader::read_row() {
  const std::size_t problems = builder_.problems().count();
  TraceJob job;
  job.position = csv_.position(columns_.id);
  job.id = csv_.field(columns_.id);
  if (job.id.empty()) builder_.problems().add(csv_.where(columns_.id), "job_id is empty", "a name");
  job.user = csv_.field(columns_.user);
  if (columns_.virtual_cluster) job.virtual_cluster = csv_.field(*columns_.virtual_cluster);
  job.workers = static_cast<std::uint32_t>(
      csv_.number(columns_.gpus, {0, kMostGpus, true}, builder_.problems()));
  job.status = status();
  const Times times{time(columns_.submit), time(columns_.start), time(columns_.end)};
  if (columns_.duration) check_duration(*columns_.duration, times);
  for (const auto& seen : {times.start_s, times.end_s}) {
    if (seen) builder_.saw(*seen);
  }
  const auto finding = apply(times, job);
  const bool bad = builder_.problems().count() > problems;
  if (bad || !finding) {
    builder_.add(std::move(job));
  } else if (!builder_.admits(*finding, job.position, job.id) && times.submit_s) {
    builder_.saw_submission(*times.submit_s);
  }
}

Trace read_log(CsvReader& csv, const Columns& columns, TraceBuilder& builder,
               std::string_view format) {
  LogReader reader(csv, columns, builder);
  builder.times_are(TraceTimes::calendar);
  while (builder.next_row(csv)) reader.read_row();
  return builder.finish({.format = std::string(format)});
}

}  // namespace

bool recognizes_helios(const TraceInput& input) {
  return has_columns(input, {"job_id", "vc", "gpu_num", "state", "submit_time", "start_time"});
}

Trace read_helios_trace(TraceInput input, TraceBuilder& builder) {
  CsvReader csv(input.file, std::move(input.source), "a trace in the helios format");
  Columns columns(csv);
  columns.virtual_cluster = csv.require({"vc"});
  columns.duration = csv.find({"duration"});
  return read_log(csv, columns, builder, "helios");
}

bool recognizes_acme(const TraceInput& input) {
  return has_columns(input, {"job_id", "gpu_num", "type", "state", "submit_time", "gpu_time"});
}

// The column `duration` is from the start in Seren and from the submission in Kalos: it is not
// read.
Trace read_acme_trace(TraceInput input, TraceBuilder& builder) {
  CsvReader csv(input.file, std::move(input.source), "a trace in the acme format");
  return read_log(csv, Columns(csv), builder, "acme");
}

}  // namespace mosim
