#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <filesystem>
#include <limits>
#include <unordered_map>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "trace/fields.hpp"
#include "trace/formats.hpp"

namespace mosim {
namespace {

namespace fs = std::filesystem;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kGibibyte = 1073.741824;  // in 10^6 bytes

struct Table {
  std::string_view name;
  std::vector<std::string> columns;  // of files without a header row
  std::size_t status;                // the column that tells such a file by its content
};

const std::array<Table, 3>& tables() {
  static const std::array<Table, 3> all{
      Table{
          "pai_job_table", {"job_name", "inst_id", "user", "status", "start_time", "end_time"}, 3},
      Table{"pai_task_table",
            {"job_name", "task_name", "inst_num", "status", "start_time", "end_time", "plan_cpu",
             "plan_mem", "plan_gpu", "gpu_type"},
            3},
      Table{"pai_instance_table",
            {"job_name", "task_name", "inst_name", "worker_name", "inst_id", "status", "start_time",
             "end_time", "machine"},
            5}};
  return all;
}

// When something ran; what is blank is unknown.
struct Span {
  std::optional<double> start, end;

  void cover(const Span& other) {
    if (other.start) start = std::min(*other.start, start.value_or(kInfinity));
    if (other.end) end = std::max(*other.end, end.value_or(-kInfinity));
  }
};

struct Task {
  Span span;
  double instances = 0;
  double gpus = 0;  // of each instance, and so are those below
  double cpus = 0;
  double memory_mb = 0;
  std::string gpu_type;

  [[nodiscard]] double whole_gpus() const { return instances * std::ceil(gpus); }
};

// What the three tables tell of a job, which may stand in any of them.
struct PaiJob {
  std::string name;
  std::string user;
  std::string status;
  Span listed;  // in the job table: from the submission
  Span instances;
  std::vector<Task> tasks;
  Position position;
  bool is_listed = false;
  bool has_instances = false;
  bool bad = false;  // one of its rows is, and was counted
};

struct PaiJobs {
  std::deque<PaiJob> all;  // in the order of their first rows
  std::unordered_map<std::string_view, PaiJob*> by_name;

  PaiJob& of(std::string_view name) {
    if (const auto at = by_name.find(name); at != by_name.end()) return *at->second;
    PaiJob& job = all.emplace_back();
    job.name = name;
    by_name.emplace(job.name, &job);
    return job;
  }
};

bool is_status(std::string_view text) {
  return text == "Terminated" || text == "Failed" || text == "Running" || text == "Waiting";
}

bool is_table_file(const std::string& name, const Table& table) {
  return name.starts_with(table.name) &&
         (name.ends_with(".csv") || name.ends_with(".csv.gz") || name.ends_with(".csv.zst"));
}

// The file of a table in a folder; empty when there is none.
std::string find_table(const fs::path& folder, const Table& table) {
  std::vector<std::string> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (is_table_file(entry.path().filename().string(), table)) {
      found.push_back(entry.path().string());
    }
  }
  std::sort(found.begin(), found.end());
  if (found.size() > 1) {
    throw InputError({folder.string(), {}},
                     fmt::format("has several files of the {}: {}", table.name, join(found, ", ")),
                     "one");
  }
  return found.empty() ? std::string() : found.front();
}

// The files of `tables()`: the one that is named, the others beside it.
std::array<std::string, 3> find_tables(const TraceInput& input) {
  if (input.file == kStandardInput) {
    throw InputError({input.file, {}}, "is one table", "the folder of the tables, or one's path");
  }
  const bool is_folder = input.source == nullptr;
  const fs::path folder = is_folder ? fs::path(input.file) : fs::path(input.file).parent_path();
  std::array<std::string, 3> files;
  for (std::size_t table = 0; table < files.size(); ++table) {
    const bool named =
        !is_folder && is_table_file(fs::path(input.file).filename().string(), tables()[table]);
    files[table] = named ? input.file : find_table(folder.empty() ? "." : folder, tables()[table]);
    const bool needed = table < 2;  // tasks have times too
    if (needed && files[table].empty()) {
      throw InputError(
          {input.file, {}}, fmt::format("has no {} beside it", tables()[table].name),
          fmt::format("a file {0}.csv, {0}.csv.gz or {0}.csv.zst", tables()[table].name));
    }
  }
  return files;
}

// The published files have no header row; others may.
CsvReader open_table(const std::string& file, const Table& table) {
  auto source = std::make_unique<PeekedSource>(open_source(file, "a table of pai-2020"));
  std::string_view head = source->peek(1U << 12);
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of("\r\n \t\""), head.size()));
  CsvShape shape;
  if (!head.starts_with(table.columns.front())) shape.columns = table.columns;
  return {file, std::move(source), table.name, shape};
}

