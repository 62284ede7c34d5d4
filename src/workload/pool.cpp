#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <span>

#include "base/bundled.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "model/read_graph.hpp"
#include "mosim/workload.hpp"

namespace mosim {
namespace {

constexpr NumberRange kDegrees{1, 1e6, true};

// A text that must be one of `options`; it is required when there is no fallback.
std::string choice(YamlMap& map, std::string_view key, std::span<const std::string> options,
                   std::string_view fallback, Problems& problems) {
  const YamlNode* given = map.any(key, fallback.empty());
  if (given == nullptr) return std::string(fallback);
  if (std::find(options.begin(), options.end(), given->scalar) == options.end()) {
    problems.add(given->where(), fmt::format("{} is '{}'", key, given->scalar),
                 one_of(given->scalar, options));
  }
  return given->scalar;
}

std::uint32_t degree(YamlMap& map, const YamlNode& node, std::string_view key, double fallback,
                     const NumberRange& range) {
  if (node.find(key) != nullptr) return static_cast<std::uint32_t>(map.number(key, range));
  (void)map.any(key, false);
  return static_cast<std::uint32_t>(fallback);
}

Parallelism read_parallelism(const YamlNode& node, Problems& problems) {
  static const std::array<std::string, 2> kFlags{"true", "false"};
  YamlMap map(node, "parallelism", problems);
  Parallelism parallelism;
  parallelism.tensor = degree(map, node, "tensor", 1, kDegrees);
  parallelism.pipeline = degree(map, node, "pipeline", 1, kDegrees);
  parallelism.micro_batches = degree(map, node, "micro_batches", 1, kDegrees);
  parallelism.expert = degree(map, node, "expert", 1, kDegrees);
  parallelism.zero = degree(map, node, "zero", 0, {0, 3, true});
  parallelism.recompute = choice(map, "recompute", kFlags, "false", problems) == "true";
  map.finish();
  return parallelism;
}

// From `input` and `layers`, or from `totals`.
ModelGraph read_model_graph(YamlMap& map, const YamlNode& node, Problems& problems) {
  const YamlNode* layers = map.any("layers", false);
  const YamlNode* totals = map.any("totals", false);
  if (node.kind == YamlNode::Kind::map && (layers == nullptr) == (totals == nullptr)) {
    problems.add(
        node.where(),
        layers == nullptr ? "has neither 'layers' nor 'totals'" : "has both 'layers' and 'totals'",
        "one of them");
  }
  const YamlNode* input = layers == nullptr ? nullptr : map.any("input", true);
  if (totals != nullptr) return read_totals(*totals, problems);
  if (input == nullptr) return {};
  return read_graph(*layers, *input, problems);
}

void read_training(YamlMap& map, ModelConfig& model, Problems& problems) {
  static const std::array<std::string, 4> kPrecisions{"fp32", "tf32", "fp16", "bf16"};
  static const std::array<std::string, 3> kOptimizers{"sgd", "momentum", "adam"};
  static const std::array<std::string, 3> kCollectives{"ring-all-reduce", "tree-all-reduce",
                                                       "hierarchical-all-reduce"};
  model.batch_per_gpu = static_cast<std::uint32_t>(map.number("batch_per_gpu", {1, 1e9, true}));
  model.precision = choice(map, "precision", kPrecisions, "fp32", problems);
  const std::string_view usual = model.graph.blocks > 0 ? "adam" : "momentum";
  model.optimizer = choice(map, "optimizer", kOptimizers, usual, problems);
  if (const YamlNode* parallelism = map.any("parallelism", false)) {
    model.parallelism = read_parallelism(*parallelism, problems);
  }
  model.collective = choice(map, "collective", kCollectives, "", problems);
}

ModelConfig read_model(const YamlNode& node, Problems& problems) {
  YamlMap map(node, "a model", problems);
  ModelConfig model;
  model.name = map.text("name");
  model.aliases = map.texts("aliases");
  model.in_pool = map.text("pool") != "none";
  model.graph = read_model_graph(map, node, problems);
  model.parameters = model.graph.parameters();
  model.forward_operations = model.graph.forward_operations();
  read_training(map, model, problems);
  model.data_set = map.text("data_set");
  model.framework = map.text("framework");
  map.any("sources", true);
  map.finish();
  return model;
}

std::vector<std::string> pool_files(const std::string& pool) {
  std::vector<std::string> files;
  if (pool == "default") {
    for (const BundledFile& file : bundled_below("models/")) {
      files.push_back(std::string(kBundledPrefix) + std::string(file.path));
    }
    return files;
  }
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(pool, error)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  if (error || files.empty()) {
    throw InputError({pool, {}}, "is not a folder with model files",
                     "'default' or a folder of .yaml files");
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<ModelConfig> read_folder(const std::string& folder, Problems& problems) {
  std::vector<ModelConfig> models;
  for (const std::string& file : pool_files(folder)) {
    const YamlNode node = parse_yaml(file, read_file(file, "a model description"));
    ModelConfig model = read_model(node, problems);
    const bool again = std::any_of(models.begin(), models.end(), [&](const ModelConfig& other) {
      return other.name == model.name;
    });
    if (again) {
      problems.add(node.where(), fmt::format("is a second model '{}' of this folder", model.name),
                   "each name once");
    }
    models.push_back(std::move(model));
  }
  return models;
}

// Models give way to later ones of the same name, and aliases to later names and aliases.
void give_way(std::vector<ModelConfig>& models, const std::vector<ModelConfig>& later) {
  std::set<std::string> names;
  std::set<std::string> taken;
  for (const ModelConfig& model : later) {
    names.insert(model.name);
    taken.insert(model.name);
    taken.insert(model.aliases.begin(), model.aliases.end());
  }
  std::erase_if(models, [&](const ModelConfig& model) { return names.contains(model.name); });
  for (ModelConfig& model : models) {
    std::erase_if(model.aliases, [&](const std::string& alias) { return taken.contains(alias); });
  }
}

}  // namespace

Parallelism parse_parallelism(const std::string& text) {
  std::string yaml = "{" + text + "}";
  for (std::size_t at = 0; (at = yaml.find('=', at)) != std::string::npos; at += 2) {
    yaml.replace(at, 1, ": ");
  }
  Problems problems;
  const Parallelism parallelism = read_parallelism(parse_yaml("--parallelism", yaml), problems);
  problems.throw_if_any();
  return parallelism;
}

ModelPool::ModelPool(std::vector<ModelConfig> models) : models_(std::move(models)) {
  std::sort(models_.begin(), models_.end(),
            [](const ModelConfig& a, const ModelConfig& b) { return a.name < b.name; });
}

const ModelConfig* ModelPool::find(std::string_view name) const {
  for (const ModelConfig& model : models_) {
    if (model.name == name ||
        std::find(model.aliases.begin(), model.aliases.end(), name) != model.aliases.end()) {
      return &model;
    }
  }
  return nullptr;
}

std::string ModelPool::canonical(std::string_view name) const {
  const ModelConfig* model = find(name);
  return model == nullptr ? std::string(name) : model->name;
}

ModelPool read_pool(const std::string& pool) {
  std::vector<ModelConfig> models;
  Problems problems;
  std::vector<std::string_view> folders = split(pool, ',');
  if (folders.empty()) folders.emplace_back();  // is no folder
  for (const std::string_view folder : folders) {
    std::vector<ModelConfig> added = read_folder(std::string(folder), problems);
    give_way(models, added);
    std::ranges::move(added, std::back_inserter(models));
  }
  problems.throw_if_any();
  return ModelPool(std::move(models));
}

}  // namespace mosim
