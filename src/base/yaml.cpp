#include "base/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>

namespace mosim {
namespace {

Position position_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1)};
}

// Builds the tree from the parser's events, which carry a position for keys and values alike.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& file) : file_(file) {}

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add(make(YamlNode::Kind::null, mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw InputError({file_, position_of(mark)}, "is an alias", "the value written out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    YamlNode node = make(YamlNode::Kind::scalar, mark);
    node.scalar = value;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::list, mark);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::map, mark);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    bool has_key = false;  // a map's key was read and its value comes next
    std::string key;
    Position key_position;
  };

  YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark) const {
    YamlNode node;
    node.kind = kind;
    node.position = position_of(mark);
    node.file = file_;
    return node;
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark) {
    if (expects_key()) refuse_key(position_of(mark));
    open_.push_back({make(kind, mark), false, {}, {}});
  }

  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && open_.back().node.kind == YamlNode::Kind::map && !open_.back().has_key;
  }

  [[noreturn]] void refuse_key(Position position) const {
    throw InputError({file_, position}, "is not a key", "a name before the colon");
  }

  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::list) {
      parent.node.children.push_back(std::move(node));
    } else if (!parent.has_key) {
      if (node.kind != YamlNode::Kind::scalar) refuse_key(node.position);
      if (parent.node.find(node.scalar) != nullptr) {
        throw InputError({file_, node.position}, fmt::format("key '{}' appears twice", node.scalar),
                         "each key once");
      }
      parent.has_key = true;
      parent.key = node.scalar;
      parent.key_position = node.position;
    } else {
      parent.has_key = false;
      node.key = std::move(parent.key);
      node.key_position = parent.key_position;
      parent.node.children.push_back(std::move(node));
    }
  }

  std::string file_;
  YamlNode root_;
  std::vector<Open> open_;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view name) const {
  const auto at = std::find_if(children.begin(), children.end(),
                               [&](const YamlNode& child) { return child.key == name; });
  return at == children.end() ? nullptr : &*at;
}

YamlNode* YamlNode::find(std::string_view name) {
  return const_cast<YamlNode*>(static_cast<const YamlNode*>(this)->find(name));
}

YamlNode parse_yaml(const std::string& file, const std::string& text) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    TreeBuilder builder(file);
    if (!parser.HandleNextDocument(builder)) {
      YamlNode empty;
      empty.file = file;
      return empty;
    }
    TreeBuilder second(file);
    if (parser.HandleNextDocument(second)) {
      throw InputError({file, second.take().position}, "is a second document", "one document");
    }
    YamlNode root = builder.take();
    if (root.file.empty()) root.file = file;
    return root;
  } catch (const YAML::Exception& error) {
    throw InputError({file, position_of(error.mark)}, fmt::format("is not YAML ({})", error.msg),
                     "a YAML document");
  }
}

std::string yaml_scalar(std::string_view text) {
  YAML::Emitter out;
  out << std::string(text);
  return out.c_str();
}

std::string yaml_flow_scalar(std::string_view text) {
  YAML::Emitter out;
  out << YAML::Flow << YAML::BeginSeq << std::string(text) << YAML::EndSeq;
  const std::string_view list = out.c_str();
  return std::string(list.substr(1, list.size() - 2));
}

std::string_view kind_name(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::scalar:
      return "a value";
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::map:
      return "a map of keys";
  }
  throw std::logic_error("unknown kind of node");
}

}  // namespace mosim
