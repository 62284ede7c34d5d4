#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "base/file.hpp"
#include "base/problems.hpp"
#include "base/text.hpp"
#include "cluster/read_cluster.hpp"
#include "scenario/checks.hpp"
#include "scenario/options.hpp"
#include "schedule/plugin.hpp"

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

template <typename Item>
Item read_item(const ListOption<Item>& list, const YamlNode& node, Problems& problems) {
  Item item;
  if (node.kind != YamlNode::Kind::map) {
    problems.add(node.where(), fmt::format("{} is {}", list.item, kind_name(node.kind)),
                 "a map of keys");
  }
  std::vector<std::string> keys;
  for (const auto& option : list.options) keys.emplace_back(option.key);
  for (const YamlNode& child : node.children) {
    const auto option = std::find_if(list.options.begin(), list.options.end(),
                                     [&](const auto& o) { return o.key == child.key; });
    if (option == list.options.end()) {
      problems.add(child.key_where(), fmt::format("unknown key '{}'", child.key),
                   one_of(child.key, keys));
    } else {
      collect(problems, [&] { set_option(*option, item, child); });
    }
  }
  return item;
}

template <typename Item>
void read_list(const ListOption<Item>& list, const YamlNode& node, Scenario& scenario,
               Problems& problems) {
  const bool is_list = node.kind == YamlNode::Kind::list;
  const bool empty = node.kind == YamlNode::Kind::null || (is_list && node.children.empty());
  if (empty ? !list.may_be_empty : !is_list) {
    const std::string expected =
        list.may_be_empty ? "a list of maps" : fmt::format("a list of at least {}", list.item);
    const std::string_view kind = empty && is_list ? "an empty list" : kind_name(node.kind);
    problems.add(node.where(), fmt::format("{} is {}", list.key, kind), expected);
    return;
  }
  std::vector<Item>& items = scenario.*list.member;
  items.clear();
  for (const YamlNode& child : node.children) items.push_back(read_item(list, child, problems));
}

