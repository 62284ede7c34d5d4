#include "model/layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace mosim {
namespace {

// `value` under the key `shorthand` of a map, or an empty map.
YamlNode written_out(const Layer& layer, std::string_view shorthand) {
  YamlNode map;
  map.kind = YamlNode::Kind::map;
  map.file = layer.where.file;
  map.position = layer.where.position;
  if (layer.value != nullptr && layer.value->kind == YamlNode::Kind::scalar) {
    map.children.push_back(*layer.value);
    map.children.back().key = shorthand;
  }
  return map;
}

bool is_written_out(const Layer& layer, std::string_view shorthand) {
  if (layer.value == nullptr || layer.value->kind == YamlNode::Kind::null) return false;
  return layer.value->kind != YamlNode::Kind::scalar || shorthand.empty();
}

}  // namespace

double read_number(const YamlNode& node, std::string_view what, const NumberRange& range,
                   Problems& problems) {
  if (node.kind != YamlNode::Kind::scalar) {
    problems.add(node.where(), fmt::format("{} is {}", what, kind_name(node.kind)), "a number");
    return range.minimum;
  }
  const auto value = parse_double(node.scalar);
  if (value && *value >= range.minimum && *value <= range.maximum &&
      (!range.integer || std::floor(*value) == *value)) {
    return *value;
  }
  problems.add(node.where(), fmt::format("{} is '{}'", what, node.scalar),
               fmt::format("{} from {} to {}", range.integer ? "an integer" : "a number",
                           range.minimum, range.maximum));
  return range.minimum;
}

LayerKeys::LayerKeys(const Layer& layer, std::string_view shorthand, Problems& problems)
    : given_(is_written_out(layer, shorthand) ? YamlNode() : written_out(layer, shorthand)),
      node_(is_written_out(layer, shorthand) ? layer.value : &given_),
      what_(fmt::format("layer '{}'", layer.kind)),
      problems_(problems),
      map_(*node_, what_, problems) {}

double LayerKeys::size(std::string_view key, const NumberRange& range) {
  const YamlNode* node = map_.any(key, true);
  return node == nullptr ? range.minimum : read_number(*node, key, range, problems_);
}

double LayerKeys::size_or(std::string_view key, double fallback, const NumberRange& range) {
  const YamlNode* node = map_.any(key, false);
  return node == nullptr ? fallback : read_number(*node, key, range, problems_);
}

bool LayerKeys::flag(std::string_view key, bool fallback) {
  const YamlNode* node = map_.any(key, false);
  if (node == nullptr) return fallback;
  if (node->scalar == "true") return true;
  if (node->scalar == "false") return false;
  problems_.add(node->where(), fmt::format("{} is '{}'", key, node->scalar), "true or false");
  return fallback;
}

std::string LayerKeys::choice(std::string_view key, std::span<const std::string> options,
                              std::string_view fallback) {
  const YamlNode* node = map_.any(key, false);
  if (node == nullptr) return std::string(fallback);
  if (std::find(options.begin(), options.end(), node->scalar) != options.end()) {
    return node->scalar;
  }
  problems_.add(node->where(), fmt::format("{} is '{}'", key, node->scalar),
                one_of(node->scalar, options));
  return std::string(fallback);
}

Extent LayerKeys::extent(std::string_view key, std::optional<Extent> fallback,
                         const NumberRange& range, const Shape& shape, double across) {
  const YamlNode* node = map_.any(key, !fallback.has_value());
  if (node == nullptr) return fallback.value_or(Extent{range.minimum, range.minimum});
  if (node->kind != YamlNode::Kind::list) {
    const double value = read_number(*node, key, range, problems_);
    return {value, shape.sequence ? across : value};
  }
  if (node->children.size() != 2) {
    problems_.add(node->where(), fmt::format("{} has {} numbers", key, node->children.size()),
                  "a number or [height, width]");
    return {range.minimum, range.minimum};
  }
  return {read_number(node->children[0], key, range, problems_),
          read_number(node->children[1], key, range, problems_)};
}

}  // namespace mosim
