// The links of the network: the servers' NICs, and what is above them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mosim/cluster.hpp"

namespace mosim {

// Links are numbered: first the NICs by server, then the uplinks of racks, then those of pods. A
// link above the NICs has one direction, up or down. A NIC stands for both, as a ring receives over
// it what it sends; several NICs of a server share a ring's traffic evenly, so they are one link of
// all their bandwidth.
//
// Core switch (u, v) is on uplink v of aggregation switch u of every pod; aggregation switch u, or
// without pods spine u, is on uplink u of every rack below it. So the way from rack to rack is one
// choice of u, and of v where it leaves the pod. ECMP makes it by a hash of the flow.
class Fabric {
 public:
  explicit Fabric(const ClusterSpec& cluster);

  // How many links a cluster has. A Fabric can number 2^32 - 1.
  [[nodiscard]] static std::uint64_t count_links(const ClusterSpec& cluster);

  [[nodiscard]] std::uint32_t links() const { return links_; }
  [[nodiscard]] bool has_links_above_nics() const { return links_ > first_rack_link_; }
  [[nodiscard]] double capacity(std::uint32_t link) const;  // bytes per second
  // "server 3 NIC", "rack 2 up 0", "pod 1 down 2/0": of aggregation switch 2, its uplink 0.
  [[nodiscard]] std::string name(std::uint32_t link) const;

  // Appends the links above the NICs that carry a ring over these servers, which may be in any
  // order: on the ring they go by pod, rack and number. A link is appended once for each pair of
  // neighbours whose traffic crosses it. `flow_key` tells flows of the same servers apart.
  void ring_links(std::span<const ServerId> servers, std::uint64_t flow_key,
                  std::vector<std::uint32_t>& links) const;

 private:
  struct Flow {
    std::uint64_t key;
    std::uint32_t from, to;  // servers
  };
  void cross(const Flow& flow, std::vector<std::uint32_t>& links) const;
  [[nodiscard]] std::uint32_t rack_up(std::uint32_t rack, std::uint32_t u) const;
  [[nodiscard]] std::uint32_t pod_up(std::uint32_t pod, std::uint32_t u, std::uint32_t v) const;
  [[nodiscard]] std::uint32_t pod_of(std::uint32_t server) const {
    return pods_by_rack_[racks_by_server_[server]];
  }

  std::uint32_t rack_uplinks_;  // 0: racks have no links
  std::uint32_t planes_;        // aggregation switches of a pod
  std::uint32_t pod_uplinks_;   // of each of them; 0: pods have no links
  std::uint64_t ecmp_seed_;
  std::uint32_t first_rack_link_ = 0;
  std::uint32_t first_pod_link_ = 0;
  std::uint32_t links_ = 0;
  std::vector<std::uint32_t> racks_by_server_;
  std::vector<std::uint32_t> pods_by_rack_;
  std::vector<std::string> pod_names_;
  std::vector<double> nic_capacities_;   // by server
  std::vector<double> rack_capacities_;  // by rack, of one uplink
  std::vector<double> pod_capacities_;   // by pod, the same
};

}  // namespace mosim
