#include <cmath>
#include <functional>

#include "base/file.hpp"
#include "model/graphs.hpp"
#include "mosim/workload.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

using test::expect_contains;
using test::refusal;

TEST(BadLayers, HaveAPlaceAndANearName) {
  expect_contains(refusal("[3, 8, 8]", "  - conf: {out: 4}\n"), "m.yaml:3:5: unknown layer 'conf'");
  expect_contains(refusal("[3, 8, 8]", "  - conf: {out: 4}\n"), "nearest: 'conv'");
  const std::string key = refusal("[3, 8, 8]", "  - conv: {out: 4, kernal: 3}\n");
  expect_contains(key, "m.yaml:3:20: unknown key 'kernal'");
  expect_contains(key, "nearest: 'kernel'");
  expect_contains(key, "has no key 'kernel'");
  expect_contains(refusal("[3, 8, 8]", "  - linear: {out: many}\n"),
                  "m.yaml:3:19: out is 'many'; expected an integer from 1 to");
  expect_contains(refusal("[3, 8, 8]", "  - conv: [1, 2]\n"), "m.yaml:3:11: is a list");
  expect_contains(refusal("[3, 8, 8]", "  - conv: {out: 4, kernel: 3, bias: 7}\n"), "bias is '7'");
  expect_contains(refusal("[3, 8, 8]", "  - conv: {out: 4, kernel: 3, pad: sme}\n"),
                  "nearest: 'same'");
  expect_contains(refusal("[3, 8, 8]", "  - conv: {out: 4, kernel: 9, pad: valid}\n"),
                  "conv with a kernel of 9 x 9 does not fit [3, 8, 8]");
  expect_contains(refusal("[3, 8, 8]", "  - relu: {slope: 1}\n"), "unknown key 'slope'");
  expect_contains(refusal("[3, 8, 8]", "  - [conv]\n"), "is not a layer");
  expect_contains(refusal("[3]", "  - linear: 1\n"), "m.yaml:1:8: input is a list");
  expect_contains(refusal("[3, 8]", "  - relu\n"), "0 parameters");
}

// A mistake in a repetition is told once.
TEST(BadLayers, RepeatedOnlyOnce) {
  const std::string text =
      refusal("[3, 8, 8]", "  - repeat: {times: 9, layers: [conf]}\n  - linear: 1\n");
  EXPECT_EQ(text.find("conf"), text.rfind("'conf'") + 1);
}

TEST(BadLayers, SizesEnd) {
  std::string nested = "[relu]";
  for (int i = 0; i < 4; ++i) nested = "[repeat: {times: 10000, layers: " + nested + "}]";
  expect_contains(refusal("[3, 8, 8]", "    " + nested + "\n"), "the model grows too large");
  std::string empty = "[]";
  for (int i = 0; i < 4; ++i) empty = "[repeat: {times: 10000, layers: " + empty + "}]";
  expect_contains(refusal("[3, 8, 8]", "    " + empty + "\n"), "the model grows too large");
  std::string deep = "[]";
  for (int i = 0; i < 100; ++i) deep = "[add: [" + deep + "]]";
  expect_contains(refusal("[3, 8, 8]", "    " + deep + "\n"), "too deep");
  expect_contains(refusal("[3, 8, 8]", "  - repeat: {times: 60, layers: [concat: [[], []]]}\n"),
                  "at most 1000000000 in each direction");
  expect_contains(refusal("[1000000000, 1000000000]", "  - linear: 1000000000\n"), "parameters");
}

// 10 operators of 1e8 parameters, squares of 1e4: 3e12 / (2 x 1e9) = 1500 rows, so that an
// operator has 2 x 1500 x 1e8 = 3e11 operations.
TEST(Totals, BecomeEqualOperators) {
  const YamlNode node = parse_yaml(
      "m.yaml", "{parameters: 1e9, forward_operations: 3 TFLOP, activations: 1e6, operators: 10}");
  Problems problems;
  const ModelGraph graph = read_totals(node, problems);
  problems.throw_if_any();
  ASSERT_EQ(graph.operators.size(), 10U);
  EXPECT_NEAR(graph.parameters(), 1e9, 1);
  EXPECT_NEAR(graph.forward_operations(), 3e12, 1);
  const Operator& op = graph.operators[1];
  EXPECT_DOUBLE_EQ(op.product.rows, 1500);
  EXPECT_DOUBLE_EQ(op.product.columns, 1e4);
  EXPECT_DOUBLE_EQ(op.saved, 1e5);
  EXPECT_EQ(op.backward_input.kernels, 1U);
  EXPECT_EQ(graph.operators[0].backward_input.kernels, 0U);
}

