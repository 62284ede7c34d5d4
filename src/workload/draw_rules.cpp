#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "mosim/workload.hpp"

namespace mosim {
namespace {

constexpr NumberRange kWeight{0, 1e9};
constexpr NumberRange kGpuCounts{1, kMostGpus, true};

// The pool's own name; reports a name that it does not have.
std::string known_model(const YamlNode& node, const ModelPool& pool, Problems& problems) {
  if (const ModelConfig* model = pool.find(node.key)) return model->name;
  std::vector<std::string> names;
  for (const ModelConfig& model : pool.models()) names.push_back(model.name);
  problems.add(node.key_where(), fmt::format("the pool has no model '{}'", node.key),
               one_of(node.key, names));
  return node.key;
}

// A map from models to numbers of which one is above 0.
std::vector<ModelWeight> read_weights(const YamlNode& node, const ModelPool& pool,
                                      Problems& problems) {
  std::vector<ModelWeight> weights;
  YamlMap map(node, "weights of models", problems);
  double total = 0;
  for (const YamlNode& child : node.children) {
    ModelWeight weight{known_model(child, pool, problems), map.number(child.key, kWeight)};
    const bool again = std::any_of(weights.begin(), weights.end(), [&](const ModelWeight& other) {
      return other.model == weight.model;
    });
    if (again) {
      problems.add(child.key_where(), fmt::format("'{}' is {} again", child.key, weight.model),
                   "each model once");
    }
    total += weight.weight;
    weights.push_back(std::move(weight));
  }
  if (node.kind == YamlNode::Kind::map && total <= 0) {
    problems.add(node.where(), "has no weight above 0", "a model with a weight above 0");
  }
  return weights;
}

// One name or a list of them.
std::vector<std::string> read_names(YamlMap& map, std::string_view key) {
  const YamlNode* given = map.any(key, false);
  if (given == nullptr) return {};
  if (given->kind == YamlNode::Kind::scalar) return {given->scalar};
  return map.texts(key);
}

JobCondition read_condition(const YamlNode& node, Problems& problems) {
  YamlMap map(node, "a condition", problems);
  const auto gpus = [&](std::string_view key) -> std::uint64_t {
    if (map.any(key, false) == nullptr) return 0;
    return static_cast<std::uint64_t>(map.number(key, kGpuCounts));
  };
  const auto duration = [&](std::string_view key) -> double {
    return map.any(key, false) == nullptr ? 0 : map.quantity(key, Dimension::duration);
  };
  JobCondition when;
  when.min_gpus = gpus("min_gpus");
  when.max_gpus = gpus("max_gpus");
  when.min_duration_s = duration("min_duration");
  when.max_duration_s = duration("max_duration");
  when.virtual_clusters = read_names(map, "virtual_cluster");
  when.users = read_names(map, "user");
  when.gpu_types = read_names(map, "gpu_type");
  map.finish();
  if ((when.max_gpus > 0 && when.max_gpus < when.min_gpus) ||
      (when.max_duration_s > 0 && when.max_duration_s < when.min_duration_s)) {
    problems.add(node.where(), "holds for no job: a maximum is below its minimum",
                 "minima up to their maxima");
  }
  return when;
}

DrawRule read_rule(const YamlNode& node, const ModelPool& pool, Problems& problems) {
  YamlMap map(node, "a rule", problems);
  DrawRule rule;
  if (const YamlNode* when = map.any("when", true)) rule.when = read_condition(*when, problems);
  if (const YamlNode* draw = map.any("draw", true)) rule.draw = read_weights(*draw, pool, problems);
  map.finish();
  return rule;
}

}  // namespace

DrawRules read_draw_rules(const std::string& file, const ModelPool& pool) {
  const YamlNode root = parse_yaml(file, read_file(file, "rules for drawing models"));
  Problems problems;
  YamlMap map(root, "rules for drawing models", problems);
  DrawRules rules = default_draw(pool);
  if (const YamlNode* weights = map.any("weights", false)) {
    rules.weights = read_weights(*weights, pool, problems);
  }
  if (const YamlNode* list = map.any("rules", false)) {
    if (list->kind != YamlNode::Kind::list) {
      problems.add(list->where(), fmt::format("rules is {}", kind_name(list->kind)), "a list");
    }
    for (const YamlNode& item : list->children) {
      rules.rules.push_back(read_rule(item, pool, problems));
    }
  }
  map.finish();
  problems.throw_if_any();
  return rules;
}

}  // namespace mosim
