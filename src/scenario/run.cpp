#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/problems.hpp"
#include "scenario/assign.hpp"
#include "scenario/digest.hpp"
#include "scenario/options.hpp"

namespace mosim {
namespace {

CharacterizeOptions characterize_options(const Scenario& scenario) {
  CharacterizeOptions options;
  if (scenario.loading == "added") options.loading = LoadingMode::added;
  if (scenario.loading == "none") options.loading = LoadingMode::none;
  if (scenario.trace_iterations == "duration") options.iterations = IterationsFrom::duration;
  options.share_gpus = scenario.share_gpus;
  return options;
}

DrawRules draw_rules(const Scenario& scenario, const ModelPool& pool) {
  if (scenario.workloads_rules.empty()) return default_draw(pool);
  return read_draw_rules(scenario.workloads_rules, pool);
}

AugmentOptions augment_options(const Scenario& scenario) {
  AugmentOptions options{.seed = scenario.workloads_seed};
  if (scenario.on_unknown_model == "draw") options.unknown = UnknownModel::draw;
  return options;
}

// Refuses the jobs that can never run, or takes them out when the scenario says so.
void settle_unplaceable(const Scenario& scenario, PreparedRun& run) {
  const auto placement = policies().make_placement(scenario.placement, scenario.scheduler_seed);
  const std::vector<Unplaceable> found =
      find_unplaceable(run.cluster, run.jobs, *placement, scenario.mix_gpu_types);
  Problems problems;
  for (const Unplaceable& job : found) {
    const TraceJob& source = run.trace.jobs[index(job.job)];
    const std::string text = fmt::format("job '{}' {}", source.id, job.reason);
    if (!scenario.skip_unplaceable) {
      problems.add({run.trace.file, source.position}, text,
                   "jobs that fit, or --skip-unplaceable to drop them");
    }
    run.dropped.push_back(text);
  }
  problems.throw_if_any();
  std::size_t kept = 0;
  std::size_t next = 0;
  for (std::size_t job = 0; job < run.jobs.size(); ++job) {
    if (next < found.size() && index(found[next].job) == job) {
      ++next;
      continue;
    }
    if (kept != job) {
      run.jobs[kept] = run.jobs[job];
      run.trace.jobs[kept] = std::move(run.trace.jobs[job]);
    }
    ++kept;
  }
  run.jobs.resize(kept);
  run.trace.jobs.resize(kept);
  if (kept == 0) {
    throw InputError({run.trace.file, {}}, "has no job that the cluster can hold", "at least one");
  }
}

}  // namespace

ClusterSpec cluster_of(const Scenario& scenario) {
  const auto count = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  return {scenario.servers,
          scenario.virtual_clusters,
          {.rack_uplinks = count(scenario.fabric_rack_uplinks),
           .rack_oversubscription = scenario.fabric_rack_oversubscription,
           .pod_racks = count(scenario.fabric_pod_racks),
           .pod_uplinks = count(scenario.fabric_pod_uplinks),
           .pod_oversubscription = scenario.fabric_pod_oversubscription,
           .ecmp_seed = scenario.fabric_ecmp_seed}};
}

BuiltinOptions builtin_options(const Scenario& scenario) {
  BuiltinOptions options;
  if (scenario.profile_layout == "packed") options.layout = Layout::packed;
  if (scenario.profile_networking == "exposed") options.networking = Networking::exposed;
  options.bucket = scenario.profile_bucket;
  options.overlap = scenario.profile_overlap;
  if (scenario.profile_all_reduce == "ring") options.all_reduce = AllReduce::ring;
  if (scenario.profile_all_reduce == "tree") options.all_reduce = AllReduce::tree;
  if (scenario.profile_all_reduce == "hierarchical") options.all_reduce = AllReduce::hierarchical;
  return options;
}

ContentionOptions contention_options(const Scenario& scenario) {
  ContentionOptions options;
  if (scenario.contention_model == "none") options.kind = ContentionKind::none;
  if (scenario.contention_model == "fixed") options.kind = ContentionKind::fixed;
  if (scenario.contention_model == "fair") options.kind = ContentionKind::fair;
  if (scenario.contention_resolution == "phase") options.resolution = Resolution::phase;
  options.min_bandwidth = scenario.min_bandwidth;
  options.ratio = scenario.fixed_ratio;
  return options;
}

namespace {

// A key that the backend cannot do without.
void need(const Scenario& scenario, std::string_view key, const std::string& value) {
  if (!value.empty()) return;
  throw InputError({"scenario", {}}, fmt::format("{} is not set", key),
                   fmt::format("a path, for profile.backend {}", scenario.profile_backend));
}

std::unique_ptr<ProfileSource> make_astra_sim(const Scenario& scenario, const ModelPool& pool) {
  need(scenario, "profile.astra_sim.binary", scenario.astra_sim_binary);
  AstraSimBackend backend;
  backend.binary = scenario.astra_sim_binary;
  backend.congestion_aware = scenario.astra_sim_congestion_aware;
  backend.time_limit_s = scenario.astra_sim_time_limit_s;
  if (scenario.profile_cache == "default") {
    backend.cache_dir = default_cache_dir().string();
  } else if (scenario.profile_cache != "none") {
    backend.cache_dir = scenario.profile_cache;
  }
  return astra_sim_profiles(pool, cluster_of(scenario), builtin_options(scenario),
                            std::move(backend));
}

// At most one for each model and GPU type, in the order of the trace.
std::vector<std::string> profile_warnings(const Trace& trace, const ClusterProfiles& profiles) {
  std::vector<std::string> warnings;
  for (std::size_t type = 0; type < profiles.by_gpu.size(); ++type) {
    std::set<std::pair<std::string, std::uint32_t>> seen;
    std::set<std::string> warned;
    for (const TraceJob& job : trace.jobs) {
      const std::uint32_t gpus = job.workers * job.gpus_per_worker;
      if (!seen.emplace(job.model, gpus).second || warned.contains(job.model)) continue;
      auto warning = profiles.by_gpu[type]->warning(job.model, gpus);
      if (!warning) continue;
      warned.insert(job.model);
      if (profiles.by_gpu.size() > 1) *warning += ", on " + profiles.gpu_types[type];
      warnings.push_back(std::move(*warning));
    }
  }
  return warnings;
}

// Where the size of checkpoints counts.
std::vector<std::string> checkpoint_warnings(const Scenario& scenario,
                                             const std::vector<std::string>& unknown_models) {
  std::vector<std::string> warnings;
  if (scenario.preemption_storage <= 0) return warnings;
  for (const std::string& model : unknown_models) {
    warnings.push_back(fmt::format(
        "checkpoints of model '{}' take no time on preemption.storage: its size is not known",
        model));
  }
  return warnings;
}

// A job that is resized has the profile of its model on as many GPUs. `profiles` and `trace` must
// outlive what is returned.
ScaledProfile scaled_profile(const ClusterProfiles& profiles, const Trace& trace) {
  return [&profiles, &trace](JobIndex job, GpuTypeId gpu,
                             std::uint32_t workers) -> std::optional<JobProfile> {
    const TraceJob& of = trace.jobs[index(job)];
    const std::uint64_t gpus = std::uint64_t{workers} * of.gpus_per_worker;
    if (static_cast<double>(gpus) > kMostGpus) return std::nullopt;
    return profiles.by_gpu[index(gpu)]->find(of.model, static_cast<std::uint32_t>(gpus));
  };
}

}  // namespace

Preemption preemption_options(const Scenario& scenario) {
  return {.save_s = scenario.preemption_save_s,
          .restore_s = scenario.preemption_restore_s,
          .storage_bandwidth = scenario.preemption_storage,
          .min_run_s = scenario.preemption_min_run_s};
}

FactOptions fact_options(const Scenario& scenario) {
  return {.estimate_factor = scenario.estimate_factor,
          .estimate_spread = scenario.estimate_spread,
          .deadline_factor = scenario.deadline_factor,
          .seed = scenario.scheduler_seed,
          .bytes_per_parameter = scenario.preemption_bytes_per_parameter};
}

std::unique_ptr<ProfileSource> make_profiles(const Scenario& scenario, const ModelPool& pool) {
  if (scenario.profile_backend == "builtin") {
    return std::make_unique<BuiltinProfiles>(pool, cluster_of(scenario), builtin_options(scenario));
  }
  if (scenario.profile_backend == "astra-sim") return make_astra_sim(scenario, pool);
  need(scenario, "profile.table", scenario.profile_table);
  if (scenario.profile_backend == "simai") {
    return std::make_unique<ProfileTable>(read_simai_table(scenario.profile_table, pool));
  }
  if (!scenario.profile_network.empty()) {
    return std::make_unique<ProfileTable>(
        read_artifact_profile(scenario.profile_table, scenario.profile_network, pool));
  }
  return std::make_unique<ProfileTable>(
      read_profile_table(scenario.profile_table, pool, scenario.servers.front().gpu));
}

namespace {

// A source for the GPU types of a scenario's servers, which are one here.
using MakeProfiles = std::function<std::unique_ptr<ProfileSource>(const Scenario& scenario)>;

ClusterProfiles cluster_profiles(const Scenario& scenario, const MakeProfiles& make) {
  ClusterProfiles profiles;
  profiles.gpu_types = cluster_of(scenario).gpu_types();
  for (const std::string& type : profiles.gpu_types) {
    Scenario typed = scenario;
    std::erase_if(typed.servers,
                  [&](const ServerGroup& group) { return canonical_gpu(group.gpu) != type; });
    profiles.by_gpu.push_back(make(typed));
  }
  const std::string reference = canonical_gpu(scenario.reference_gpu);
  const auto& types = profiles.gpu_types;
  profiles.reference_gpu = reference.empty() ? types.front() : reference;
  if (std::find(types.begin(), types.end(), profiles.reference_gpu) == types.end()) {
    // The servers as they are, with the GPUs that the trace is from.
    Scenario referred = scenario;
    for (ServerGroup& group : referred.servers) group.gpu = reference;
    profiles.reference = make(referred);
  }
  return profiles;
}

}  // namespace

ClusterProfiles make_cluster_profiles(const Scenario& scenario, const ModelPool& pool) {
  return cluster_profiles(scenario,
                          [&](const Scenario& typed) { return make_profiles(typed, pool); });
}

Availability availability_options(const Scenario& scenario) {
  Availability availability;
  availability.mtbf_s = scenario.mtbf_s;
  availability.mttr_s = scenario.mttr_s;
  availability.seed = scenario.availability_seed;
  availability.checkpoint_interval_s = scenario.checkpoint_interval_s;
  availability.max_restarts = scenario.max_restarts;
  const std::uint64_t servers = cluster_of(scenario).servers();
  for (const ServerEventKeys& keys : scenario.availability_events) {
    const auto range = parse_server_range(keys.server.empty() ? keys.servers : keys.server);
    if (!range || range->second >= servers) {
      throw InputError({"scenario", {}}, "availability.events names no servers of the cluster",
                       "a server, or first-last");
    }
    ServerChange change = ServerChange::add;
    if (keys.what == "drain") change = ServerChange::drain;
    if (keys.what == "fail") change = ServerChange::fail;
    if (keys.what == "repair") change = ServerChange::repair;
    availability.events.push_back(
        {keys.time_s, ServerId{range->first}, ServerId{range->second}, change});
  }
  return availability;
}

PreparedRun prepare(const Scenario& scenario, GivenInputs given) {
  PreparedRun run;
  run.cluster = cluster_of(scenario);
  run.trace = given.trace ? *std::move(given.trace) : read_trace(trace_options(scenario));
  const ModelPool pool = read_pool(scenario.workloads_pool);
  augment(run.trace, pool, draw_rules(scenario, pool), augment_options(scenario));
  Assignment assignment = assign_jobs(scenario, run.trace);
  run.dropped = std::move(assignment.dropped);
  run.profiles = std::make_shared<const ClusterProfiles>(
      cluster_profiles(scenario, [&](const Scenario& typed) {
        return given.profiles ? given.profiles(pool, typed.servers.front().gpu)
                              : make_profiles(typed, pool);
      }));
  run.jobs = characterize(run.trace, run.cluster, *run.profiles, assignment.homes,
                          characterize_options(scenario));
  run.warnings = scenario.cluster_notes;
  std::ranges::move(profile_warnings(run.trace, *run.profiles), std::back_inserter(run.warnings));
  const auto unknown = add_facts(run.jobs, run.trace, pool, fact_options(scenario));
  std::ranges::move(checkpoint_warnings(scenario, unknown), std::back_inserter(run.warnings));
  settle_unplaceable(scenario, run);
  run.digest = digest_of(scenario, run);
  return run;
}

std::vector<ActivePolicy> active_policies(const Scenario& scenario) {
  const auto make = [&](const std::string& text) {
    return policies().make_queue(text, scenario.scheduler_seed);
  };
  ActivePolicy all = make(scenario.queue);
  std::vector<ActivePolicy> active;
  for (const VirtualCluster& one : scenario.virtual_clusters) {
    if (all.spans_virtual_clusters) break;
    active.push_back(make(one.queue.empty() ? scenario.queue : one.queue));
  }
  if (active.empty()) active.push_back(std::move(all));
  return active;
}

Run simulate(const Scenario& scenario, PreparedRun prepared,
             std::function<void(const Progress&)> progress) {
  return simulate(scenario, std::move(prepared), active_policies(scenario), std::move(progress));
}

Run simulate(const Scenario& scenario, PreparedRun prepared, std::span<const ActivePolicy> policies,
             std::function<void(const Progress&)> progress) {
  Run run;
  run.cluster = std::move(prepared.cluster);
  run.trace = std::move(prepared.trace);
  run.jobs = std::move(prepared.jobs);
  run.dropped = prepared.dropped.size();
  const auto placement =
      mosim::policies().make_placement(scenario.placement, scenario.scheduler_seed);
  SimulationOptions options;
  options.contention = contention_options(scenario);
  options.progress = std::move(progress);
  options.mix_gpu_types = scenario.mix_gpu_types;
  options.availability = availability_options(scenario);
  options.preemption = preemption_options(scenario);
  if (prepared.profiles) options.scaled_profile = scaled_profile(*prepared.profiles, run.trace);
  run.result = simulate(run.cluster, run.jobs, policies, *placement, options);
  return run;
}

}  // namespace mosim
