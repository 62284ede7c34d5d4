// The option table: the one place that knows the scenario's keys. It feeds reading and checking,
// --help, `mosim schema`, docs/scenario.md and the resolved scenario.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/problems.hpp"
#include "base/yaml.hpp"
#include "mosim/scenario.hpp"

namespace mosim {

enum class ValueKind {
  text,
  path,
  paths,
  choice,
  integer,
  number,
  boolean,
  bandwidth,
  volume,
  duration
};

// One key of a `Struct`: Scenario, or ServerGroup for the items of cluster.servers.
template <typename Struct>
struct Option {
  using Member = std::variant<std::string Struct::*, std::uint64_t Struct::*,
                              std::uint32_t Struct::*, double Struct::*, bool Struct::*>;

  std::string_view key;  // "contention.model"
  ValueKind kind{};
  Member member;
  std::string_view help;
  double minimum = 0;  // of numbers
  double maximum = 0;
  std::vector<std::string> (*choices)() = nullptr;
};

[[nodiscard]] std::span<const Option<Scenario>> scenario_options();
[[nodiscard]] std::span<const Option<ServerGroup>> server_options();

// The key whose value is the list of server groups.
inline constexpr std::string_view kServersKey = "cluster.servers";
inline constexpr std::string_view kServersHelp = "groups of like servers; each has the keys below";

// The key whose value is the list of virtual clusters, and its form in YAML.
inline constexpr std::string_view kVirtualClustersKey = "cluster.virtual_clusters";
void read_virtual_clusters(const YamlNode& node, std::vector<VirtualCluster>& clusters,
                           Problems& problems);
void write_virtual_clusters(std::string& out, const std::vector<VirtualCluster>& clusters,
                            std::string_view indent);

// Whether a key says how the cluster file is read: its servers then stand for it.
[[nodiscard]] bool is_of_cluster_file(std::string_view key);

// The value of an option as text that `set_option` reads back.
template <typename Struct>
[[nodiscard]] std::string get_option(const Option<Struct>& option, const Struct& from);

// Sets an option from a YAML scalar. Throws InputError at the scalar's place.
template <typename Struct>
void set_option(const Option<Struct>& option, Struct& into, const YamlNode& node);

}  // namespace mosim
