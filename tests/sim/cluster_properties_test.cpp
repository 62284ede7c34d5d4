// Random clusters with several GPU types, virtual clusters and failures: whatever they are, the
// rules below hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/jobs.hpp"

namespace mosim::test {
namespace {

struct Case {
  ClusterSpec cluster;
  std::vector<Job> jobs;
  SimulationOptions options;
  std::string queue;
  std::string placement;
};

ClusterSpec random_cluster() {
  ClusterSpec spec;
  const int parts = pick(0, 4);
  for (int i = 0; i < parts; ++i) {
    VirtualCluster part;
    part.name = std::string(1, static_cast<char>('a' + i));
    part.quota = pick(0, 2) == 0 ? 0 : pick(1U, 12U);
    part.queue = *rc::gen::element<std::string>("", "fifo", "fifo-skip");
    spec.virtual_clusters.push_back(part);
  }
  const int groups = pick(1, 4);
  for (int i = 0; i < groups; ++i) {
    ServerGroup group = servers(pick(1U, 4U), pick(1U, 6U), pick(5, 40) * 10);
    group.gpu = *rc::gen::element<std::string>("V100", "T4", "MISC");
    group.nics = pick(1U, 3U);
    group.memory = pick(0, 2) == 0 ? 0 : pick(2, 10) * 100e6;
    if (parts > 0 && pick(0, 3) == 0) {
      group.virtual_cluster = spec.virtual_clusters[static_cast<std::size_t>(pick(0, parts))].name;
    }
    spec.groups.push_back(group);
  }
  return spec;
}

Job random_job(const ClusterSpec& spec, double submit_s) {
  JobSpec plain;
  plain.submit_s = submit_s;
  plain.workers = pick(1U, 7U);
  plain.iterations = pick(0, 8) == 0 ? 0 : pick(3, 90) / 3.0;
  plain.loading_s = pick(0, 2) == 0 ? 0 : pick(0, 10);
  Job out = job(plain);
  const std::size_t types = spec.gpu_types().size();
  std::vector<JobProfile> profiles(types);
  for (JobProfile& profile : profiles) {
    profile.compute_s = pick(1, 30) / 10.0;
    profile.network_s = pick(0, 4) == 0 ? 0 : pick(1, 30) / 10.0;
    profile.volume = pick(0, 40) * 10e6 * profile.network_s;
    profile.loading_s = plain.loading_s;
  }
  out.profile = profiles.front();
  if (types > 1) out.by_gpu = std::make_shared<const std::vector<JobProfile>>(profiles);
  if (pick(0, 4) == 0) out.request.gpu_type = GpuTypeId{pick(0U, static_cast<unsigned>(types))};
  out.request.gpus_per_worker = pick(1U, 3U);
  if (out.request.gpus() == 1 && pick(0, 3) > 0) out.request.gpu_milli = pick(1U, 10U) * 100;
  out.request.memory_mb_per_worker = pick(0, 2) == 0 ? 0 : pick(50U, 200U);
  if (!spec.virtual_clusters.empty()) {
    const auto parts = static_cast<unsigned>(spec.virtual_clusters.size());
    out.virtual_cluster = VirtualClusterId{pick(0U, parts)};
  }
  return out;
}

Availability random_availability(const ClusterSpec& spec) {
  Availability availability;
  availability.checkpoint_interval_s = *rc::gen::element(0.0, 3.0, 10.0, 35.5);
  availability.seed = pick(0U, 1000U);
  availability.mttr_s = pick(1, 60);
  if (pick(0, 2) == 0) availability.mtbf_s = pick(60, 2000);
  const auto count = static_cast<unsigned>(spec.servers());
  for (int i = pick(0, 6); i > 0; --i) {
    const ServerId first{pick(0U, count)};
    const ServerId last{pick(static_cast<unsigned>(first), count)};
    // Every outage ends, so that every job can.
    const double from_s = pick(0, 80);
    const auto what = *rc::gen::element(ServerChange::drain, ServerChange::fail);
    availability.events.push_back({from_s, first, last, what});
    availability.events.push_back({from_s + pick(1, 40), first, last, ServerChange::repair});
  }
  return availability;
}

Case random_case() {
  Case one;
  one.cluster = random_cluster();
  one.queue = *rc::gen::element<std::string>("fifo", "fifo-skip");
  one.placement = *rc::gen::element<std::string>(
      "bin-packing", "load-balancing", "consolidate", "consolidate-relaxed", "topology",
      "most-allocated", "least-allocated", "random", "fragmentation");
  one.options.mix_gpu_types = pick(0, 3) == 0;
  one.options.contention.kind = *rc::gen::element(ContentionKind::none, ContentionKind::fixed,
                                                  ContentionKind::mosim, ContentionKind::mosim);
  one.options.contention.resolution = *rc::gen::element(Resolution::event, Resolution::phase);
  one.options.availability = random_availability(one.cluster);
  std::vector<Job> all;
  double submit_s = 0;
  for (int i = pick(1, 20); i > 0; --i) {
    submit_s += pick(0, 3) == 0 ? 0 : pick(0, 20) / 2.0;
    all.push_back(random_job(one.cluster, submit_s));
  }
  std::vector<bool> dropped(all.size());
  for (const Unplaceable& found :
       find_unplaceable(one.cluster, all, *policies().make_placement(one.placement),
                        one.options.mix_gpu_types)) {
    dropped[index(found.job)] = true;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!dropped[i]) one.jobs.push_back(all[i]);
  }
  return one;
}

// A time that a job spent on servers.
struct Stay {
  std::size_t job = 0;
  double start_s = 0;
  double end_s = 0;
  std::span<const WorkerGroup> groups;
};

std::vector<Stay> stays_of(const SimulationResult& result) {
  std::vector<Stay> stays;
  std::vector<double> last_start(result.jobs.size());
  for (std::size_t i = 0; i < result.jobs.size(); ++i) last_start[i] = result.jobs[i].start_s;
  for (const EarlierAttempt& lost : result.earlier_attempts) {
    stays.push_back({index(lost.job), lost.start_s, lost.end_s, result.groups_of(lost)});
  }
  for (std::size_t i = 0; i < result.jobs.size(); ++i) {
    const JobResult& one = result.jobs[i];
    double earlier_s = 0;  // on servers, before the last time
    for (const Stay& stay : stays) earlier_s += stay.job == i ? stay.end_s - stay.start_s : 0;
    const double start_s =
        one.restarts == 0 ? one.start_s : one.end_s - (one.training_s() - earlier_s);
    stays.push_back({i, start_s, one.end_s, result.groups_of(one)});
  }
  return stays;
}

// Sums of starts and lengths are not exact.
constexpr double kSlack = 1e-6;

std::vector<std::string> owners_by_server(const ClusterSpec& spec) {
  std::vector<std::string> owners;
  for (const ServerGroup& group : spec.groups) {
    owners.insert(owners.end(), group.count, group.virtual_cluster);
  }
  return owners;
}

void check_places(const Case& one, const std::vector<Stay>& stays) {
  const ClusterState state(one.cluster);
  const std::vector<std::string> owners = owners_by_server(one.cluster);
  for (const Stay& stay : stays) {
    const Job& job = one.jobs[stay.job];
    std::uint32_t workers = 0;
    for (const WorkerGroup& group : stay.groups) {
      workers += group.workers;
      const GpuTypeId type = state.gpu_type(group.server);
      if (job.request.gpu_type != kAnyGpuType) RC_ASSERT(type == job.request.gpu_type);
      if (!one.options.mix_gpu_types) {
        RC_ASSERT(type == state.gpu_type(stay.groups.front().server));
      }
      const std::string& owner = owners[index(group.server)];
      RC_ASSERT(owner == owners[index(stay.groups.front().server)]);
      if (!owner.empty()) {
        RC_ASSERT(one.cluster.virtual_clusters[index(job.virtual_cluster)].name == owner);
      }
    }
    RC_ASSERT(workers == job.request.workers);
  }
}

// At the beginning of every stay: nothing is taken twice and no quota is passed.
void check_limits(const Case& one, const std::vector<Stay>& stays) {
  std::vector<ServerGroup> servers_of;
  for (const ServerGroup& group : one.cluster.groups) {
    servers_of.insert(servers_of.end(), group.count, group);
  }
  for (const Stay& at : stays) {
    const double time_s = at.start_s + kSlack;
    std::vector<std::uint64_t> gpus(servers_of.size());
    std::map<std::pair<ServerId, std::uint32_t>, std::uint32_t> shared;  // thousandths by GPU
    std::vector<double> memory(servers_of.size());
    std::map<VirtualClusterId, std::uint64_t> held;
    for (const Stay& stay : stays) {
      if (stay.start_s > time_s || stay.end_s <= time_s) continue;
      const ResourceRequest& request = one.jobs[stay.job].request;
      held[one.jobs[stay.job].virtual_cluster] += request.gpus();
      for (const WorkerGroup& group : stay.groups) {
        if (request.shares_gpu()) {
          std::uint32_t& held_of_it = shared[{group.server, group.gpu}];
          if (held_of_it == 0) ++gpus[index(group.server)];
          held_of_it += request.gpu_milli;
        } else {
          gpus[index(group.server)] += std::uint64_t{group.workers} * request.gpus_per_worker;
        }
        memory[index(group.server)] += 1e6 * group.workers * request.memory_mb_per_worker;
      }
    }
    for (const auto& [gpu, milli] : shared) {
      RC_ASSERT(milli <= kGpuParts);
      RC_ASSERT(gpu.second < servers_of[index(gpu.first)].gpus);
    }
    for (std::size_t server = 0; server < servers_of.size(); ++server) {
      RC_ASSERT(gpus[server] <= servers_of[server].gpus);
      if (servers_of[server].memory > 0) RC_ASSERT(memory[server] <= servers_of[server].memory);
    }
    for (std::uint32_t id = 0; id < one.cluster.virtual_clusters.size(); ++id) {
      const std::uint32_t quota = one.cluster.virtual_clusters[id].quota;
      if (quota > 0) RC_ASSERT(held[VirtualClusterId{id}] <= quota);
    }
  }
}

// Outages by the listed events: no stay begins in one, and none outlives a failure.
void check_outages(const Case& one, const std::vector<Stay>& stays) {
  for (std::uint32_t server = 0; server < one.cluster.servers(); ++server) {
    std::vector<ServerEvent> events;
    for (const ServerEvent& event : one.options.availability.events) {
      if (index(event.first) <= server && server <= index(event.last)) events.push_back(event);
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const auto& a, const auto& b) { return a.time_s < b.time_s; });
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].change == ServerChange::repair) continue;
      const double until_s = i + 1 < events.size() ? events[i + 1].time_s : HUGE_VAL;
      for (const Stay& stay : stays) {
        const bool here =
            std::any_of(stay.groups.begin(), stay.groups.end(),
                        [&](const WorkerGroup& group) { return index(group.server) == server; });
        if (!here) continue;
        const double from_s = events[i].time_s;
        RC_ASSERT(stay.start_s <= from_s + kSlack || stay.start_s >= until_s - kSlack);
        if (events[i].change == ServerChange::fail && stay.start_s < from_s - kSlack) {
          RC_ASSERT(stay.end_s <= from_s + kSlack);
        }
      }
    }
  }
}

