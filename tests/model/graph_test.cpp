#include <gtest/gtest.h>

#include "model/graphs.hpp"

namespace mosim {
namespace {

using test::expect_contains;
using test::graph_of;
using test::named;
using test::refusal;

void expect_pass(const Pass& pass, double operations, double elements, std::uint32_t kernels) {
  EXPECT_EQ(pass.operations, operations);
  EXPECT_EQ(pass.elements, elements);
  EXPECT_EQ(pass.kernels, kernels);
}

void expect_product(const Operator& op, double rows, double columns, double depth, double count) {
  EXPECT_EQ(op.product.rows, rows);
  EXPECT_EQ(op.product.columns, columns);
  EXPECT_EQ(op.product.depth, depth);
  EXPECT_EQ(op.product.count, count);
}

// 8 x 8 positions, 16 to 32 channels: in 1024 elements, out 2048; depth 16 x 9 = 144;
// 2 x 64 x 32 x 144 = 589824 operations; 32 x 144 = 4608 weights.
TEST(Convolution, IsAProductOverItsPositions) {
  const ModelGraph graph = graph_of("[16, 8, 8]", "  - conv: {out: 32, kernel: 3}\n");
  ASSERT_EQ(graph.operators.size(), 2U);
  const Operator& conv = graph.operators[0];
  EXPECT_EQ(conv.name, "conv1");
  EXPECT_EQ(conv.kind, OperatorKind::winograd);
  EXPECT_EQ(conv.parameters, 4608);
  EXPECT_EQ(conv.saved, 2048);
  expect_product(conv, 64, 32, 144, 1);
  expect_pass(conv.forward, 589824, 3072, 1);
  expect_pass(conv.backward_input, 0, 0, 0);  // nothing above needs it
  expect_pass(conv.backward_weight, 589824, 3072, 1);
  // The bias: read and written forward, read backward.
  const Operator& bias = graph.operators[1];
  EXPECT_EQ(bias.name, "conv1.bias");
  EXPECT_EQ(bias.parameters, 32);
  expect_pass(bias.forward, 0, 4096, 1);
  expect_pass(bias.backward_weight, 0, 2048, 1);
  EXPECT_EQ(bias.backward_input.kernels, 0U);
  EXPECT_EQ(graph.forward_operations(), 589824);
  EXPECT_EQ(graph.parameters(), 4640);
}

// The second layer's input has a gradient: of its 8 x 4 x 4 outputs, with 1 x 1 over 4 channels.
// 2 x 16 x 8 x 4 = 1024 operations; in 64, out 128.
TEST(Convolution, BelowWeightsItHasAnInputGradient) {
  const ModelGraph graph = graph_of("[2, 4, 4]",
                                    "  - conv: {out: 4, kernel: 1, bias: false}\n"
                                    "  - conv: {out: 8, kernel: 1, bias: false}\n");
  EXPECT_EQ(named(graph, "conv2").kind, OperatorKind::convolution);
  expect_pass(named(graph, "conv2").backward_input, 1024, 192, 1);
}

// 8 channels in 4 groups of 2 to 2, 3 x 3: 16 positions x 4 groups, depth 2 x 9.
TEST(Convolution, GroupsAreRows) {
  const ModelGraph graph =
      graph_of("[8, 4, 4]", "  - conv: {out: 8, kernel: 3, groups: 4, bias: false}\n");
  expect_product(graph.operators[0], 64, 2, 18, 1);
  EXPECT_EQ(graph.operators[0].kind, OperatorKind::convolution);
  EXPECT_EQ(graph.operators[0].parameters, 8 * 18);
}

TEST(Convolution, Padding) {
  const auto rows = [](const std::string& input, const std::string& keys) {
    return graph_of(input, "  - conv: {out: 1, " + keys + "}\n").operators[0].product.rows;
  };
  // same: ceil(7 / 2) = 4 each way. valid: floor((7 - 3) / 2) + 1 = 3. 1: floor((9 - 3) / 2) + 1.
  EXPECT_EQ(rows("[1, 7, 7]", "kernel: 3, stride: 2"), 16);
  EXPECT_EQ(rows("[1, 7, 7]", "kernel: 3, stride: 2, pad: valid"), 9);
  EXPECT_EQ(rows("[1, 7, 7]", "kernel: 3, stride: 2, pad: 1"), 16);
  // By direction: height floor((7 + 2 - 1) / 1) + 1 = 9, width floor((7 - 7) / 1) + 1 = 1.
  EXPECT_EQ(rows("[1, 7, 7]", "kernel: [1, 7], pad: [1, 0]"), 9);
  // A sequence has one direction: floor((100 - 10) / 5) + 1 = 19.
  EXPECT_EQ(rows("[1, 100]", "kernel: 10, stride: 5, pad: valid"), 19);
  EXPECT_EQ(rows("[1, 100]", "kernel: 3, pad: 1"), 100);
}

// 10 tokens, 4 to 6 features: 2 x 10 x 6 x 4 = 480; in 40, out 60; 24 + 6 parameters. The bias adds
// a sum over the 60 gradients.
TEST(Linear, ActsOnEveryPosition) {
  const ModelGraph graph =
      graph_of("[4, 10]", "  - linear: 6\n  - linear: {out: 2, bias: false}\n");
  const Operator& op = graph.operators[0];
  EXPECT_EQ(op.kind, OperatorKind::linear);
  EXPECT_EQ(op.parameters, 30);
  expect_product(op, 10, 6, 4, 1);
  EXPECT_TRUE(op.product.batched);
  expect_pass(op.forward, 480, 100, 1);
  expect_pass(op.backward_weight, 480, 160, 2);
  expect_pass(graph.operators[1].backward_input, 240, 80, 1);
  expect_pass(graph.operators[1].backward_weight, 240, 80, 1);
}

TEST(Linear, TiedSharesTheEmbedding) {
  const ModelGraph graph = graph_of("[1, 5]",
                                    "  - embedding: {entries: 100, width: 8}\n"
                                    "  - linear: {out: 100, tied: true}\n"
                                    "  - loss\n");
  EXPECT_EQ(graph.parameters(), 100 * 8 + 100);
  const Operator& head = named(graph, "linear1");
  EXPECT_TRUE(head.tensor_parallel);
  EXPECT_EQ(head.exchange.gradient_sum, 5 * 8);
  EXPECT_TRUE(named(graph, "loss1").tensor_parallel);
  EXPECT_EQ(named(graph, "loss1").forward.elements, 3 * 500);
  EXPECT_EQ(named(graph, "loss1").backward_input.elements, 2 * 500);
  expect_contains(refusal("[1, 5]",
                          "  - embedding: {entries: 100, width: 8}\n"
                          "  - linear: {out: 99, tied: true}\n"),
                  "m.yaml:4:5: no embedding of 99 entries and width 8");
}

// 40 elements of 4 features.
TEST(Normalization, ReadsAndWrites) {
  const ModelGraph graph =
      graph_of("[4, 10]",
               "  - linear: {out: 4, bias: false}\n  - batch_norm\n  - layer_norm\n  - rms_norm\n"
               "  - group_norm\n  - lrn\n  - batch_norm: {scale: false}\n");
  const Operator& batch = named(graph, "batch_norm1");
  EXPECT_EQ(batch.kind, OperatorKind::normalization);
  EXPECT_EQ(batch.parameters, 8);
  EXPECT_EQ(batch.saved, 40);
  expect_pass(batch.forward, 0, 120, 1);
  expect_pass(batch.backward_input, 0, 200, 1);
  EXPECT_EQ(batch.backward_weight.kernels, 0U);
  const Operator& layer = named(graph, "layer_norm1");
  EXPECT_EQ(layer.parameters, 8);
  expect_pass(layer.forward, 0, 80, 1);
  expect_pass(layer.backward_input, 0, 120, 1);
  expect_pass(layer.backward_weight, 0, 80, 1);
  EXPECT_EQ(named(graph, "rms_norm1").parameters, 4);
  EXPECT_EQ(named(graph, "group_norm1").parameters, 8);
  EXPECT_EQ(named(graph, "lrn1").parameters, 0);
  expect_pass(named(graph, "lrn1").backward_input, 0, 160, 1);
  EXPECT_EQ(named(graph, "batch_norm2").parameters, 4);
}

// A normalization that comes first still finds its weights' gradients.
TEST(Normalization, FirstLayerKeepsItsBackwardPass) {
  const ModelGraph graph = graph_of("[4, 10]", "  - batch_norm\n  - layer_norm\n");
  EXPECT_EQ(named(graph, "batch_norm1").backward_input.kernels, 1U);
  EXPECT_EQ(named(graph, "layer_norm1").backward_input.kernels, 1U);
  const ModelGraph row = graph_of("[4, 10]", "  - layer_norm\n");
  EXPECT_EQ(row.operators[0].backward_input.kernels, 0U);
  EXPECT_EQ(row.operators[0].backward_weight.kernels, 1U);
}

TEST(Elementwise, ReadsAndWrites) {
  for (const char* kind : {"relu", "gelu", "silu", "tanh", "sigmoid", "dropout", "softmax"}) {
    const ModelGraph graph = graph_of("[4, 10]", std::string("  - linear: 4\n  - ") + kind + "\n");
    const Operator& op = named(graph, std::string(kind) + "1");
    EXPECT_EQ(op.kind, OperatorKind::elementwise);
    expect_pass(op.forward, 0, 80, 1);
    expect_pass(op.backward_input, 0, 120, 1);
    const std::string name = kind;
    EXPECT_EQ(op.saved, name == "relu" ? 0 : name == "dropout" ? 10 : 40) << kind;
  }
  // Above all weights there is no backward pass, and nothing to keep for it.
  const ModelGraph first = graph_of("[4, 10]", "  - gelu\n  - linear: 4\n");
  EXPECT_EQ(first.operators[0].backward_input.kernels, 0U);
  EXPECT_EQ(first.operators[0].saved, 0);
}

// 4 x 6 x 6 = 144 elements to 4 x 3 x 3 = 36; backward reads 2 x 36 and writes 144.
TEST(Pooling, ReadsAndWrites) {
  const ModelGraph graph = graph_of("[4, 6, 6]",
                                    "  - conv: {out: 4, kernel: 1}\n  - max_pool: 2\n"
                                    "  - avg_pool: {kernel: 3, stride: 1, pad: same}\n"
                                    "  - global_pool\n  - flatten\n  - linear: 2\n");
  const Operator& pool = named(graph, "max_pool1");
  EXPECT_EQ(pool.kind, OperatorKind::pooling);
  EXPECT_EQ(pool.saved, 36);
  expect_pass(pool.forward, 0, 180, 1);
  expect_pass(pool.backward_input, 0, 216, 1);
  expect_pass(named(graph, "avg_pool1").forward, 0, 72, 1);
  expect_pass(named(graph, "global_pool1").forward, 0, 40, 1);
  expect_product(named(graph, "linear1"), 1, 2, 4, 1);
}

// 5 tokens of 8 features: 40 elements.
TEST(Embedding, LooksUpAndAddsPositions) {
  const ModelGraph graph = graph_of("[1, 5]",
                                    "  - embedding: {entries: 100, width: 8}\n"
                                    "  - positions: 16\n"
                                    "  - positions: {entries: 16, fixed: true}\n");
  const Operator& table = named(graph, "embedding1");
  EXPECT_EQ(table.kind, OperatorKind::embedding);
  EXPECT_EQ(table.parameters, 800);
  expect_pass(table.forward, 0, 80, 1);
  expect_pass(table.backward_weight, 0, 80, 1);
  EXPECT_EQ(table.backward_input.kernels, 0U);
  EXPECT_EQ(table.exchange.output_sum, 40);
  EXPECT_EQ(named(graph, "positions1").parameters, 128);
  EXPECT_EQ(named(graph, "positions2").parameters, 0);
  expect_contains(refusal("[1, 5]", "  - embedding: {entries: 9, width: 8}\n  - positions: 4\n"),
                  "m.yaml:4:5: 4 entries for the 5 positions of [8, 5]");
}

// 4 x 2 x 2 = 16 elements. The sum of two reads 32 and writes 16; backward passes over 16.
TEST(Branches, AddAndConcat) {
  const ModelGraph graph = graph_of("[4, 2, 2]",
                                    "  - conv: {out: 4, kernel: 1}\n"
                                    "  - add: [[], [conv: {out: 4, kernel: 3}]]\n"
                                    "  - concat: [[], [conv: {out: 6, kernel: 1}], [relu]]\n"
                                    "  - pad_channels: 16\n"
                                    "  - conv: {out: 1, kernel: 1}\n");
  expect_pass(named(graph, "add1").forward, 0, 48, 1);
  expect_pass(named(graph, "add1").backward_input, 0, 16, 1);
  EXPECT_EQ(named(graph, "add1").saved, 0);
  // 4 + 6 + 4 channels: 56 elements, read and written.
  expect_pass(named(graph, "concat1").forward, 0, 112, 1);
  expect_pass(named(graph, "concat1").backward_input, 0, 112, 1);
  // 56 elements to 64.
  expect_pass(named(graph, "pad_channels1").forward, 0, 120, 1);
  expect_product(named(graph, "conv4"), 4, 1, 16, 1);
}

TEST(Branches, ShapesMustMatch) {
  expect_contains(refusal("[4, 8, 8]", "  - add: [[], [conv: {out: 5, kernel: 1, stride: 2}]]\n"),
                  "m.yaml:3:5: add of [4, 8, 8] and [5, 4, 4]");
  expect_contains(refusal("[4, 8, 8]", "  - concat: [[], [max_pool: 2]]\n"),
                  "m.yaml:3:5: concat of [4, 8, 8] and [4, 4, 4]");
  expect_contains(refusal("[4, 8, 8]", "  - add\n"), "m.yaml:3:5: add has no branches");
  expect_contains(refusal("[4, 8, 8]", "  - add: [relu]\n"), "add has no branches");
}

TEST(Repeat, NamesCarryTheIndex) {
  const ModelGraph graph =
      graph_of("[4, 2, 2]",
               "  - repeat: {times: 3, layers: [conv: {out: 4, kernel: 1, bias: false}, relu]}\n"
               "  - conv: {out: 4, kernel: 1, bias: false}\n");
  ASSERT_EQ(graph.operators.size(), 7U);
  EXPECT_EQ(graph.operators[0].name, "repeat1.0.conv1");
  EXPECT_EQ(graph.operators[5].name, "repeat1.2.relu1");
  EXPECT_EQ(graph.operators[6].name, "conv1");
  EXPECT_EQ(graph.parameters(), 4 * 16);
}

}  // namespace
}  // namespace mosim
