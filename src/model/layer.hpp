// One layer of a file, and reading its keys.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/yaml.hpp"
#include "base/yaml_map.hpp"
#include "model/builder.hpp"

namespace mosim {

struct Layer {
  std::string_view kind;
  SourceLocation where;
  const YamlNode* value = nullptr;  // nothing when only its name is given
};

// A size along the height and the width.
struct Extent {
  double height = 1;
  double width = 1;
};

inline constexpr double kLargestSize = 1e9;
inline constexpr NumberRange kSizes{1, kLargestSize, true};

// The number in a scalar; when it is wrong, adds to the problems and gives the range's minimum.
[[nodiscard]] double read_number(const YamlNode& node, std::string_view what,
                                 const NumberRange& range, Problems& problems);

// The keys of a layer. A layer that is only a name has none; one with a single value, such as
// `linear: 1000`, has it under the key `shorthand`.
class LayerKeys {
 public:
  LayerKeys(const Layer& layer, std::string_view shorthand, Problems& problems);

  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] const YamlNode* find(std::string_view key) const { return node_->find(key); }
  const YamlNode* any(std::string_view key, bool required) { return map_.any(key, required); }
  double size(std::string_view key, const NumberRange& range = kSizes);
  double size_or(std::string_view key, double fallback, const NumberRange& range = kSizes);
  bool flag(std::string_view key, bool fallback);
  std::string choice(std::string_view key, std::span<const std::string> options,
                     std::string_view fallback);

  // One number for both directions, or a list of two. On a sequence one number is along the
  // positions and `across` holds across them.
  Extent extent(std::string_view key, std::optional<Extent> fallback, const NumberRange& range,
                const Shape& shape, double across);

  void finish() { map_.finish(); }

 private:
  YamlNode given_;  // stands in for a map that is not written out
  const YamlNode* node_;
  std::string what_;
  Problems& problems_;
  YamlMap map_;
};

}  // namespace mosim
