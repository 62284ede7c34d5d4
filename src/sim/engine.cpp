#include "sim/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/hash.hpp"

namespace mosim {
namespace {

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

}  // namespace

Engine::Engine(const ClusterSpec& cluster, std::span<const Job> jobs,
               std::span<QueueDiscipline* const> queues, const Placement& placement,
               const SimulationOptions& options)
    : jobs_(jobs),
      placement_(placement),
      options_(options),
      whole_iterations_(options.contention.kind == ContentionKind::mosim &&
                        options.contention.resolution == Resolution::phase),
      recoverable_(options.availability.any()),
      cluster_(cluster, options.mix_gpu_types),
      contention_(make_contention(options.contention, cluster, setting_for(jobs))),
      events_(jobs.size()),
      clock_(options.availability, cluster_.servers()),
      running_(jobs.size()),
      // A job has at least one GPU on each of its servers.
      on_server_(recoverable_ ? cluster.gpus_by_server() : std::vector<std::uint32_t>()) {
  result_.jobs.resize(jobs.size());
  if (queues.size() != std::max<std::size_t>(1, cluster.virtual_clusters.size())) {
    throw std::logic_error("there must be a queue for each virtual cluster");
  }
  for (std::uint32_t i = 0; i < queues.size(); ++i) {
    const std::uint64_t quota =
        cluster.virtual_clusters.empty() ? 0 : cluster.virtual_clusters[i].quota;
    partitions_.push_back({queues[i], quota > 0 ? quota : std::numeric_limits<std::uint64_t>::max(),
                           0, 0, pools_of(cluster, VirtualClusterId{i}, options.mix_gpu_types)});
  }
  if (!recoverable_) return;
  recovery_.resize(jobs.size());
  for (const ServerId server : clock_.absent()) cluster_.set_accepting(server, false);
}

SimulationResult Engine::run() {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  while (done_ < jobs_.size()) {
    const double arrival = next_arrival_ < jobs_.size() ? jobs_[next_arrival_].submit_s : kNever;
    const double event = events_.empty() ? kNever : events_.next_time();
    const double outage = recoverable_ ? clock_.next_time() : kNever;
    if (arrival == kNever && event == kNever && stuck()) give_up();
    now_ = std::min({arrival, event, outage});
    const std::size_t done_before = done_;
    handle_events_at_now();
    if (outage <= now_) handle_outages_at_now();
    // Otherwise nothing that a scheduler would see.
    if (arrival > now_ && done_ == done_before && outage > now_) continue;
    handle_arrivals_at_now();
    schedule();
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
    const Job& job = jobs_[next_arrival_];
    Partition& partition = partitions_[index(job.virtual_cluster)];
    ++partition.waiting;
    partition.queue->enqueue({JobIndex{static_cast<std::uint32_t>(next_arrival_)}, job.request});
    ++result_.events;
  }
}

// Virtual clusters in their order. A single queue is visited also when nothing waits in it: a
// discipline may count on being called at every time.
void Engine::schedule() {
  for (Partition& partition : partitions_) {
    if (partition.waiting > 0 || partitions_.size() == 1) partition.queue->schedule(*this);
  }
}

void Engine::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::loaded:
      return begin_training(event.job);
    case EventKind::compute_end:
      return begin_communication(event.job);
    case EventKind::communication_end:
      return end_communication(event.job);
    case EventKind::complete:
      return complete(event.job);
  }
}

bool Engine::try_start(JobIndex id) {
  if (running_[index(id)].activity != Activity::waiting) {
    throw std::logic_error("a queue discipline started a job twice");
  }
  if (!find_place(id)) return false;
  occupy(id);
  const Job& job = jobs_[index(id)];
  const JobProfile& profile = *running_[index(id)].profile;
  const std::vector<double> nics = nic_demands(profile, place_, job.request.gpus_per_worker);
  apply(contention_->place(id, {place_, job.request.workers, profile.demand(), nics}));
  const double loading_s = job.loading_s(profile);
  if (loading_s > 0) {
    running_[index(id)].phase_start = now_;
    events_.push({now_ + loading_s, EventKind::loaded, id});
  } else {
    begin_training(id);
  }
  return true;
}

