// A cluster for people and scripts.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mosim/fabric.hpp"
#include "mosim/output.hpp"

namespace mosim {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGbps = 1e9 / 8;

struct Range {
  double least = 0;
  double most = 0;

  void add(double value, bool first) {
    least = first ? value : std::min(least, value);
    most = first ? value : std::max(most, value);
  }
};

// Servers that have something in common.
struct Share {
  std::string name;
  std::uint64_t servers = 0;
  std::uint64_t gpus = 0;
  Range gpus_per_server = {}, cpus = {}, memory = {}, nic = {};

  void add(const ServerGroup& group) {
    const bool first = servers == 0;
    servers += group.count;
    gpus += std::uint64_t{group.count} * group.gpus;
    gpus_per_server.add(group.gpus, first);
    cpus.add(group.cpus, first);
    memory.add(group.memory, first);
    nic.add(group.nic * group.nics, first);
  }
};

std::vector<Share> by_gpu_type(const ClusterSpec& cluster) {
  std::vector<Share> types;
  for (const ServerGroup& group : cluster.groups) {
    auto type = std::find_if(types.begin(), types.end(),
                             [&](const Share& known) { return known.name == group.gpu; });
    if (type == types.end()) type = types.insert(types.end(), Share{.name = group.gpu});
    type->add(group);
  }
  return types;
}

// The servers that are a virtual cluster's own.
Share own_servers(const ClusterSpec& cluster, const std::string& name) {
  Share own{.name = name};
  for (const ServerGroup& group : cluster.groups) {
    if (group.virtual_cluster == name) own.add(group);
  }
  return own;
}

std::uint64_t racks(const ClusterSpec& cluster) {
  std::uint64_t sum = 0;
  for (const ServerGroup& group : cluster.groups) {
    const std::uint32_t per_rack =
        group.servers_per_rack == 0 ? group.count : group.servers_per_rack;
    sum += (std::uint64_t{group.count} + per_rack - 1) / per_rack;
  }
  return sum;
}

Json json_of(const Range& range) { return {{"min", range.least}, {"max", range.most}}; }

// "64" or "32-128"; what is not limited is "-".
std::string text_of(const Range& range, double unit) {
  if (range.most == 0) return "-";
  if (range.least == range.most) return fmt::format("{:.6g}", range.most / unit);
  return fmt::format("{:.6g}-{:.6g}", range.least / unit, range.most / unit);
}

std::string virtual_cluster_table(const ClusterSpec& cluster) {
  std::string out =
      fmt::format("\n{:<24}{:>9}{:>9}{:>9}\n", "virtual cluster", "servers", "GPUs", "quota");
  for (const VirtualCluster& virtual_cluster : cluster.virtual_clusters) {
    const Share own = own_servers(cluster, virtual_cluster.name);
    out += fmt::format("{:<24}{:>9}{:>9}{:>9}\n", virtual_cluster.name, own.servers, own.gpus,
                       virtual_cluster.quota == 0 ? "-" : fmt::format("{}", virtual_cluster.quota));
  }
  const Share shared = own_servers(cluster, "");
  if (shared.servers == 0) return out;
  return out +
         fmt::format("{:<24}{:>9}{:>9}{:>9}\n", "everyone's", shared.servers, shared.gpus, "-");
}

// The racks of the fabric, or its pods.
struct Level {
  std::string_view name;
  std::string_view of;
  std::uint64_t count = 0;
  Range members = {};         // servers of a rack, racks of a pod
  std::uint64_t uplinks = 0;  // of each
  Range capacity = {};        // of an uplink
  double oversubscription = 1;
};

// How often each number from 0 up is among `numbers`.
Range sizes(const std::vector<std::uint32_t>& numbers, std::size_t count) {
  std::vector<std::uint32_t> found(count);
  for (const std::uint32_t number : numbers) ++found[number];
  Range range;
  for (std::size_t i = 0; i < count; ++i) range.add(found[i], i == 0);
  return range;
}

Range capacities(const Fabric& fabric, std::uint64_t first, std::uint64_t end) {
  Range range;
  for (std::uint64_t link = first; link < end; ++link) {
    range.add(fabric.capacity(static_cast<std::uint32_t>(link)), link == first);
  }
  return range;
}

// None where nothing is said of what is above the NICs.
std::vector<Level> fabric_levels(const ClusterSpec& cluster) {
  const Fabric fabric(cluster);
  const FabricSpec& spec = cluster.fabric;
  if (!fabric.has_links_above_nics() && !cluster.has_pods()) return {};
  const std::uint64_t racks = cluster.racks();
  const std::uint64_t first_pod_link = cluster.servers() + 2 * racks * spec.rack_uplinks;
  std::vector<Level> levels{
      {"rack", "servers", racks, sizes(cluster.racks_by_server(), racks), spec.rack_uplinks,
       capacities(fabric, cluster.servers(), first_pod_link), spec.rack_oversubscription}};
  if (!cluster.has_pods()) return levels;
  const std::uint64_t pods = cluster.pod_names().size();
  levels.push_back({"pod", "racks", pods, sizes(cluster.pods_by_rack(), pods),
                    (fabric.links() - first_pod_link) / 2 / pods,
                    capacities(fabric, first_pod_link, fabric.links()), spec.pod_oversubscription});
  return levels;
}

Json json_of(const std::vector<Level>& levels) {
  Json json = Json::array();
  for (const Level& level : levels) {
    json.push_back({{"level", level.name},
                    {"count", level.count},
                    {std::string(level.of) + "_each", json_of(level.members)},
                    {"uplinks_each", level.uplinks},
                    {"bytes_per_s_per_uplink", json_of(level.capacity)},
                    {"oversubscription", level.oversubscription}});
  }
  return json;
}

std::string fabric_table(const std::vector<Level>& levels) {
  std::string out = fmt::format("\n{:<20}{:>9}{:>11}{:>14}{:>18}{:>18}\n", "fabric", "number",
                                "each has", "uplinks/each", "Gbps/uplink", "oversubscription");
  for (const Level& level : levels) {
    const bool limits = level.uplinks > 0;
    out += fmt::format("{:<20}{:>9}{:>11}{:>14}{:>18}{:>18}\n",
                       fmt::format("{}s of {}", level.name, level.of), level.count,
                       text_of(level.members, 1), limits ? fmt::format("{}", level.uplinks) : "-",
                       text_of(level.capacity, kGbps),
                       limits ? fmt::format("{:.6g}", level.oversubscription) : "-");
  }
  return out;
}

}  // namespace

