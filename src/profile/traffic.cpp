#include <algorithm>

#include "mosim/profile.hpp"

namespace mosim {
namespace {

// What each server sends and takes from others.
struct NicTotals {
  std::vector<double> out, in;

  void send(std::size_t from, std::size_t to, double bytes) {
    if (from == to) return;
    out[from] += bytes;
    in[to] += bytes;
  }
};

// The servers of one group's ranks, in the order of the ranks.
using Members = std::span<const std::size_t>;

void add_ring(NicTotals& nics, Members members, double bytes) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    nics.send(members[i], members[(i + 1) % members.size()], bytes);
  }
}

void add_chain(NicTotals& nics, Members members, double bytes) {
  for (std::size_t i = 0; i + 1 < members.size(); ++i) {
    nics.send(members[i], members[i + 1], bytes);
    nics.send(members[i + 1], members[i], bytes);
  }
}

// Of s servers each sends 2(s-1)/s of the vector, as s ranks would.
void add_tree(NicTotals& nics, Members members, double bytes) {
  std::vector<std::size_t> servers(members.begin(), members.end());
  std::sort(servers.begin(), servers.end());
  servers.erase(std::unique(servers.begin(), servers.end()), servers.end());
  const auto count = static_cast<double>(servers.size());
  add_ring(nics, servers, 2 * (count - 1) / count * bytes);
}

// Ranks of one server send alike, so servers are counted, not pairs of ranks.
void add_all_to_all(NicTotals& nics, Members members, double bytes) {
  std::vector<double> ranks(nics.out.size(), 0);
  for (const std::size_t server : members) ranks[server] += 1;
  const double others = static_cast<double>(members.size()) - 1;
  for (std::size_t server = 0; server < ranks.size(); ++server) {
    const double outside = static_cast<double>(members.size()) - ranks[server];
    const double crossing = ranks[server] * outside / others * bytes;
    nics.out[server] += crossing;
    nics.in[server] += crossing;
  }
}

void add_group(NicTotals& nics, const GroupTraffic& traffic, Members members) {
  switch (traffic.pattern) {
    case TrafficPattern::ring:
      return add_ring(nics, members, traffic.bytes);
    case TrafficPattern::tree:
      return add_tree(nics, members, traffic.bytes);
    case TrafficPattern::all_to_all:
      return add_all_to_all(nics, members, traffic.bytes);
    case TrafficPattern::chain:
      return add_chain(nics, members, traffic.bytes);
  }
}

}  // namespace

std::vector<double> nic_volumes(std::span<const GroupTraffic> traffic,
                                std::span<const std::uint32_t> ranks_by_server) {
  std::vector<std::size_t> server_of;
  for (std::size_t server = 0; server < ranks_by_server.size(); ++server) {
    server_of.insert(server_of.end(), ranks_by_server[server], server);
  }
  NicTotals nics;
  nics.out.assign(ranks_by_server.size(), 0);
  nics.in = nics.out;
  std::vector<std::size_t> members;
  for (const GroupTraffic& part : traffic) {
    const std::size_t size = part.group.size;
    const std::size_t stride = part.group.stride;
    if (size < 2) continue;
    // Groups repeat in blocks of size x stride ranks, `stride` groups in each.
    for (std::size_t block = 0; block + size * stride <= server_of.size(); block += size * stride) {
      for (std::size_t first = block; first < block + stride; ++first) {
        members.clear();
        for (std::size_t i = 0; i < size; ++i) members.push_back(server_of[first + i * stride]);
        add_group(nics, part, members);
      }
    }
  }
  for (std::size_t server = 0; server < nics.out.size(); ++server) {
    nics.out[server] = std::max(nics.out[server], nics.in[server]);
  }
  return nics.out;
}

std::vector<double> nic_demands(const JobProfile& profile, std::span<const WorkerGroup> groups,
                                std::uint32_t gpus_per_worker) {
  if (!profile.traffic || profile.network_s <= 0) return {};
  std::vector<std::uint32_t> ranks;
  ranks.reserve(groups.size());
  for (const WorkerGroup& group : groups) ranks.push_back(group.workers * gpus_per_worker);
  std::vector<double> demands = nic_volumes(*profile.traffic, ranks);
  for (double& demand : demands) demand /= profile.network_s;
  return demands;
}

}  // namespace mosim
