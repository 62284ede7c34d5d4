// Reads the keys of one YAML map, each with its type; what is left over is an unknown key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.hpp"
#include "base/problems.hpp"
#include "base/yaml.hpp"

namespace mosim {

class YamlMap {
 public:
  // `what` names the map for messages, such as "a model".
  YamlMap(const YamlNode& node, std::string_view what, Problems& problems);

  // The value of a key. When it is missing or wrong, adds to the problems and gives something
  // harmless.
  std::string text(std::string_view key);
  double number(std::string_view key, const NumberRange& range);
  double quantity(std::string_view key, Dimension dimension);
  std::vector<std::string> texts(std::string_view key);  // a list of scalars
  const YamlNode* any(std::string_view key, bool required);

  // Reports the keys that nobody asked for.
  void finish();

 private:
  const YamlNode* scalar(std::string_view key);

  const YamlNode& node_;
  std::string_view what_;
  Problems& problems_;
  std::vector<std::string> asked_;
};

}  // namespace mosim
