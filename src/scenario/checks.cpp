#include "scenario/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
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
