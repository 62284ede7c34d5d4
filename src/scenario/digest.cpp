#include "scenario/digest.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "scenario/options.hpp"

namespace mosim {
namespace {

void add_traffic(Hash& hash, const std::vector<GroupTraffic>& traffic) {
  for (const GroupTraffic& part : traffic) {
    hash.add(std::uint64_t{part.group.size});
    hash.add(std::uint64_t{part.group.stride});
    hash.add(static_cast<std::uint64_t>(part.pattern));
    hash.add(part.bytes);
  }
}

// Keys that count only where they are not at their defaults, so that scenarios from before there
// were such keys keep their digests.
bool is_optional(std::string_view key) {
  return is_of_fabric(key) || key.starts_with("preemption.") ||
         key.starts_with("scheduler.estimate_") || key == "scheduler.deadline_factor";
}

// Whether the run depends on the key itself. What the jobs and servers show already is left out, so
// that a run is the same wherever its files lie.
bool is_of_the_run(const Option<Scenario>& option, const Scenario& scenario) {
  // What a plugin holds counts, below.
  if (option.kind == ValueKind::path_list) return false;
  if (option.kind == ValueKind::path || is_of_cluster_file(option.key)) return false;
  if (option.kind == ValueKind::paths) return get_option(option, scenario) == "default";
  if (is_optional(option.key)) {
    return get_option(option, scenario) != get_option(option, Scenario{});
  }
  return option.key != "output.dir" && option.key != "profile.cache" &&
         option.key != "workloads.on_unknown_model" && !option.key.starts_with("cost.");
}

void add_profile(Hash& hash, const JobProfile& profile) {
  for (const double part :
       {profile.compute_s, profile.network_s, profile.volume, profile.loading_s}) {
    hash.add(part);
  }
  if (profile.traffic) add_traffic(hash, *profile.traffic);
}

// What a job of a plain cluster has not counts only where it is there.
void add_job(Hash& hash, const Job& job) {
  const ResourceRequest& request = job.request;
  for (const std::uint32_t part :
       {request.workers, request.gpus_per_worker, request.cpus_per_worker}) {
    hash.add(std::uint64_t{part});
  }
  hash.add(job.submit_s);
  hash.add(job.iterations);
  add_profile(hash, job.profile);
  if (request.memory_mb_per_worker > 0) hash.add(std::uint64_t{request.memory_mb_per_worker});
  if (request.gpu_type != kAnyGpuType) hash.add(std::uint64_t{index(request.gpu_type)});
  if (request.shares_gpu()) hash.add(std::uint64_t{request.gpu_milli});
  if (index(job.virtual_cluster) > 0) hash.add(std::uint64_t{index(job.virtual_cluster)});
  if (job.by_gpu == nullptr) return;
  for (const JobProfile& profile : *job.by_gpu) add_profile(hash, profile);
}

// Whether the run may depend on the facts of jobs: fifo and fifo-skip go by the order of arrival.
bool looks_at_facts(const Scenario& scenario) {
  if (scenario.preemption_storage > 0 || scenario.queue.starts_with(kCallersPolicy)) return true;
  const auto policies = active_policies(scenario);
  return std::any_of(policies.begin(), policies.end(), [](const ActivePolicy& policy) {
    return policy.name != "fifo" && policy.name != "fifo-skip";
  });
}

void add_facts(Hash& hash, const JobFacts& facts) {
  hash.add(std::uint64_t{facts.user});
  hash.add(std::uint64_t{facts.group});
  hash.add(std::uint64_t{facts.model});
  for (const double part :
       {facts.priority, facts.deadline_s, facts.estimate_s, facts.skew, facts.checkpoint_bytes}) {
    hash.add(part);
  }
}

template <typename Item>
void add_list(Hash& hash, const ListOption<Item>& list, const std::vector<Item>& items) {
  for (const Item& item : items) {
    for (const auto& option : list.options) {
      const std::string value = get_option(option, item);
      // Not to be taken for the virtual cluster that follows; without pods, digests are as ever.
      if (option.key == "pod" && !value.empty()) hash.add(option.key);
      hash.add(value);
    }
  }
}

}  // namespace

std::string digest_of(const Scenario& scenario, const PreparedRun& run) {
  const auto placement = policies().make_placement(scenario.placement, scenario.scheduler_seed);
  const bool facts_count = looks_at_facts(scenario);
  Hash hash;
  for (const auto& option : scenario_options()) {
    if (!is_of_the_run(option, scenario)) continue;
    hash.add(option.key);
    hash.add(get_option(option, scenario));
  }
  for_each_list([&](const auto& list) { add_list(hash, list, scenario.*list.member); });
  for (const std::string& plugin : scenario.plugins) hash.add(read_file(plugin, "a plugin"));
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    hash.add(run.trace.jobs[i].id);
    hash.add(run.trace.jobs[i].model);
    add_job(hash, run.jobs[i]);
    if (facts_count) add_facts(hash, run.jobs[i].facts);
    // A placement that looks at the skew.
    const std::uint32_t kind = placement->kind_of({run.jobs[i].request, run.jobs[i].facts.skew});
    if (kind > 0) hash.add(std::uint64_t{kind});
  }
  return hash.hex();
}

}  // namespace mosim
