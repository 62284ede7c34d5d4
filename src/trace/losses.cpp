#include <fmt/format.h>

#include <array>
#include <map>

#include "trace/writers.hpp"

namespace mosim {
namespace {

// A thing that a job may have.
struct Thing {
  std::string_view name;
  bool (*present)(const TraceJob& job);
  bool (*same)(const TraceJob& a, const TraceJob& b);
};

using Job = const TraceJob&;

constexpr std::array kThings{
    Thing{"ids", [](Job) { return true; }, [](Job a, Job b) { return a.id == b.id; }},
    Thing{"submission times", [](Job) { return true; },
          [](Job a, Job b) { return a.submit_s == b.submit_s; }},
    Thing{"durations", [](Job job) { return job.duration_known; },
          [](Job a, Job b) { return a.duration_s == b.duration_s; }},
    Thing{"start times", [](Job job) { return job.start_s.has_value(); },
          [](Job a, Job b) { return a.start_s == b.start_s; }},
    Thing{"deadlines", [](Job job) { return job.deadline_s.has_value(); },
          [](Job a, Job b) { return a.deadline_s == b.deadline_s; }},
    Thing{"estimates", [](Job job) { return job.estimate_s.has_value(); },
          [](Job a, Job b) { return a.estimate_s == b.estimate_s; }},
    Thing{"priorities", [](Job job) { return job.priority.has_value(); },
          [](Job a, Job b) { return a.priority == b.priority; }},
    Thing{"iterations", [](Job job) { return job.iterations.has_value(); },
          [](Job a, Job b) { return a.iterations == b.iterations; }},
    Thing{"models", [](Job job) { return !job.model.empty(); },
          [](Job a, Job b) { return a.model == b.model; }},
    Thing{"users", [](Job job) { return !job.user.empty(); },
          [](Job a, Job b) { return a.user == b.user; }},
    Thing{"virtual clusters", [](Job job) { return !job.virtual_cluster.empty(); },
          [](Job a, Job b) { return a.virtual_cluster == b.virtual_cluster; }},
    Thing{"GPU types", [](Job job) { return !job.gpu_type.empty(); },
          [](Job a, Job b) { return a.gpu_type == b.gpu_type; }},
    Thing{"statuses", [](Job job) { return job.status != JobStatus::unknown; },
          [](Job a, Job b) { return a.status == b.status; }},
    Thing{"workers of several GPUs", [](Job job) { return job.gpus_per_worker != 1; },
          [](Job a, Job b) { return a.gpus_per_worker == b.gpus_per_worker; }},
    Thing{"GPU shares", [](Job job) { return job.gpu_share != 1; },
          [](Job a, Job b) { return a.gpu_share == b.gpu_share; }},
    Thing{"CPU cores", [](Job job) { return job.cpus_per_worker != 0; },
          [](Job a, Job b) {
            return std::uint64_t{a.cpus_per_worker} * a.workers ==
                   std::uint64_t{b.cpus_per_worker} * b.workers;
          }},
    Thing{"memory sizes", [](Job job) { return job.memory_mb_per_worker != 0; },
          [](Job a, Job b) {
            return std::uint64_t{a.memory_mb_per_worker} * a.workers ==
                   std::uint64_t{b.memory_mb_per_worker} * b.workers;
          }},
    Thing{"batch sizes", [](Job job) { return job.batch_size != 0; },
          [](Job a, Job b) { return a.batch_size == b.batch_size; }},
};

// How many jobs lose a thing, get one that they did not have, or another.
struct Counts {
  std::uint64_t lost = 0;
  std::uint64_t made_up = 0;
  std::uint64_t changed = 0;
};

void compare(const Thing& thing, Job before, Job after, Counts& counts) {
  const bool had = thing.present(before);
  const bool has = thing.present(after);
  if (had && !has) ++counts.lost;
  if (!had && has) ++counts.made_up;
  if (had && has && !thing.same(before, after)) ++counts.changed;
}

std::string jobs(std::uint64_t count) {
  return fmt::format("{} job{}", count, count == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> losses_of(const Trace& trace, std::string_view format) {
  const TraceHolds& holds = writer_of(format, trace.file).holds;
  std::array<Counts, kThings.size()> counts{};
  std::map<std::string_view, std::uint64_t> left_out;
  std::uint64_t row = 0;
  TraceJob kept;
  for (const TraceJob& job : trace.jobs) {
    kept = job;
    if (const auto why = keep(holds, trace, row, kept); !why.empty()) {
      ++left_out[why];
      continue;
    }
    ++row;
    for (std::size_t i = 0; i < kThings.size(); ++i) compare(kThings[i], job, kept, counts[i]);
  }
  std::vector<std::string> lines;
  lines.reserve(left_out.size());
  for (const auto& [why, count] : left_out) {
    lines.push_back(fmt::format("{}: {}", jobs(count), why));
  }
  if (holds.calendar && !trace.epoch_s) {
    lines.emplace_back("calendar times (made up: time 0 becomes 1970-01-01 00:00:00)");
  }
  if (!holds.calendar && !holds.time_zero && trace.epoch_s) {
    lines.emplace_back("calendar times of all jobs");
  }
  for (std::size_t i = 0; i < kThings.size(); ++i) {
    const std::string_view name = kThings[i].name;
    const auto& [lost, made_up, changed] = counts[i];
    if (lost > 0) lines.push_back(fmt::format("{} of {}", name, jobs(lost)));
    if (changed > 0) lines.push_back(fmt::format("{} of {} (changed)", name, jobs(changed)));
    if (made_up > 0) lines.push_back(fmt::format("{} of {} (made up)", name, jobs(made_up)));
  }
  return lines;
}

}  // namespace mosim
