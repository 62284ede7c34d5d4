// Reading and writing the values of options.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/bundled.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "scenario/options.hpp"

namespace mosim {
namespace {

// A relative path in a file is relative to that file's folder; on the command line to the current
// one. Resolved paths are absolute, so that a resolved scenario works from anywhere.
std::string resolve_path(const YamlNode& node, std::string_view text) {
  namespace fs = std::filesystem;
  if (text.empty() || text == kStandardInput || text.starts_with(kBundledPrefix)) {
    return std::string(text);
  }
  fs::path path = text;
  if (path.is_relative() && !node.file.starts_with("--") &&
      !node.file.starts_with(kBundledPrefix)) {
    path = fs::path(node.file).parent_path() / path;
  }
  return fs::absolute(path).lexically_normal().string();
}

// The same for each of a list; `default` is no path.
std::string resolve_paths(const YamlNode& node) {
  std::vector<std::string> paths;
  for (const std::string_view path : split(node.scalar, ',')) {
    paths.push_back(path == "default" ? std::string(path) : resolve_path(node, path));
  }
  return join(paths, ",");
}

[[noreturn]] void refuse(const YamlNode& node, std::string_view key, std::string expected) {
  throw InputError(node.where(), fmt::format("{} is '{}'", key, node.scalar), std::move(expected));
}

double read_number(const YamlNode& node, std::string_view key, ValueKind kind, double minimum,
                   double maximum) {
  const bool integer = kind == ValueKind::integer;
  const auto value = parse_double(node.scalar);
  if (!value || *value < minimum || *value > maximum || (integer && std::floor(*value) != *value)) {
    refuse(node, key,
           fmt::format("{} from {} to {}", integer ? "an integer" : "a number", minimum, maximum));
  }
  return *value;
}

// A list of names, or one name.
std::vector<std::string> read_texts(const YamlNode& node, std::string_view key) {
  if (node.kind == YamlNode::Kind::scalar) return {node.scalar};
  std::vector<std::string> texts;
  for (const YamlNode& item : node.children) {
    if (node.kind != YamlNode::Kind::list || item.kind != YamlNode::Kind::scalar) {
      throw InputError(item.where(), fmt::format("{} has {}", key, kind_name(item.kind)),
                       "a list of names");
    }
    texts.push_back(item.scalar);
  }
  return texts;
}

// The same of paths, each once.
std::vector<std::string> read_path_list(const YamlNode& node, std::string_view key) {
  std::vector<std::string> paths;
  const auto add = [&](const YamlNode& item, const std::string& text) {
    const std::string path = resolve_path(item, text);
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  };
  const std::vector<std::string> texts = read_texts(node, key);
  const bool one = node.kind == YamlNode::Kind::scalar;
  for (std::size_t i = 0; i < texts.size(); ++i) add(one ? node : node.children[i], texts[i]);
  return paths;
}

bool read_boolean(const YamlNode& node, std::string_view key) {
  if (node.scalar != "true" && node.scalar != "false") refuse(node, key, "true or false");
  return node.scalar == "true";
}

// The dimension of a kind that has a unit.
std::optional<Dimension> dimension_of(ValueKind kind) {
  if (kind == ValueKind::bandwidth) return Dimension::bandwidth;
  if (kind == ValueKind::volume) return Dimension::volume;
  if (kind == ValueKind::duration) return Dimension::duration;
  return std::nullopt;
}

double read_quantity(const YamlNode& node, std::string_view key, Dimension dimension) {
  try {
    return parse_quantity(dimension, node.scalar);
  } catch (const std::invalid_argument& error) {
    throw InputError(node.where(), fmt::format("{} {}", key, error.what()), "");
  }
}

}  // namespace

std::optional<std::pair<std::uint32_t, std::uint32_t>> parse_server_range(std::string_view text) {
  const auto number = [](std::string_view part) -> std::optional<std::uint32_t> {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size()) return std::nullopt;
    return value;
  };
  const std::size_t dash = text.find('-');
  const auto first = number(trim(text.substr(0, dash)));
  const auto last = dash == std::string_view::npos ? first : number(trim(text.substr(dash + 1)));
  if (!first || !last || *last < *first) return std::nullopt;
  return std::pair{*first, *last};
}