// Fills `place_` from the first pool that has room.
bool Engine::find_place(JobIndex id) {
  const Job& job = jobs_[index(id)];
  const Partition& partition = partitions_[index(job.virtual_cluster)];
  if (job.request.gpus() > partition.quota - partition.held) return false;
  const std::size_t type =
      std::min(index(job.request.gpu_type), partition.pools.size() - 1);  // any type: the last
  const std::vector<PoolId>& pools = partition.pools[type];
  return std::any_of(pools.begin(), pools.end(), [&](PoolId pool) {
    return placement_.place(cluster_.pool(pool), job.request, place_);
  });
}

// Gives the job the servers in `place_`.
void Engine::occupy(JobIndex id) {
  const Job& job = jobs_[index(id)];
  Partition& partition = partitions_[index(job.virtual_cluster)];
  JobResult& result = result_.jobs[index(id)];
  Running& run = running_[index(id)];
  cluster_.allocate(place_, job.request);
  partition.held += job.request.gpus();
  --partition.waiting;
  ++holding_;
  if (result.restarts == 0) result.start_s = now_;
  result.first_group = result_.groups.size();
  result.group_count = static_cast<std::uint32_t>(place_.size());
  result_.groups.insert(result_.groups.end(), place_.begin(), place_.end());
  run.activity = Activity::loading;
  run.profile = profile_here(job, result.gpu_type);
  if (!recoverable_) return;
  Recovery& recovery = recovery_[index(id)];
  recovery.started_s = now_;
  idle_changes_ = 0;
  if (result.restarts > 0) result.requeued_s += now_ - recovery.queued_since_s;
  for (const WorkerGroup& group : place_) {
    on_server_.insert(static_cast<std::uint32_t>(group.server),
                      {static_cast<std::uint32_t>(id), 0});
  }
}

// The job's profile on the servers in `place_`: that of the slowest of their types.
const JobProfile* Engine::profile_here(const Job& job, GpuTypeId& slowest) const {
  slowest = place_.empty() ? GpuTypeId{0} : cluster_.gpu_type(place_.front().server);
  if (job.by_gpu == nullptr) return &job.profile;
  if (options_.mix_gpu_types) {
    for (const WorkerGroup& group : place_) {
      const GpuTypeId type = cluster_.gpu_type(group.server);
      if (job.profile_on(type).iteration_s() > job.profile_on(slowest).iteration_s()) {
        slowest = type;
      }
    }
  }
  return &job.profile_on(slowest);
}

void Engine::begin_training(JobIndex id) {
  Running& run = running_[index(id)];
  const Job& job = jobs_[index(id)];
  JobResult& result = result_.jobs[index(id)];
  double iterations = job.iterations;
  if (whole_iterations_) iterations = std::max(1.0, std::floor(iterations));
  result.iterations = iterations;
  result.loading_s += job.loading_s(*run.profile);
  if (recoverable_) iterations = begin_attempt(id, iterations);
  if (whole_iterations_ && iterations > 0 && contention_->sends(id)) {
    run.iterations_left = iterations;
    begin_compute(id);
    return;
  }
  run.activity = Activity::fluid;
  run.left = iterations;
  run.since = now_;
  run.stretch = contention_->factor(id);
  events_.push({end_of(id), EventKind::complete, id});
  apply(contention_->start_sending(id));
}

void Engine::begin_compute(JobIndex id) {
  Running& run = running_[index(id)];
  run.activity = Activity::computing;
  run.phase_start = now_;
  events_.push({now_ + run.profile->compute_s, EventKind::compute_end, id});
}

void Engine::begin_communication(JobIndex id) {
  Running& run = running_[index(id)];
  run.activity = Activity::communicating;
  run.left = run.profile->network_s;
  run.since = run.phase_start = now_;
  run.stretch = 1;
  events_.push({end_of(id), EventKind::communication_end, id});
  apply(contention_->start_sending(id));
}

void Engine::end_communication(JobIndex id) {
  Running& run = running_[index(id)];
  run.activity = Activity::computing;
  apply(contention_->stop_sending(id));
  JobResult& result = result_.jobs[index(id)];
  result.network_s += now_ - run.phase_start;
  result.compute_s += run.profile->compute_s;
  run.iterations_left -= 1;
  if (recoverable_) pass_checkpoints(id, run.iterations_left + 1, run.iterations_left);
  if (run.iterations_left > 0) {
    begin_compute(id);
  } else {
    complete(id);
  }
}

