#include "schedule/las.hpp"

#include <algorithm>
#include <cmath>

namespace mosim {
namespace {

constexpr std::int64_t kRunningFirst = std::int64_t{1} << 60;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kRoundingS = 1e-6;  // of times that are whole seconds but for rounding

// How fast a running job attains service.
double rate_of(const JobView& job) {
  return static_cast<double>(job.held_gpus()) * job.request().gpu_milli / kGpuParts;
}

}  // namespace

double LasOrder::service(const JobView& job) const {
  return job.attained_service() - standings_[index(job.index())].service;
}

Rank LasOrder::rank(const SchedulerView& view, JobIndex job) {
  if (standings_.empty()) standings_.resize(view.jobs());
  Standing& standing = standings_[index(job)];
  if (standing.order == 0) {
    standing.order = ++entries_;
    event_ = true;
  }
  return {static_cast<double>(standing.queue), 0, standing.order};
}

void LasOrder::plan(Changes& changes, JobIndex job, double at_s) {
  standings_[index(job)].change_s = at_s;
  changes.insert({at_s, job});
}

void LasOrder::cancel(JobIndex job) {
  double& change_s = standings_[index(job)].change_s;
  demotions_.erase({change_s, job});
  promotions_.erase({change_s, job});
  change_s = kNever;
}

void LasOrder::plan_demotion(const SchedulerView& view, JobIndex job) {
  const Standing& standing = standings_[index(job)];
  if (standing.queue >= rules_.limits.size()) return;
  const JobView seen = view.job(job);
  const double left = rules_.limits[standing.queue] - service(seen);
  plan(demotions_, job, view.now_s() + left / rate_of(seen));
}

// The running jobs of a queue have the smallest numbers, those preempted negative ones, those that
// entered it positive ones.
void LasOrder::put_in_front(JobIndex job) {
  standings_[index(job)].order = ++starts_ - kRunningFirst;
}

void LasOrder::started(const SchedulerView& view, JobIndex job) {
  cancel(job);
  plan_demotion(view, job);
  put_in_front(job);
}

void LasOrder::stopped(const SchedulerView& view, JobIndex job) {
  cancel(job);
  Standing& standing = standings_[index(job)];
  if (standing.order < 0) standing.order = -++stops_;
  const double ran_s = view.job(job).served_s() - standing.served_s;
  if (rules_.promote == 0 || standing.queue == 0 || ran_s <= 0) return;
  plan(promotions_, job, view.now_s() + rules_.promote * ran_s);
}

void LasOrder::ended(const SchedulerView& view, JobIndex job) {
  (void)view;
  cancel(job);
  event_ = true;
}

void LasOrder::move(const SchedulerView& view, JobIndex job, std::uint32_t queue) {
  cancel(job);
  standings_[index(job)].queue = queue;
  standings_[index(job)].order = ++entries_;
  if (view.job(job).stage() == JobStage::running) plan_demotion(view, job);
}

void LasOrder::advance(const SchedulerView& view, std::vector<JobIndex>& changed) {
  for (const JobIndex job : demoted_) {
    if (view.job(job).stage() != JobStage::running) continue;
    put_in_front(job);
    changed.push_back(job);
  }
  demoted_.clear();
  promote_due(view, changed);
  event_ = event_ || view.now_s() >= look_s_;
  if (event_ || !rules_.demote_late) demote_due(view, changed);
}

void LasOrder::demote_due(const SchedulerView& view, std::vector<JobIndex>& changed) {
  std::vector<JobIndex> due;
  do {
    due.clear();
    for (const auto& [at_s, job] : demotions_) {
      if (at_s > view.now_s() + kRoundingS) break;
      due.push_back(job);
    }
    if (rules_.demote_late) std::sort(due.begin(), due.end());
    for (const JobIndex job : due) move(view, job, standings_[index(job)].queue + 1);
    demoted_.insert(demoted_.end(), due.begin(), due.end());
  } while (!due.empty() && !rules_.demote_late);
  changed.insert(changed.end(), demoted_.begin(), demoted_.end());
}

void LasOrder::promote_due(const SchedulerView& view, std::vector<JobIndex>& changed) {
  while (!promotions_.empty() && promotions_.begin()->first <= view.now_s()) {
    const JobIndex job = promotions_.begin()->second;
    Standing& standing = standings_[index(job)];
    standing.service = view.job(job).attained_service();
    standing.served_s = view.job(job).served_s();
    move(view, job, 0);
    event_ = true;
    changed.push_back(job);
  }
}

double LasOrder::late_demotion_s(const SchedulerView& view) const {
  double next = kNever;
  for (const auto& [at_s, job] : demotions_) {
    const Standing& standing = standings_[index(job)];
    const JobView seen = view.job(job);
    const double left = rules_.limits[standing.queue] - (seen.served_s() - standing.served_s);
    next = std::min(next, std::max(1.0, std::ceil(left / rate_of(seen) - kRoundingS)));
  }
  return view.now_s() + next;
}

double LasOrder::next_demotion_s(const SchedulerView& view) const {
  if (rules_.demote_late) return look_s_;
  // Nobody gains by one when nobody waits.
  const bool matters = !demotions_.empty() && view.waiting_count() > 0;
  return matters ? demotions_.begin()->first : kNever;
}

double LasOrder::next_change_s(const SchedulerView& view) {
  // An earlier look may wake it too, at which nothing is due any more.
  if (rules_.demote_late && event_) look_s_ = late_demotion_s(view);
  event_ = false;
  const double promotion = promotions_.empty() ? kNever : promotions_.begin()->first;
  return std::min(promotion, next_demotion_s(view));
}

}  // namespace mosim
