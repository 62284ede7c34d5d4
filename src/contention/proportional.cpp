#include <algorithm>

#include "contention/models.hpp"

namespace mosim {
namespace {

// A job has at least one GPU on each of its servers, so a link has at most as many members.
std::vector<std::uint32_t> link_members(const ClusterSpec& cluster) {
  std::vector<std::uint32_t> members = cluster.gpus_by_server();
  const std::vector<std::uint32_t> insides = members;
  members.insert(members.end(), insides.begin(), insides.end());
  return members;
}

}  // namespace

ProportionalSharing::ProportionalSharing(const ClusterSpec& cluster,
                                         const ContentionSetting& setting, double min_bandwidth)
    : min_bandwidth_(min_bandwidth),
      servers_(static_cast<std::uint32_t>(cluster.servers())),
      members_(link_members(cluster)),
      jobs_(setting.jobs),
      touched_(setting.jobs) {
  links_.reserve(2 * std::size_t{servers_});
  for (const ServerGroup& group : cluster.groups) {
    links_.insert(links_.end(), group.count, {group.nic * group.nics, 1});
  }
  for (const ServerGroup& group : cluster.groups) {
    // The inside of a server that no set of jobs can fill is not worth following: capacity 0.
    const bool can_fill = group.intra > 0 && setting.most_demand_per_gpu * group.gpus > group.intra;
    links_.insert(links_.end(), group.count, {can_fill ? group.intra : 0, 1});
  }
}

std::span<const JobIndex> ProportionalSharing::place(JobIndex job, const JobTraffic& traffic) {
  Job& state = jobs_[index(job)];
  state.factor = 1;
  if (traffic.demand <= 0) return {};
  if (traffic.groups.size() > 1) {
    for (std::size_t i = 0; i < traffic.groups.size(); ++i) {
      const double demand = traffic.nic_demands.empty() ? traffic.demand : traffic.nic_demands[i];
      const auto server = static_cast<std::uint32_t>(traffic.groups[i].server);
      if (demand > 0) state.flows.push_back({server, demand});
    }
  }
  state.nics = static_cast<std::uint32_t>(state.flows.size());
  for (const WorkerGroup& group : traffic.groups) {
    const std::uint32_t link = servers_ + static_cast<std::uint32_t>(group.server);
    if (links_[link].capacity > 0) {
      const double demand = intra_demand(traffic.demand, traffic.workers, group.workers);
      state.flows.push_back({link, demand});
    }
  }
  return {};
}

void ProportionalSharing::update_link(std::uint32_t id) {
  Link& link = links_[id];
  double total = 0;
  for (const Member& member : members_.of(id)) total += member.demand;
  const double share = proportional_share(1, link.capacity, total);
  if (share == link.share) return;
  link.share = share;
  for (const Member& member : members_.of(id)) touched_.add(member.job);
}

double ProportionalSharing::factor_now(const Job& job) const {
  double factor = 1;
  for (std::size_t flow = 0; flow < job.nics; ++flow) {
    const double demand = job.flows[flow].demand;
    const double allocated = demand * links_[job.flows[flow].link].share;
    factor = std::max(factor, contention_factor(demand, allocated, min_bandwidth_));
  }
  for (std::size_t flow = job.nics; flow < job.flows.size(); ++flow) {
    factor = std::max(factor, 1 / links_[job.flows[flow].link].share);
  }
  return factor;
}

// Of the jobs touched, those whose factor is a new one.
std::span<const JobIndex> ProportionalSharing::keep_changed() {
  const std::span<JobIndex> jobs = touched_.take();
  std::size_t kept = 0;
  for (const JobIndex job : jobs) {
    Job& state = jobs_[index(job)];
    const double factor = factor_now(state);
    if (factor == state.factor) continue;
    state.factor = factor;
    jobs[kept++] = job;
  }
  return jobs.first(kept);
}

std::span<const JobIndex> ProportionalSharing::start_sending(JobIndex job) {
  const auto self = static_cast<std::uint32_t>(job);
  for (const Flow& flow : jobs_[self].flows) {
    members_.insert(flow.link, {self, flow.demand});
    update_link(flow.link);
  }
  if (!jobs_[self].flows.empty()) touched_.add(self);
  return keep_changed();
}

std::span<const JobIndex> ProportionalSharing::stop_sending(JobIndex job) {
  const auto self = static_cast<std::uint32_t>(job);
  for (const Flow& flow : jobs_[self].flows) {
    members_.erase(flow.link, self);
    update_link(flow.link);
  }
  jobs_[self].factor = 1;
  return keep_changed();
}

std::span<const JobIndex> ProportionalSharing::remove(JobIndex job) {
  jobs_[index(job)].flows = {};
  return {};
}

}  // namespace mosim
