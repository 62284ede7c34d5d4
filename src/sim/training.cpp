// A job's life on its GPUs: it takes them, loads, trains and leaves.
#include <algorithm>
#include <cmath>

#include "sim/engine.hpp"

namespace mosim {

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

void Engine::start(JobIndex id, std::span<const WorkerGroup> groups) {
  const Job& job = jobs_[index(id)];
  JobState& state = states_[index(id)];
  JobResult& result = result_.jobs[index(id)];
  Running& run = running_[index(id)];
  if (result.workers == 0) {
    result.start_s = now_;
  } else {
    result.requeued_s += now_ - state.since_s;
  }
  state.workers = 0;
  for (const WorkerGroup& group : groups) state.workers += group.workers;
  result.workers = state.workers;
  result.first_group = result_.groups.size();
  result.group_count = static_cast<std::uint32_t>(groups.size());
  result_.groups.insert(result_.groups.end(), groups.begin(), groups.end());
  run.activity = Activity::loading;
  run.phase_start = now_;
  run.profile = profile_here(id, groups, result.gpu_type);
  attempts_[index(id)].started_s = now_;
  set_stage(id, JobStage::running);
  occupy(id, groups);
  const double loading_s = attempts_[index(id)].restart_s + job.loading_s(*run.profile);
  if (loading_s > 0) {
    events_.push({now_ + loading_s, EventKind::loaded, id});
  } else {
    begin_training(id);
  }
}

// Gives the job its servers; it sends nothing yet.
void Engine::occupy(JobIndex id, std::span<const WorkerGroup> groups) {
  const ResourceRequest& request = jobs_[index(id)].request;
  const std::uint32_t workers = states_[index(id)].workers;
  const JobProfile& profile = *running_[index(id)].profile;
  cluster_.allocate(groups, request);
  partition_of(id).held += std::uint64_t{workers} * request.gpus_per_worker;
  ++holding_;
  idle_rounds_ = 0;
  if (fallible_) {
    for (const WorkerGroup& group : groups) {
      on_server_.insert(static_cast<std::uint32_t>(group.server),
                        {static_cast<std::uint32_t>(id), 0});
    }
  }
  const std::vector<double> nics = nic_demands(profile, groups, request.gpus_per_worker);
  apply(contention_->place(id, {groups, workers, profile.demand(), nics, index(id)}));
}

// Takes the job, which has stopped sending, off its servers.
void Engine::leave(JobIndex id) {
  const ResourceRequest& request = jobs_[index(id)].request;
  const std::span<const WorkerGroup> groups = groups_of(id);
  apply(contention_->remove(id));
  cluster_.release(groups, request);
  partition_of(id).held -= std::uint64_t{states_[index(id)].workers} * request.gpus_per_worker;
  --holding_;
  if (!fallible_) return;
  for (const WorkerGroup& group : groups) {
    on_server_.erase(static_cast<std::uint32_t>(group.server), static_cast<std::uint32_t>(id));
  }
}

void Engine::release(JobIndex id) {
  Running& run = running_[index(id)];
  if (run.activity == Activity::fluid || run.activity == Activity::communicating) {
    settle(id);
    apply(contention_->stop_sending(id));
  }
  leave(id);
  attempts_[index(id)].before = states_[index(id)];
  run.released = true;
  set_stage(id, JobStage::waiting);
}

void Engine::resume(JobIndex id) {
  Running& run = running_[index(id)];
  run.released = false;
  states_[index(id)] = attempts_[index(id)].before;
  seat_of(id).change_stage(id, JobStage::waiting, JobStage::running);
  occupy(id, groups_of(id));
  if (run.activity != Activity::fluid && run.activity != Activity::communicating) return;
  apply(contention_->start_sending(id));
  run.stretch = contention_->factor(id);
  events_.change_time(id, end_of(id));
}

void Engine::begin_training(JobIndex id) {
  Running& run = running_[index(id)];
  JobResult& result = result_.jobs[index(id)];
  Attempt& attempt = attempts_[index(id)];
  result.iterations = own_iterations(id);
  result.loading_s += jobs_[index(id)].loading_s(*run.profile);
  result.restart_s += attempt.restart_s;
  attempt.restart_s = 0;
  const double iterations = begin_attempt(id);
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
  if (fallible_) pass_checkpoints(id, run.iterations_left + 1, run.iterations_left);
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
    run.activity = Activity::idle;
    apply(contention_->stop_sending(id));
  }
  run.activity = Activity::idle;
  leave(id);
  set_stage(id, JobStage::done);
  JobResult& result = result_.jobs[index(id)];
  result.end_s = now_;
  result.service = states_[index(id)].service;
  result.network_alone_s += attempts_[index(id)].left_at_start * run.profile->network_s;
  const double alone_s = result.network_alone_s;
  if (alone_s > 0) result.mean_contention = result.network_s / alone_s;
  ++done_;
  seat_of(id).ended(id);
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
  if (fallible_) pass_checkpoints_evenly(id, since, run.left + iterations, run.left);
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

double Engine::own_iterations(JobIndex id) const {
  const double iterations = jobs_[index(id)].iterations;
  return whole_iterations_ ? std::max(1.0, std::floor(iterations)) : iterations;
}

// Data-parallel training with a fixed batch per worker: the samples that are left stay.
double Engine::scale_of(JobIndex id) const {
  const std::uint32_t asked = jobs_[index(id)].request.workers;
  return static_cast<double>(asked) / states_[index(id)].workers;
}

double Engine::remaining_s(JobIndex id) const {
  const Job& job = jobs_[index(id)];
  const Running& run = running_[index(id)];
  const Attempt& attempt = attempts_[index(id)];
  if (states_[index(id)].stage == JobStage::done) return 0;
  const double left = attempt.trained ? attempt.left : own_iterations(id);
  if (states_[index(id)].stage != JobStage::running) {
    const JobProfile& profile = job.profile_on(pool_types_[index(pools_of(id).front())].front());
    return attempt.restart_s + job.loading_s(profile) + left * profile.iteration_s();
  }
  const double iteration_s = run.profile->iteration_s();
  const double scale = scale_of(id);
  const double phase_s = now_ - run.phase_start;
  switch (run.activity) {
    case Activity::loading:
      return attempt.restart_s + job.loading_s(*run.profile) - phase_s + left * scale * iteration_s;
    case Activity::computing:
      return run.iterations_left * iteration_s - phase_s;
    case Activity::communicating:
      return (run.iterations_left - 1) * iteration_s + run.left - (now_ - run.since) / run.stretch;
    default:
      break;
  }
  const double tau = run.profile->compute_s + run.profile->network_s * run.stretch;
  return std::max(0.0, run.left - (now_ - run.since) / tau) * iteration_s;
}

}  // namespace mosim
