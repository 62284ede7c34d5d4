#include "sim/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/hash.hpp"

namespace mosim {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNoQuota = std::numeric_limits<std::uint32_t>::max();

ContentionSetting setting_for(std::span<const Job> jobs) {
  ContentionSetting setting;
  setting.jobs = jobs.size();
  const auto count = [&](const Job& job, const JobProfile& profile) {
    const double per_worker = intra_demand(profile.demand(), job.request.workers, 1);
    setting.most_demand_per_gpu =
        std::max(setting.most_demand_per_gpu, per_worker / job.request.gpus_per_worker);
  };
  for (const Job& job : jobs) {
    if (job.by_gpu == nullptr) {
      count(job, job.profile);
    } else {
      for (const JobProfile& profile : *job.by_gpu) count(job, profile);
    }
  }
  return setting;
}

// Which pools the jobs of a virtual cluster may use, by GPU type and last for any type.
std::vector<std::vector<PoolId>> pools_of(const ClusterSpec& cluster, VirtualClusterId id,
                                          bool mix_gpu_types) {
  const std::vector<PoolSpec> pools = divide_into_pools(cluster, mix_gpu_types);
  const auto types = static_cast<std::uint32_t>(cluster.gpu_types().size());
  std::vector<std::vector<PoolId>> found;
  found.reserve(types + std::size_t{1});
  for (std::uint32_t type = 0; type < types; ++type) {
    found.push_back(pools_for(cluster, pools, {id, GpuTypeId{type}}));
  }
  found.push_back(pools_for(cluster, pools, {id, kAnyGpuType}));
  return found;
}

// The GPU types that servers of each pool may have.
std::vector<std::vector<GpuTypeId>> types_by_pool(const ClusterSpec& cluster, bool mix_gpu_types) {
  std::vector<GpuTypeId> all;
  for (std::uint32_t type = 0; type < cluster.gpu_types().size(); ++type) {
    all.push_back(GpuTypeId{type});
  }
  std::vector<std::vector<GpuTypeId>> types;
  for (const PoolSpec& pool : divide_into_pools(cluster, mix_gpu_types)) {
    types.push_back(pool.gpu_type == kAnyGpuType ? all : std::vector{pool.gpu_type});
  }
  return types;
}

}  // namespace

Engine::Engine(const ClusterSpec& cluster, std::span<const Job> jobs,
               std::span<const ActivePolicy> policies, const Placement& placement,
               const SimulationOptions& options)
    : spec_(cluster),
      jobs_(jobs),
      placement_(placement),
      options_(options),
      whole_iterations_(knows_phases(options.contention.kind) &&
                        options.contention.resolution == Resolution::phase),
      fallible_(options.availability.any()),
      cluster_(cluster, options.mix_gpu_types),
      pool_types_(types_by_pool(cluster, options.mix_gpu_types)),
      contention_(make_contention(options.contention, cluster, setting_for(jobs))),
      events_(jobs.size()),
      clock_(options.availability, cluster_.servers()),
      states_(jobs.size()),
      running_(jobs.size()),
      attempts_(jobs.size()),
      fit_class_(jobs.size()),
      // A job has at least one GPU on each of its servers.
      on_server_(fallible_ ? cluster.gpus_by_server() : std::vector<std::uint32_t>()) {
  const std::size_t partitions = std::max<std::size_t>(1, cluster.virtual_clusters.size());
  if (policies.size() != 1 && policies.size() != partitions) {
    throw std::logic_error("there must be one policy, or one for each virtual cluster");
  }
  for (std::uint32_t i = 0; i < partitions; ++i) {
    const std::uint64_t quota =
        cluster.virtual_clusters.empty() ? 0 : cluster.virtual_clusters[i].quota;
    partitions_.push_back({quota > 0 ? quota : std::numeric_limits<std::uint64_t>::max(), 0,
                           mosim::pools_of(cluster, VirtualClusterId{i}, options.mix_gpu_types)});
    has_quotas_ = has_quotas_ || quota > 0;
  }
  seats_.reserve(policies.size());
  for (const ActivePolicy& policy : policies) seats_.emplace_back(*this, policy);
  for (std::size_t i = 0; i < jobs.size(); ++i) states_[i].workers = jobs[i].request.workers;
  result_.jobs.resize(jobs.size());
  result_.pools = divide_into_pools(cluster, options.mix_gpu_types);
  for (const ServerId server : clock_.absent()) cluster_.set_accepting(server, false);
}

SimulationResult Engine::run() {
  while (done_ < jobs_.size()) {
    const double arrival = next_arrival_ < jobs_.size() ? jobs_[next_arrival_].submit_s : kNever;
    const double event = events_.empty() ? kNever : events_.next_time();
    const double outage = fallible_ ? clock_.next_time() : kNever;
    const double wake = next_wake_s();
    if (arrival == kNever && event == kNever && stuck()) give_up();
    now_ = std::min({arrival, event, outage, wake});
    const std::size_t done_before = done_;
    handle_events_at_now();
    if (outage <= now_) handle_outages_at_now();
    // Otherwise nothing that a scheduler would see.
    if (arrival > now_ && done_ == done_before && outage > now_ && wake > now_) continue;
    handle_arrivals_at_now();
    decide();
    record_timeline();
  }
  report_progress();
  return std::move(result_);
}

void Engine::handle_events_at_now() {
  while (!events_.empty() && events_.next_time() <= now_) {
    handle(events_.pop());
    if ((++result_.events & 0xffff) == 0) report_progress();
  }
}

