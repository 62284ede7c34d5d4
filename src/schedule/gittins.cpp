#include "schedule/gittins.hpp"

#include <algorithm>

namespace mosim {
namespace {

// The history is brought up to date when it has grown by this part: then all jobs that wait are
// ranked again.
constexpr double kGrowth = 0.05;

}  // namespace

ServiceHistory::ServiceHistory(std::vector<double> services) : services_(std::move(services)) {
  std::sort(services_.begin(), services_.end());
  sums_.reserve(services_.size() + 1);
  double sum = 0;
  for (const double service : services_) {
    sums_.push_back(sum);
    sum += service;
  }
  sums_.push_back(sum);
}

double ServiceHistory::index_of(double attained, double delta, bool whole_service) const {
  const auto first_above = [&](double service) {
    return std::upper_bound(services_.begin(), services_.end(), service) - services_.begin();
  };
  const auto from = first_above(attained);
  const auto to = first_above(attained + delta);
  const auto end = static_cast<std::ptrdiff_t>(services_.size());
  if (from == to) return 0;  // none ends within delta
  const auto ending = static_cast<double>(to - from);
  double expected = sums_[static_cast<std::size_t>(to)] - sums_[static_cast<std::size_t>(from)] +
                    delta * static_cast<double>(end - to);
  if (!whole_service) expected -= attained * ending;
  return ending / expected;
}

void GittinsOrder::read_trace(const SchedulerView& view) {
  std::vector<double> services;
  services.reserve(view.jobs());
  for (std::uint32_t i = 0; i < view.jobs(); ++i) {
    const JobIndex job{i};
    services.push_back(view.remaining_s(job) * view.job(job).request().gpu_share());
  }
  history_ = ServiceHistory(std::move(services));
}

Rank GittinsOrder::rank(const SchedulerView& view, JobIndex job) {
  // The first job of the run is ranked before any of them runs.
  if (rules_.whole_trace && history_.size() == 0) read_trace(view);
  Rank rank = LasOrder::rank(view, job);
  const JobView seen = view.job(job);
  rank.key = -history_.index_of(service(seen), rules_.delta, rules_.whole_service);
  rank.order = by_submission(seen);
  return rank;
}

void GittinsOrder::ended(const SchedulerView& view, JobIndex job) {
  LasOrder::ended(view, job);
  if (!rules_.whole_trace) seen_.push_back(view.job(job).attained_service());
}

void GittinsOrder::advance(const SchedulerView& view, std::vector<JobIndex>& changed) {
  LasOrder::advance(view, changed);
  const auto known = static_cast<double>(history_.size());
  if (static_cast<double>(seen_.size()) <= known * (1 + kGrowth)) return;
  history_ = ServiceHistory(seen_);
  const auto waiting = view.waiting();
  changed.insert(changed.end(), waiting.begin(), waiting.end());
}

}  // namespace mosim
