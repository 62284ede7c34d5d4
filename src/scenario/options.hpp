// The option table: the one place that knows the scenario's keys. It feeds reading and checking,
// --help, `mosim schema`, docs/scenario.md and the resolved scenario.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/problems.hpp"
#include "base/yaml.hpp"
#include "mosim/scenario.hpp"

namespace mosim {

enum class ValueKind {
  text,
  texts,  // a list
  path,
  paths,  // comma-separated
  path_list,
  choice,
  queue,  // a policy by name, perhaps with parameters; so is a placement
  placement,
  integer,
  number,
  boolean,
  bandwidth,
  volume,
  duration
};

// One key of a `Struct`: Scenario, or what is an item of one of its lists.
template <typename Struct>
// In the order in which the table is read: NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct Option {
  using Member = std::variant<std::string Struct::*, std::vector<std::string> Struct::*,
                              std::uint64_t Struct::*, std::uint32_t Struct::*, double Struct::*,
                              bool Struct::*>;

  std::string_view key;  // "contention.model"
  ValueKind kind{};
  Member member;
  std::string_view help;
  double minimum = 0;  // of numbers
  double maximum = 0;
  std::vector<std::string> (*choices)() = nullptr;
};

[[nodiscard]] std::span<const Option<Scenario>> scenario_options();

// A key whose value is a list of maps, each with the keys of `options`.
template <typename Item>
struct ListOption {
  std::string_view key;   // "cluster.servers"
  std::string_view help;  // "groups of like servers"
  std::string_view item;  // "a group of servers"
  std::vector<Item> Scenario::* member;
  std::span<const Option<Item>> options;
  bool may_be_empty = true;
};

[[nodiscard]] const ListOption<ServerGroup>& servers_list();
[[nodiscard]] const ListOption<VirtualCluster>& virtual_clusters_list();
[[nodiscard]] const ListOption<ServerEventKeys>& server_events_list();

template <typename Visit>
void for_each_list(Visit&& visit) {
  visit(servers_list());
  visit(virtual_clusters_list());
  visit(server_events_list());
}

// The servers that an event is for, both ends included: "3" or "0-7". Nothing when it is neither.
[[nodiscard]] std::optional<std::pair<std::uint32_t, std::uint32_t>> parse_server_range(
    std::string_view text);

inline constexpr std::string_view kFabricKeys = "cluster.fabric.";

// Whether a key is of the fabric, which is written only where it is not at its default: most
// clusters have none.
[[nodiscard]] inline bool is_of_fabric(std::string_view key) {
  return key.starts_with(kFabricKeys);
}

// Whether a key says how the cluster file is read: its servers then stand for it.
[[nodiscard]] bool is_of_cluster_file(std::string_view key);

// The value of an option as text that `set_option` reads back once it is quoted for YAML; a list is
// in YAML already, and an empty one no text.
template <typename Struct>
[[nodiscard]] std::string get_option(const Option<Struct>& option, const Struct& from);

// Sets an option from its YAML value. Throws InputError at the value's place.
template <typename Struct>
void set_option(const Option<Struct>& option, Struct& into, const YamlNode& node);

}  // namespace mosim
