#include <algorithm>

#include "contention/models.hpp"

namespace mosim {

FixedContention::FixedContention(const ClusterSpec& cluster, std::size_t jobs, double ratio)
    : ratio_(ratio),
      on_server_(
          cluster
              .gpus_by_server()),  // with whole GPUs, a job has one or more on each of its servers
      servers_of_(jobs),
      shared_(jobs, 0),
      changed_(jobs) {}

std::span<const JobIndex> FixedContention::place(JobIndex job, const JobTraffic& traffic) {
  const auto self = static_cast<std::uint32_t>(job);
  for (const WorkerGroup& group : traffic.groups) {
    const auto server = static_cast<std::uint32_t>(group.server);
    const auto others = on_server_.of(server);
    if (!others.empty()) ++shared_[self];
    // One that was alone here is not any more; among several nothing changes.
    if (others.size() == 1 && shared_[others[0].job]++ == 0) changed_.add(others[0].job);
    on_server_.insert(server, {self, 0});
    servers_of_[self].push_back(server);
  }
  return {};
}

std::span<const JobIndex> FixedContention::start_sending(JobIndex) { return changed_.take(); }

std::span<const JobIndex> FixedContention::remove(JobIndex job) {
  const auto self = static_cast<std::uint32_t>(job);
  for (const std::uint32_t server : servers_of_[self]) {
    on_server_.erase(server, self);
    const auto others = on_server_.of(server);
    if (others.size() == 1 && --shared_[others[0].job] == 0) changed_.add(others[0].job);
  }
  servers_of_[self] = {};
  shared_[self] = 0;
  return changed_.take();
}

// The job itself, and everybody who is alone on a server that it would share.
double FixedContention::added_slowdown(const JobTraffic& traffic) const {
  std::vector<std::uint32_t> disturbed;
  bool shares = false;
  for (const WorkerGroup& group : traffic.groups) {
    const auto others = on_server_.of(static_cast<std::uint32_t>(group.server));
    shares = shares || !others.empty();
    for (const Member& other : others) {
      if (shared_[other.job] == 0) disturbed.push_back(other.job);
    }
  }
  std::sort(disturbed.begin(), disturbed.end());
  const auto last = std::unique(disturbed.begin(), disturbed.end());
  const auto count = static_cast<double>(last - disturbed.begin());
  return ratio_ * (count + (shares ? 1 : 0));
}

double FixedContention::factor(JobIndex job) const {
  return shared_[index(job)] > 0 ? 1 + ratio_ : 1;
}

}  // namespace mosim
