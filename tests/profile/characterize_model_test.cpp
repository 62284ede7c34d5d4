// Characterizations of the bundled models as a whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/graphs.hpp"
#include "mosim/characterize.hpp"
#include "mosim/study.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

const ModelPool& pool() {
  static const ModelPool bundled = read_pool("default");
  return bundled;
}

const ModelConfig& model(const std::string& name) {
  const ModelConfig* found = pool().find(name);
  if (found == nullptr) throw std::logic_error("no model " + name);
  return *found;
}

ClusterSpec cluster(std::uint32_t count, const std::string& gpu) {
  return {{{count, 8, gpu, 5e9, 20e-6, 0, 0}}};
}

const ClusterSpec kV100 = cluster(4, "V100-SXM2-16GB");

void expect_close(double found, double expected) {
  EXPECT_NEAR(found, expected, 1e-9 * std::abs(expected));
}

// What holds of every characterization, whatever the model.
void expect_consistent(const Characterization& result, Networking networking) {
  expect_close(result.demand() * result.network_total_s, result.volume);
  expect_close(result.iteration_s(), result.compute_s + result.network_exposed_s);
  expect_close(result.compute_s,
               result.forward_s + result.backward_s + result.optimizer_s + result.bubble_s);
  EXPECT_GE(result.network_exposed_s, 0);
  EXPECT_LE(result.network_exposed_s, result.network_total_s * (1 + 1e-9));
  // A simulation gets the same iteration, divided in one way or the other.
  const bool total = networking == Networking::total;
  expect_close(result.profile.iteration_s(), result.iteration_s());
  EXPECT_EQ(result.profile.network_s, total ? result.network_total_s : result.network_exposed_s);
  EXPECT_EQ(result.profile.volume, result.volume);
}

TEST(CharacterizeModel, EveryModelOfThePoolOnOneToEightGpus) {
  int models = 0;
  for (const ModelConfig& config : pool().models()) {
    if (!config.in_pool) continue;
    ++models;
    for (const std::uint32_t gpus : {1U, 2U, 4U, 8U}) {
      for (const Layout layout : {Layout::packed, Layout::spread}) {
        for (const Networking networking : {Networking::total, Networking::exposed}) {
          SCOPED_TRACE(config.name + " on " + std::to_string(gpus));
          BuiltinOptions options;
          options.layout = layout;
          options.networking = networking;
          const Characterization result = characterize_model(config, gpus, kV100, options);
          expect_consistent(result, networking);
          // The fp32 gradients, in a ring.
          expect_close(result.volume, 2 * (gpus - 1.0) / gpus * 4 * config.parameters);
          EXPECT_EQ(result.profile.traffic, nullptr);
          EXPECT_GT(result.compute_s, 0);
          EXPECT_GT(result.memory, 0);
          EXPECT_EQ(result.network_total_s > 0, gpus > 1);
        }
      }
    }
  }
  EXPECT_EQ(models, 12);
}

TEST(CharacterizeModel, ComputationIsTheOperatorsAndTheOptimizer) {
  const Characterization result = characterize_model(model("resnet50"), 4, kV100, {});
  double forward_s = 0;
  double backward_s = 0;
  for (const OperatorCost& op : result.operators) {
    forward_s += op.forward_s;
    backward_s += op.backward_input_s + op.backward_weight_s;
  }
  expect_close(result.forward_s, forward_s);
  expect_close(result.backward_s, backward_s);
  expect_close(result.compute_s, forward_s + backward_s + result.optimizer_s);
}

// Otherwise a job that is alone would demand more of a link than it can carry.
TEST(CharacterizeModel, ASpreadJobDemandsNoMoreThanTheNic) {
  BuiltinOptions options;
  options.layout = Layout::spread;
  for (const ModelConfig& config : pool().models()) {
    if (!config.in_pool) continue;
    const JobProfile profile = characterize_model(config, 8, kV100, options).profile;
    EXPECT_GT(profile.demand(), 0) << config.name;
    EXPECT_LE(profile.demand(), 5e9 * (1 + 1e-9)) << config.name;
  }
}

