#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "trace/writers.hpp"

namespace mosim {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr double kMostIterations = 1e15;
constexpr double kMostCores = 1e6;
constexpr double kMostMemory_mb = 1e9;

bool all_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

void keep_text(const TraceHolds& holds, bool has, std::string& text) {
  if (!has) text.clear();
  // Readers take fields without the blanks around them.
  if (const std::string_view inside = trim(text); inside.size() != text.size()) {
    text = std::string(inside);
  }
  if (!holds.json || all_ascii(text)) return;
  using nlohmann::json;
  text = json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace))
             .get<std::string>();
}

bool too_long(double time_s) { return std::abs(time_s) > kLongestTime_s; }

// Whole seconds of the format's clock, when it has no others.
void keep_times(const TraceHolds& holds, const Trace& trace, TraceJob& job) {
  const double zero = holds.calendar ? trace.epoch_s.value_or(0) : 0;
  const auto kept = [&](double time) {
    return holds.whole_times ? std::round(zero + time) - zero : time;
  };
  job.submit_s = kept(job.submit_s);
  if (holds.start == Has::always && !job.start_s) job.start_s = job.submit_s;
  if (holds.start == Has::no) job.start_s.reset();
  if (job.start_s) job.start_s = kept(*job.start_s);
  if (!holds.deadline) job.deadline_s.reset();
  if (job.deadline_s) job.deadline_s = kept(*job.deadline_s);
  if (!holds.estimate) job.estimate_s.reset();
  if (holds.duration == Has::no) job.duration_known = false;
  if (!job.duration_known) job.duration_s = 0;
  if (holds.whole_durations) job.duration_s = std::round(job.duration_s);
}

// What all workers have of a thing, divided anew; 0 when it does not go up.
std::uint32_t redivided(std::uint32_t each, std::uint64_t before, std::uint64_t workers,
                        double most) {
  const std::uint64_t all = each * before;
  const std::uint64_t share = all / workers;
  return all % workers == 0 && static_cast<double>(share) <= most
             ? static_cast<std::uint32_t>(share)
             : 0;
}

void keep_size(const TraceHolds& holds, TraceJob& job) {
  if (!holds.cpus) job.cpus_per_worker = 0;
  if (holds.memory_unit == 0) job.memory_mb_per_worker = 0;
  if (holds.gpus != GpuForm::workers) {
    const std::uint64_t before = job.workers;
    const auto gpus = static_cast<std::uint32_t>(job.gpus());
    const bool one = holds.gpus == GpuForm::one_worker;
    job.workers = one ? 1 : gpus;
    job.gpus_per_worker = one ? gpus : 1;
    job.cpus_per_worker = redivided(job.cpus_per_worker, before, job.workers, kMostCores);
    job.memory_mb_per_worker =
        redivided(job.memory_mb_per_worker, before, job.workers, kMostMemory_mb);
  }
  if (holds.memory_unit == kMebibyte) {
    const double mebibytes = std::round(job.memory_mb_per_worker * 1e6 / kMebibyte);
    job.memory_mb_per_worker = static_cast<std::uint32_t>(std::round(mebibytes * kMebibyte / 1e6));
  }
  if (holds.gpu_parts > 0) {
    job.gpu_share = std::round(job.gpu_share * holds.gpu_parts) / holds.gpu_parts;
    if (job.gpu_share == 0) job.gpu_share = 1 / holds.gpu_parts;
  }
}

void keep_iterations(const TraceHolds& holds, TraceJob& job) {
  if (!job.iterations) return;
  if (!holds.iterations || *job.iterations > kMostIterations) return job.iterations.reset();
  if (holds.whole_iterations) job.iterations = std::round(*job.iterations);
  job.iterations = std::max(1.0, *job.iterations);
}

void keep_status(const TraceHolds& holds, JobStatus& status) {
  const auto has = [&](JobStatus one) {
    return std::find(holds.statuses.begin(), holds.statuses.end(), one) != holds.statuses.end();
  };
  if (has(status)) return;
  const bool bad_end = status == JobStatus::timed_out || status == JobStatus::node_failed ||
                       status == JobStatus::cancelled;
  if (bad_end && has(JobStatus::failed)) {
    status = JobStatus::failed;
  } else {
    status = holds.statuses.empty() ? JobStatus::unknown : holds.statuses.front();
  }
}

}  // namespace

std::string_view keep(const TraceHolds& holds, const Trace& trace, std::uint64_t row,
                      TraceJob& job) {
  if (holds.duration == Has::always && !job.duration_known) return "their durations are not known";
  if (holds.model == Has::always && trim(job.model).empty()) return "they name no model";
  if (holds.batch_size == Has::always && job.batch_size == 0) return "they have no batch size";
  if (holds.gpus != GpuForm::workers && static_cast<double>(job.gpus()) > kMostGpus) {
    return "they have over 10^6 GPUs";
  }
  if (too_long(job.submit_s) || too_long(job.duration_s) || too_long(job.start_s.value_or(0)) ||
      too_long(job.deadline_s.value_or(0)) || too_long(job.estimate_s.value_or(0))) {
    return "their times are over 10^10 s";
  }
  keep_text(holds, holds.ids, job.id);
  if (job.id.empty()) job.id = std::to_string(row);
  keep_text(holds, holds.model != Has::no, job.model);
  keep_text(holds, holds.user, job.user);
  keep_text(holds, holds.virtual_cluster, job.virtual_cluster);
  keep_text(holds, holds.gpu_type, job.gpu_type);
  keep_times(holds, trace, job);
  keep_size(holds, job);
  keep_iterations(holds, job);
  keep_status(holds, job.status);
  if (holds.batch_size == Has::no) job.batch_size = 0;
  if (!holds.priority) job.priority.reset();
  return "";
}

}  // namespace mosim