// Whether the key is one of a list; reads it then.
bool read_if_list(const YamlNode& node, std::string_view key, Scenario& scenario,
                  Problems& problems) {
  bool found = false;
  for_each_list([&](const auto& list) {
    if (list.key != key) return;
    found = true;
    read_list(list, node, scenario, problems);
  });
  return found;
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
  for_each_list([&](const auto& list) { add(list.key); });
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
    } else if (read_if_list(child, key, scenario, problems)) {
      continue;
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

// The end of a list: "plugins[]". A value that stands for a list of one becomes that list.
YamlNode& append_item(YamlNode& node, const Override& override) {
  if (node.kind == YamlNode::Kind::scalar) {
    const YamlNode first = node;
    node.children.push_back(first);
  }
  node.kind = YamlNode::Kind::list;
  YamlNode& item = node.children.emplace_back();
  item.file = override.source;
  return item;
}

YamlNode& item_of(YamlNode& node, std::string_view number, const Override& override) {
  if (number.empty()) return append_item(node, override);
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

void check_keys(const YamlNode& map, const std::vector<std::string>& known, Problems& problems) {
  for (const YamlNode& child : map.children) {
    if (std::find(known.begin(), known.end(), child.key) != known.end()) continue;
    problems.add(child.key_where(), fmt::format("unknown key '{}'", child.key),
                 one_of(child.key, known));
  }
}

// The fabric of a cluster file. What the scenario itself says of it goes before, so that the keys
// of one fabric can be varied.
void read_fabric(const YamlNode& fabric, const YamlNode& root, Scenario& scenario,
                 Problems& problems) {
  Scenario both;
  read_section(fabric, std::string(kFabricKeys), both, problems);
  read_section(root, "", both, problems);
  scenario = std::move(both);
}

// A cluster file of ours has the key servers, alone or below cluster as in a scenario.
YamlNode read_own_cluster_file(const YamlNode& scenario_root, Scenario& scenario,
                               Problems& problems) {
  const std::string& file = scenario.cluster_file;
  YamlNode root = parse_yaml(file, read_file(file, "a cluster file"));
  if (root.kind != YamlNode::Kind::map) {
    problems.add({file, root.position}, "is no cluster file of a known format",
                 fmt::format("the keys of YAML, or --cluster-format with one of {}",
                             join(cluster_format_names(), ", ")));
    return root;
  }
  const YamlNode* below = root.find("cluster");
  const YamlNode& cluster = below == nullptr ? root : *below;
  if (below != nullptr) check_keys(root, {"cluster"}, problems);
  check_keys(cluster, {"servers", "virtual_clusters", "fabric"}, problems);
  if (const YamlNode* fabric = cluster.find("fabric")) {
    read_fabric(*fabric, scenario_root, scenario, problems);
  }
  scenario.virtual_clusters.clear();
  if (const YamlNode* servers = cluster.find("servers")) {
    read_list(servers_list(), *servers, scenario, problems);
  } else {
    problems.add({file, root.position}, "has no key 'servers'", "a list of groups of servers");
  }
  if (const YamlNode* virtual_clusters = cluster.find("virtual_clusters")) {
    read_list(virtual_clusters_list(), *virtual_clusters, scenario, problems);
  }
  if (problems.count() == 0) rename_gpus(scenario.servers, scenario.cluster_gpu_types);
  return root;
}

// Gives the file back where it is YAML, for messages about what it holds.
std::optional<YamlNode> read_cluster_file(const YamlNode& root, Scenario& scenario,
                                          Problems& problems) {
  const ClusterOptions options{
      .file = scenario.cluster_file,
      .format = scenario.cluster_format,
      .date = scenario.cluster_date,
      .gpu = scenario.cluster_gpu,
      .gpus_per_server = static_cast<std::uint32_t>(scenario.cluster_gpus_per_server),
      .nic = scenario.cluster_nic,
      .gpu_types = scenario.cluster_gpu_types};
  if (cluster_format_of(options) == kOwnClusterFormat) {
    return read_own_cluster_file(root, scenario, problems);
  }
  ImportedCluster cluster = import_cluster(options);
  scenario.servers = std::move(cluster.spec.groups);
  scenario.virtual_clusters = std::move(cluster.spec.virtual_clusters);
  scenario.cluster_notes = std::move(cluster.notes);
  return std::nullopt;
}

// Before anything else is read: plugins bring policies that the scenario may name.
void load_plugins(const YamlNode& root) {
  const YamlNode* node = root.find("plugins");
  if (node == nullptr) return;
  const auto options = scenario_options();
  const auto option = std::ranges::find(options, "plugins", &Option<Scenario>::key);
  Scenario scenario;
  set_option(*option, scenario, *node);
  for (const std::string& plugin : scenario.plugins) load_plugin(plugin);
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
  return parse_scenario(path, read_file(path, "a scenario file"), overrides);
}

Scenario parse_scenario(const std::string& name, const std::string& text,
                        const std::vector<Override>& overrides) {
  YamlNode root = parse_yaml(name, text);
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
  load_plugins(root);
  Scenario scenario;
  read_section(root, "", scenario, problems);
  problems.throw_if_any();
  std::optional<YamlNode> cluster;
  if (!scenario.cluster_file.empty()) {
    cluster = read_cluster_file(root, scenario, problems);
    problems.throw_if_any();
  }
  check_together(scenario, name, problems);
  check_cluster(scenario, {root, cluster ? &*cluster : nullptr}, problems);
  check_availability(scenario, {root, nullptr}, problems);
  problems.throw_if_any();
  check_fabric(scenario, {root, cluster ? &*cluster : nullptr}, problems);
  problems.throw_if_any();
  std::ranges::move(fabric_notes(cluster_of(scenario).fabric),
                    std::back_inserter(scenario.cluster_notes));
  return scenario;
}

}  // namespace mosim
