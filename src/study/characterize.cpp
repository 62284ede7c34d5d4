#include <fmt/format.h>

#include <filesystem>

#include "mosim/study.hpp"
#include "study/artifact.hpp"
#include "study/models.hpp"

namespace mosim {
namespace {

ModelPool changed(const ModelPool& pool, const TrainingChanges& changes) {
  std::vector<ModelConfig> models = pool.models();
  for (ModelConfig& model : models) {
    if (changes.parallelism) model.parallelism = *changes.parallelism;
    if (changes.batch_per_gpu) model.batch_per_gpu = *changes.batch_per_gpu;
    if (changes.precision) model.precision = precision_name(*changes.precision);
  }
  return ModelPool(std::move(models));
}

}  // namespace

CharacterizedPool characterize_pool(const Scenario& scenario,
                                    const std::vector<std::string>& models,
                                    const std::vector<std::uint32_t>& gpus,
                                    const TrainingChanges& changes) {
  const ModelPool pool = changed(read_pool(scenario.workloads_pool), changes);
  const auto source = make_profiles(scenario, pool);
  const ClusterSpec cluster = cluster_of(scenario);
  const bool builtin = scenario.profile_backend == "builtin";
  CharacterizedPool result;
  for (const ModelConfig& model : chosen_models(pool, models)) {
    for (const std::uint32_t count : gpus) {
      CharacterizedRow row{model.name, count, {}, std::nullopt};
      if (builtin && !unfit(model, count, cluster)) {
        row.detail = characterize_model(model, count, cluster, builtin_options(scenario));
        row.profile = row.detail->profile;
      } else if (const auto profile = source->find(model.name, count)) {
        row.profile = *profile;
      } else {
        result.refused.push_back(fmt::format("{} on {} GPUs: expected {}", model.name, count,
                                             source->expected(model.name)));
        continue;
      }
      result.rows.push_back(std::move(row));
    }
  }
  return result;
}

ArtifactComparison compare_with_artifact(const std::string& artifact, const Scenario& scenario) {
  const std::filesystem::path data = artifact_data(artifact);
  const ModelPool pool = read_pool(scenario.workloads_pool);
  const auto read = [&](const char* folder) {
    return read_artifact_profile(artifact_file(data / folder, "itertime"),
                                 artifact_file(data / folder, "network"), pool);
  };
  const ProfileTable measured = read("profiling");
  const ProfileTable simulated = read("single_job_simulation");
  const ClusterSpec cluster = cluster_of(scenario);
  const BuiltinOptions options = builtin_options(scenario);
  ArtifactComparison result;
  for (const auto& [key, profile] : measured.profiles()) {
    const ModelConfig* model = pool.find(key.first);
    if (key.second != 1 || model == nullptr || unfit(*model, 1, cluster)) continue;
    ComputeComparison row{key.first, profile.compute_s, std::nullopt, 0};
    if (const auto theirs = simulated.find(key.first, 1)) row.astra_sim_s = theirs->compute_s;
    row.ours_s = characterize_model(*model, 1, cluster, options).compute_s;
    result.compute.push_back(row);
  }
  for (const auto& [key, profile] : simulated.profiles()) {
    const ModelConfig* model = pool.find(key.first);
    if (key.second < 2 || model == nullptr || unfit(*model, key.second, cluster)) continue;
    result.volume.push_back({key.first, key.second, profile.volume,
                             characterize_model(*model, key.second, cluster, options).volume});
  }
  return result;
}

}  // namespace mosim
