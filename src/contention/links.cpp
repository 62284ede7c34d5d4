#include "contention/links.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mosim {
namespace {

double total_demand(std::span<const Member> members) {
  double total = 0;
  for (const Member& member : members) total += member.demand;
  return total;
}

}  // namespace

Links::Links(const ClusterSpec& cluster, const ContentionSetting& setting)
    : fabric_(cluster), most_members_(cluster.gpus_by_server()) {
  const std::vector<std::uint32_t> insides = most_members_;
  capacity_.reserve(fabric_.links() + insides.size());
  for (std::uint32_t link = 0; link < fabric_.links(); ++link) {
    capacity_.push_back(fabric_.capacity(link));
  }
  for (const ServerGroup& group : cluster.groups) {
    // The inside of a server that no set of jobs can fill is not worth following: capacity 0.
    const bool can_fill = group.intra > 0 && setting.most_demand_per_gpu * group.gpus > group.intra;
    capacity_.insert(capacity_.end(), group.count, can_fill ? group.intra : 0);
  }
  most_members_.resize(fabric_.links(), 0);  // above the NICs they are counted as they come
  most_members_.insert(most_members_.end(), insides.begin(), insides.end());
}

std::string Links::name(std::uint32_t link) const {
  if (link < fabric_.links()) return fabric_.name(link);
  return fmt::format("server {} inside", link - fabric_.links());
}

// What the ring of a job on several servers puts on their NICs and above them.
void Links::add_ring(const JobTraffic& traffic, std::vector<Flow>& flows) const {
  for (std::size_t i = 0; i < traffic.groups.size(); ++i) {
    const double demand = traffic.nic_demands.empty() ? traffic.demand : traffic.nic_demands[i];
    if (demand > 0) flows.push_back({nic(traffic.groups[i].server), demand});
  }
  if (!fabric_.has_links_above_nics()) return;
  std::vector<ServerId> servers;
  for (const WorkerGroup& group : traffic.groups) servers.push_back(group.server);
  std::vector<std::uint32_t> above;
  fabric_.ring_links(servers, traffic.flow_key, above);
  std::sort(above.begin(), above.end());
  for (std::size_t i = 0; i < above.size(); ++i) {
    if (i > 0 && above[i] == above[i - 1]) {
      flows.back().demand += traffic.demand;  // the ring crosses it again
    } else {
      flows.push_back({above[i], traffic.demand});
    }
  }
}

JobFlows Links::flows_of(const JobTraffic& traffic) const {
  JobFlows job;
  if (traffic.demand <= 0) return job;
  if (traffic.groups.size() > 1) add_ring(traffic, job.flows);
  job.between = static_cast<std::uint32_t>(job.flows.size());
  for (const WorkerGroup& group : traffic.groups) {
    const std::uint32_t link = fabric_.links() + static_cast<std::uint32_t>(group.server);
    const double demand = intra_demand(traffic.demand, traffic.workers, group.workers);
    if (capacity_[link] > 0 && demand > 0) job.flows.push_back({link, demand});
  }
  return job;
}

std::vector<LinkDemand> links_of(const ClusterSpec& cluster, const ContentionSetting& setting,
                                 const JobTraffic& traffic) {
  const Links links(cluster, setting);
  std::vector<LinkDemand> used;
  for (const Flow& flow : links.flows_of(traffic).flows) {
    used.push_back({links.name(flow.link), links.capacity(flow.link), flow.demand});
  }
  return used;
}

LinkUse::LinkUse(const ClusterSpec& cluster, const ContentionSetting& setting)
    : links_(cluster, setting),
      sending_(links_.most_members()),
      placed_(links_.most_members()),
      sent_(links_.size(), 0),
      jobs_(setting.jobs),
      found_(setting.jobs) {}

void LinkUse::place(JobIndex job, const JobTraffic& traffic) {
  const auto self = static_cast<std::uint32_t>(job);
  jobs_[self] = links_.flows_of(traffic);
  for (const Flow& flow : jobs_[self].flows) placed_.insert(flow.link, {self, flow.demand});
}

void LinkUse::remove(JobIndex job) {
  const auto self = static_cast<std::uint32_t>(job);
  for (const Flow& flow : jobs_[self].flows) placed_.erase(flow.link, self);
  jobs_[self] = {};
}

void LinkUse::start_sending(std::uint32_t job) {
  for (const Flow& flow : jobs_[job].flows) {
    sending_.insert(flow.link, {job, flow.demand});
    sent_[flow.link] = total_demand(sending_.of(flow.link));
  }
}

void LinkUse::stop_sending(std::uint32_t job) {
  for (const Flow& flow : jobs_[job].flows) {
    sending_.erase(flow.link, job);
    sent_[flow.link] = total_demand(sending_.of(flow.link));
  }
}

double LinkUse::placed_demand(std::uint32_t link) const { return total_demand(placed_.of(link)); }

double LinkUse::nic_load(ServerId server) const {
  const std::uint32_t link = Links::nic(server);
  return placed_demand(link) / links_.capacity(link);
}

// Completes what was found to whole components.
std::span<const JobIndex> LinkUse::spread() const {
  for (std::size_t next = 0; next < found_.jobs().size(); ++next) {
    for (const Flow& flow : jobs_[index(found_.jobs()[next])].flows) {
      if (placed_demand(flow.link) <= links_.capacity(flow.link)) continue;
      for (const Member& other : placed_.of(flow.link)) found_.add(other.job);
    }
  }
  const std::span<JobIndex> jobs = found_.take();
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

std::span<const JobIndex> LinkUse::component(JobIndex job) const {
  found_.add(static_cast<std::uint32_t>(job));
  return spread();
}

std::span<const JobIndex> LinkUse::met_by(std::span<const Flow> flows) const {
  for (const Flow& flow : flows) {
    if (placed_demand(flow.link) + flow.demand <= links_.capacity(flow.link)) continue;
    for (const Member& other : placed_.of(flow.link)) found_.add(other.job);
  }
  return spread();
}

}  // namespace mosim
