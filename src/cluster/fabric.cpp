#include "mosim/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/hash.hpp"
#include "base/random.hpp"

namespace mosim {
namespace {

constexpr std::uint32_t kDown = 1;  // the link down follows the link up

// Where racks have no uplinks of their own, a pod has one aggregation switch.
std::uint32_t planes_of(const FabricSpec& fabric) { return std::max(1U, fabric.rack_uplinks); }

std::uint64_t rack_links(const ClusterSpec& cluster) {
  return 2 * cluster.racks() * cluster.fabric.rack_uplinks;
}

std::string_view direction(std::uint32_t link) { return link % 2 == kDown ? "down" : "up"; }

}  // namespace

std::uint64_t Fabric::count_links(const ClusterSpec& cluster) {
  const std::uint64_t pod_links =
      std::uint64_t{2} * planes_of(cluster.fabric) * cluster.fabric.pod_uplinks;
  const std::uint64_t pods = pod_links == 0 ? 0 : cluster.pod_names().size();
  return cluster.servers() + rack_links(cluster) + pods * pod_links;
}

Fabric::Fabric(const ClusterSpec& cluster)
    : rack_uplinks_(cluster.fabric.rack_uplinks),
      planes_(planes_of(cluster.fabric)),
      pod_uplinks_(cluster.fabric.pod_uplinks),
      ecmp_seed_(cluster.fabric.ecmp_seed),
      racks_by_server_(cluster.racks_by_server()),
      pods_by_rack_(cluster.pods_by_rack()),
      pod_names_(cluster.pod_names()),
      rack_capacities_(pods_by_rack_.size()),
      pod_capacities_(pod_names_.size()) {
  const std::uint64_t links = count_links(cluster);
  if (links > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument("a fabric has too many links");
  }
  links_ = static_cast<std::uint32_t>(links);
  first_rack_link_ = static_cast<std::uint32_t>(cluster.servers());
  first_pod_link_ = first_rack_link_ + static_cast<std::uint32_t>(rack_links(cluster));
  for (const ServerGroup& group : cluster.groups) {
    nic_capacities_.insert(nic_capacities_.end(), group.count, group.nic * group.nics);
  }
  // Sums for a whole rack or pod first, then the part of each link.
  for (std::size_t server = 0; server < nic_capacities_.size(); ++server) {
    rack_capacities_[racks_by_server_[server]] += nic_capacities_[server];
  }
  // Racks that do not limit pass on what their NICs can send.
  const double by_rack = rack_uplinks_ == 0 ? 1 : cluster.fabric.rack_oversubscription;
  for (std::size_t rack = 0; rack < rack_capacities_.size(); ++rack) {
    rack_capacities_[rack] /= by_rack;
    pod_capacities_[pods_by_rack_[rack]] += rack_capacities_[rack];
    rack_capacities_[rack] /= planes_;
  }
  const double by_pod = cluster.fabric.pod_oversubscription * planes_ * std::max(1U, pod_uplinks_);
  for (double& capacity : pod_capacities_) capacity /= by_pod;
}

std::uint32_t Fabric::rack_up(std::uint32_t rack, std::uint32_t u) const {
  return first_rack_link_ + 2 * (rack * rack_uplinks_ + u);
}

std::uint32_t Fabric::pod_up(std::uint32_t pod, std::uint32_t u, std::uint32_t v) const {
  return first_pod_link_ + 2 * ((pod * planes_ + u) * pod_uplinks_ + v);
}

double Fabric::capacity(std::uint32_t link) const {
  if (link < first_rack_link_) return nic_capacities_[link];
  if (link < first_pod_link_) {
    return rack_capacities_[(link - first_rack_link_) / 2 / rack_uplinks_];
  }
  return pod_capacities_[(link - first_pod_link_) / 2 / pod_uplinks_ / planes_];
}

std::string Fabric::name(std::uint32_t link) const {
  if (link < first_rack_link_) return fmt::format("server {} NIC", link);
  if (link < first_pod_link_) {
    const std::uint32_t at = link - first_rack_link_;
    return fmt::format("rack {} {} {}", at / 2 / rack_uplinks_, direction(at),
                       at / 2 % rack_uplinks_);
  }
  const std::uint32_t at = link - first_pod_link_;
  const std::uint32_t aggregation = at / 2 / pod_uplinks_;
  return fmt::format("pod {} {} {}/{}", pod_names_[aggregation / planes_], direction(at),
                     aggregation % planes_, at / 2 % pod_uplinks_);
}

void Fabric::cross(const Flow& flow, std::vector<std::uint32_t>& links) const {
  const std::uint32_t from = racks_by_server_[flow.from];
  const std::uint32_t to = racks_by_server_[flow.to];
  if (from == to) return;
  Hash hash;
  for (const std::uint64_t part : {flow.key, std::uint64_t{flow.from}, std::uint64_t{flow.to}}) {
    hash.add(part);
  }
  RandomStream ecmp = RandomStreams(ecmp_seed_, "ecmp").at(hash.value());
  const auto u = static_cast<std::uint32_t>(ecmp.below(planes_));
  if (rack_uplinks_ > 0) links.push_back(rack_up(from, u));
  if (pod_uplinks_ > 0 && pods_by_rack_[from] != pods_by_rack_[to]) {
    const auto v = static_cast<std::uint32_t>(ecmp.below(pod_uplinks_));
    links.push_back(pod_up(pods_by_rack_[from], u, v));
    links.push_back(pod_up(pods_by_rack_[to], u, v) + kDown);
  }
  if (rack_uplinks_ > 0) links.push_back(rack_up(to, u) + kDown);
}

void Fabric::ring_links(std::span<const ServerId> servers, std::uint64_t flow_key,
                        std::vector<std::uint32_t>& links) const {
  if (servers.size() < 2 || !has_links_above_nics()) return;
  // The ring itself is kept in `links` for the while, which spares the call a vector of its own.
  const auto begin = static_cast<std::ptrdiff_t>(links.size());
  const std::size_t size = servers.size();
  for (const ServerId server : servers) {
    links.push_back(static_cast<std::uint32_t>(index(server)));
  }
  std::sort(links.begin() + begin, links.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(pod_of(a), a) < std::pair(pod_of(b), b);
  });
  const auto first = static_cast<std::size_t>(begin);
  for (std::size_t i = 0; i < size; ++i) {
    cross({flow_key, links[first + i], links[first + (i + 1) % size]}, links);
  }
  links.erase(links.begin() + begin, links.begin() + begin + static_cast<std::ptrdiff_t>(size));
}

}  // namespace mosim