std::string cluster_json(const ClusterSpec& cluster, const std::vector<std::string>& notes) {
  Json json;
  json["schema_version"] = 1;
  json["servers"] = cluster.servers();
  json["gpus"] = cluster.gpus();
  json["racks"] = racks(cluster);
  json["gpu_types"] = Json::array();
  for (const Share& type : by_gpu_type(cluster)) {
    json["gpu_types"].push_back({{"gpu", type.name},
                                 {"servers", type.servers},
                                 {"gpus", type.gpus},
                                 {"gpus_per_server", json_of(type.gpus_per_server)},
                                 {"cpus_per_server", json_of(type.cpus)},
                                 {"memory_bytes_per_server", json_of(type.memory)},
                                 {"nic_bytes_per_s_per_server", json_of(type.nic)}});
  }
  json["virtual_clusters"] = Json::array();
  for (const VirtualCluster& virtual_cluster : cluster.virtual_clusters) {
    const Share own = own_servers(cluster, virtual_cluster.name);
    json["virtual_clusters"].push_back({{"name", virtual_cluster.name},
                                        {"servers", own.servers},
                                        {"gpus", own.gpus},
                                        {"quota", virtual_cluster.quota},
                                        {"queue", virtual_cluster.queue}});
  }
  const std::vector<Level> levels = fabric_levels(cluster);
  if (!levels.empty()) json["fabric"] = json_of(levels);
  json["notes"] = notes;
  return json.dump(2) + "\n";
}

std::string cluster_table(const ClusterSpec& cluster) {
  constexpr double kGiB = 1073741824;
  std::string out = fmt::format("{} servers, {} GPUs, racks: {}\n\n", cluster.servers(),
                                cluster.gpus(), racks(cluster));
  out += fmt::format("{:<20}{:>9}{:>9}{:>13}{:>13}{:>14}{:>15}\n", "GPU type", "servers", "GPUs",
                     "GPUs/server", "CPUs/server", "GiB/server", "Gbps/server");
  for (const Share& type : by_gpu_type(cluster)) {
    out += fmt::format("{:<20}{:>9}{:>9}{:>13}{:>13}{:>14}{:>15}\n", type.name, type.servers,
                       type.gpus, text_of(type.gpus_per_server, 1), text_of(type.cpus, 1),
                       text_of(type.memory, kGiB), text_of(type.nic, kGbps));
  }
  if (!cluster.virtual_clusters.empty()) out += virtual_cluster_table(cluster);
  const std::vector<Level> levels = fabric_levels(cluster);
  if (!levels.empty()) out += fabric_table(levels);
  return out;
}

}  // namespace mosim
