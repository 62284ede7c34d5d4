#include "schedule/by_priority.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace mosim {
namespace {

constexpr std::int64_t kRunningFirst = std::int64_t{1} << 40;

// What a job lacks to start, in GPUs: a lower bound of what has to be taken from others.
class Shortage {
 public:
  Shortage(const SchedulerView& view, JobIndex job)
      : view_(view),
        needed_(view.job(job).gpus()),
        quota_(view.quota_left(job)),
        pools_(view.pools_of(job)) {
    for (const PoolId pool : pools_) free_.push_back(view.cluster().pool(pool).total_free_gpus());
  }

  // Adds what a running job would give back; false when that is of no use.
  bool add(JobIndex running) {
    const std::uint64_t gpus = view_.job(running).held_gpus();
    const ServerId server = view_.groups_of(running).front().server;
    bool useful = quota_ < needed_;
    if (useful) quota_ += gpus;
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      if (!view_.cluster().in_pool(server, pools_[i])) continue;
      free_[i] += gpus;
      useful = true;
    }
    return useful;
  }

  [[nodiscard]] bool covered() const {
    const auto enough = [&](std::uint64_t free) { return free >= needed_; };
    return quota_ >= needed_ && std::any_of(free_.begin(), free_.end(), enough);
  }

 private:
  const SchedulerView& view_;
  std::uint64_t needed_;
  std::uint64_t quota_;
  std::span<const PoolId> pools_;
  std::vector<std::uint64_t> free_;  // by pool
};

}  // namespace

std::int64_t by_submission(const JobView& job) {
  const auto number = static_cast<std::int64_t>(index(job.index()));
  return job.stage() == JobStage::running ? number - kRunningFirst : number;
}

void ByPriority::wait(const SchedulerView& view, JobIndex job) {
  const std::uint32_t fit_class = view.fit_class(job);
  if (fit_class >= waiting_.size()) waiting_.resize(fit_class + std::size_t{1});
  Standing& standing = standings_[index(job)];
  standing = {order_->rank(view, job), Place::waiting};
  waiting_[fit_class].insert({standing.rank, job});
}

void ByPriority::run(const SchedulerView& view, JobIndex job) {
  Standing& standing = standings_[index(job)];
  standing = {order_->rank(view, job), Place::running};
  running_.insert({standing.rank, job});
}

void ByPriority::remove(const SchedulerView& view, JobIndex job) {
  Standing& standing = standings_[index(job)];
  if (standing.place == Place::waiting) waiting_[view.fit_class(job)].erase({standing.rank, job});
  if (standing.place == Place::running) running_.erase({standing.rank, job});
  standing.place = Place::none;
}

void ByPriority::rank_again(const SchedulerView& view, JobIndex job) {
  const Place place = standings_[index(job)].place;
  remove(view, job);
  if (place == Place::waiting) wait(view, job);
  if (place == Place::running) run(view, job);
}

void ByPriority::on_submit(const SchedulerView& view, JobIndex job) {
  if (standings_.empty()) standings_.resize(view.jobs());
  wait(view, job);
}

void ByPriority::on_requeue(const SchedulerView& view, JobIndex job) {
  remove(view, job);
  order_->stopped(view, job);
  wait(view, job);
}

void ByPriority::on_end(const SchedulerView& view, JobIndex job) {
  remove(view, job);
  order_->ended(view, job);
}

void ByPriority::decide(Scheduler& scheduler) {
  // Only now the engine knows what they have left.
  for (const JobIndex job : returned_) wait(scheduler, job);
  returned_.clear();
  changed_.clear();
  order_->advance(scheduler, changed_);
  for (const JobIndex job : changed_) rank_again(scheduler, job);
  preempting_ = preempts_at(scheduler.now_s());
  ranked_running_ = false;
  retry_s_ = std::numeric_limits<double>::infinity();
  visit(scheduler);
  // Worst first, so that an order may put each before the last.
  for (const JobIndex job : std::views::reverse(returned_)) {
    order_->stopped(scheduler, job);
    standings_[index(job)].place = Place::none;
  }
  ask_to_be_woken(scheduler);
}

void ByPriority::push(const Entry& candidate) {
  candidates_.push_back(candidate);
  std::push_heap(candidates_.begin(), candidates_.end(), std::greater<>());
}

void ByPriority::push_head(std::uint32_t fit_class) {
  if (!waiting_[fit_class].empty()) push(*waiting_[fit_class].begin());
}