TEST(CharacterizeModel, MemoryGrowsWithTheBatch) {
  for (const ModelConfig& config : pool().models()) {
    if (!config.in_pool) continue;
    ModelConfig larger = config;
    larger.batch_per_gpu *= 2;
    const double before = characterize_model(config, 1, kV100, {}).memory;
    EXPECT_GT(characterize_model(larger, 1, kV100, {}).memory, before) << config.name;
  }
  ModelConfig huge = model("vgg16");
  huge.batch_per_gpu = 100000;
  EXPECT_TRUE(characterize_model(model("vgg16"), 1, kV100, {}).fits);
  EXPECT_FALSE(characterize_model(huge, 1, kV100, {}).fits);
}

std::string reason(const ModelConfig& config, std::uint32_t gpus, const ClusterSpec& on) {
  try {
    (void)characterize_model(config, gpus, on, {});
  } catch (const InputError& error) {
    EXPECT_TRUE(unfit(config, gpus, on).has_value());
    return error.what();
  }
  EXPECT_FALSE(unfit(config, gpus, on).has_value());
  return "it runs";
}

TEST(CharacterizeModel, WhatCannotRunIsRefusedWithTheReason) {
  const ClusterSpec a100 = cluster(16, "A100-SXM4-80GB");
  test::expect_contains(reason(model("gpt3-175b"), 128, a100),
                        "a multiple of 96 GPUs (tensor 8 x pipeline 12)");
  test::expect_contains(reason(model("llama3-8b"), 8, kV100),
                        "a GPU that computes in bf16, which V100-SXM2-16GB does not");
  ModelConfig config = model("llama3-70b");
  config.parallelism = {1, 81, 1, 1, 0, false};  // 80 blocks
  test::expect_contains(reason(config, 81, a100), "at most 80 pipeline stages");
  config = model("mixtral-8x7b");
  config.parallelism = {1, 1, 1, 3, 0, false};
  test::expect_contains(reason(config, 3, a100), "divides 3 replicas and 8 experts");
  config = model("vgg16");
  config.parallelism.tensor = 2;
  test::expect_contains(reason(config, 2, a100), "tensor parallelism 1");
  EXPECT_TRUE(unfit(model("bert"), 0, a100).has_value());
  EXPECT_EQ(reason(model("bert"), 3, a100), "it runs");
}

struct Large {
  const char* model;
  std::uint32_t gpus;
  const char* gpu;
};

class LargeModels : public testing::TestWithParam<Large> {};