// Every value of a model's layers in turn, through `change`.
void for_each_scalar(YamlNode& node, const std::function<void(YamlNode&)>& change) {
  if (node.kind == YamlNode::Kind::scalar) change(node);
  for (YamlNode& child : node.children) for_each_scalar(child, change);
}

// Whatever number stands where, the layers are read or refused, and sums stay finite.
TEST(BadLayers, AnyValueIsReadOrRefused) {
  for (const char* name : {"whisper", "mixtral-8x7b", "resnet44", "wav2vec2", "googlenet"}) {
    const std::string file = std::string("bundled:models/") + name + ".yaml";
    YamlNode node = parse_yaml(file, read_file(file, "a model"));
    const YamlNode& input = *node.find("input");
    YamlNode& layers = *node.find("layers");
    for_each_scalar(layers, [&](YamlNode& scalar) {
      const std::string original = scalar.scalar;
      for (const char* value : {"0", "1", "7", "1000000000", "-1", "1e400", "true", ""}) {
        scalar.scalar = value;
        Problems problems;
        try {
          const ModelGraph graph = read_graph(layers, input, problems);
          for (const Operator& op : graph.operators) {
            EXPECT_TRUE(std::isfinite(op.parameters) && std::isfinite(op.forward.operations) &&
                        std::isfinite(op.forward.elements))
                << name << " " << op.name << " " << value;
          }
        } catch (const InputError&) {
        }
      }
      scalar.scalar = original;
    });
  }
}

constexpr const char* kModelHead =
    "name: m\naliases: []\npool: default\nbatch_per_gpu: 8\ndata_set: none\nframework: none\n"
    "sources: none\ncollective: tree-all-reduce\n";

TEST(ModelFile, LayersOrTotals) {
  const test::TemporaryFolder folder;
  const std::string head = kModelHead;
  const auto pool = [&](const std::string& rest) {
    const std::string path = folder.write("m.yaml", head + rest);
    return read_pool(path.substr(0, path.rfind('/')));
  };
  const ModelPool totals = pool(
      "totals: {parameters: 1.2e9, forward_operations: 3 TFLOP}\nprecision: bf16\n"
      "parallelism: {tensor: 2, zero: 3, recompute: true}\n");
  const ModelConfig& model = totals.models().front();
  EXPECT_NEAR(model.parameters, 1.2e9, 10);
  EXPECT_EQ(model.graph.operators.size(), 100U);
  EXPECT_EQ(model.precision, "bf16");
  EXPECT_EQ(model.optimizer, "momentum");
  EXPECT_EQ(model.collective, "tree-all-reduce");
  EXPECT_EQ(model.parallelism.tensor, 2U);
  EXPECT_EQ(model.parallelism.pipeline, 1U);
  EXPECT_EQ(model.parallelism.zero, 3U);
  EXPECT_TRUE(model.parallelism.recompute);
  const ModelPool layers =
      pool("input: [8, 4]\nlayers: [transformer: {layers: 1, heads: 1, hidden: 8}]\n");
  EXPECT_EQ(layers.models().front().optimizer, "adam");
  for (const char* wrong :
       {"", "layers: [linear: 1]\n", "input: [1, 2]\n",
        "totals: {parameters: 1, forward_operations: 1 MFLOP}\nlayers: []\ninput: [1, 2]\n",
        "totals: {parameters: 1, forward_operations: 1 MFLOP}\nprecision: fp8\n",
        "totals: {parameters: 1, forward_operations: 1 MFLOP}\nparallelism: {zero: 4}\n",
        "totals: {parameters: 1, forward_operations: 1 MFLOP}\nparallelism: {data: 4}\n",
        "parameters: 1\nforward_operations: 1 MFLOP\n"}) {
    EXPECT_THROW((void)pool(wrong), InputError) << wrong;
  }
}

}  // namespace
}  // namespace mosim