void ByPriority::visit(Scheduler& scheduler) {
  out_.assign(waiting_.size(), 0);
  candidates_.clear();
  for (std::uint32_t i = 0; i < waiting_.size(); ++i) push_head(i);
  while (!candidates_.empty()) {
    std::pop_heap(candidates_.begin(), candidates_.end(), std::greater<>());
    const Entry candidate = candidates_.back();
    candidates_.pop_back();
    const std::uint32_t fit_class = scheduler.fit_class(candidate.job);
    const bool displaced = standings_[index(candidate.job)].place == Place::displaced;
    const bool served = serve(scheduler, candidate, out_[fit_class] == 0);
    // What does not fit now will not fit later in this visit: what is left for jobs that stand
    // behind only shrinks.
    if (!served) out_[fit_class] = 1;
    if (!served && displaced) returned_.push_back(candidate.job);
    if (served && !displaced) push_head(fit_class);
  }
}

// Starts the job if it can be, or puts it back where it ran.
bool ByPriority::serve(Scheduler& scheduler, const Entry& candidate, bool may_start) {
  const JobIndex job = candidate.job;
  const bool displaced = standings_[index(job)].place == Place::displaced;
  if (displaced && scheduler.try_resume(job)) {
    run(scheduler, job);
    return true;
  }
  if (!may_start) return false;
  if (!scheduler.try_start(job) && !(preempting_ && make_room(scheduler, candidate))) return false;
  remove(scheduler, job);
  if (!displaced) order_->started(scheduler, job);
  run(scheduler, job);
  return true;
}

// Starts the job on GPUs of jobs that stand behind it, if that is possible: the worst first.
bool ByPriority::make_room(Scheduler& scheduler, const Entry& candidate) {
  if (order_->drifts() && !ranked_running_) rank_running_again(scheduler);
  victims_.clear();
  std::size_t preempted = 0;
  Shortage shortage(scheduler, candidate.job);
  for (auto entry = running_.begin(); entry != running_.end() && *entry > candidate;) {
    if (!is_current(scheduler, entry)) continue;
    const Entry victim = *entry++;
    const double from_s = scheduler.preemptible_at_s(victim.job);
    if (from_s > scheduler.now_s()) {
      retry_s_ = std::min(retry_s_, from_s);
      continue;
    }
    if (!shortage.add(victim.job)) continue;
    victims_.push_back(victim);
    if (!shortage.covered()) continue;
    for (; preempted < victims_.size(); ++preempted) scheduler.preempt(victims_[preempted].job);
    if (scheduler.try_start(candidate.job)) {
      settle_victims(scheduler);
      return true;
    }
  }
  while (preempted > 0) static_cast<void>(scheduler.try_resume(victims_[--preempted].job));
  return false;
}

// Those whose GPUs are still free go on; the others are tried in their turn.
void ByPriority::settle_victims(Scheduler& scheduler) {
  for (const Entry& victim : std::views::reverse(victims_)) {
    if (scheduler.try_resume(victim.job)) continue;
    remove(scheduler, victim.job);
    standings_[index(victim.job)].place = Place::displaced;
    push(victim);
  }
}

// Whether the entry has the job's rank of now. If not it is put where it belongs, and `entry` is
// the next to be looked at.
bool ByPriority::is_current(const SchedulerView& view, WorstFirst::iterator& entry) {
  const Rank rank = order_->rank(view, entry->job);
  if (rank == entry->rank) return true;
  const JobIndex job = entry->job;
  const auto next = running_.erase(entry);
  standings_[index(job)].rank = rank;
  const auto here = running_.insert({rank, job}).first;
  entry = std::next(here) == next ? here : next;
  return false;
}

void ByPriority::rank_running_again(const SchedulerView& view) {
  running_.clear();
  for (const JobIndex job : view.running()) run(view, job);
  ranked_running_ = true;
}

bool ByPriority::preempts_at(double now_s) const {
  if (!rule_.allowed || rule_.quantum_s == 0) return rule_.allowed;
  return std::round(now_s / rule_.quantum_s) * rule_.quantum_s == now_s;
}

void ByPriority::ask_to_be_woken(Scheduler& scheduler) {
  double at_s = order_->next_change_s(scheduler);
  if (rule_.quantum_s == 0) at_s = std::min(at_s, retry_s_);
  // Nothing is gained by looking where nobody waits or nobody runs.
  const bool matters = scheduler.waiting_count() > 0 && scheduler.running_count() > 0;
  if (matters && rule_.allowed && rule_.quantum_s > 0) {
    const double now_s = scheduler.now_s();
    double quanta = std::floor(now_s / rule_.quantum_s) + 1;
    if (quanta * rule_.quantum_s <= now_s) quanta += 1;
    at_s = std::min(at_s, quanta * rule_.quantum_s);
  }
  if (at_s > scheduler.now_s() && std::isfinite(at_s)) scheduler.wake_at(at_s);
}

}  // namespace mosim
