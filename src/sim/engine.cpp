#include "sim/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/hash.hpp"

namespace mosim {
namespace {

ContentionSetting setting_for(std::span<const Job> jobs) {
  ContentionSetting setting;
  setting.jobs = jobs.size();
  for (const Job& job : jobs) {
    const double per_worker = intra_demand(job.profile.demand(), job.request.workers, 1);
    setting.most_demand_per_gpu =
        std::max(setting.most_demand_per_gpu, per_worker / job.request.gpus_per_worker);
  }
  return setting;
}

}  // namespace

Engine::Engine(const ClusterSpec& cluster, std::span<const Job> jobs, QueueDiscipline& queue,
               const Placement& placement, const SimulationOptions& options)
    : jobs_(jobs),
      queue_(queue),
      placement_(placement),
      options_(options),
      whole_iterations_(options.contention.kind == ContentionKind::mosim &&
                        options.contention.resolution == Resolution::phase),
      cluster_(cluster),
      contention_(make_contention(options.contention, cluster, setting_for(jobs))),
      events_(jobs.size()),
      running_(jobs.size()) {
  result_.jobs.resize(jobs.size());
}

SimulationResult Engine::run() {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  for (;;) {
    const double arrival = next_arrival_ < jobs_.size() ? jobs_[next_arrival_].submit_s : kNever;
    const double event = events_.empty() ? kNever : events_.next_time();
    if (arrival == kNever && event == kNever) break;
    now_ = std::min(arrival, event);
    const std::size_t done_before = done_;
    handle_events_at_now();
    if (arrival > now_ && done_ == done_before) continue;  // nothing that a scheduler would see
    handle_arrivals_at_now();
    queue_.schedule(*this);
    record_timeline();
  }
  if (done_ < jobs_.size()) {
    throw RunError(fmt::format("{} of {} jobs were never started by the queue discipline",
                               jobs_.size() - done_, jobs_.size()));
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
    queue_.enqueue(
        {JobIndex{static_cast<std::uint32_t>(next_arrival_)}, jobs_[next_arrival_].request});
    ++result_.events;
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
  const Job& job = jobs_[index(id)];
  if (running_[index(id)].activity != Activity::waiting) {
    throw std::logic_error("a queue discipline started a job twice");
  }
  if (!placement_.place(cluster_, job.request, place_)) return false;
  cluster_.allocate(place_, job.request);
  JobResult& result = result_.jobs[index(id)];
  result.start_s = now_;
  result.first_group = result_.groups.size();
  result.group_count = static_cast<std::uint32_t>(place_.size());
  result_.groups.insert(result_.groups.end(), place_.begin(), place_.end());
  ++started_;
  running_[index(id)].activity = Activity::loading;
  const std::vector<double> nics = nic_demands(job.profile, place_, job.request.gpus_per_worker);
  apply(contention_->place(id, {place_, job.request.workers, job.profile.demand(), nics}));
  if (job.profile.loading_s > 0) {
    events_.push({now_ + job.profile.loading_s, EventKind::loaded, id});
  } else {
    begin_training(id);
  }
  return true;
}

void Engine::begin_training(JobIndex id) {
  Running& run = running_[index(id)];
  double iterations = jobs_[index(id)].iterations;
  if (whole_iterations_) iterations = std::max(1.0, std::floor(iterations));
  result_.jobs[index(id)].iterations = iterations;
  if (whole_iterations_ && contention_->sends(id)) {
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
  events_.push({now_ + jobs_[index(id)].profile.compute_s, EventKind::compute_end, id});
}

void Engine::begin_communication(JobIndex id) {
  Running& run = running_[index(id)];
  run.activity = Activity::communicating;
  run.left = jobs_[index(id)].profile.network_s;
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
  result.compute_s += jobs_[index(id)].profile.compute_s;
  run.iterations_left -= 1;
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
  apply(contention_->remove(id));
  JobResult& result = result_.jobs[index(id)];
  cluster_.release(result_.groups_of(result), jobs_[index(id)].request);
  result.end_s = now_;
  const double alone = result.iterations * jobs_[index(id)].profile.network_s;
  if (alone > 0) result.mean_contention = result.network_s / alone;
  ++done_;
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
  const double elapsed = now_ - run.since;
  run.since = now_;
  if (run.activity == Activity::communicating) {
    run.left = std::max(0.0, run.left - elapsed / run.stretch);
    return;
  }
  const JobProfile& profile = jobs_[index(id)].profile;
  const double network_s = profile.network_s * run.stretch;
  const double iterations = std::min(run.left, elapsed / (profile.compute_s + network_s));
  run.left -= iterations;
  JobResult& result = result_.jobs[index(id)];
  result.compute_s += iterations * profile.compute_s;
  result.network_s += iterations * network_s;
}

// Eq. 2 and 5: when the job, or its communication phase, ends if nothing changes.
double Engine::end_of(JobIndex id) const {
  const Running& run = running_[index(id)];
  if (run.activity == Activity::communicating) return run.since + run.left * run.stretch;
  const JobProfile& profile = jobs_[index(id)].profile;
  return run.since + run.left * (profile.compute_s + profile.network_s * run.stretch);
}

void Engine::record_timeline() {
  TimelinePoint point;
  point.time_s = now_;
  point.running = static_cast<std::uint32_t>(started_ - done_);
  point.waiting = static_cast<std::uint32_t>(next_arrival_ - started_);
  point.gpus_used = cluster_.total_gpus() - cluster_.total_free_gpus();
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
  for (const JobResult& job : jobs) {
    hash.add(job.start_s);
    hash.add(job.end_s);
    for (const WorkerGroup& group : groups_of(job)) {
      hash.add(std::uint64_t{index(group.server)});
      hash.add(std::uint64_t{group.workers});
    }
  }
  return hash.hex();
}

SimulationResult simulate(const ClusterSpec& cluster, std::span<const Job> jobs,
                          QueueDiscipline& queue, const Placement& placement,
                          const SimulationOptions& options) {
  return Engine(cluster, jobs, queue, placement, options).run();
}

}  // namespace mosim
