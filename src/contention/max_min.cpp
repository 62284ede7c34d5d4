#include "contention/max_min.hpp"

#include <algorithm>

namespace mosim {

void MaxMinSolver::clear() {
  links_.clear();
  jobs_.clear();
  uses_.clear();
}

void MaxMinSolver::add_link(double capacity) { links_.push_back({capacity, 0, 0, 0}); }

void MaxMinSolver::add_job(double demand, double weight, std::uint32_t priority) {
  jobs_.push_back({demand, weight, priority, static_cast<std::uint32_t>(uses_.size()), false});
}

void MaxMinSolver::add_use(std::uint32_t link, double load) { uses_.push_back({link, load}); }

std::span<const MaxMinSolver::Use> MaxMinSolver::uses_of(std::uint32_t job) const {
  const std::size_t end = job + 1 < jobs_.size() ? jobs_[job + 1].first_use : uses_.size();
  return std::span(uses_).subspan(jobs_[job].first_use, end - jobs_[job].first_use);
}

std::span<const std::uint32_t> MaxMinSolver::users_of(std::uint32_t link) const {
  const std::size_t end = link + 1 < links_.size() ? links_[link + 1].first_user : users_.size();
  return std::span(users_).subspan(links_[link].first_user, end - links_[link].first_user);
}

// A counting sort of the uses by link.
void MaxMinSolver::list_users() {
  for (const Use& use : uses_) ++links_[use.link].first_user;
  std::uint32_t end = 0;
  for (Link& link : links_) link.first_user = end += link.first_user;
  users_.resize(uses_.size());
  for (auto job = static_cast<std::uint32_t>(jobs_.size()); job-- > 0;) {
    for (const Use& use : uses_of(job)) users_[--links_[use.link].first_user] = job;
  }
}

std::span<const double> MaxMinSolver::solve() {
  rates_.assign(jobs_.size(), 0);
  list_users();
  order_.resize(jobs_.size());
  for (std::uint32_t job = 0; job < order_.size(); ++job) order_[job] = job;
  std::sort(order_.begin(), order_.end(), [this](std::uint32_t a, std::uint32_t b) {
    const Job& first = jobs_[a];
    const Job& second = jobs_[b];
    if (first.priority != second.priority) return first.priority < second.priority;
    const double level = first.satisfied_at();
    const double other = second.satisfied_at();
    return level != other ? level < other : a < b;
  });
  for (std::size_t begin = 0; begin < order_.size();) {
    std::size_t end = begin;
    const std::uint32_t priority = jobs_[order_[begin]].priority;
    while (end < order_.size() && jobs_[order_[end]].priority == priority) ++end;
    fill(std::span(order_).subspan(begin, end - begin));
    begin = end;
  }
  return rates_;
}

// Raises jobs of one priority, given in the order of the levels that satisfy them.
void MaxMinSolver::fill(std::span<const std::uint32_t> jobs) {
  for (const std::uint32_t job : jobs) {
    for (const Use& use : uses_of(job)) {
      links_[use.link].pull += use.load * jobs_[job].weight;
      ++links_[use.link].rising;
    }
  }
  heap_.clear();
  const auto later = [](const Entry& a, const Entry& b) {
    return a.level != b.level ? a.level > b.level : a.link > b.link;
  };
  for (std::uint32_t link = 0; link < links_.size(); ++link) {
    if (links_[link].rising > 0) heap_.push_back({links_[link].full_at(), link});
  }
  std::make_heap(heap_.begin(), heap_.end(), later);
  for (std::size_t next = 0; next < jobs.size();) {
    const std::uint32_t job = jobs[next];
    if (jobs_[job].stopped) {
      ++next;
      continue;
    }
    Entry full;
    if (next_full_link(full) && full.level < jobs_[job].satisfied_at()) {
      for (const std::uint32_t user : users_of(full.link)) {
        const bool rises = jobs_[user].priority == jobs_[job].priority && !jobs_[user].stopped;
        if (rises) stop(user, jobs_[user].weight * full.level);
      }
    } else {
      stop(job, jobs_[job].demand);
      ++next;
    }
  }
  for (const std::uint32_t job : jobs) {
    for (const Use& use : uses_of(job)) links_[use.link].pull = 0;
  }
}

// The link that is full first. A link fills later when jobs stop, never sooner, so an entry that
// is out of date only has to move back.
bool MaxMinSolver::next_full_link(Entry& found) {
  const auto later = [](const Entry& a, const Entry& b) {
    return a.level != b.level ? a.level > b.level : a.link > b.link;
  };
  while (!heap_.empty()) {
    Entry& first = heap_.front();
    const Link& link = links_[first.link];
    const double level = link.rising > 0 ? link.full_at() : 0;
    if (link.rising > 0 && level <= first.level) {
      found = first;
      return true;
    }
    std::pop_heap(heap_.begin(), heap_.end(), later);
    if (link.rising > 0) {
      heap_.back().level = level;
      std::push_heap(heap_.begin(), heap_.end(), later);
    } else {
      heap_.pop_back();
    }
  }
  return false;
}

void MaxMinSolver::stop(std::uint32_t job, double rate) {
  jobs_[job].stopped = true;
  rates_[job] = rate;
  for (const Use& use : uses_of(job)) {
    Link& link = links_[use.link];
    link.room -= use.load * rate;
    link.pull -= use.load * jobs_[job].weight;
    --link.rising;
  }
}

}  // namespace mosim