void check_job(const Case& one, const Job& job, const JobResult& result) {
  double iterations = job.iterations;
  if (one.options.contention.kind == ContentionKind::mosim &&
      one.options.contention.resolution == Resolution::phase) {
    iterations = std::max(1.0, std::floor(iterations));
  }
  RC_ASSERT(result.iterations == iterations);
  RC_ASSERT(result.start_s >= job.submit_s);
  const double training_s = result.training_s();
  const double parts = result.compute_s + result.network_s + result.loading_s;
  RC_ASSERT(std::abs(parts - training_s) <= 1e-6 * (1 + training_s));
  RC_ASSERT(result.lost_s >= -1e-9);
  if (result.restarts == 0) RC_ASSERT(result.lost_s == 0 && result.requeued_s == 0);
  RC_ASSERT(result.mean_contention >= 1 - 1e-6);
  // Work is conserved: what was not lost is at least all iterations on the fastest type, and, alone
  // on one type, just that.
  double fastest_s = HUGE_VAL;
  double slowest_s = 0;
  const std::size_t types = one.cluster.gpu_types().size();
  for (std::uint32_t type = 0; type < types; ++type) {
    fastest_s = std::min(fastest_s, job.profile_on(GpuTypeId{type}).iteration_s());
    slowest_s = std::max(slowest_s, job.profile_on(GpuTypeId{type}).iteration_s());
  }
  const double kept_s = training_s - result.lost_s - result.loading_s;
  RC_ASSERT(kept_s >= iterations * fastest_s - kSlack * (1 + training_s));
  if (one.options.contention.kind != ContentionKind::none) return;
  RC_ASSERT(kept_s <= iterations * slowest_s + kSlack * (1 + training_s));
}

