// What the option table says to people and editors.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "scenario/options.hpp"

namespace mosim {
namespace {

using Json = nlohmann::ordered_json;

std::string type_text(ValueKind kind, double minimum, double maximum,
                      std::vector<std::string> (*choices)()) {
  switch (kind) {
    case ValueKind::text:
      return "text";
    case ValueKind::texts:
      return "list of text";
    case ValueKind::path_list:
      return "list of paths";
    case ValueKind::path:
      return "path";
    case ValueKind::paths:
      return "paths, comma-separated";
    case ValueKind::choice:
    case ValueKind::queue:
    case ValueKind::placement:
      return join(choices(), " \\| ");
    case ValueKind::integer:
      return fmt::format("integer, {} to {}", minimum, maximum);
    case ValueKind::number:
      return fmt::format("number, {} to {}", minimum, maximum);
    case ValueKind::boolean:
      return "true \\| false";
    case ValueKind::bandwidth:
      return "bandwidth";
    case ValueKind::volume:
      return "volume";
    case ValueKind::duration:
      return "duration";
  }
  throw std::logic_error("unknown kind of value");
}

template <typename Struct>
std::string default_of(const Option<Struct>& option) {
  return get_option(option, Struct{});
}

template <typename Struct>
std::string markdown_row(const Option<Struct>& option, std::string_view prefix) {
  const std::string value = default_of(option);
  return fmt::format("| `{}{}` | {} | {} | {} |\n", prefix, option.key,
                     type_text(option.kind, option.minimum, option.maximum, option.choices),
                     value.empty() ? "" : fmt::format("`{}`", value), option.help);
}

template <typename Struct>
Json schema_of(const Option<Struct>& option) {
  Json schema;
  switch (option.kind) {
    case ValueKind::text:
    case ValueKind::path:
    case ValueKind::paths:
      schema["type"] = "string";
      break;
    case ValueKind::texts:
    case ValueKind::path_list:
      schema["type"] = "array";
      schema["items"] = {{"type", "string"}};
      break;
    case ValueKind::choice:
      schema["enum"] = option.choices();
      break;
    case ValueKind::queue:
    case ValueKind::placement:
      // A name, which editors complete, or one with parameters.
      schema["anyOf"] = {
          {{"enum", option.choices()}},
          {{"type", "string"},
           {"pattern", fmt::format("^\\s*({})\\s*\\(.*\\)\\s*$", join(option.choices(), "|"))}}};
      break;
    case ValueKind::integer:
    case ValueKind::number:
      schema["type"] = option.kind == ValueKind::integer ? "integer" : "number";
      schema["minimum"] = option.minimum;
      schema["maximum"] = option.maximum;
      break;
    case ValueKind::boolean:
      schema["type"] = "boolean";
      break;
    case ValueKind::bandwidth:
      schema["type"] = "string";
      schema["pattern"] =
          "^\\s*[0-9.]+([eE][-+]?[0-9]+)?\\s*([kMGT]?bps|([kMGT]|[KMGT]i)?B/s)\\s*$";
      break;
    case ValueKind::volume:
      schema["type"] = "string";
      schema["pattern"] = "^\\s*[0-9.]+([eE][-+]?[0-9]+)?\\s*([kMGT]|[KMGT]i)?B\\s*$";
      break;
    case ValueKind::duration:
      schema["type"] = "string";
      schema["pattern"] = "^(\\s*[0-9.]+([eE][-+]?[0-9]+)?\\s*(s|ms|us|min|m|h|d))+\\s*$";
      break;
  }
  schema["description"] = option.help;
  const std::string value = default_of(option);
  if (value.empty() && (option.choices != nullptr || schema["type"] == "array")) {
    return schema;
  }
  if (option.kind == ValueKind::integer || option.kind == ValueKind::number) {
    schema["default"] = Json::parse(value);
  } else if (option.kind == ValueKind::boolean) {
    schema["default"] = value == "true";
  } else {
    schema["default"] = value;
  }
  return schema;
}

Json object_schema() {
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
}

// The schema of the section that a key stands in, made when it is not there yet.
Json& properties_for(Json& root, std::string_view key, std::string_view& name) {
  Json* at = &root;
  for (std::size_t dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.')) {
    Json& section = (*at)["properties"][std::string(key.substr(0, dot))];
    if (section.is_null()) section = object_schema();
    at = &section;
    key.remove_prefix(dot + 1);
  }
  name = key;
  return (*at)["properties"];
}

template <typename Item>
Json list_schema(const ListOption<Item>& list) {
  Json item = object_schema();
  for (const auto& option : list.options) {
    item["properties"][std::string(option.key)] = schema_of(option);
  }
  Json schema = {{"type", "array"}};
  if (!list.may_be_empty) schema["minItems"] = 1;
  schema["description"] = list.help;
  schema["items"] = item;
  return schema;
}

template <typename Item>
void write_list(std::string& out, const ListOption<Item>& list, const std::vector<Item>& items,
                std::string_view indent) {
  if (items.empty()) return;
  out += fmt::format("{}{}:\n", indent, list.key.substr(list.key.find('.') + 1));
  for (const Item& item : items) {
    std::string line;
    for (const auto& option : list.options) {
      const std::string value = get_option(option, item);
      if (value.empty()) continue;
      line += fmt::format("{}{}: {}", line.empty() ? "" : ", ", option.key,
                          option.kind == ValueKind::texts ? value : yaml_flow_scalar(value));
    }
    out += fmt::format("{}  - {{{}}}\n", indent, line);
  }
}

// The lists that stand in a section.
void write_lists(std::string& out, std::string_view section, const Scenario& scenario) {
  for_each_list([&](const auto& list) {
    if (list.key.substr(0, list.key.find('.')) != section) return;
    write_list(out, list, scenario.*list.member, "  ");
  });
}

// What a cluster's fabric would be as keys of a scenario.
Scenario with_fabric(const FabricSpec& fabric) {
  Scenario scenario;
  scenario.fabric_rack_uplinks = fabric.rack_uplinks;
  scenario.fabric_rack_oversubscription = fabric.rack_oversubscription;
  scenario.fabric_pod_racks = fabric.pod_racks;
  scenario.fabric_pod_uplinks = fabric.pod_uplinks;
  scenario.fabric_pod_oversubscription = fabric.pod_oversubscription;
  scenario.fabric_ecmp_seed = fabric.ecmp_seed;
  return scenario;
}

void write_fabric(std::string& out, const FabricSpec& fabric) {
  if (fabric == FabricSpec{}) return;
  out += "fabric:\n";
  const Scenario scenario = with_fabric(fabric);
  for (const auto& option : scenario_options()) {
    const std::string value = get_option(option, scenario);
    if (!is_of_fabric(option.key) || value == default_of(option)) continue;
    out += fmt::format("  {}: {}\n", option.key.substr(kFabricKeys.size()), value);
  }
}

}  // namespace

std::string resolved_yaml(const Scenario& scenario) {
  std::string out = fmt::format("# Resolved by MoSim {}.\n", version());
  std::string section;
  for (const auto& option : scenario_options()) {
    // A run goes where its caller says.
    if (option.key.starts_with("output.")) continue;
    const std::size_t dot = option.key.find('.');
    const bool in_section = dot != std::string_view::npos;
    if (in_section && option.key.substr(0, dot) != section) {
      section = option.key.substr(0, dot);
      out += fmt::format("{}:\n", section);
      write_lists(out, section, scenario);
    }
    const std::string value = get_option(option, scenario);
    // The servers stand for the file that they came from.
    if (value.empty() || is_of_cluster_file(option.key)) continue;
    if (is_of_fabric(option.key) && value == default_of(option)) continue;
    out += fmt::format("{}{}: {}\n", in_section ? "  " : "",
                       in_section ? option.key.substr(dot + 1) : option.key,
                       option.kind == ValueKind::path_list ? value : yaml_scalar(value));
  }
  return out;
}

std::string cluster_yaml(const ClusterSpec& cluster) {
  std::string out = fmt::format("# Written by MoSim {}.\n", version());
  write_list(out, servers_list(), cluster.groups, "");
  write_list(out, virtual_clusters_list(), cluster.virtual_clusters, "");
  write_fabric(out, cluster.fabric);
  return out;
}

std::string scenario_schema() {
  Json root;
  root["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  root["title"] = "MoSim scenario";
  root.update(object_schema());
  for (const auto& option : scenario_options()) {
    std::string_view name;
    Json& properties = properties_for(root, option.key, name);
    properties[std::string(name)] = schema_of(option);
  }
  for_each_list([&](const auto& list) {
    std::string_view name;
    Json& properties = properties_for(root, list.key, name);
    properties[std::string(name)] = list_schema(list);
  });
  return root.dump(2) + "\n";
}

std::string scenario_markdown() {
  std::string out =
      "# The scenario file\n\n"
      "One YAML file describes a run; every key has a default, and any key can be set on the\n"
      "command line with `--set key=value`, such as `--set contention.model=none` or\n"
      "`--set 'cluster.servers[0].nic=10 Gbps'`. An unknown key is an error that names the "
      "nearest\n"
      "one. Relative paths in a file are relative to that file's folder.\n\n"
      "This page is written by `mosim schema --markdown` from the option table that also checks\n"
      "the file; `mosim schema` prints a JSON Schema for editors.\n\n";
  out += fmt::format("Bandwidths carry their unit: {}.\n\n", accepted_units(Dimension::bandwidth));
  out += "| key | accepts | default | meaning |\n|---|---|---|---|\n";
  for (const auto& option : scenario_options()) out += markdown_row(option, "");
  for_each_list([&](const auto& list) {
    out += fmt::format("\n## `{}`\n\nA list: {}.\n\n", list.key, list.help);
    out += "| key | accepts | default | meaning |\n|---|---|---|---|\n";
    for (const auto& option : list.options) out += markdown_row(option, "");
  });
  return out;
}

std::string scenario_help() {
  std::string out = "Scenario keys (in the file, or with --set KEY=VALUE):\n";
  const auto row = [&](std::string_view key, std::string_view value, std::string_view help) {
    out += fmt::format("  {:<34} {}\n", fmt::format("{}={}", key, value), help);
  };
  for (const auto& option : scenario_options()) {
    row(option.key, get_option(option, Scenario{}), option.help);
  }
  for_each_list([&](const auto& list) {
    for (const auto& option : list.options) {
      row(fmt::format("{}[].{}", list.key, option.key), default_of(option), option.help);
    }
  });
  return out;
}

}  // namespace mosim