void Engine::complete(JobIndex id) {
  Running& run = running_[index(id)];
  if (run.activity == Activity::fluid) {
    settle(id);
    run.activity = Activity::done;
    apply(contention_->stop_sending(id));
  }
  run.activity = Activity::done;
  vacate(id);
  JobResult& result = result_.jobs[index(id)];
  result.end_s = now_;
  const double iterations = recoverable_ ? recovery_[index(id)].left_at_start : result.iterations;
  result.network_alone_s += iterations * run.profile->network_s;
  const double alone_s = result.network_alone_s;
  if (alone_s > 0) result.mean_contention = result.network_s / alone_s;
  ++done_;
}

// Takes the job, which has stopped sending, off its servers.
void Engine::vacate(JobIndex id) {
  const Job& job = jobs_[index(id)];
  const JobResult& result = result_.jobs[index(id)];
  apply(contention_->remove(id));
  cluster_.release(result_.groups_of(result), job.request);
  partitions_[index(job.virtual_cluster)].held -= job.request.gpus();
  --holding_;
  if (!recoverable_) return;
  for (const WorkerGroup& group : result_.groups_of(result)) {
    on_server_.erase(static_cast<std::uint32_t>(group.server), static_cast<std::uint32_t>(id));
  }
}

// The factors of these jobs are new: what they did until now was at the old ones.
void Engine::apply(std::span<const JobIndex> changed) {
  for (const JobIndex job : changed) {
    Running& run = running_[index(job)];
    if (run.activity != Activity::fluid && run.activity != Activity::communicating) continue;
    settle(job);
    run.stretch = contention_->factor(job);
    events_.change_time(job, end_of(job));
  }
}

// Eq. 3-4: takes off what the job did since the last change.
void Engine::settle(JobIndex id) {
  Running& run = running_[index(id)];
  const double since = run.since;
  const double elapsed = now_ - since;
  run.since = now_;
  if (run.activity == Activity::communicating) {
    run.left = std::max(0.0, run.left - elapsed / run.stretch);
    return;
  }
  const JobProfile& profile = *run.profile;
  const double network_s = profile.network_s * run.stretch;
  const double iterations = std::min(run.left, elapsed / (profile.compute_s + network_s));
  run.left -= iterations;
  if (recoverable_) pass_checkpoints_evenly(id, since, run.left + iterations, run.left);
  JobResult& result = result_.jobs[index(id)];
  result.compute_s += iterations * profile.compute_s;
  result.network_s += iterations * network_s;
}

// Eq. 2 and 5: when the job, or its communication phase, ends if nothing changes.
double Engine::end_of(JobIndex id) const {
  const Running& run = running_[index(id)];
  if (run.activity == Activity::communicating) return run.since + run.left * run.stretch;
  const JobProfile& profile = *run.profile;
  return run.since + run.left * (profile.compute_s + profile.network_s * run.stretch);
}

void Engine::record_timeline() {
  TimelinePoint point;
  point.time_s = now_;
  point.running = static_cast<std::uint32_t>(holding_);
  point.waiting = static_cast<std::uint32_t>(next_arrival_ - done_ - holding_);
  point.gpus_used = cluster_.used_gpus();
  point.gpus_up = cluster_.gpus_up();
  // Jobs that take no time make several rounds of one time: the last one counts.
  if (!result_.timeline.empty() && result_.timeline.back().time_s == now_) {
    result_.timeline.back() = point;
  } else {
    result_.timeline.push_back(point);
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
    }
  };
  for (const JobResult& job : jobs) add(job);
  for (const LostAttempt& attempt : lost_attempts) {
    hash.add(std::uint64_t{index(attempt.job)});
    add(attempt);
  }
  return hash.hex();
}

SimulationResult simulate(const ClusterSpec& cluster, std::span<const Job> jobs,
                          QueueDiscipline& queue, const Placement& placement,
                          const SimulationOptions& options) {
  const std::array<QueueDiscipline*, 1> queues{&queue};
  return Engine(cluster, jobs, queues, placement, options).run();
}

SimulationResult simulate(const ClusterSpec& cluster, std::span<const Job> jobs,
                          std::span<const std::unique_ptr<QueueDiscipline>> queues,
                          const Placement& placement, const SimulationOptions& options) {
  std::vector<QueueDiscipline*> each;
  each.reserve(queues.size());
  for (const auto& queue : queues) each.push_back(queue.get());
  return Engine(cluster, jobs, each, placement, options).run();
}

}  // namespace mosim