struct SpanColumns {
  std::size_t start, end;

  explicit SpanColumns(const CsvReader& csv)
      : start(csv.require({"start_time"})), end(csv.require({"end_time"})) {}

  // A time of 0 stands for none, as in the analysis that was published with the trace.
  [[nodiscard]] Span read(const CsvReader& csv, Problems& problems) const {
    const auto time = [&](std::size_t column) {
      const auto value = read_optional(csv, column, kTimeField, problems);
      return value == 0.0 ? std::nullopt : value;
    };
    return {time(start), time(end)};
  }
};

void read_jobs(const std::string& file, TraceBuilder& builder, PaiJobs& jobs) {
  CsvReader csv = open_table(file, tables()[0]);
  const std::size_t name = csv.require({"job_name"});
  const std::size_t user = csv.require({"user"});
  const std::size_t status = csv.require({"status"});
  const SpanColumns times(csv);
  Problems& problems = builder.problems();
  while (builder.next_row(csv)) {
    PaiJob& job = jobs.of(read_id(csv, name, problems));
    if (job.is_listed) {
      problems.add(
          csv.where(name),
          fmt::format("job_name '{}' was used on line {} already", job.name, job.position.line),
          "each job once");
      builder.settle_problems();
      continue;
    }
    job.is_listed = true;
    job.position = csv.position(name);
    job.user = csv.field(user);
    job.status = csv.field(status);
    job.listed = times.read(csv, problems);
    job.bad = builder.settle_problems();
  }
}

void read_tasks(const std::string& file, TraceBuilder& builder, PaiJobs& jobs) {
  CsvReader csv = open_table(file, tables()[1]);
  const std::size_t name = csv.require({"job_name"});
  const std::size_t instances = csv.require({"inst_num"});
  const std::size_t status = csv.require({"status"});
  const std::size_t cpus = csv.require({"plan_cpu"});
  const std::size_t memory = csv.require({"plan_mem"});
  const std::size_t gpus = csv.require({"plan_gpu"});
  const std::size_t gpu_type = csv.require({"gpu_type"});
  const SpanColumns times(csv);
  Problems& problems = builder.problems();
  const auto plan = [&](std::size_t column) {
    return read_optional(csv, column, {0, kMostGpus * 100}, problems).value_or(0);
  };
  while (builder.next_row(csv)) {
    PaiJob& job = jobs.of(read_id(csv, name, problems));
    Task task;
    task.span = times.read(csv, problems);
    task.instances = csv.number(instances, kGpusField, problems);
    task.gpus = plan(gpus) / 100;
    task.cpus = plan(cpus) / 100;
    task.memory_mb = plan(memory) * kGibibyte;
    task.gpu_type = csv.field(gpu_type);
    if (!job.is_listed && job.tasks.empty()) job.status = csv.field(status);
    if (builder.settle_problems()) job.bad = true;
    job.tasks.push_back(std::move(task));
  }
}

void read_instances(const std::string& file, TraceBuilder& builder, PaiJobs& jobs) {
  CsvReader csv = open_table(file, tables()[2]);
  const std::size_t name = csv.require({"job_name"});
  const SpanColumns times(csv);
  Problems& problems = builder.problems();
  while (builder.next_row(csv)) {
    PaiJob& job = jobs.of(read_id(csv, name, problems));
    job.has_instances = true;
    job.instances.cover(times.read(csv, problems));
    if (builder.settle_problems()) job.bad = true;
  }
}

// From where to where a task holds its GPUs: at least for a moment.
double begin_of(const Task& task) { return task.span.start.value_or(-kInfinity); }
double end_of(const Task& task) {
  return std::max(task.span.end.value_or(kInfinity), std::nextafter(begin_of(task), kInfinity));
}

// The first time when the job's tasks hold most GPUs together.
double busiest_time(const std::vector<Task>& tasks) {
  std::vector<std::pair<double, double>> changes;  // the time, and GPUs taken or, first, given back
  for (const Task& task : tasks) {
    changes.emplace_back(begin_of(task), task.whole_gpus());
    changes.emplace_back(end_of(task), -task.whole_gpus());
  }
  std::sort(changes.begin(), changes.end());
  double held = 0;
  double most = 0;
  double busiest = -kInfinity;
  for (const auto& [time, gpus] : changes) {
    held += gpus;
    if (held > most) {
      most = held;
      busiest = time;
    }
  }
  return busiest;
}

