#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/bundled.hpp"
#include "base/file.hpp"
#include "base/yaml_map.hpp"
#include "mosim/workload.hpp"

namespace mosim {
namespace {

ModelConfig read_model(const YamlNode& node, Problems& problems) {
  YamlMap map(node, "a model", problems);
  ModelConfig model;
  model.name = map.text("name");
  model.aliases = map.texts("aliases");
  model.in_pool = map.text("pool") != "none";
  model.parameters = map.number("parameters", {1, 1e15, true});
  model.forward_operations = map.quantity("forward_operations", Dimension::operations);
  model.batch_per_gpu = static_cast<std::uint32_t>(map.number("batch_per_gpu", {1, 1e9, true}));
  model.data_set = map.text("data_set");
  model.framework = map.text("framework");
  model.collective = map.text("collective");
  map.any("sources", true);
  map.finish();
  if (model.collective != "ring-all-reduce") {
    problems.add(node.where(), fmt::format("collective is '{}'", model.collective),
                 "ring-all-reduce");
  }
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

}  // namespace

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
  for (const std::string& file : pool_files(pool)) {
    models.push_back(
        read_model(parse_yaml(file, read_file(file, "a model description")), problems));
  }
  problems.throw_if_any();
  return ModelPool(std::move(models));
}

}  // namespace mosim
