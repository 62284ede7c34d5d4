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
      placed_(link_members(cluster)),
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

// The links that a job with this traffic would use.
void ProportionalSharing::add_flows(const JobTraffic& traffic, Job& job) const {
  if (traffic.demand <= 0) return;
  if (traffic.groups.size() > 1) {
    for (std::size_t i = 0; i < traffic.groups.size(); ++i) {
      const double demand = traffic.nic_demands.empty() ? traffic.demand : traffic.nic_demands[i];
      const auto server = static_cast<std::uint32_t>(traffic.groups[i].server);
      if (demand > 0) job.flows.push_back({server, demand});
    }
  }
  job.nics = static_cast<std::uint32_t>(job.flows.size());
  for (const WorkerGroup& group : traffic.groups) {
    const std::uint32_t link = servers_ + static_cast<std::uint32_t>(group.server);
    if (links_[link].capacity > 0) {
      const double demand = intra_demand(traffic.demand, traffic.workers, group.workers);
      job.flows.push_back({link, demand});
    }
  }
}

std::span<const JobIndex> ProportionalSharing::place(JobIndex job, const JobTraffic& traffic) {
  const auto self = static_cast<std::uint32_t>(job);
  Job& state = jobs_[self];
  state.factor = 1;
  add_flows(traffic, state);
  for (const Flow& flow : state.flows) placed_.insert(flow.link, {self, flow.demand});
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

// S when each link gives its flows `share_of(link)` of what they demand.
template <typename ShareOf>
double ProportionalSharing::factor_with(const Job& job, ShareOf&& share_of) const {
  double factor = 1;
  for (std::size_t flow = 0; flow < job.nics; ++flow) {
    const double demand = job.flows[flow].demand;
    const double allocated = demand * share_of(job.flows[flow].link);
    factor = std::max(factor, contention_factor(demand, allocated, min_bandwidth_));
  }
  for (std::size_t flow = job.nics; flow < job.flows.size(); ++flow) {
    factor = std::max(factor, 1 / share_of(job.flows[flow].link));
  }
  return factor;
}

double ProportionalSharing::placed_demand(std::uint32_t link) const {
  double total = 0;
  for (const Member& member : placed_.of(link)) total += member.demand;
  return total;
}

double ProportionalSharing::nic_load(ServerId server) const {
  const auto link = static_cast<std::uint32_t>(server);
  return placed_demand(link) / links_[link].capacity;
}

double ProportionalSharing::added_slowdown(const JobTraffic& traffic) const {
  Job added;
  add_flows(traffic, added);
  const auto share_now = [&](std::uint32_t link) {
    return proportional_share(1, links_[link].capacity, placed_demand(link));
  };
  const auto share_then = [&](std::uint32_t link) {
    double total = placed_demand(link);
    for (const Flow& flow : added.flows) {
      if (flow.link == link) total += flow.demand;
    }
    return proportional_share(1, links_[link].capacity, total);
  };
  std::vector<std::uint32_t> affected;
  for (const Flow& flow : added.flows) {
    for (const Member& member : placed_.of(flow.link)) affected.push_back(member.job);
  }
  std::sort(affected.begin(), affected.end());
  affected.erase(std::unique(affected.begin(), affected.end()), affected.end());
  double rise = factor_with(added, share_then) - 1;
  for (const std::uint32_t job : affected) {
    rise += factor_with(jobs_[job], share_then) - factor_with(jobs_[job], share_now);
  }
  return rise;
}

// Of the jobs touched, those whose factor is a new one.
std::span<const JobIndex> ProportionalSharing::keep_changed() {
  const std::span<JobIndex> jobs = touched_.take();
  std::size_t kept = 0;
  for (const JobIndex job : jobs) {
    Job& state = jobs_[index(job)];
    const double factor =
        factor_with(state, [&](std::uint32_t link) { return links_[link].share; });
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
  const auto self = static_cast<std::uint32_t>(job);
  for (const Flow& flow : jobs_[self].flows) placed_.erase(flow.link, self);
  jobs_[self].flows = {};
  return {};
}

}  // namespace mosim
