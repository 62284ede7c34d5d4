#include "schedule/las.hpp"

#include <algorithm>
#include <cmath>

namespace mosim {
namespace {

constexpr std::int64_t kRunningFirst = std::int64_t{1} << 60;
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

LasOrder::Standing& LasOrder::enter(const SchedulerView& view, JobIndex job) {
  if (standings_.empty()) standings_.resize(view.jobs());
  Standing& standing = standings_[index(job)];
  if (standing.order == 0) standing.order = ++entries_;
  return standing;
}

double LasOrder::service(const JobView& job) const {
  return job.attained_service() - standings_[index(job.index())].service;
}

Rank LasOrder::rank(const SchedulerView& view, JobIndex job) {
  const Standing& standing = enter(view, job);
  const bool first = !rules_.as_tiresias && view.job(job).stage() == JobStage::running;
  return {static_cast<double>(standing.queue), key(view, job),
          first ? standing.order - kRunningFirst : standing.order};
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
  plan(demotions_, job, view.now_s() + left / static_cast<double>(seen.held_gpus()));
}

void LasOrder::started(const SchedulerView& view, JobIndex job) {
  cancel(job);
  plan_demotion(view, job);
  if (rules_.as_tiresias) standings_[index(job)].order = ++starts_ - kRunningFirst;
}

void LasOrder::stopped(const SchedulerView& view, JobIndex job) {
  cancel(job);
  Standing& standing = standings_[index(job)];
  if (rules_.as_tiresias && standing.order < 0) standing.order = -++stops_;
  const double ran_s = view.job(job).served_s() - standing.served_s;
  if (rules_.promote == 0 || standing.queue == 0 || ran_s <= 0) return;
  plan(promotions_, job, view.now_s() + rules_.promote * ran_s);
}

void LasOrder::ended(const SchedulerView& view, JobIndex job) {
  (void)view;
  cancel(job);
}

void LasOrder::move(const SchedulerView& view, JobIndex job, std::uint32_t queue) {
  cancel(job);
  standings_[index(job)].queue = queue;
  standings_[index(job)].order = ++entries_;
  if (view.job(job).stage() == JobStage::running) plan_demotion(view, job);
}

void LasOrder::advance(const SchedulerView& view, std::vector<JobIndex>& changed) {
  if (rules_.as_tiresias) demote_late(view, changed);
  while (!rules_.as_tiresias && !demotions_.empty() && demotions_.begin()->first <= view.now_s()) {
    const JobIndex job = demotions_.begin()->second;
    move(view, job, standings_[index(job)].queue + 1);
    changed.push_back(job);
  }
  promote_due(view, changed);
}

void LasOrder::promote_due(const SchedulerView& view, std::vector<JobIndex>& changed) {
  while (!promotions_.empty() && promotions_.begin()->first <= view.now_s()) {
    const JobIndex job = promotions_.begin()->second;
    Standing& standing = standings_[index(job)];
    standing.service = view.job(job).attained_service();
    standing.served_s = view.job(job).served_s();
    move(view, job, 0);
    changed.push_back(job);
  }
}

void LasOrder::demote_late(const SchedulerView& view, std::vector<JobIndex>& changed) {
  // Those of the last event that still run go in front now.
  for (const JobIndex job : demoted_) {
    if (view.job(job).stage() != JobStage::running) continue;
    standings_[index(job)].order = ++starts_ - kRunningFirst;
    changed.push_back(job);
  }
  demoted_.clear();
  for (const auto& [at_s, job] : demotions_) {
    if (at_s > view.now_s()) break;
    demoted_.push_back(job);
  }
  std::sort(demoted_.begin(), demoted_.end());
  for (const JobIndex job : demoted_) {
    move(view, job, standings_[index(job)].queue + 1);
    changed.push_back(job);
  }
}

double LasOrder::next_late_demotion_s(const SchedulerView& view) const {
  double next = kNever;
  for (const auto& [at_s, job] : demotions_) {
    const Standing& standing = standings_[index(job)];
    const JobView seen = view.job(job);
    const double left = rules_.limits[standing.queue] - (seen.served_s() - standing.served_s);
    next = std::min(next, std::max(1.0, std::ceil(left / static_cast<double>(seen.held_gpus()))));
  }
  return view.now_s() + next;
}

double LasOrder::next_change_s(const SchedulerView& view) {
  if (rules_.as_tiresias) {
    const double promotion = promotions_.empty() ? kNever : promotions_.begin()->first;
    return std::min(promotion, next_late_demotion_s(view));
  }
  // Nobody gains by a demotion when nobody waits.
  double next = kNever;
  if (!promotions_.empty()) next = promotions_.begin()->first;
  if (!demotions_.empty() && view.waiting_count() > 0) {
    next = std::min(next, demotions_.begin()->first);
  }
  return next;
}

}  // namespace mosim
