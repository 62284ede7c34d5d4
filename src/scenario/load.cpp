#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/file.hpp"
#include "base/problems.hpp"
#include "base/text.hpp"
#include "cluster/read_cluster.hpp"
#include "scenario/options.hpp"

namespace mosim {
namespace {

constexpr std::string_view kDefaultScenario = "bundled:scenarios/default.yaml";
constexpr std::size_t kMostItems = 10000;  // that an override may reach in a list

// Runs `read` and keeps what it finds wrong, so that all mistakes are reported together.
template <typename Read>
void collect(Problems& problems, Read&& read) {
  try {
    read();
  } catch (const InputError& error) {
    for (const Diagnostic& found : error.diagnostics()) {
      problems.add(found.where, found.what, found.expected);
    }
  }
}

void read_servers(const YamlNode& node, std::vector<ServerGroup>& servers, Problems& problems) {
  if (node.kind != YamlNode::Kind::list || node.children.empty()) {
    problems.add(node.where(), fmt::format("{} is {}", kServersKey, kind_name(node.kind)),
                 "a list of at least one group of servers");
    return;
  }
  servers.clear();
  std::vector<std::string> keys;
  for (const auto& option : server_options()) keys.emplace_back(option.key);
  for (const YamlNode& item : node.children) {
    ServerGroup group;
    if (item.kind != YamlNode::Kind::map) {
      problems.add(item.where(), fmt::format("a group of servers is {}", kind_name(item.kind)),
                   "a map of keys");
    }
    for (const YamlNode& child : item.children) {
      const auto options = server_options();
      const auto option = std::find_if(options.begin(), options.end(),
                                       [&](const auto& o) { return o.key == child.key; });
      if (option == options.end()) {
        problems.add(child.key_where(), fmt::format("unknown key '{}'", child.key),
                     one_of(child.key, keys));
      } else {
        collect(problems, [&] { set_option(*option, group, child); });
      }
    }
    servers.push_back(group);
  }
}

// The keys that may stand in the section `prefix`, for messages: "model" of "contention.model".
std::vector<std::string> keys_in(std::string_view prefix) {
  std::vector<std::string> keys;
  const auto add = [&](std::string_view key) {
    if (!key.starts_with(prefix)) return;
    const std::string_view rest = key.substr(prefix.size());
    const std::string name(rest.substr(0, rest.find('.')));
    if (std::find(keys.begin(), keys.end(), name) == keys.end()) keys.push_back(name);
  };
  for (const auto& option : scenario_options()) add(option.key);
  add(kServersKey);
  add(kVirtualClustersKey);
  return keys;
}

void read_section(const YamlNode& node, const std::string& prefix, Scenario& scenario,
                  Problems& problems) {
  if (node.kind == YamlNode::Kind::null) return;
  if (node.kind != YamlNode::Kind::map) {
    problems.add(node.where(), fmt::format("is {}", kind_name(node.kind)),
                 fmt::format("keys: {}", join(keys_in(prefix), ", ")));
    return;
  }
  for (const YamlNode& child : node.children) {
    const std::string key = prefix + child.key;
    const auto options = scenario_options();
    const auto option =
        std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.key == key; });
    const std::vector<std::string> siblings = keys_in(prefix);
    if (option != options.end()) {
      collect(problems, [&] { set_option(*option, scenario, child); });
    } else if (key == kServersKey) {
      read_servers(child, scenario.servers, problems);
    } else if (key == kVirtualClustersKey) {
      read_virtual_clusters(child, scenario.virtual_clusters, problems);
    } else if (std::find(siblings.begin(), siblings.end(), child.key) != siblings.end()) {
      read_section(child, key + ".", scenario, problems);
    } else {
      problems.add(child.key_where(), fmt::format("unknown key '{}'", key),
                   one_of(child.key, siblings));
    }
  }
}

// One step of an override's key: a name, or an item of a list.
YamlNode& step_into(YamlNode& node, std::string_view name, const Override& override) {
  if (node.kind != YamlNode::Kind::map) {
    YamlNode map;
    map.kind = YamlNode::Kind::map;
    map.key = node.key;
    map.file = override.source;
    node = std::move(map);
  }
  if (YamlNode* child = node.find(name)) return *child;
  YamlNode& child = node.children.emplace_back();
  child.key = name;
  child.file = override.source;
  return child;
}

YamlNode& item_of(YamlNode& node, std::string_view number, const Override& override) {
  std::size_t item = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), item);
  const std::size_t items = node.kind == YamlNode::Kind::list ? node.children.size() : 0;
  if (error != std::errc() || end != number.data() + number.size() || item > items ||
      item > kMostItems) {
    throw InputError({override.source, {}},
                     fmt::format("{} has no item [{}]", override.key, number),
                     fmt::format("[0] to [{}]", items));
  }
  if (node.kind != YamlNode::Kind::list) {
    node.kind = YamlNode::Kind::list;
    node.file = override.source;
  }
  if (item == items) node.children.emplace_back().file = override.source;
  return node.children[item];
}

