// Where jobs may run: places, what speaks against one, and profiles there.
#include <fmt/format.h>

#include <algorithm>

#include "sim/engine.hpp"

namespace mosim {
namespace {

// Asks the contention model about one job.
class Forecast : public SlowdownForecast {
 public:
  Forecast(const Engine& engine, JobIndex job) : engine_(engine), job_(job) {}
  [[nodiscard]] double added_slowdown(std::span<const WorkerGroup> groups) const override {
    return engine_.added_slowdown(job_, groups);
  }
  [[nodiscard]] double nic_load(ServerId server) const override { return engine_.nic_load(server); }

 private:
  const Engine& engine_;
  JobIndex job_;
};

std::uint32_t workers_of(std::span<const WorkerGroup> groups) {
  std::uint32_t workers = 0;
  for (const WorkerGroup& group : groups) workers += group.workers;
  return workers;
}

// Why a server that has room does not take the group.
std::string wrong_gpu(const WorkerGroup& group) {
  const std::size_t server = index(group.server);
  if (group.gpu == kWholeGpus) {
    return fmt::format("it is given no GPU of server {} to share", server);
  }
  return fmt::format("GPU {} of server {} is not for it", group.gpu, server);
}

}  // namespace

std::span<const PoolId> Engine::pools_of(JobIndex id) const {
  const auto& pools = partition_of(id).pools;  // for any type: the last
  return pools[std::min(index(jobs_[index(id)].request.gpu_type), pools.size() - 1)];
}

std::span<const WorkerGroup> Engine::groups_of(JobIndex id) const {
  return result_.groups_of(result_.jobs[index(id)]);
}

std::uint64_t Engine::quota_left(JobIndex id) const {
  const Partition& partition = partition_of(id);
  return partition.quota - partition.held;
}

PlacementQuery Engine::query_for(JobIndex id, std::uint32_t workers) const {
  const Job& job = jobs_[index(id)];
  PlacementQuery query{.request = job.request, .skew = job.facts.skew, .forecast = nullptr};
  query.request.workers = workers;
  return query;
}

// Fills `groups` from the first pool that has room. `workers`: 0 for as many as it asks for.
bool Engine::find_place(JobIndex id, std::uint32_t workers,
                        std::vector<WorkerGroup>& groups) const {
  PlacementQuery query = query_for(id, workers > 0 ? workers : jobs_[index(id)].request.workers);
  if (query.request.gpus() > quota_left(id)) return false;
  const Forecast forecast(*this, id);
  query.forecast = &forecast;
  const std::span<const PoolId> pools = pools_of(id);
  return std::any_of(pools.begin(), pools.end(), [&](PoolId pool) {
    return placement_.place(cluster_.pool(pool), query, groups);
  });
}

std::string Engine::why_not(JobIndex id, std::span<const WorkerGroup> groups) const {
  const ResourceRequest& request = jobs_[index(id)].request;
  if (groups.empty()) return "it is given no servers";
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const ServerId server = groups[i].server;
    const std::uint32_t workers = groups[i].workers;
    if (index(server) >= cluster_.servers()) {
      return fmt::format("there is no server {}", index(server));
    }
    if (workers == 0) return fmt::format("server {} is given no workers", index(server));
    const auto same = [&](const WorkerGroup& other) { return other.server == server; };
    if (std::any_of(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(i), same)) {
      return fmt::format("server {} is named twice", index(server));
    }
    if (!cluster_.accepting(server)) return fmt::format("server {} takes no jobs", index(server));
    const std::uint32_t capacity = cluster_.capacity_for(server, request);
    if (capacity < workers) {
      return fmt::format("server {} has room for {} of its workers, not {}", index(server),
                         capacity, workers);
    }
    if (!cluster_.takes(groups[i], request)) return wrong_gpu(groups[i]);
  }
  const std::span<const PoolId> pools = pools_of(id);
  const bool together = std::any_of(pools.begin(), pools.end(), [&](PoolId pool) {
    return std::all_of(groups.begin(), groups.end(), [&](const WorkerGroup& group) {
      return cluster_.in_pool(group.server, pool);
    });
  });
  if (!together) return "the servers are not all of one pool that it may use";
  const std::uint32_t workers = workers_of(groups);
  if (std::uint64_t{workers} * request.gpus_per_worker > quota_left(id)) {
    return "its virtual cluster has no quota left for it";
  }
  if (workers == request.workers) return {};
  for (const WorkerGroup& group : groups) {
    if (profile_on(id, cluster_.gpu_type(group.server), workers) == nullptr) {
      return fmt::format("it has no profile on {} workers", workers);
    }
  }
  return {};
}

