#include "scenario/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "mosim/fabric.hpp"
#include "scenario/options.hpp"

namespace mosim {
namespace {

// `item` of the list `name` in `section`, or its value `key` where it has one; the nearest node
// above where there is no such thing.
SourceLocation place_of(const ScenarioText& text, std::string_view section, std::string_view name,
                        std::size_t item = 0, std::string_view key = {}) {
  const YamlNode* at = &text.root;
  if (const YamlNode* found = at->find(section)) at = found;
  if (text.cluster_file != nullptr && section == "cluster") {
    const YamlNode* below = text.cluster_file->find(section);
    const YamlNode* file = below == nullptr ? text.cluster_file : below;
    if (file->find(name) != nullptr) at = file;
  }
  if (const YamlNode* found = at->find(name)) at = found;
  if (at->kind == YamlNode::Kind::list && item < at->children.size()) at = &at->children[item];
  if (const YamlNode* found = at->find(key)) at = found;
  return at->where();
}

std::vector<std::string> names_of(const Scenario& scenario) {
  std::vector<std::string> names;
  names.reserve(scenario.virtual_clusters.size());
  for (const VirtualCluster& one : scenario.virtual_clusters) names.push_back(one.name);
  return names;
}

void check_virtual_clusters(const Scenario& scenario, const ScenarioText& text,
                            Problems& problems) {
  std::vector<std::string> names;
  std::vector<std::string> taken;  // names in the trace
  for (std::size_t i = 0; i < scenario.virtual_clusters.size(); ++i) {
    const VirtualCluster& one = scenario.virtual_clusters[i];
    const auto refuse = [&](std::string_view key, std::string what, std::string expected) {
      problems.add(place_of(text, "cluster", "virtual_clusters", i, key), std::move(what),
                   std::move(expected));
    };
    if (one.name.empty() || one.name == "refuse" || one.name == "drop") {
      refuse("name", fmt::format("a virtual cluster has the name '{}'", one.name),
             "key name, and not refuse or drop, which cluster.unmapped gives a meaning");
    }
    if (std::find(names.begin(), names.end(), one.name) != names.end()) {
      refuse("name", fmt::format("virtual cluster '{}' is there already", one.name),
             "each name once");
    }
    names.push_back(one.name);
    for (const std::string& job : one.jobs.empty() ? std::vector{one.name} : one.jobs) {
      if (std::find(taken.begin(), taken.end(), job) != taken.end()) {
        refuse("jobs", fmt::format("jobs of '{}' have a virtual cluster already", job),
               "one for each name of the trace");
      }
      taken.push_back(job);
    }
  }
}

}  // namespace

void check_cluster(const Scenario& scenario, const ScenarioText& text, Problems& problems) {
  check_virtual_clusters(scenario, text, problems);
  const std::vector<std::string> names = names_of(scenario);
  const auto known = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (std::size_t i = 0; i < scenario.servers.size(); ++i) {
    const std::string& owner = scenario.servers[i].virtual_cluster;
    if (owner.empty() || known(owner)) continue;
    problems.add(
        place_of(text, "cluster", "servers", i, "virtual_cluster"),
        fmt::format("virtual_cluster is '{}'", owner),
        names.empty() ? "none: there are no cluster.virtual_clusters" : one_of(owner, names));
  }
  const std::string& unmapped = scenario.unmapped;
  if (unmapped == "refuse" || unmapped == "drop" || known(unmapped)) return;
  std::vector<std::string> choices = names;
  choices.insert(choices.begin(), {"refuse", "drop"});
  problems.add(place_of(text, "cluster", "unmapped"),
               fmt::format("cluster.unmapped is '{}'", unmapped), one_of(unmapped, choices));
}

void check_fabric(const Scenario& scenario, const ScenarioText& text, Problems& problems) {
  constexpr std::uint64_t kMostLinks = 10'000'000;
  const ClusterSpec cluster = cluster_of(scenario);
  const auto refuse = [&](std::string what, std::string expected) {
    problems.add(place_of(text, "cluster", "fabric"), std::move(what), std::move(expected));
  };
  const auto has_no_pod = [](const ServerGroup& group) { return group.pod.empty(); };
  const auto without = std::ranges::find_if(cluster.groups, has_no_pod);
  const bool named = !std::ranges::all_of(cluster.groups, has_no_pod);
  if (named && without != cluster.groups.end()) {
    const auto group = static_cast<std::size_t>(without - cluster.groups.begin());
    problems.add(place_of(text, "cluster", "servers", group),
                 "a group of servers has no key 'pod', and others have",
                 "a pod for each group, or cluster.fabric.pod.racks for all");
  }
  if (named && cluster.fabric.pod_racks > 0) {
    refuse(fmt::format("cluster.fabric.pod.racks is {}, and groups of servers have pods too",
                       cluster.fabric.pod_racks),
           "one of the two");
  }
  if (cluster.fabric.pod_uplinks > 0 && !cluster.has_pods()) {
    refuse(fmt::format("cluster.fabric.pod.uplinks is {}, and there are no pods",
                       cluster.fabric.pod_uplinks),
           "cluster.fabric.pod.racks above 0, or a pod for each of cluster.servers[]");
  }
  if (const std::uint64_t links = Fabric::count_links(cluster); links > kMostLinks) {
    refuse(fmt::format("the fabric has {} links", links), fmt::format("at most {}", kMostLinks));
  }
}

std::vector<std::string> fabric_notes(const FabricSpec& fabric) {
  std::vector<std::string> notes;
  const auto note = [&](std::string_view level, double oversubscription, std::uint32_t uplinks) {
    if (oversubscription == 1 || uplinks > 0) return;
    notes.push_back(
        fmt::format("cluster.fabric.{0}.oversubscription does nothing: cluster.fabric.{0}.uplinks "
                    "is 0, so {0}s do not limit",
                    level));
  };
  note("rack", fabric.rack_oversubscription, fabric.rack_uplinks);
  note("pod", fabric.pod_oversubscription, fabric.pod_uplinks);
  return notes;
}

void check_availability(const Scenario& scenario, const ScenarioText& text, Problems& problems) {
  const std::uint64_t servers = cluster_of(scenario).servers();
  for (std::size_t i = 0; i < scenario.availability_events.size(); ++i) {
    const ServerEventKeys& event = scenario.availability_events[i];
    const auto refuse = [&](std::string_view key, std::string what, std::string expected) {
      problems.add(place_of(text, "availability", "events", i, key), std::move(what),
                   std::move(expected));
    };
    if (event.what.empty()) {
      refuse("", "an event of servers has no key 'what'", "add, drain, fail or repair");
    }
    if (event.server.empty() == event.servers.empty()) {
      refuse("", "an event of servers has both or neither of the keys 'server' and 'servers'",
             "one of them");
      continue;
    }
    const bool one = event.servers.empty();
    const auto range = parse_server_range(one ? event.server : event.servers);
    if (!range || range->second >= servers || (one && range->first != range->second)) {
      refuse(
          one ? "server" : "servers",
          fmt::format("{} is '{}'", one ? "server" : "servers", one ? event.server : event.servers),
          fmt::format("{} from 0 to {}", one ? "a number" : "first-last, such as 0-7,",
                      servers - 1));
    }
  }
  if (scenario.mtbf_s > 0 && scenario.mtbf_s < 60) {
    problems.add(place_of(text, "availability", "mtbf"),
                 fmt::format("availability.mtbf is {}",
                             format_quantity(Dimension::duration, scenario.mtbf_s)),
                 "0 s, or at least 1 min");
  }
}

}  // namespace mosim