template <typename Struct>
std::string get_option(const Option<Struct>& option, const Struct& from) {
  return std::visit(
      [&](auto member) {
        const auto& value = from.*member;
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
          if (value.empty()) return std::string();
          std::vector<std::string> items;
          items.reserve(value.size());
          for (const std::string& item : value) items.push_back(yaml_flow_scalar(item));
          return fmt::format("[{}]", join(items, ", "));
        } else if constexpr (std::is_same_v<Value, double>) {
          if (const auto dimension = dimension_of(option.kind)) {
            return format_quantity(*dimension, value);
          }
          return fmt::format("{}", value);
        } else {
          return fmt::format("{}", value);
        }
      },
      option.member);
}

// For a policy the name alone is one of the choices; the registry knows its parameters.
template <typename Struct>
void check_choice(const Option<Struct>& option, const YamlNode& node) {
  const bool plain = option.kind == ValueKind::choice;
  const std::string_view text = node.scalar;
  const std::string_view name = plain ? text : trim(text.substr(0, text.find('(')));
  const std::vector<std::string> names = option.choices();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    refuse(node, option.key, one_of(name, names));
  }
  if (plain) return;
  try {
    if (option.kind == ValueKind::queue) static_cast<void>(policies().make_queue(text));
    if (option.kind == ValueKind::placement) static_cast<void>(policies().make_placement(text));
  } catch (const std::invalid_argument& error) {
    throw InputError(node.where(), fmt::format("{}: {}", option.key, error.what()), "");
  }
}

template <typename Struct>
void set_option(const Option<Struct>& option, Struct& into, const YamlNode& node) {
  if (option.kind == ValueKind::texts || option.kind == ValueKind::path_list) {
    into.*std::get<std::vector<std::string> Struct::*>(option.member) =
        option.kind == ValueKind::texts ? read_texts(node, option.key)
                                        : read_path_list(node, option.key);
    return;
  }
  if (node.kind != YamlNode::Kind::scalar) {
    throw InputError(node.where(), fmt::format("{} is {}", option.key, kind_name(node.kind)),
                     "a value");
  }
  if (option.choices != nullptr) check_choice(option, node);
  std::visit(
      [&](auto member) {
        auto& value = into.*member;
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
          throw std::logic_error("a list is read above");
        } else if constexpr (std::is_same_v<Value, std::string>) {
          if (option.kind == ValueKind::path) {
            value = resolve_path(node, node.scalar);
          } else if (option.kind == ValueKind::paths) {
            value = resolve_paths(node);
          } else {
            value = node.scalar;
          }
        } else if constexpr (std::is_same_v<Value, bool>) {
          value = read_boolean(node, option.key);
        } else if (const auto dimension = dimension_of(option.kind)) {
          value = static_cast<Value>(read_quantity(node, option.key, *dimension));
        } else {
          value = static_cast<Value>(
              read_number(node, option.key, option.kind, option.minimum, option.maximum));
        }
      },
      option.member);
}

template std::string get_option(const Option<Scenario>&, const Scenario&);
template std::string get_option(const Option<ServerGroup>&, const ServerGroup&);
template std::string get_option(const Option<VirtualCluster>&, const VirtualCluster&);
template std::string get_option(const Option<ServerEventKeys>&, const ServerEventKeys&);
template void set_option(const Option<Scenario>&, Scenario&, const YamlNode&);
template void set_option(const Option<ServerGroup>&, ServerGroup&, const YamlNode&);
template void set_option(const Option<VirtualCluster>&, VirtualCluster&, const YamlNode&);
template void set_option(const Option<ServerEventKeys>&, ServerEventKeys&, const YamlNode&);

}  // namespace mosim
