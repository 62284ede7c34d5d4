#include "contention/fair.hpp"

#include <algorithm>
#include <limits>

namespace mosim {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

FairSharing::FairSharing(const ClusterSpec& cluster, const ContentionSetting& setting,
                         double min_bandwidth)
    : min_bandwidth_(min_bandwidth),
      use_(cluster, setting),
      jobs_(setting.jobs),
      affected_(setting.jobs),
      solver_link_(use_.links().size(), kNone) {}

FairSharing::Job FairSharing::job_with(const JobTraffic& traffic, const JobFlows& flows) {
  Job job{1, 0, traffic.weight, traffic.priority};
  for (const Flow& flow : flows.flows) job.demand = std::max(job.demand, flow.demand);
  return job;
}

std::span<const JobIndex> FairSharing::place(JobIndex job, const JobTraffic& traffic) {
  use_.place(job, traffic);
  jobs_[index(job)] = job_with(traffic, use_.of(static_cast<std::uint32_t>(job)));
  return {};
}

std::span<const JobIndex> FairSharing::remove(JobIndex job) {
  use_.remove(job);
  return {};
}

// The senders that a sending job shares full links with, itself among them.
void FairSharing::add_neighbours(std::uint32_t job) {
  for (const Flow& flow : use_.of(job).flows) {
    if (!is_full(flow.link)) continue;
    for (const Member& other : use_.senders(flow.link)) affected_.add(other.job);
  }
}

std::span<const JobIndex> FairSharing::start_sending(JobIndex job) {
  const auto self = static_cast<std::uint32_t>(job);
  use_.start_sending(self);
  add_neighbours(self);
  return solve();
}

std::span<const JobIndex> FairSharing::stop_sending(JobIndex job) {
  const auto self = static_cast<std::uint32_t>(job);
  jobs_[self].factor = 1;
  for (const Flow& flow : use_.of(self).flows) {
    if (!is_full(flow.link)) continue;
    for (const Member& other : use_.senders(flow.link)) {
      if (other.job != self) affected_.add(other.job);
    }
  }
  use_.stop_sending(self);
  return solve();
}

// Completes the affected jobs to whole components, and returns those whose factor is a new one.
std::span<const JobIndex> FairSharing::solve() {
  for (std::size_t next = 0; next < affected_.jobs().size(); ++next) {
    add_neighbours(static_cast<std::uint32_t>(affected_.jobs()[next]));
  }
  const std::span<JobIndex> jobs = affected_.take();
  if (jobs.empty()) return jobs;
  // The rates depend on who sends, not on who came last.
  std::sort(jobs.begin(), jobs.end());
  pose(jobs, [this](std::uint32_t link) { return is_full(link); }, nullptr);
  const std::span<const double> rates = solver_.solve();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Job& job = jobs_[index(jobs[i])];
    const double factor = factor_at(job, rates[i]);
    if (factor == job.factor) continue;
    job.factor = factor;
    jobs[kept++] = jobs[i];
  }
  return jobs.first(kept);
}

template <typename IsFull>
void FairSharing::add_links(const JobFlows& flows, IsFull&& is_full) const {
  for (const Flow& flow : flows.flows) {
    if (solver_link_[flow.link] != kNone || !is_full(flow.link)) continue;
    solver_link_[flow.link] = solver_links_++;
    solver_.add_link(use_.links().capacity(flow.link));
  }
}

void FairSharing::forget_links(const JobFlows& flows) const {
  for (const Flow& flow : flows.flows) solver_link_[flow.link] = kNone;
}

// Only full links can bind. The candidate's own may be full once it is there; it comes last.
template <typename IsFull>
void FairSharing::pose(std::span<const JobIndex> jobs, IsFull&& is_full,
                       const Candidate* candidate) const {
  const auto flows_of = [this](JobIndex job) -> const JobFlows& {
    return use_.of(static_cast<std::uint32_t>(job));
  };
  solver_.clear();
  solver_links_ = 0;
  if (candidate != nullptr) add_links(candidate->flows, [](std::uint32_t) { return true; });
  for (const JobIndex job : jobs) add_links(flows_of(job), is_full);
  for (const JobIndex job : jobs) add_to_solver(jobs_[index(job)], flows_of(job));
  if (candidate != nullptr) add_to_solver(candidate->job, candidate->flows);
  for (const JobIndex job : jobs) forget_links(flows_of(job));
  if (candidate != nullptr) forget_links(candidate->flows);
}

void FairSharing::add_to_solver(const Job& job, const JobFlows& flows) const {
  solver_.add_job(job.demand, job.weight, job.priority);
  for (const Flow& flow : flows.flows) {
    const std::uint32_t link = solver_link_[flow.link];
    if (link != kNone) solver_.add_use(link, flow.demand / job.demand);
  }
}

double FairSharing::factor_at(const Job& job, double rate) const {
  if (rate >= job.demand) return 1;
  return std::max(1.0, contention_factor(job.demand, rate, min_bandwidth_));
}

// The sum of the factors of these jobs and the candidate, if all that are placed sent at once.
double FairSharing::placed_factors(std::span<const JobIndex> jobs,
                                   const Candidate* candidate) const {
  const auto is_full = [this](std::uint32_t link) {
    return use_.placed_demand(link) > use_.links().capacity(link);
  };
  pose(jobs, is_full, candidate);
  const std::span<const double> rates = solver_.solve();
  double sum = candidate != nullptr ? factor_at(candidate->job, rates.back()) : 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    sum += factor_at(jobs_[index(jobs[i])], rates[i]);
  }
  return sum;
}

double FairSharing::added_slowdown(const JobTraffic& traffic) const {
  Candidate candidate;
  candidate.flows = use_.links().flows_of(traffic);
  if (candidate.flows.flows.empty()) return 0;
  candidate.job = job_with(traffic, candidate.flows);
  const std::span<const JobIndex> met = use_.met_by(candidate.flows.flows);
  return placed_factors(met, &candidate) - placed_factors(met, nullptr) - 1;
}

}  // namespace mosim
