#include "scenario/assign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "base/problems.hpp"
#include "base/text.hpp"

namespace mosim {
namespace {

// What to make of one name of the trace.
struct Fate {
  std::uint32_t id = 0;
  bool nowhere = false;  // drop the job, or refuse it
  std::string expected;  // of a job that is refused
};

class Assigner {
 public:
  explicit Assigner(const Scenario& scenario)
      : scenario_(scenario), cluster_(cluster_of(scenario)), gpu_types_(cluster_.gpu_types()) {}

  // Nothing when the job is dropped.
  std::optional<JobHome> home(const Trace& trace, const TraceJob& job, Assignment& assignment) {
    JobHome home;
    if (!cluster_.virtual_clusters.empty()) {
      const Fate& fate = virtual_cluster(job.virtual_cluster);
      if (fate.nowhere) {
        const bool drop = scenario_.unmapped == "drop";
        lose(trace, job, drop, fate,
             job.virtual_cluster.empty()
                 ? "names no virtual cluster"
                 : fmt::format("is of virtual cluster '{}', which none of the cluster's takes",
                               job.virtual_cluster),
             assignment);
        return std::nullopt;
      }
      home.virtual_cluster = VirtualClusterId{fate.id};
    }
    if (scenario_.trace_gpu_type == "ignore" || job.gpu_type.empty()) return home;
    const Fate& fate = gpu_type(job.gpu_type);
    if (fate.nowhere) {
      lose(trace, job, scenario_.skip_unplaceable, fate,
           fmt::format("needs GPUs of type '{}', which the cluster lacks", job.gpu_type),
           assignment);
      return std::nullopt;
    }
    home.gpu_type = GpuTypeId{fate.id};
    return home;
  }

  void throw_if_any() { problems_.throw_if_any(); }

 private:
  const Fate& virtual_cluster(const std::string& name) {
    const auto [at, added] = virtual_clusters_.try_emplace(name);
    if (added) at->second = find_virtual_cluster(name);
    return at->second;
  }

  [[nodiscard]] Fate find_virtual_cluster(const std::string& name) const {
    const std::vector<VirtualCluster>& all = cluster_.virtual_clusters;
    std::vector<std::string> taken;
    std::optional<std::uint32_t> rest;
    for (std::uint32_t id = 0; id < all.size(); ++id) {
      if (all[id].name == scenario_.unmapped) rest = id;
      const std::vector<std::string> own{all[id].name};
      for (const std::string& job : all[id].jobs.empty() ? own : all[id].jobs) {
        if (job == name) return {id, false, {}};
        taken.push_back(job);
      }
    }
    if (rest) return {*rest, false, {}};
    return {0, true, one_of(name, taken) + ", or another cluster.unmapped than refuse"};
  }

  const Fate& gpu_type(const std::string& name) {
    const auto [at, added] = gpu_fates_.try_emplace(name);
    if (!added) return at->second;
    if (const auto type = find_gpu_type(name)) {
      at->second.id = *type;
    } else if (scenario_.trace_gpu_type == "match") {
      at->second.id = static_cast<std::uint32_t>(kAnyGpuType);
    } else {
      at->second = {0, true,
                    one_of(name, gpu_types_) + ", or --skip-unplaceable to drop such jobs"};
    }
    return at->second;
  }

  // The first type of "A|B|..." that the cluster has.
  [[nodiscard]] std::optional<std::uint32_t> find_gpu_type(std::string_view names) const {
    for (const std::string_view name : split(names, '|')) {
      const auto type =
          std::find(gpu_types_.begin(), gpu_types_.end(), canonical_gpu(std::string(name)));
      if (type != gpu_types_.end()) return static_cast<std::uint32_t>(type - gpu_types_.begin());
    }
    return std::nullopt;
  }

  void lose(const Trace& trace, const TraceJob& job, bool drop, const Fate& fate,
            const std::string& reason, Assignment& assignment) {
    std::string text = fmt::format("job '{}' {}", job.id, reason);
    if (!drop) problems_.add({trace.file, job.position}, text, fate.expected);
    assignment.dropped.push_back(std::move(text));
  }

  const Scenario& scenario_;
  ClusterSpec cluster_;
  std::vector<std::string> gpu_types_;
  std::map<std::string, Fate> virtual_clusters_;
  std::map<std::string, Fate> gpu_fates_;
  Problems problems_;
};

}  // namespace

Assignment assign_jobs(const Scenario& scenario, Trace& trace) {
  Assignment assignment;
  if (scenario.virtual_clusters.empty() && scenario.trace_gpu_type == "ignore") {
    assignment.homes.resize(trace.jobs.size());
    return assignment;
  }
  Assigner assigner(scenario);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
    const auto home = assigner.home(trace, trace.jobs[i], assignment);
    if (!home) continue;
    assignment.homes.push_back(*home);
    if (kept != i) trace.jobs[kept] = std::move(trace.jobs[i]);
    ++kept;
  }
  assigner.throw_if_any();
  trace.jobs.resize(kept);
  return assignment;
}

}  // namespace mosim
