#include <fmt/format.h>

#include <algorithm>

#include "base/problems.hpp"
#include "mosim/profile.hpp"

namespace mosim {
namespace {

// The trace's own number, where it counts.
std::optional<double> traced_iterations(const TraceJob& job, const CharacterizeOptions& options) {
  return options.iterations == IterationsFrom::trace ? job.iterations : std::nullopt;
}

Job make_job(const TraceJob& from, const JobProfile& profile, const CharacterizeOptions& options) {
  Job job;
  job.submit_s = from.submit_s;
  job.request = {from.workers, from.gpus_per_worker, from.cpus_per_worker};
  job.profile = profile;
  if (options.loading == LoadingMode::none) job.profile.loading_s = 0;
  if (const auto iterations = traced_iterations(from, options)) {
    job.iterations = *iterations;
    return job;
  }
  double training_s = from.duration_s;
  if (options.loading == LoadingMode::included) {
    // A job that ended before it was loaded only loaded.
    job.profile.loading_s = std::min(job.profile.loading_s, from.duration_s);
    training_s -= job.profile.loading_s;
  }
  job.iterations = training_s / profile.iteration_s();
  return job;
}

// A job whose length nothing tells.
void refuse_unknown_length(const Trace& trace, const TraceJob& job, Problems& problems) {
  problems.add({trace.file, job.position},
               job.iterations
                   ? fmt::format("job '{}' has iterations, but no duration", job.id)
                   : fmt::format("job '{}' has neither a duration nor iterations", job.id),
               job.iterations ? "trace.default_duration, or trace.iterations: trace"
                              : "trace.default_duration, or a trace that has one of them");
}

}  // namespace

std::vector<Job> characterize(const Trace& trace, const ProfileSource& source,
                              const CharacterizeOptions& options) {
  std::vector<Job> jobs;
  jobs.reserve(trace.jobs.size());
  std::map<ProfileTable::Key, std::optional<JobProfile>> known;
  Problems problems;
  for (const TraceJob& job : trace.jobs) {
    if (!job.duration_known && !traced_iterations(job, options)) {
      refuse_unknown_length(trace, job, problems);
      continue;
    }
    const std::uint32_t gpus = job.workers * job.gpus_per_worker;
    const auto [at, added] = known.try_emplace({job.model, gpus});
    if (added) at->second = source.find(job.model, gpus);
    if (const std::optional<JobProfile>& profile = at->second) {
      jobs.push_back(make_job(job, *profile, options));
    } else {
      problems.add({trace.file, job.position},
                   fmt::format("no profile for model '{}' on {} GPUs", job.model, gpus),
                   source.expected(job.model));
    }
  }
  problems.throw_if_any();
  return jobs;
}

}  // namespace mosim
