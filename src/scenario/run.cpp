#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/hash.hpp"
#include "base/problems.hpp"
#include "scenario/options.hpp"

namespace mosim {
namespace {

CharacterizeOptions characterize_options(const Scenario& scenario) {
  CharacterizeOptions options;
  if (scenario.loading == "added") options.loading = LoadingMode::added;
  if (scenario.loading == "none") options.loading = LoadingMode::none;
  if (scenario.trace_iterations == "duration") options.iterations = IterationsFrom::duration;
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
  const auto placement = policies().make_placement(scenario.placement);
  const std::vector<Unplaceable> found = find_unplaceable(run.cluster, run.jobs, *placement);
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

void add_traffic(Hash& hash, const std::vector<GroupTraffic>& traffic) {
  for (const GroupTraffic& part : traffic) {
    hash.add(std::uint64_t{part.group.size});
    hash.add(std::uint64_t{part.group.stride});
    hash.add(static_cast<std::uint64_t>(part.pattern));
    hash.add(part.bytes);
  }
}

// Whether the run depends on the key itself. What the jobs and servers show already is left out, so
// that a run is the same wherever its files lie.
bool is_of_the_run(const Option<Scenario>& option, const Scenario& scenario) {
  if (option.kind == ValueKind::path || is_of_cluster_file(option.key)) return false;
  if (option.kind == ValueKind::paths) return get_option(option, scenario) == "default";
  return option.key != "output.dir" && option.key != "profile.cache" &&
         option.key != "workloads.on_unknown_model" && !option.key.starts_with("cost.");
}

// Over what a run depends on, not over where its inputs lie.
std::string digest_of(const Scenario& scenario, const PreparedRun& run) {
  Hash hash;
  for (const auto& option : scenario_options()) {
    if (!is_of_the_run(option, scenario)) continue;
    hash.add(option.key);
    hash.add(get_option(option, scenario));
  }
  for (const ServerGroup& group : scenario.servers) {
    for (const auto& option : server_options()) hash.add(get_option(option, group));
  }
  std::string virtual_clusters;
  write_virtual_clusters(virtual_clusters, scenario.virtual_clusters, "");
  hash.add(virtual_clusters);
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    const Job& job = run.jobs[i];
    hash.add(run.trace.jobs[i].id);
    hash.add(run.trace.jobs[i].model);
    for (const std::uint32_t part :
         {job.request.workers, job.request.gpus_per_worker, job.request.cpus_per_worker}) {
      hash.add(std::uint64_t{part});
    }
    for (const double part : {job.submit_s, job.iterations, job.profile.compute_s,
                              job.profile.network_s, job.profile.volume, job.profile.loading_s}) {
      hash.add(part);
    }
    if (job.profile.traffic) add_traffic(hash, *job.profile.traffic);
  }
  return hash.hex();
}

}  // namespace

ClusterSpec cluster_of(const Scenario& scenario) {
  return {scenario.servers, scenario.virtual_clusters};
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

// At most one for each model, in the order of the trace.
std::vector<std::string> profile_warnings(const Trace& trace, const ProfileSource& source) {
  std::vector<std::string> warnings;
  std::set<std::pair<std::string, std::uint32_t>> seen;
  std::set<std::string> warned;
  for (const TraceJob& job : trace.jobs) {
    const std::uint32_t gpus = job.workers * job.gpus_per_worker;
    if (!seen.emplace(job.model, gpus).second || warned.contains(job.model)) continue;
    if (auto warning = source.warning(job.model, gpus)) {
      warned.insert(job.model);
      warnings.push_back(std::move(*warning));
    }
  }
  return warnings;
}

}  // namespace

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
  return std::make_unique<ProfileTable>(read_profile_table(scenario.profile_table, pool));
}

PreparedRun prepare(const Scenario& scenario) {
  PreparedRun run;
  run.cluster = cluster_of(scenario);
  run.trace = read_trace(trace_options(scenario));
  const ModelPool pool = read_pool(scenario.workloads_pool);
  augment(run.trace, pool, draw_rules(scenario, pool), augment_options(scenario));
  const auto profiles = make_profiles(scenario, pool);
  run.jobs = characterize(run.trace, *profiles, characterize_options(scenario));
  run.warnings = scenario.cluster_notes;
  std::ranges::move(profile_warnings(run.trace, *profiles), std::back_inserter(run.warnings));
  settle_unplaceable(scenario, run);
  run.digest = digest_of(scenario, run);
  return run;
}

Run simulate(const Scenario& scenario, PreparedRun prepared,
             std::function<void(const Progress&)> progress) {
  Run run;
  run.cluster = std::move(prepared.cluster);
  run.trace = std::move(prepared.trace);
  run.jobs = std::move(prepared.jobs);
  run.dropped = prepared.dropped.size();
  const auto queue = policies().make_queue(scenario.queue);
  const auto placement = policies().make_placement(scenario.placement);
  run.result = simulate(run.cluster, run.jobs, *queue, *placement,
                        {contention_options(scenario), std::move(progress)});
  return run;
}

}  // namespace mosim
