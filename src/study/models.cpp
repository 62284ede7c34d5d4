#include "study/models.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "mosim/base.hpp"

namespace mosim {
namespace {

const ModelConfig& known_model(const ModelPool& pool, const std::string& name) {
  if (const ModelConfig* model = pool.find(name)) return *model;
  std::vector<std::string> names;
  for (const ModelConfig& model : pool.models()) names.push_back(model.name);
  throw InputError({"--models", {}}, fmt::format("model '{}' is not in the pool", name),
                   one_of(name, names));
}

}  // namespace

std::vector<ModelConfig> chosen_models(const ModelPool& pool,
                                       const std::vector<std::string>& names) {
  std::vector<ModelConfig> models;
  models.reserve(names.size());
  for (const std::string& name : names) models.push_back(known_model(pool, name));
  if (!names.empty()) return models;
  for (const ModelConfig& model : pool.models()) {
    if (model.in_pool) models.push_back(model);
  }
  return models;
}

}  // namespace mosim
