// What stops jobs: failures, after which they fall back to their last checkpoint, and policies.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/engine.hpp"

namespace mosim {
namespace {

// Of all servers on average, while no job could start: enough to call it hopeless.
constexpr std::size_t kIdleRoundsPerServer = 1000;

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
double Engine::begin_attempt(JobIndex id) {
  Attempt& attempt = attempts_[index(id)];
  if (!attempt.trained) attempt.left = own_iterations(id);
  attempt.trained = true;
  const double scale = scale_of(id);
  double left = attempt.left * scale;
  if (whole_iterations_ && scale != 1) left = std::ceil(left - kRounding);
  attempt.training_since_s = now_;
  attempt.checkpoints = 0;
  attempt.left_at_start = attempt.left_at_checkpoint = left;
  return left;
}

// When the job wrote its last checkpoint, if that was since the last call.
std::optional<double> Engine::new_checkpoint(JobIndex id) {
  const double interval_s = options_.availability.checkpoint_interval_s;
  if (interval_s <= 0) return std::nullopt;
  Attempt& attempt = attempts_[index(id)];
  const double count = std::floor((now_ - attempt.training_since_s) / interval_s);
  if (count <= attempt.checkpoints) return std::nullopt;
  attempt.checkpoints = count;
  return attempt.training_since_s + count * interval_s;
}

// Since `since` the iterations left went from `before` to `now`, evenly.
void Engine::pass_checkpoints_evenly(JobIndex id, double since, double before, double now) {
  const auto written_s = new_checkpoint(id);
  if (!written_s) return;
  Attempt& attempt = attempts_[index(id)];
  const double part =
      now_ > since ? std::clamp((*written_s - since) / (now_ - since), 0.0, 1.0) : 1;
  double left = before - (before - now) * part;
  if (whole_iterations_) {
    left = attempt.left_at_start - std::floor(attempt.left_at_start - left + kRounding);
  }
  attempt.left_at_checkpoint = left;
}

// The iterations left went from `before` to `now` just now.
void Engine::pass_checkpoints(JobIndex id, double before, double now) {
  const auto written_s = new_checkpoint(id);
  if (written_s) attempts_[index(id)].left_at_checkpoint = *written_s < now_ ? before : now;
}

// A server under the job failed.
void Engine::interrupt(JobIndex id) {
  JobResult& result = result_.jobs[index(id)];
  release(id);
  book_attempt(id, AttemptEnd::failed);
  if (++result.restarts > options_.availability.max_restarts) {
    throw RunError(fmt::format(
        "job {} by submission, from 0, was stopped by failures {} times, more than "
        "availability.max_restarts: {} of its {} iterations are done. Checkpoints more often than "
        "failures let it finish",
        index(id), result.restarts, result.iterations - attempts_[index(id)].left,
        result.iterations));
  }
  seat_of(id).requeued(id);
}

void Engine::end_attempt(JobIndex id, AttemptEnd end) {
  JobResult& result = result_.jobs[index(id)];
  book_attempt(id, end);
  ++states_[index(id)].preemptions;
  ++(end == AttemptEnd::moved ? result.moves : result.preemptions);
}

// Books what a job that was released did on its GPUs, and what of it is lost.
void Engine::book_attempt(JobIndex id, AttemptEnd end) {
  Running& run = running_[index(id)];
  Attempt& attempt = attempts_[index(id)];
  JobResult& result = result_.jobs[index(id)];
  if (run.activity == Activity::loading) {
    // Restoring comes before loading.
    const double restart_s = std::min(attempt.restart_s, now_ - run.phase_start);
    result.restart_s += restart_s;
    result.loading_s += now_ - run.phase_start - restart_s;
    attempt.restart_s = attempt.trained ? options_.preemption.restore_s + transfer_s(id) : 0;
  } else {
    attempt.left = book_training(id, end) / scale_of(id);
    attempt.restart_s = options_.preemption.restore_s + transfer_s(id);
    if (end != AttemptEnd::failed) {
      attempt.restart_s += options_.preemption.save_s + transfer_s(id);
    }
  }
  result_.earlier_attempts.push_back(
      {id, end, attempt.started_s, now_, result.first_group, result.group_count});
  events_.erase(id);
  run.activity = Activity::idle;
  run.released = false;
  states_[index(id)].workers = jobs_[index(id)].request.workers;
}

// The same for training; gives the iterations that are left.
double Engine::book_training(JobIndex id, AttemptEnd end) {
  const Running& run = running_[index(id)];
  const Attempt& attempt = attempts_[index(id)];
  JobResult& result = result_.jobs[index(id)];
  const double phase_s = now_ - run.phase_start;
  const double left = run.activity == Activity::fluid ? run.left : run.iterations_left;
  double under_way_s = 0;  // of the iteration that is cut off
  if (run.activity == Activity::computing) {
    result.compute_s += phase_s;
    under_way_s = phase_s;
  } else if (run.activity == Activity::communicating) {
    result.compute_s += run.profile->compute_s;
    result.network_s += phase_s;
    result.network_alone_s += run.profile->network_s - run.left;
    under_way_s = run.profile->compute_s + phase_s;
  }
  result.network_alone_s += (attempt.left_at_start - left) * run.profile->network_s;
  if (end != AttemptEnd::failed) {
    result.lost_s += under_way_s;
    return left;
  }
  if (run.activity != Activity::fluid) pass_checkpoints(id, left, left);
  result.lost_s += now_ - attempt.training_since_s -
                   attempt.checkpoints * options_.availability.checkpoint_interval_s;
  return attempt.left_at_checkpoint;
}

// One way between the GPUs and the storage.
double Engine::transfer_s(JobIndex id) const {
  const double bandwidth = options_.preemption.storage_bandwidth;
  return bandwidth > 0 ? jobs_[index(id)].facts.checkpoint_bytes / bandwidth : 0;
}

double Engine::preemptible_at_s(JobIndex id) const {
  return attempts_[index(id)].started_s + options_.preemption.min_run_s;
}

// Whether no job runs, none comes, and none of those that wait can ever start.
bool Engine::stuck() {
  const bool wakes = !std::isinf(next_wake_s());
  if (!wakes && (!fallible_ || !clock_.may_help())) return true;
  return ++idle_rounds_ > kIdleRoundsPerServer * cluster_.servers();
}

void Engine::give_up() const {
  const std::size_t waiting = jobs_.size() - done_;
  std::string why;
  if (idle_rounds_ > 0) {
    why = fmt::format(
        "{} of {} jobs wait and none could start in {} {}", waiting, jobs_.size(), idle_rounds_,
        clock_.may_help()
            ? "changes of servers that failed and were repaired: too few are up at once"
            : "decisions that the policy asked to be woken for");
  } else if (clock_.down() > 0) {
    why = fmt::format("{} of {} jobs wait and can never start: {} of {} servers are down for good",
                      waiting, jobs_.size(), clock_.down(), cluster_.servers());
  } else {
    why = fmt::format("{} of {} jobs were never started by policy '{}'", waiting, jobs_.size(),
                      seats_.front().name());
  }
  throw RunError(why + who_waits());
}

}  // namespace mosim