TEST_P(LargeModels, RunOnTheGpusOfTheirPublishedRuns) {
  const auto& [name, gpus, gpu] = GetParam();
  const ClusterSpec servers = cluster(gpus / 8, gpu);
  for (const Networking networking : {Networking::total, Networking::exposed}) {
    BuiltinOptions options;
    options.networking = networking;
    const Characterization result = characterize_model(model(name), gpus, servers, options);
    expect_consistent(result, networking);
    for (const double value : {result.forward_s, result.backward_s, result.optimizer_s,
                               result.network_total_s, result.volume, result.memory}) {
      EXPECT_TRUE(std::isfinite(value));
      EXPECT_GT(value, 0);
    }
    if (result.profile.traffic == nullptr) {
      // ZeRO alone: rings over all ranks, for which Eq. 7 needs no more than their volume.
      EXPECT_EQ(model(name).parallelism.tensor * model(name).parallelism.pipeline, 1U);
      continue;
    }
    const std::vector<std::uint32_t> ranks(gpus / 8, 8);
    for (const double volume : nic_volumes(*result.profile.traffic, ranks)) EXPECT_GT(volume, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, LargeModels,
                         testing::Values(Large{"gpt3-175b", 384, "A100-SXM4-80GB"},
                                         Large{"gpt3-175b", 96, "A100-SXM4-80GB"},
                                         Large{"llama3-70b", 128, "A100-SXM4-80GB"},
                                         Large{"llama3-70b", 64, "H100-SXM5-80GB"},
                                         Large{"llama3-8b", 64, "H100-SXM5-80GB"},
                                         Large{"mixtral-8x7b", 64, "H100-SXM5-80GB"}),
                         [](const auto& test) {
                           std::string name = test.param.model;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + std::to_string(test.param.gpus);
                         });

// m micro-batches take m steps, the stages' filling and draining p - 1 more. With twice the batch
// in twice as many micro-batches an iteration is m steps longer.
TEST(CharacterizeModel, ABubbleIsOneStepPerOtherStage) {
  const ClusterSpec a100 = cluster(48, "A100-SXM4-80GB");
  const ModelConfig& gpt3 = model("gpt3-175b");
  ModelConfig twice = gpt3;
  twice.batch_per_gpu *= 2;
  twice.parallelism.micro_batches *= 2;
  const Characterization once = characterize_model(gpt3, 384, a100, {});
  const Characterization longer = characterize_model(twice, 384, a100, {});
  const double step_s =
      (longer.iteration_s() - once.iteration_s()) / gpt3.parallelism.micro_batches;
  EXPECT_NEAR(once.bubble_s, 11 * step_s, 1e-6 * once.bubble_s);
  EXPECT_NEAR(longer.bubble_s, once.bubble_s, 1e-9 * once.bubble_s);
  expect_close(longer.forward_s, 2 * once.forward_s);
}

// 45.1 of Mixtral's 46.7 billion parameters are experts; an expert's state is divided among the 2
// of 16 replicas that hold it, not among all.
TEST(CharacterizeModel, ZeroDividesExpertsAmongThoseThatHoldThem) {
  const ClusterSpec h100 = cluster(8, "H100-SXM5-80GB");
  const ModelConfig& divided = model("mixtral-8x7b");
  ModelConfig whole = divided;
  whole.parallelism.zero = 0;
  double experts = 0;
  double others = 0;
  for (const Operator& op : divided.graph.operators) {
    if (op.block < 0 || op.block >= 8) continue;  // of the first of four stages, the fullest
    (op.expert ? experts : others) += op.parameters;
  }
  others += 32000.0 * 4096;  // the embedding
  // bf16 with Adam: two moments and a copy of the weights, 12 bytes a parameter.
  const double saved = 12 * (experts / 8 * (1 - 1.0 / 2) + others * (1 - 1.0 / 16));
  EXPECT_NEAR(characterize_model(whole, 64, h100, {}).memory -
                  characterize_model(divided, 64, h100, {}).memory,
              saved, 1e-6 * saved);
}

TEST(CharacterizeModel, TheSameEveryTime) {
  Scenario scenario = load_scenario("", {});
  const std::vector<std::uint32_t> gpus{1, 2, 4, 8};
  EXPECT_EQ(characterization_csv(characterize_pool(scenario, {}, gpus)),
            characterization_csv(characterize_pool(scenario, {}, gpus)));
}

// The profiles that the authors publish: measured, and by their ASTRA-sim.
TEST(CharacterizeModel, CloserToTheMeasuredTimesThanTheArtifactsAstraSim) {
  const std::string artifact = test::shared_path("mosim-artifact");
  MOSIM_NEEDS(artifact);
  const ArtifactComparison comparison = compare_with_artifact(artifact, load_scenario("", {}));
  std::vector<double> theirs;
  std::vector<double> ours;
  for (const ComputeComparison& row : comparison.compute) {
    if (!row.astra_sim_s) continue;
    theirs.push_back(std::abs(*row.astra_sim_s / row.measured_s - 1));
    ours.push_back(std::abs(row.ours_s / row.measured_s - 1));
  }
  ASSERT_EQ(ours.size(), 13U);  // the pool and wav2vec2
  EXPECT_LE(describe(ours).median, describe(theirs).median / 2);
  ASSERT_EQ(comparison.volume.size(), 36U);
  for (const VolumeComparison& row : comparison.volume) {
    EXPECT_NEAR(row.ours / row.artifact, 1, 0.01) << row.model << " on " << row.gpus;
  }
}

}  // namespace
}  // namespace mosim
