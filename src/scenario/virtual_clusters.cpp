// The key cluster.virtual_clusters.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "scenario/options.hpp"

namespace mosim {
namespace {

constexpr NumberRange kQuota{0, 1e9, true};

VirtualCluster read_virtual_cluster(const YamlNode& node, Problems& problems) {
  YamlMap map(node, "a virtual cluster", problems);
  VirtualCluster cluster;
  cluster.name = map.text("name");
  if (node.find("jobs") != nullptr) cluster.jobs = map.texts("jobs");
  if (node.find("quota") != nullptr) {
    cluster.quota = static_cast<std::uint32_t>(map.number("quota", kQuota));
  }
  if (node.find("queue") != nullptr) cluster.queue = map.text("queue");
  for (const char* key : {"jobs", "quota", "queue"}) (void)map.any(key, false);
  map.finish();
  return cluster;
}

}  // namespace

void read_virtual_clusters(const YamlNode& node, std::vector<VirtualCluster>& clusters,
                           Problems& problems) {
  clusters.clear();
  if (node.kind == YamlNode::Kind::null) return;
  if (node.kind != YamlNode::Kind::list) {
    problems.add(node.where(), fmt::format("{} is {}", kVirtualClustersKey, kind_name(node.kind)),
                 "a list of virtual clusters");
    return;
  }
  for (const YamlNode& item : node.children) {
    clusters.push_back(read_virtual_cluster(item, problems));
  }
}

void write_virtual_clusters(std::string& out, const std::vector<VirtualCluster>& clusters,
                            std::string_view indent) {
  if (clusters.empty()) return;
  out += fmt::format("{}virtual_clusters:\n", indent);
  for (const VirtualCluster& cluster : clusters) {
    std::string line = fmt::format("name: {}", yaml_flow_scalar(cluster.name));
    if (!cluster.jobs.empty()) {
      std::vector<std::string> jobs = cluster.jobs;
      for (std::string& name : jobs) name = yaml_flow_scalar(name);
      line += fmt::format(", jobs: [{}]", join(jobs, ", "));
    }
    if (cluster.quota > 0) line += fmt::format(", quota: {}", cluster.quota);
    if (!cluster.queue.empty()) line += fmt::format(", queue: {}", yaml_flow_scalar(cluster.queue));
    out += fmt::format("{}  - {{{}}}\n", indent, line);
  }
}

}  // namespace mosim
