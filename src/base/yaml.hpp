// YAML as a tree that remembers where each piece stands. The only place that knows yaml-cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mosim/base.hpp"

namespace mosim {

// A node of a YAML document. Scalars are kept as text; whoever reads one decides its type.
struct YamlNode {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  std::string key;  // the key in the parent map, empty elsewhere
  Position key_position;
  Position position;
  std::string file;  // where it was read from, or "--set"
  std::string scalar;
  std::vector<YamlNode> children;  // a list's items, a map's values in the file's order

  [[nodiscard]] SourceLocation where() const { return {file, position}; }
  [[nodiscard]] SourceLocation key_where() const { return {file, key_position}; }
  [[nodiscard]] const YamlNode* find(std::string_view name) const;
  [[nodiscard]] YamlNode* find(std::string_view name);
};

// Parses one document. Throws InputError on a syntax error, a duplicate key, a key that is not a
// scalar, an alias or a second document. An empty document gives a null node.
[[nodiscard]] YamlNode parse_yaml(const std::string& file, const std::string& text);

// `text` as a YAML scalar: quoted when it would otherwise be read as something else.
[[nodiscard]] std::string yaml_scalar(std::string_view text);

// The same for a scalar inside `[...]` or `{...}`, where a comma ends one.
[[nodiscard]] std::string yaml_flow_scalar(std::string_view text);

// "a scalar", "a list", ... for messages.
[[nodiscard]] std::string_view kind_name(YamlNode::Kind kind);

}  // namespace mosim
