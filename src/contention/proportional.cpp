#include <algorithm>

#include "contention/models.hpp"

namespace mosim {

ProportionalSharing::ProportionalSharing(const ClusterSpec& cluster,
                                         const ContentionSetting& setting, double min_bandwidth)
    : min_bandwidth_(min_bandwidth),
      use_(cluster, setting),
      shares_(use_.links().size(), 1),
      factors_(setting.jobs, 1),
      touched_(setting.jobs) {}

std::span<const JobIndex> ProportionalSharing::place(JobIndex job, const JobTraffic& traffic) {
  use_.place(job, traffic);
  factors_[index(job)] = 1;
  return {};
}

std::span<const JobIndex> ProportionalSharing::remove(JobIndex job) {
  use_.remove(job);
  return {};
}

// On the links of a job that began or stopped to send.
void ProportionalSharing::update_shares(std::uint32_t job) {
  for (const Flow& flow : use_.of(job).flows) {
    const double capacity = use_.links().capacity(flow.link);
    const double share = proportional_share(1, capacity, use_.sent(flow.link));
    if (share == shares_[flow.link]) continue;
    shares_[flow.link] = share;
    for (const Member& member : use_.senders(flow.link)) touched_.add(member.job);
  }
}

// S when each link gives its flows `share_of(link)` of what they demand.
template <typename ShareOf>
double ProportionalSharing::factor_with(const JobFlows& job, ShareOf&& share_of) const {
  double factor = 1;
  for (std::size_t flow = 0; flow < job.between; ++flow) {
    const double demand = job.flows[flow].demand;
    const double allocated = demand * share_of(job.flows[flow].link);
    factor = std::max(factor, contention_factor(demand, allocated, min_bandwidth_));
  }
  for (std::size_t flow = job.between; flow < job.flows.size(); ++flow) {
    factor = std::max(factor, 1 / share_of(job.flows[flow].link));
  }
  return factor;
}

double ProportionalSharing::added_slowdown(const JobTraffic& traffic) const {
  const JobFlows added = use_.links().flows_of(traffic);
  const auto share_now = [&](std::uint32_t link) {
    return proportional_share(1, use_.links().capacity(link), use_.placed_demand(link));
  };
  const auto share_then = [&](std::uint32_t link) {
    double total = use_.placed_demand(link);
    for (const Flow& flow : added.flows) {
      if (flow.link == link) total += flow.demand;
    }
    return proportional_share(1, use_.links().capacity(link), total);
  };
  std::vector<std::uint32_t> affected;
  for (const Flow& flow : added.flows) {
    for (const Member& member : use_.placed(flow.link)) affected.push_back(member.job);
  }
  std::sort(affected.begin(), affected.end());
  affected.erase(std::unique(affected.begin(), affected.end()), affected.end());
  double rise = factor_with(added, share_then) - 1;
  for (const std::uint32_t job : affected) {
    rise += factor_with(use_.of(job), share_then) - factor_with(use_.of(job), share_now);
  }
  return rise;
}

// Of the jobs touched, those whose factor is a new one.
std::span<const JobIndex> ProportionalSharing::keep_changed() {
  const std::span<JobIndex> jobs = touched_.take();
  std::size_t kept = 0;
  for (const JobIndex job : jobs) {
    const auto self = static_cast<std::uint32_t>(job);
    const double factor =
        factor_with(use_.of(self), [&](std::uint32_t link) { return shares_[link]; });
    if (factor == factors_[self]) continue;
    factors_[self] = factor;
    jobs[kept++] = job;
  }
  return jobs.first(kept);
}

std::span<const JobIndex> ProportionalSharing::start_sending(JobIndex job) {
  const auto self = static_cast<std::uint32_t>(job);
  use_.start_sending(self);
  update_shares(self);
  if (!use_.of(self).flows.empty()) touched_.add(self);
  return keep_changed();
}

std::span<const JobIndex> ProportionalSharing::stop_sending(JobIndex job) {
  const auto self = static_cast<std::uint32_t>(job);
  use_.stop_sending(self);
  update_shares(self);
  factors_[self] = 1;
  return keep_changed();
}

}  // namespace mosim
