#include "base/yaml_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace mosim {

YamlMap::YamlMap(const YamlNode& node, std::string_view what, Problems& problems)
    : node_(node), what_(what), problems_(problems) {
  if (node.kind != YamlNode::Kind::map) {
    problems_.add(node.where(), fmt::format("is {}", kind_name(node.kind)),
                  fmt::format("{}: a map of keys", what_));
  }
}

const YamlNode* YamlMap::any(std::string_view key, bool required) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.emplace_back(key);
  const YamlNode* child = node_.find(key);
  if (child == nullptr && required && node_.kind == YamlNode::Kind::map) {
    problems_.add(node_.where(), fmt::format("has no key '{}'", key),
                  fmt::format("{} with that key", what_));
  }
  return child;
}

const YamlNode* YamlMap::scalar(std::string_view key) {
  const YamlNode* child = any(key, true);
  if (child == nullptr || child->kind == YamlNode::Kind::scalar) return child;
  problems_.add(child->where(), fmt::format("{} is {}", key, kind_name(child->kind)), "a value");
  return nullptr;
}

std::string YamlMap::text(std::string_view key) {
  const YamlNode* child = scalar(key);
  return child == nullptr ? std::string() : child->scalar;
}

double YamlMap::number(std::string_view key, const NumberRange& range) {
  const YamlNode* child = scalar(key);
  if (child == nullptr) return range.minimum;
  const auto value = parse_double(child->scalar);
  if (value && *value >= range.minimum && *value <= range.maximum &&
      (!range.integer || std::floor(*value) == *value)) {
    return *value;
  }
  problems_.add(child->where(), fmt::format("{} is '{}'", key, child->scalar),
                fmt::format("{} from {} to {}", range.integer ? "an integer" : "a number",
                            range.minimum, range.maximum));
  return range.minimum;
}

double YamlMap::quantity(std::string_view key, Dimension dimension) {
  const YamlNode* child = scalar(key);
  if (child == nullptr) return 0;
  try {
    return parse_quantity(dimension, child->scalar);
  } catch (const std::invalid_argument& error) {
    problems_.add(child->where(), fmt::format("{} {}", key, error.what()), "");
    return 0;
  }
}

std::vector<std::string> YamlMap::texts(std::string_view key) {
  std::vector<std::string> values;
  const YamlNode* child = any(key, true);
  if (child == nullptr) return values;
  for (const YamlNode& item : child->children) values.push_back(item.scalar);
  if (child->kind != YamlNode::Kind::list) {
    problems_.add(child->where(), fmt::format("{} is {}", key, kind_name(child->kind)), "a list");
  }
  return values;
}

void YamlMap::finish() {
  for (const YamlNode& child : node_.children) {
    if (std::find(asked_.begin(), asked_.end(), child.key) != asked_.end()) continue;
    problems_.add(child.key_where(), fmt::format("unknown key '{}'", child.key),
                  one_of(child.key, asked_));
  }
}

}  // namespace mosim