// Takes the job's GPUs from the accounts alone, and gives them back: a job that stays where it is
// must not be settled, which rounds.
std::string Engine::why_not_move(JobIndex id, std::span<const WorkerGroup> groups) {
  const ResourceRequest& request = jobs_[index(id)].request;
  const std::span<const WorkerGroup> own = groups_of(id);
  std::uint64_t& held = partition_of(id).held;
  const std::uint64_t held_before = held;
  cluster_.release(own, request);
  held -= std::uint64_t{states_[index(id)].workers} * request.gpus_per_worker;
  std::string why = why_not(id, groups);
  held = held_before;
  // A server that is drained keeps the jobs that it runs.
  std::vector<ServerId> drained;
  for (const WorkerGroup& group : own) {
    if (!cluster_.accepting(group.server)) drained.push_back(group.server);
  }
  for (const ServerId server : drained) cluster_.set_accepting(server, true);
  cluster_.allocate(own, request);
  for (const ServerId server : drained) cluster_.set_accepting(server, false);
  return why;
}

// On other numbers of workers than it asks for, it has a profile if the user gave a source of them.
const JobProfile* Engine::profile_on(JobIndex id, GpuTypeId type, std::uint32_t workers) const {
  const Job& job = jobs_[index(id)];
  if (workers == job.request.workers) return &job.profile_on(type);
  if (!options_.scaled_profile || workers == 0 || job.request.shares_gpu()) return nullptr;
  const auto [at, added] = scaled_.try_emplace({id, type, workers});
  if (added) at->second = options_.scaled_profile(id, type, workers);
  const std::optional<JobProfile>& profile = at->second;
  return profile.has_value() ? &*profile : nullptr;
}

bool Engine::has_profiles(JobIndex id, std::uint32_t workers) const {
  const std::span<const PoolId> pools = pools_of(id);
  return std::all_of(pools.begin(), pools.end(), [&](PoolId pool) {
    const std::vector<GpuTypeId>& types = pool_types_[index(pool)];
    return std::all_of(types.begin(), types.end(),
                       [&](GpuTypeId type) { return profile_on(id, type, workers) != nullptr; });
  });
}

// The job's profile on these servers: that of the slowest of their types.
const JobProfile* Engine::profile_here(JobIndex id, std::span<const WorkerGroup> groups,
                                       GpuTypeId& slowest) const {
  slowest = groups.empty() ? GpuTypeId{0} : cluster_.gpu_type(groups.front().server);
  const std::uint32_t workers = workers_of(groups);
  const JobProfile* profile = profile_on(id, slowest, workers);
  if (!options_.mix_gpu_types) return profile;
  for (const WorkerGroup& group : groups) {
    const GpuTypeId type = cluster_.gpu_type(group.server);
    const JobProfile* here = profile_on(id, type, workers);
    if (here->iteration_s() > profile->iteration_s()) {
      slowest = type;
      profile = here;
    }
  }
  return profile;
}

double Engine::added_slowdown(JobIndex id, std::span<const WorkerGroup> groups) const {
  GpuTypeId slowest{};
  const JobProfile& profile = *profile_here(id, groups, slowest);
  const std::vector<double> nics =
      nic_demands(profile, groups, jobs_[index(id)].request.gpus_per_worker);
  return contention_->added_slowdown(
      {groups, workers_of(groups), profile.demand(), nics, index(id)});
}

}  // namespace mosim
