// Small random clusters and jobs for fuzzed policies.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "sim/fuzz_model.hpp"
#include "sim/jobs.hpp"

namespace mosim::test {

// From `low` to `high`, both included.
inline std::uint32_t draw(RandomStream& random, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(random.below(high - low + std::uint64_t{1}));
}

inline bool one_in(RandomStream& random, std::uint64_t cases) { return random.below(cases) == 0; }

inline ClusterSpec fuzz_cluster(RandomStream& random) {
  ClusterSpec spec;
  const std::uint32_t parts = draw(random, 0, 3);
  for (std::uint32_t i = 0; i < parts; ++i) {
    VirtualCluster part;
    part.name = std::string(1, static_cast<char>('a' + i));
    part.quota = one_in(random, 2) ? 0 : draw(random, 2, 10);
    spec.virtual_clusters.push_back(part);
  }
  for (std::uint32_t i = draw(random, 1, 4); i > 0; --i) {
    ServerGroup group = servers(draw(random, 1, 3), draw(random, 1, 5), draw(random, 5, 40) * 10);
    group.gpu = one_in(random, 2) ? "V100" : "T4";
    group.cpus = one_in(random, 3) ? draw(random, 2, 10) : 0;
    group.memory = one_in(random, 3) ? draw(random, 200, 900) * 1e6 : 0;
    if (parts > 0 && one_in(random, 3)) {
      group.virtual_cluster = spec.virtual_clusters[random.below(parts)].name;
    }
    spec.groups.push_back(group);
  }
  return spec;
}

inline Job fuzz_job(RandomStream& random, const ClusterSpec& spec, double submit_s) {
  JobSpec plain;
  plain.submit_s = submit_s;
  plain.workers = draw(random, 1, 6);
  plain.iterations = one_in(random, 8) ? 0 : draw(random, 3, 90) / 3.0;
  plain.loading_s = one_in(random, 2) ? 0 : draw(random, 1, 5);
  plain.compute_s = draw(random, 1, 30) / 10.0;
  plain.network_s = one_in(random, 4) ? 0 : draw(random, 1, 30) / 10.0;
  plain.demand = draw(random, 0, 400);
  Job out = job(plain);
  const std::size_t types = spec.gpu_types().size();
  if (types > 1 && one_in(random, 2)) {
    std::vector<JobProfile> profiles(types, out.profile);
    profiles[1].compute_s *= 1.5;
    out.by_gpu = std::make_shared<const std::vector<JobProfile>>(profiles);
  }
  if (one_in(random, 4)) {
    out.request.gpu_type = GpuTypeId{draw(random, 0, static_cast<std::uint32_t>(types) - 1)};
  }
  out.request.gpus_per_worker = draw(random, 1, 2);
  out.request.cpus_per_worker = draw(random, 0, 2);
  out.request.memory_mb_per_worker = one_in(random, 2) ? 0 : draw(random, 50, 150);
  out.facts.checkpoint_bytes = draw(random, 0, 5) * 1e6;
  if (!spec.virtual_clusters.empty()) {
    const auto parts = static_cast<std::uint32_t>(spec.virtual_clusters.size());
    out.virtual_cluster = VirtualClusterId{draw(random, 0, parts - 1)};
  }
  return out;
}

inline SimulationOptions fuzz_options(RandomStream& random, const ClusterSpec& spec) {
  SimulationOptions options;
  options.mix_gpu_types = one_in(random, 3);
  const ContentionKind kinds[] = {ContentionKind::none, ContentionKind::fixed,
                                  ContentionKind::mosim, ContentionKind::mosim};
  options.contention.kind = kinds[random.below(4)];
  options.contention.resolution = one_in(random, 2) ? Resolution::event : Resolution::phase;
  if (one_in(random, 2)) {
    options.preemption = {.save_s = draw(random, 0, 2) * 0.5,
                          .restore_s = draw(random, 0, 2) * 0.5,
                          .storage_bandwidth = draw(random, 0, 1) * 1e6};
  }
  if (one_in(random, 2)) options.preemption.min_run_s = draw(random, 1, 4) * 0.5;
  options.availability.checkpoint_interval_s = draw(random, 0, 3) * 3.5;
  options.availability.seed = random.next();
  if (one_in(random, 4)) options.availability.mtbf_s = draw(random, 200, 2000);
  options.availability.mttr_s = 20;
  const auto last = static_cast<std::uint32_t>(spec.servers()) - 1;
  for (std::uint32_t i = one_in(random, 2) ? 0 : draw(random, 1, 6); i > 0; --i) {
    // Every outage ends, so that every job can.
    const ServerId first{draw(random, 0, last)};
    const ServerId end{draw(random, static_cast<std::uint32_t>(first), last)};
    const double from_s = draw(random, 0, 80);
    options.availability.events.push_back(
        {from_s, first, end, one_in(random, 2) ? ServerChange::drain : ServerChange::fail});
    options.availability.events.push_back(
        {from_s + draw(random, 1, 30), first, end, ServerChange::repair});
  }
  return options;
}

// Jobs that the cluster can never hold are left out.
inline FuzzCase fuzz_case(RandomStream& random) {
  FuzzCase one;
  one.cluster = fuzz_cluster(random);
  one.options = fuzz_options(random, one.cluster);
  one.placement = one_in(random, 2) ? "bin-packing" : "load-balancing";
  one.one_policy = one.cluster.virtual_clusters.empty() || one_in(random, 3);
  one.oracle = !one_in(random, 4);
  std::vector<Job> all;
  double submit_s = 0;
  for (std::uint32_t i = draw(random, 3, 14); i > 0; --i) {
    submit_s += one_in(random, 3) ? 0 : draw(random, 0, 20) / 2.0;
    all.push_back(fuzz_job(random, one.cluster, submit_s));
  }
  std::vector<bool> never(all.size());
  const auto placement = policies().make_placement(one.placement);
  for (const Unplaceable& found :
       find_unplaceable(one.cluster, all, *placement, one.options.mix_gpu_types)) {
    never[index(found.job)] = true;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!never[i]) one.jobs.push_back(all[i]);
  }
  one.options.scaled_profile = scaled_profile_of(one.jobs);
  return one;
}

}  // namespace mosim::test