// The GPUs of the tasks that run at the busiest time. Instances that ask for the same are workers
// as they stand; of others, each GPU is a worker, and cores and memory are spread over them. Gives
// the number of GPUs.
double set_request(const std::vector<Task>& tasks, TraceJob& job) {
  const double time = busiest_time(tasks);
  double instances = 0, gpus = 0, asked = 0, cpus = 0, memory_mb = 0;
  const Task* first = nullptr;
  bool same = true;
  for (const Task& task : tasks) {
    if (task.whole_gpus() == 0 || time < begin_of(task) || time >= end_of(task)) continue;
    if (first == nullptr) first = &task;
    same = same && task.gpus == first->gpus;
    instances += task.instances;
    gpus += task.whole_gpus();
    asked += task.instances * task.gpus;
    cpus += task.instances * task.cpus;
    memory_mb += task.instances * task.memory_mb;
  }
  const double workers = same ? instances : gpus;
  job.workers = job.gpus_per_worker = 0;
  if (first == nullptr || gpus > kMostGpus) return gpus;
  job.workers = static_cast<std::uint32_t>(workers);
  job.gpus_per_worker = static_cast<std::uint32_t>(gpus / workers);
  job.gpu_share = asked / gpus;
  job.cpus_per_worker = static_cast<std::uint32_t>(std::ceil(cpus / workers));
  job.memory_mb_per_worker = static_cast<std::uint32_t>(std::lround(memory_mb / workers));
  job.gpu_type = first->gpu_type;
  return gpus;
}

JobStatus status_of(std::string_view text) {
  if (text == "Terminated") return JobStatus::completed;
  if (text == "Failed") return JobStatus::failed;
  if (text == "Running") return JobStatus::unfinished;
  return JobStatus::unknown;
}

void add_job(const PaiJob& from, TraceBuilder& builder) {
  Span tasks;
  for (const Task& task : from.tasks) tasks.cover(task.span);
  Span ran = tasks;
  ran.cover(from.instances);
  if (from.instances.start) ran.start = from.instances.start;  // a task waits for its instances
  if (from.listed.end) ran.cover({std::nullopt, from.listed.end});
  const auto submitted = from.is_listed ? from.listed.start : ran.start;
  if (!submitted) {
    (void)builder.admits(Finding::missing_time, from.position, from.name);
    return;
  }
  builder.saw_submission(*submitted);
  if (ran.end) builder.saw(*ran.end);
  TraceJob job;
  job.id = from.name;
  job.user = from.user;
  job.status = status_of(from.status);
  job.position = from.position;
  job.submit_s = *submitted;
  if (const double gpus = set_request(from.tasks, job); gpus > kMostGpus) {
    builder.problems().add({builder.file(), from.position},
                           fmt::format("job '{}' asks for {} GPUs", from.name, gpus),
                           fmt::format("{} at most", kMostGpus));
  }
  const bool in_job_table_only = from.tasks.empty() && !from.has_instances;
  if (in_job_table_only && !ran.start) ran.start = submitted;
  if (from.status == "Waiting" || !ran.start) {
    (void)builder.admits(Finding::never_started, from.position, from.name);
    return;
  }
  if (!ran.end && job.status != JobStatus::unfinished) {
    (void)builder.admits(Finding::missing_time, from.position, from.name);
    return;
  }
  job.start_s = ran.start;
  if (job.status != JobStatus::unfinished) job.duration_s = *ran.end - *ran.start;
  builder.add(std::move(job));
}

}  // namespace

bool recognizes_pai_2020(const TraceInput& input) {
  if (input.source == nullptr) return !find_table(input.file, tables()[0]).empty();
  return std::any_of(tables().begin(), tables().end(), [&](const Table& table) {
    return input.first_row == table.columns || (input.first_row.size() == table.columns.size() &&
                                                is_status(input.first_row[table.status]));
  });
}

// One pass for each table; what is kept grows with the jobs and their tasks, not with instances.
Trace read_pai_2020_trace(TraceInput input, TraceBuilder& builder) {
  const std::array<std::string, 3> files = find_tables(input);
  builder.set_file(files[0]);
  PaiJobs jobs;
  read_jobs(files[0], builder, jobs);
  read_tasks(files[1], builder, jobs);
  if (!files[2].empty()) read_instances(files[2], builder, jobs);
  for (const PaiJob& job : jobs.all) {
    if (!job.bad) add_job(job, builder);
  }
  return builder.finish({.format = "pai-2020", .ids = JobIds::made});
}

}  // namespace mosim
