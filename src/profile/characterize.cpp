#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/problems.hpp"
#include "mosim/profile.hpp"

namespace mosim {
namespace {

// The trace's own number, where it counts.
std::optional<double> traced_iterations(const TraceJob& job, const CharacterizeOptions& options) {
  return options.iterations == IterationsFrom::trace ? job.iterations : std::nullopt;
}

// Thousandths of its GPU. What is measured on a part of a GPU is what it takes there.
std::uint32_t gpu_milli(const TraceJob& job, const CharacterizeOptions& options) {
  if (!options.share_gpus || job.gpus() != 1 || job.gpu_share >= 1) return kGpuParts;
  return std::max(1U, static_cast<std::uint32_t>(std::lround(kGpuParts * job.gpu_share)));
}

Job make_job(const TraceJob& from, const JobProfile& profile, const CharacterizeOptions& options) {
  Job job;
  job.submit_s = from.submit_s;
  job.request = {from.workers, from.gpus_per_worker, from.cpus_per_worker,
                 from.memory_mb_per_worker};
  job.request.gpu_milli = gpu_milli(from, options);
  job.profile = profile;
  if (options.loading == LoadingMode::none) job.profile.loading_s = job.longest_loading_s = 0;
  if (const auto iterations = traced_iterations(from, options)) {
    job.iterations = *iterations;
    return job;
  }
  double training_s = from.duration_s;
  if (options.loading == LoadingMode::included) {
    // A job that ended before it was loaded only loaded.
    job.longest_loading_s = from.duration_s;
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

// The profiles of one model on one number of GPUs, asked for as jobs need them.
struct KnownProfiles {
  std::shared_ptr<std::vector<JobProfile>> by_gpu;  // in the end shared by the jobs
  std::vector<std::optional<bool>> found;           // by type; nothing: not asked yet
  std::optional<std::optional<JobProfile>> reference;
};

class Characterizer {
 public:
  Characterizer(const Trace& trace, const ClusterSpec& cluster, const ClusterProfiles& profiles,
                const CharacterizeOptions& options)
      : trace_(trace), cluster_(cluster), profiles_(profiles), options_(options) {}

  std::vector<Job> jobs(std::span<const JobHome> homes) {
    std::vector<Job> jobs;
    jobs.reserve(trace_.jobs.size());
    for (std::size_t i = 0; i < trace_.jobs.size(); ++i) add(trace_.jobs[i], homes[i], jobs);
    problems_.throw_if_any();
    return jobs;
  }

 private:
  void add(const TraceJob& from, const JobHome& home, std::vector<Job>& jobs) {
    if (!from.duration_known && !traced_iterations(from, options_)) {
      return refuse_unknown_length(trace_, from, problems_);
    }
    const std::uint32_t gpus = from.workers * from.gpus_per_worker;
    KnownProfiles& known = known_[{from.model, gpus}];
    const bool complete = find_reachable(known, from, home);
    const bool needs_reference = !traced_iterations(from, options_);
    const JobProfile* reference = complete ? find_reference(known, from, needs_reference) : nullptr;
    if (reference == nullptr) return;
    Job& job = jobs.emplace_back(make_job(from, *reference, options_));
    job.virtual_cluster = home.virtual_cluster;
    job.request.gpu_type = home.gpu_type;
    if (by_type()) job.by_gpu = known.by_gpu;
  }

  // Whether a job's profile depends on where it runs.
  [[nodiscard]] bool by_type() const {
    return profiles_.by_gpu.size() > 1 || profiles_.reference != nullptr;
  }

  bool find_reachable(KnownProfiles& known, const TraceJob& from, const JobHome& home) {
    const std::vector<bool>& reachable = reachable_from(home);
    const std::size_t types = profiles_.by_gpu.size();
    if (!known.by_gpu) {
      known.by_gpu = std::make_shared<std::vector<JobProfile>>(types);
      known.found.resize(types);
    }
    bool complete = true;
    for (std::size_t type = 0; type < types; ++type) {
      if (!reachable[type]) continue;
      if (!find_on(known, from, type)) {
        refuse(from, *profiles_.by_gpu[type], profiles_.gpu_types[type]);
        complete = false;
      }
    }
    return complete;
  }

  bool find_on(KnownProfiles& known, const TraceJob& from, std::size_t type) {
    if (!known.found[type]) {
      auto profile = profiles_.by_gpu[type]->find(from.model, from.workers * from.gpus_per_worker);
      known.found[type] = profile.has_value();
      if (profile) (*known.by_gpu)[type] = std::move(*profile);
    }
    return known.found[type].value_or(false);
  }

  // What W is reckoned with; where nothing depends on it, any profile of the job.
  const JobProfile* find_reference(KnownProfiles& known, const TraceJob& from, bool needed) {
    if (profiles_.reference == nullptr) {
      if (find_on(known, from, reference_type())) return &(*known.by_gpu)[reference_type()];
    } else {
      if (!known.reference) {
        known.reference =
            profiles_.reference->find(from.model, from.workers * from.gpus_per_worker);
      }
      if (*known.reference) return &**known.reference;
    }
    if (!needed) {
      for (std::size_t type = 0; type < known.found.size(); ++type) {
        if (known.found[type].value_or(false)) return &(*known.by_gpu)[type];
      }
    }
    const ProfileSource* source = profiles_.reference.get();
    refuse(from, source != nullptr ? *source : *profiles_.by_gpu[reference_type()],
           profiles_.reference_gpu);
    return nullptr;
  }

  [[nodiscard]] std::size_t reference_type() const {
    const auto& types = profiles_.gpu_types;
    const auto at = std::find(types.begin(), types.end(), profiles_.reference_gpu);
    return at == types.end() ? 0 : static_cast<std::size_t>(at - types.begin());
  }

  const std::vector<bool>& reachable_from(const JobHome& home) {
    const auto [at, added] = reachable_.try_emplace(home);
    if (added) at->second = reachable_types(cluster_, home);
    return at->second;
  }

  void refuse(const TraceJob& from, const ProfileSource& source, const std::string& gpu) {
    problems_.add({trace_.file, from.position},
                  fmt::format("no profile for model '{}' on {} GPUs{}", from.model,
                              from.workers * from.gpus_per_worker,
                              by_type() ? " of type " + gpu : std::string()),
                  source.expected(from.model));
  }

  const Trace& trace_;
  const ClusterSpec& cluster_;
  const ClusterProfiles& profiles_;
  const CharacterizeOptions& options_;
  std::map<ProfileTable::Key, KnownProfiles> known_;
  std::map<JobHome, std::vector<bool>> reachable_;
  Problems problems_;
};

}  // namespace

std::vector<bool> reachable_types(const ClusterSpec& cluster, const JobHome& home) {
  const std::vector<PoolSpec> pools = divide_into_pools(cluster, false);
  std::vector<bool> reachable(cluster.gpu_types().size());
  for (const PoolId pool : pools_for(cluster, pools, home)) {
    reachable[index(pools[index(pool)].gpu_type)] = true;
  }
  return reachable;
}

std::vector<Job> characterize(const Trace& trace, const ClusterSpec& cluster,
                              const ClusterProfiles& profiles, std::span<const JobHome> homes,
                              const CharacterizeOptions& options) {
  return Characterizer(trace, cluster, profiles, options).jobs(homes);
}

std::vector<Job> characterize(const Trace& trace, const ProfileSource& source,
                              const CharacterizeOptions& options) {
  // Servers of one type, which are everyone's; the source is the caller's.
  const ClusterSpec cluster{{ServerGroup{}}};
  ClusterProfiles profiles;
  profiles.gpu_types = cluster.gpu_types();
  profiles.by_gpu.emplace_back(std::shared_ptr<const ProfileSource>(), &source);
  profiles.reference_gpu = profiles.gpu_types.front();
  return characterize(trace, cluster, profiles, std::vector<JobHome>(trace.jobs.size()), options);
}

}  // namespace mosim