void apply_override(YamlNode& root, const Override& override) {
  YamlNode* at = &root;
  std::string_view rest = override.key;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t bracket = part.find('[');
    at = &step_into(*at, part.substr(0, bracket), override);
    if (bracket == std::string_view::npos) continue;
    const std::string_view number = part.substr(bracket + 1);
    at = &item_of(*at, number.substr(0, number.find(']')), override);
  }
  YamlNode value;
  if (override.yaml) {
    value = parse_yaml(override.source, override.value);
  } else {
    value.kind = YamlNode::Kind::scalar;
    value.scalar = override.value;
    value.file = override.source;
  }
  value.key = at->key;
  *at = std::move(value);
}

// A cluster file of ours has the key servers, alone or below cluster as in a scenario.
void read_own_cluster_file(Scenario& scenario, Problems& problems) {
  const std::string& file = scenario.cluster_file;
  const YamlNode root = parse_yaml(file, read_file(file, "a cluster file"));
  if (root.kind != YamlNode::Kind::map) {
    problems.add({file, root.position}, "is no cluster file of a known format",
                 fmt::format("the keys of YAML, or --cluster-format with one of {}",
                             join(cluster_format_names(), ", ")));
    return;
  }
  const YamlNode* cluster = root.find("cluster");
  if (cluster == nullptr) cluster = &root;
  const YamlNode* servers = cluster->find("servers");
  if (servers == nullptr) {
    problems.add({file, root.position}, "has no key 'servers'", "a list of groups of servers");
    return;
  }
  read_servers(*servers, scenario.servers, problems);
  scenario.virtual_clusters.clear();
  if (const YamlNode* clusters = cluster->find("virtual_clusters")) {
    read_virtual_clusters(*clusters, scenario.virtual_clusters, problems);
  }
  if (problems.count() == 0) rename_gpus(scenario.servers, scenario.cluster_gpu_types);
}

void read_cluster_file(Scenario& scenario, Problems& problems) {
  const ClusterOptions options{
      .file = scenario.cluster_file,
      .format = scenario.cluster_format,
      .date = scenario.cluster_date,
      .gpu = scenario.cluster_gpu,
      .gpus_per_server = static_cast<std::uint32_t>(scenario.cluster_gpus_per_server),
      .nic = scenario.cluster_nic,
      .gpu_types = scenario.cluster_gpu_types};
  if (cluster_format_of(options) == kOwnClusterFormat) {
    return read_own_cluster_file(scenario, problems);
  }
  ImportedCluster cluster = import_cluster(options);
  scenario.servers = std::move(cluster.spec.groups);
  scenario.virtual_clusters = std::move(cluster.spec.virtual_clusters);
  scenario.cluster_notes = std::move(cluster.notes);
}

// Keys that depend on each other.
void check_together(const Scenario& scenario, const std::string& file, Problems& problems) {
  if (scenario.profile_backend == "table" && scenario.profile_table.empty()) {
    problems.add({file, {}}, "profile.backend is 'table' and profile.table is not set",
                 "the path of a table");
  }
  const ClusterSpec cluster = cluster_of(scenario);
  if (cluster.servers() > 1000000 || cluster.gpus() > 100000000) {
    problems.add({file, {}},
                 fmt::format("cluster.servers makes {} servers with {} GPUs", cluster.servers(),
                             cluster.gpus()),
                 "at most 1000000 servers and 100000000 GPUs");
  }
  for (const ServerGroup& group : scenario.servers) {
    if (group.nic > 0) continue;
    problems.add({file, {}}, "nic is 0", "a bandwidth above 0 for every group of servers");
  }
}

}  // namespace

Override parse_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError({"--set", {}}, fmt::format("'{}' is not a setting", text),
                     "key=value, such as contention.model=none");
  }
  return {std::string(trim(std::string_view(text).substr(0, equals))), text.substr(equals + 1),
          "--set", true};
}

Scenario load_scenario(const std::string& file, const std::vector<Override>& overrides) {
  const std::string path = file.empty() ? std::string(kDefaultScenario) : file;
  YamlNode root = parse_yaml(path, read_file(path, "a scenario file"));
  if (root.kind == YamlNode::Kind::null) root.kind = YamlNode::Kind::map;
  Problems problems;
  if (root.kind != YamlNode::Kind::map) {
    problems.add(root.where(), fmt::format("is {}", kind_name(root.kind)),
                 fmt::format("keys: {}", join(keys_in(""), ", ")));
    problems.throw_if_any();
  }
  for (const Override& override : overrides) {
    collect(problems, [&] { apply_override(root, override); });
  }
  Scenario scenario;
  read_section(root, "", scenario, problems);
  problems.throw_if_any();
  if (!scenario.cluster_file.empty()) read_cluster_file(scenario, problems);
  check_together(scenario, path, problems);
  problems.throw_if_any();
  return scenario;
}

}  // namespace mosim
