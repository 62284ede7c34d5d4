// What failures do: jobs stop, fall back to their last checkpoint and wait again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/engine.hpp"

namespace mosim {
namespace {

// Of all servers on average, while no job could start: enough to call it hopeless.
constexpr std::size_t kIdleChangesPerServer = 1000;

// A job at a whole iteration may be this far from it, in iterations, by rounding.
constexpr double kRounding = 1e-9;

}  // namespace

void Engine::handle_outages_at_now() {
  outages_.clear();
  while (clock_.next_time() <= now_) clock_.take_next(outages_);
  for (const Outage& outage : outages_) change_server(outage);
}

void Engine::change_server(const Outage& outage) {
  cluster_.set_accepting(outage.server, outage.accepting);
  if (!outage.kills) return;
  victims_.clear();
  for (const Member& member : on_server_.of(static_cast<std::uint32_t>(outage.server))) {
    victims_.push_back(JobIndex{member.job});
  }
  for (const JobIndex job : victims_) interrupt(job);
}

// Training begins or goes on: gives the iterations that are left.
double Engine::begin_attempt(JobIndex id, double iterations) {
  Recovery& recovery = recovery_[index(id)];
  if (!recovery.trained) recovery.left_at_checkpoint = iterations;
  recovery.trained = true;
  recovery.training_since_s = now_;
  recovery.checkpoints = 0;
  recovery.left_at_start = recovery.left_at_checkpoint;
  return recovery.left_at_start;
}

// When the job wrote its last checkpoint, if that was since the last call.
std::optional<double> Engine::new_checkpoint(JobIndex id) {
  const double interval_s = options_.availability.checkpoint_interval_s;
  if (interval_s <= 0) return std::nullopt;
  Recovery& recovery = recovery_[index(id)];
  const double count = std::floor((now_ - recovery.training_since_s) / interval_s);
  if (count <= recovery.checkpoints) return std::nullopt;
  recovery.checkpoints = count;
  return recovery.training_since_s + count * interval_s;
}

// Since `since` the iterations left went from `before` to `now`, evenly.
void Engine::pass_checkpoints_evenly(JobIndex id, double since, double before, double now) {
  const auto written_s = new_checkpoint(id);
  if (!written_s) return;
  Recovery& recovery = recovery_[index(id)];
  const double part =
      now_ > since ? std::clamp((*written_s - since) / (now_ - since), 0.0, 1.0) : 1;
  double left = before - (before - now) * part;
  if (whole_iterations_) {
    left = recovery.left_at_start - std::floor(recovery.left_at_start - left + kRounding);
  }
  recovery.left_at_checkpoint = left;
}

// The iterations left went from `before` to `now` just now.
void Engine::pass_checkpoints(JobIndex id, double before, double now) {
  const auto written_s = new_checkpoint(id);
  if (written_s) recovery_[index(id)].left_at_checkpoint = *written_s < now_ ? before : now;
}

// A server under the job failed.
void Engine::interrupt(JobIndex id) {
  Recovery& recovery = recovery_[index(id)];
  JobResult& result = result_.jobs[index(id)];
  stop_work(id);
  vacate(id);
  events_.erase(id);
  result_.lost_attempts.push_back(
      {id, recovery.started_s, now_, result.first_group, result.group_count});
  if (++result.restarts > options_.availability.max_restarts) {
    throw RunError(fmt::format(
        "job {} by submission, from 0, was stopped by failures {} times, more than "
        "availability.max_restarts: {} of its {} iterations are done. Checkpoints more often than "
        "failures let it finish",
        index(id), result.restarts, result.iterations - recovery.left_at_checkpoint,
        result.iterations));
  }
  recovery.queued_since_s = now_;
  const Job& job = jobs_[index(id)];
  Partition& partition = partitions_[index(job.virtual_cluster)];
  ++partition.waiting;
  partition.queue->requeue({id, job.request});
}

// Books what the job did, and what of it is lost.
void Engine::stop_work(JobIndex id) {
  Running& run = running_[index(id)];
  Recovery& recovery = recovery_[index(id)];
  JobResult& result = result_.jobs[index(id)];
  const Activity was = run.activity;
  if (was == Activity::fluid || was == Activity::communicating) settle(id);
  run.activity = Activity::waiting;
  if (was == Activity::loading) {
    result.loading_s += now_ - run.phase_start;
    return;
  }
  double left = run.left;
  if (was != Activity::fluid) {
    left = run.iterations_left;
    pass_checkpoints(id, left, left);
  }
  if (was == Activity::computing) {
    result.compute_s += now_ - run.phase_start;
  } else {
    apply(contention_->stop_sending(id));
  }
  if (was == Activity::communicating) {
    result.compute_s += run.profile->compute_s;  // of this iteration; booked at its end otherwise
    result.network_s += now_ - run.phase_start;
    result.network_alone_s += run.profile->network_s - run.left;
  }
  result.network_alone_s += (recovery.left_at_start - left) * run.profile->network_s;
  result.lost_s += now_ - recovery.training_since_s -
                   recovery.checkpoints * options_.availability.checkpoint_interval_s;
}

// Whether no job runs, none comes, and none of those that wait can ever start.
bool Engine::stuck() {
  if (!recoverable_ || !clock_.may_help()) return true;
  return ++idle_changes_ > kIdleChangesPerServer * cluster_.servers();
}

void Engine::give_up() const {
  const std::size_t waiting = jobs_.size() - done_;
  if (clock_.may_help()) {
    throw RunError(fmt::format(
        "{} of {} jobs wait and none could start while servers failed and were repaired {} times: "
        "too few servers are up at once",
        waiting, jobs_.size(), idle_changes_));
  }
  if (clock_.down() > 0) {
    throw RunError(
        fmt::format("{} of {} jobs wait and can never start: {} of {} servers are down for good",
                    waiting, jobs_.size(), clock_.down(), cluster_.servers()));
  }
  throw RunError(fmt::format("{} of {} jobs were never started by the queue discipline", waiting,
                             jobs_.size()));
}

}  // namespace mosim