void Engine::handle_arrivals_at_now() {
  for (; next_arrival_ < jobs_.size() && jobs_[next_arrival_].submit_s <= now_; ++next_arrival_) {
    const JobIndex id{static_cast<std::uint32_t>(next_arrival_)};
    const Job& job = jobs_[next_arrival_];
    const std::uint32_t kind = placement_.kind_of(query_for(id, job.request.workers));
    const auto number = static_cast<std::uint32_t>(classes_.size());
    fit_class_[index(id)] =
        classes_.try_emplace({job.virtual_cluster, job.request, kind}, number).first->second;
    set_stage(id, JobStage::waiting);
    seat_of(id).submitted(id);
    ++result_.events;
  }
}

double Engine::next_wake_s() const {
  double next = kNever;
  for (const PolicySeat& seat : seats_) next = std::min(next, seat.wake_s());
  return next;
}

// Virtual clusters in their order. A single policy decides also when it has no jobs: it may count
// on being called at every time.
void Engine::decide() {
  for (PolicySeat& seat : seats_) {
    if (seat.wake_s() <= now_) {
      seat.cancel_wake();
      if ((++result_.events & 0xffff) == 0) report_progress();
    }
    const bool idle = seat.waiting_count() == 0 && seat.running_count() == 0;
    if (!idle || seats_.size() == 1) seat.decide();
  }
}

PolicySeat& Engine::seat_of(JobIndex job) {
  return seats_[seats_.size() == 1 ? 0 : index(jobs_[index(job)].virtual_cluster)];
}

bool Engine::belongs_to(JobIndex job, const PolicySeat& seat) const {
  return &seat == &seats_[seats_.size() == 1 ? 0 : index(jobs_[index(job)].virtual_cluster)];
}

Engine::Partition& Engine::partition_of(JobIndex job) {
  return partitions_[index(jobs_[index(job)].virtual_cluster)];
}

const Engine::Partition& Engine::partition_of(JobIndex job) const {
  return partitions_[index(jobs_[index(job)].virtual_cluster)];
}

void Engine::set_stage(JobIndex id, JobStage stage) {
  JobState& state = states_[index(id)];
  const JobStage from = state.stage;
  if (from == JobStage::running) {
    const ResourceRequest& request = jobs_[index(id)].request;
    const double held_s = now_ - state.since_s;
    const double gpus = static_cast<double>(state.workers) * request.gpus_per_worker;
    state.served_s += held_s;
    state.service += gpus * request.gpu_milli / kGpuParts * held_s;
  }
  state.stage = stage;
  state.since_s = now_;
  seat_of(id).change_stage(id, from, stage);
}

void Engine::record_timeline() {
  TimelinePoint point;
  point.time_s = now_;
  point.running = static_cast<std::uint32_t>(holding_);
  point.waiting = static_cast<std::uint32_t>(next_arrival_ - done_ - holding_);
  point.gpus_used = cluster_.used_gpus();
  point.gpus_up = cluster_.gpus_up();
  point.gpus_stranded = cluster_.stranded_gpus();
  // Jobs that take no time make several rounds of one time: the last one counts.
  if (!result_.timeline.empty() && result_.timeline.back().time_s == now_) {
    result_.timeline.pop_back();
  }
  record_free_gpus(point);
  result_.timeline.push_back(point);
}

// What is free for the jobs that wait, beside each point of the timeline.
void Engine::record_free_gpus(TimelinePoint& point) {
  const std::size_t points = result_.timeline.size();
  result_.pool_free.resize(points * result_.pools.size());
  for (std::uint32_t pool = 0; pool < result_.pools.size(); ++pool) {
    const std::uint64_t free = cluster_.pool(PoolId{pool}).total_free_gpus();
    result_.pool_free.push_back(static_cast<std::uint32_t>(free));
    // Where types mix, every server is in one pool of any type, and in one of its own besides.
    if (result_.pools[pool].gpu_type == result_.pools.front().gpu_type ||
        result_.pools.front().gpu_type != kAnyGpuType) {
      point.gpus_free += free;
    }
  }
  if (has_quotas_) {
    result_.quota_left.resize(points * partitions_.size());
    for (const Partition& one : partitions_) {
      const std::uint64_t left = one.quota - one.held;
      result_.quota_left.push_back(
          static_cast<std::uint32_t>(std::min<std::uint64_t>(left, kNoQuota)));
    }
  }
}

void Engine::report_progress() {
  if (options_.progress) options_.progress({now_, done_, jobs_.size(), result_.events});
}

std::string SimulationResult::digest() const {
  Hash hash;
  const auto add = [&](const auto& part) {
    hash.add(part.start_s);
    hash.add(part.end_s);
    for (const WorkerGroup& group : groups_of(part)) {
      hash.add(std::uint64_t{index(group.server)});
      hash.add(std::uint64_t{group.workers});
      if (group.gpu != kWholeGpus) hash.add(std::uint64_t{group.gpu});
    }
  };
  for (const JobResult& job : jobs) add(job);
  for (const EarlierAttempt& attempt : earlier_attempts) {
    hash.add(std::uint64_t{index(attempt.job)});
    add(attempt);
  }
  return hash.hex();
}

SimulationResult simulate(const ClusterSpec& cluster, std::span<const Job> jobs,
                          const ActivePolicy& policy, const Placement& placement,
                          const SimulationOptions& options) {
  return simulate(cluster, jobs, std::span(&policy, 1), placement, options);
}

SimulationResult simulate(const ClusterSpec& cluster, std::span<const Job> jobs,
                          std::span<const ActivePolicy> policies, const Placement& placement,
                          const SimulationOptions& options) {
  return Engine(cluster, jobs, policies, placement, options).run();
}

}  // namespace mosim
