#include <fmt/format.h>

#include <algorithm>

#include "base/calendar.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"
#include "trace/formats.hpp"

namespace mosim {
namespace {

constexpr NumberRange kTime{0, kLongestTime_s};
// A start or a deadline may lie before time 0.
constexpr NumberRange kMoment{-kLongestTime_s, kLongestTime_s};
constexpr NumberRange kPriority{-1e15, 1e15};
constexpr NumberRange kCount{1, kMostGpus, true};
constexpr NumberRange kCores{0, 1e6, true};
constexpr NumberRange kWord{0, 4294967295.0, true};
constexpr NumberRange kShare{1e-6, 1};

struct Columns {
  using Optional = std::optional<std::size_t>;
  std::size_t id, model, submit, duration, workers;
  Optional iterations, gpus_per_worker, cpus_per_worker, servers, share, gpu_type, memory, batch,
      start, deadline, estimate, priority, status, user, virtual_cluster, time_zero;

  explicit Columns(const CsvReader& csv)
      : id(csv.require({"job_id"})),
        model(csv.require({"model"})),
        submit(csv.require({"arrival_time"})),
        duration(csv.require({"duration"})),
        workers(csv.require({"gpu_workers"})),
        iterations(csv.find({"num_iteration"})),
        gpus_per_worker(csv.find({"gpu_per_worker"})),
        cpus_per_worker(csv.find({"cpu_per_gpu_worker"})),
        servers(csv.find({"ps"})),
        share(csv.find({"gpu_share"})),
        gpu_type(csv.find({"gpu_type"})),
        memory(csv.find({"memory_mb_per_worker"})),
        batch(csv.find({"batch_size"})),
        start(csv.find({"start_time"})),
        deadline(csv.find({"deadline"})),
        estimate(csv.find({"estimate_s"})),
        priority(csv.find({"priority"})),
        status(csv.find({"status"})),
        user(csv.find({"user"})),
        virtual_cluster(csv.find({"virtual_cluster"})),
        time_zero(csv.find({"time_zero"})) {}
};

// The rows of one file.
class Rows {
 public:
  Rows(const CsvReader& csv, Problems& problems) : csv_(csv), columns_(csv), problems_(problems) {}

  [[nodiscard]] TraceJob job();

  [[nodiscard]] std::optional<double> time_zero() const { return time_zero_; }

 private:
  // What stands in the column, where there is one and it is not blank.
  [[nodiscard]] std::optional<double> number(const Columns::Optional& column,
                                             const NumberRange& range) const {
    if (!column || csv_.field(*column).empty()) return std::nullopt;
    return csv_.number(*column, range, problems_);
  }
  [[nodiscard]] std::uint32_t count(const Columns::Optional& column, const NumberRange& range,
                                    std::uint32_t otherwise) const {
    return static_cast<std::uint32_t>(number(column, range).value_or(otherwise));
  }
  [[nodiscard]] std::string text(const Columns::Optional& column) const {
    return column ? std::string(csv_.field(*column)) : std::string();
  }

  void read_size(TraceJob& job) const;
  [[nodiscard]] JobStatus status() const;
  void read_time_zero();

  const CsvReader& csv_;
  Columns columns_;
  Problems& problems_;
  std::optional<double> time_zero_;
};

TraceJob Rows::job() {
  TraceJob job;
  job.id = csv_.field(columns_.id);
  job.model = csv_.field(columns_.model);
  job.position = csv_.position(columns_.id);
  if (job.id.empty()) problems_.add(csv_.where(columns_.id), "job_id is empty", "a name");
  job.submit_s = csv_.number(columns_.submit, kTime, problems_);
  const auto duration = number(columns_.duration, kTime);
  job.duration_known = duration.has_value();
  job.duration_s = duration.value_or(0);
  job.start_s = number(columns_.start, kMoment);
  job.deadline_s = number(columns_.deadline, kMoment);
  job.estimate_s = number(columns_.estimate, kTime);
  job.priority = number(columns_.priority, kPriority);
  job.iterations = number(columns_.iterations, {1, 1e15});
  job.user = text(columns_.user);
  job.virtual_cluster = text(columns_.virtual_cluster);
  job.gpu_type = text(columns_.gpu_type);
  job.status = status();
  read_size(job);
  read_time_zero();
  return job;
}

void Rows::read_size(TraceJob& job) const {
  job.workers = static_cast<std::uint32_t>(csv_.number(columns_.workers, kCount, problems_));
  if (columns_.gpus_per_worker) {
    job.gpus_per_worker =
        static_cast<std::uint32_t>(csv_.number(*columns_.gpus_per_worker, kCount, problems_));
  }
  job.gpu_share = number(columns_.share, kShare).value_or(1);
  job.cpus_per_worker = count(columns_.cpus_per_worker, kCores, 0);
  job.memory_mb_per_worker = count(columns_.memory, kWord, 0);
  job.batch_size = count(columns_.batch, kWord, 0);
  if (columns_.servers && count(columns_.servers, kCores, 0) != 0) {
    problems_.add(csv_.where(*columns_.servers), "ps is not 0",
                  "0: jobs with parameter servers are not modelled");
  }
}

JobStatus Rows::status() const {
  if (!columns_.status || csv_.field(*columns_.status).empty()) return JobStatus::unknown;
  const std::string_view name = csv_.field(*columns_.status);
  std::vector<std::string> names;
  for (std::size_t status = 0; status < kJobStatuses; ++status) {
    if (name == status_name(static_cast<JobStatus>(status))) return static_cast<JobStatus>(status);
    names.emplace_back(status_name(static_cast<JobStatus>(status)));
  }
  problems_.add(csv_.where(*columns_.status), fmt::format("status is '{}'", name),
                one_of(name, names));
  return JobStatus::unknown;
}

// One for the whole file: the rows that have it say the same.
void Rows::read_time_zero() {
  if (!columns_.time_zero || csv_.field(*columns_.time_zero).empty()) return;
  const std::string_view text = csv_.field(*columns_.time_zero);
  const auto time = parse_calendar_time(text);
  if (!time) {
    problems_.add(csv_.where(*columns_.time_zero), fmt::format("time_zero is '{}'", text),
                  "a time such as 2017-10-09 07:01:55");
  } else if (time_zero_ && *time_zero_ != time->seconds) {
    problems_.add(csv_.where(*columns_.time_zero), fmt::format("time_zero is '{}'", text),
                  fmt::format("{}, as in the rows above", format_exact_calendar_time(*time_zero_)));
  } else {
    time_zero_ = time->seconds;
  }
}

}  // namespace

bool recognizes_mosim(const TraceInput& input) { return has_columns(input, {"gpu_workers"}); }

Trace read_mosim_trace(TraceInput input, TraceBuilder& builder) {
  CsvReader csv(input.file, std::move(input.source), "a trace in the mosim CSV format");
  Rows rows(csv, builder.problems());
  while (builder.next_row(csv)) builder.add(rows.job());
  Trace trace = builder.finish({.format = "mosim"});
  trace.epoch_s = rows.time_zero();
  return trace;
}

}  // namespace mosim