TEST(Engine, RulesHoldOnRandomClustersWithFailures) {
  EXPECT_TRUE(rc::check("rules of real clusters", [] {
    const Case one = random_case();
    RC_PRE(!one.jobs.empty());
    SimulationResult result;
    try {
      result = run_on(one.cluster, one.jobs, one.options, one.queue, one.placement);
    } catch (const RunError& error) {
      // A long job without checkpoints among many failures.
      RC_ASSERT(std::string(error.what()).find("max_restarts") != std::string::npos);
      RC_ASSERT(one.options.availability.mtbf_s > 0);
      return;
    }
    RC_CLASSIFY(!result.earlier_attempts.empty(), "with lost attempts");
    RC_CLASSIFY(!one.cluster.virtual_clusters.empty(), "with virtual clusters");
    RC_CLASSIFY(one.cluster.gpu_types().size() > 1, "with GPU types");
    RC_CLASSIFY(
        std::ranges::any_of(one.jobs, [](const Job& job) { return job.request.shares_gpu(); }),
        "with shared GPUs");
    for (std::size_t i = 0; i < one.jobs.size(); ++i) check_job(one, one.jobs[i], result.jobs[i]);
    const std::vector<Stay> stays = stays_of(result);
    check_places(one, stays);
    check_limits(one, stays);
    check_outages(one, stays);
    const std::uint64_t all = one.cluster.gpus();
    for (const TimelinePoint& point : result.timeline) {
      RC_ASSERT(point.gpus_used <= point.gpus_up);
      RC_ASSERT(point.gpus_up <= all);
    }
    RC_ASSERT(result.timeline.back().running == 0U);
    RC_ASSERT(result.timeline.back().waiting == 0U);
    const SimulationResult again =
        run_on(one.cluster, one.jobs, one.options, one.queue, one.placement);
    RC_ASSERT(again.digest() == result.digest());
  }));
}

}  // namespace
}  // namespace mosim::test
