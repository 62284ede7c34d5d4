// The bundled models against published counts.
#include <gtest/gtest.h>

#include <set>

#include "mosim/workload.hpp"

namespace mosim {
namespace {

const ModelConfig& model(const std::string& name) {
  static const ModelPool pool = read_pool("default");
  const ModelConfig* found = pool.find(name);
  if (found == nullptr) throw std::logic_error("no model " + name);
  return *found;
}

struct Published {
  const char* model;
  double parameters;
  double forward_operations;  // 0: none to compare with
};

// Parameters: fp32 gradients of the artifact's network profile in MB, over 4 bytes. Operations: sum
// over the layers in the papers (two per multiply-add), as the files' sources explain.
class ArtifactModels : public testing::TestWithParam<Published> {};

TEST_P(ArtifactModels, HaveThePublishedSize) {
  const Published& expected = GetParam();
  const ModelConfig& config = model(expected.model);
  EXPECT_NEAR(config.parameters, expected.parameters, 0.005 * expected.parameters);
  EXPECT_NEAR(config.forward_operations, expected.forward_operations,
              0.02 * expected.forward_operations);
}

INSTANTIATE_TEST_SUITE_P(Models, ArtifactModels,
                         testing::Values(Published{"alexnet", 7.0257e6 / 4, 65.56e6},
                                         Published{"bert", 438.06e6 / 4, 121.2e9},
                                         Published{"densenet100_k12", 27.92e6 / 4, 3.539e9},
                                         Published{"densenet40_k12", 4.079e6 / 4, 529.6e6},
                                         Published{"googlenet", 27.99e6 / 4, 3.165e9},
                                         Published{"gpt2", 497.76e6 / 4, 136.2e9},
                                         Published{"inception3", 95.34e6 / 4, 11.43e9},
                                         Published{"resnet110", 6.912e6 / 4, 505.8e6},
                                         Published{"resnet44", 2.634e6 / 4, 194.3e6},
                                         Published{"resnet50", 102.23e6 / 4, 8.178e9},
                                         Published{"vgg16", 553.43e6 / 4, 30.94e9},
                                         Published{"wav2vec2", 94.3963e6, 184.9e9},
                                         Published{"whisper", 148.74e6 / 4, 44.70e9}),
                         [](const auto& test) { return std::string(test.param.model); });

// Counted by the authors of the models or their frameworks, to the parameter.
TEST(BundledModels, ExactCounts) {
  EXPECT_EQ(model("alexnet").parameters, 1756426);
  EXPECT_EQ(model("bert").parameters, 109514298);
  EXPECT_EQ(model("densenet100_k12").parameters, 6979642);
  EXPECT_EQ(model("densenet40_k12").parameters, 1019722);
  EXPECT_EQ(model("googlenet").parameters, 6998552);
  EXPECT_EQ(model("gpt2").parameters, 124439808);
  EXPECT_EQ(model("inception3").parameters, 23834568);
  EXPECT_EQ(model("resnet110").parameters, 1727962);
  EXPECT_EQ(model("resnet44").parameters, 658586);
  EXPECT_EQ(model("resnet50").parameters, 25557032);
  EXPECT_EQ(model("vgg16").parameters, 138357544);
  EXPECT_EQ(model("whisper").parameters, 37184640);
  // 94396320 with the mask embedding (768) and the weight norm's scales (128).
  EXPECT_EQ(model("wav2vec2").parameters, 94396320 - 768 - 128);
}

TEST(BundledModels, LargeModels) {
  EXPECT_NEAR(model("gpt3-175b").parameters, 175e9, 0.005 * 175e9);
  EXPECT_NEAR(model("llama3-8b").parameters, 8.03e9, 0.005 * 8.03e9);
  EXPECT_NEAR(model("llama3-70b").parameters, 70.6e9, 0.005 * 70.6e9);
  EXPECT_NEAR(model("mixtral-8x7b").parameters, 46.7e9, 0.005 * 46.7e9);
  EXPECT_EQ(model("gpt3-175b").graph.blocks, 96);
  EXPECT_EQ(model("gpt3-175b").parallelism.tensor, 8U);
  EXPECT_EQ(model("mixtral-8x7b").graph.experts, 8U);
  EXPECT_EQ(model("mixtral-8x7b").precision, "bf16");
  EXPECT_FALSE(model("llama3-8b").in_pool);
}

TEST(BundledModels, EveryOperatorHasANameOfItsOwn) {
  const ModelPool pool = read_pool("default");
  for (const ModelConfig& config : pool.models()) {
    std::set<std::string> names;
    for (const Operator& op : config.graph.operators) {
      EXPECT_TRUE(names.insert(op.name).second) << config.name << " " << op.name;
    }
  }
}

}  // namespace
}  // namespace mosim
