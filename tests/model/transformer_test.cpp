#include "model/graphs.hpp"

namespace mosim {
namespace {

using test::expect_contains;
using test::graph_of;
using test::named;
using test::refusal;

// 10 tokens of 8 features, 4 heads of 2 features, 2 of them for keys and values.
TEST(Attention, GroupedHeads) {
  const ModelGraph graph =
      graph_of("[8, 10]", "  - attention: {heads: 4, kv_heads: 2, causal: true}\n");
  // Columns 8 + 2 x 4 = 16: 8 x 16 weights and 16 biases.
  const Operator& projection = named(graph, "attention1.query_key_value");
  EXPECT_EQ(projection.parameters, 8 * 16 + 16);
  EXPECT_EQ(projection.forward.operations, 2 * 10 * 16 * 8);
  EXPECT_EQ(projection.exchange.gradient_sum, 80);
  // Four products of 10 x 2 with 2 x 10: 2 x 10 x 10 x 2 x 4 = 1600 operations. In: queries 80 and
  // keys 40; out: 400.
  const Operator& scores = named(graph, "attention1.scores");
  EXPECT_EQ(scores.kind, OperatorKind::attention);
  EXPECT_FALSE(scores.product.batched);
  EXPECT_EQ(scores.product.count, 4);
  EXPECT_EQ(scores.product.depth, 2);
  EXPECT_EQ(scores.forward.operations, 1600);
  EXPECT_EQ(scores.forward.elements, 80 + 40 + 400);
  EXPECT_EQ(scores.backward_input.kernels, 0U + 2U);
  EXPECT_EQ(scores.backward_input.operations, 3200);
  EXPECT_EQ(scores.backward_input.elements, 2 * 520);
  EXPECT_EQ(named(graph, "attention1.softmax").forward.elements, 800);
  // In: probabilities 400 and values 40; out: 80.
  const Operator& values = named(graph, "attention1.values");
  EXPECT_EQ(values.forward.operations, 1600);
  EXPECT_EQ(values.forward.elements, 400 + 40 + 80);
  EXPECT_EQ(named(graph, "attention1.output").parameters, 8 * 8 + 8);
  EXPECT_EQ(named(graph, "attention1.output").exchange.output_sum, 80);
}

TEST(Attention, MemoryAndWindow) {
  // Queries from 10 tokens of 8; keys and values from 6 positions of 3: 3 x 16 weights, 16 biases.
  const ModelGraph cross =
      graph_of("[8, 10]", "  - attention: {heads: 4, memory: 6, memory_width: 3}\n");
  EXPECT_EQ(named(cross, "attention1.query").parameters, 8 * 8 + 8);
  EXPECT_EQ(named(cross, "attention1.key_value").parameters, 3 * 16 + 16);
  EXPECT_EQ(named(cross, "attention1.key_value").product.rows, 6);
  EXPECT_EQ(named(cross, "attention1.scores").product.columns, 6);
  EXPECT_EQ(named(cross, "attention1.values").product.depth, 6);
  // 4 of the 10 positions: 2 x 10 x 4 x 2 x 4 operations.
  const ModelGraph window = graph_of("[8, 10]", "  - attention: {heads: 4, window: 4}\n");
  EXPECT_EQ(named(window, "attention1.scores").forward.operations, 640);
  EXPECT_EQ(named(window, "attention1.scores").forward.elements, 80 + 80 + 160);
}

TEST(Attention, HeadsMustDivide) {
  expect_contains(refusal("[8, 10]", "  - attention: {heads: 3}\n"),
                  "m.yaml:3:5: 3 heads do not divide 8 features");
  expect_contains(refusal("[8, 10]", "  - attention: {heads: 4, kv_heads: 3}\n"),
                  "kv_heads 3 does not divide 4 heads");
}

// 10 tokens of 4 features, hidden 6.
TEST(Mlp, DenseAndGated) {
  const ModelGraph dense = graph_of("[4, 10]", "  - mlp: {hidden: 6}\n");
  EXPECT_EQ(dense.parameters(), 4 * 6 + 6 + 6 * 4 + 4);
  EXPECT_EQ(dense.forward_operations(), 2 * 10 * 4 * 6 * 2);
  // The gate beside the hidden features: 4 x 12 and 6 x 4.
  const ModelGraph gated =
      graph_of("[4, 10]", "  - mlp: {hidden: 6, activation: swiglu, bias: false}\n");
  EXPECT_EQ(gated.parameters(), 4 * 12 + 6 * 4);
  EXPECT_EQ(named(gated, "mlp1.swiglu").forward.elements, 3 * 60);
  EXPECT_EQ(named(gated, "mlp1.swiglu").backward_input.elements, 5 * 60);
}

// 8 experts, 2 per token: 20 rows, weights of all. The router is 4 x 8.
TEST(Mlp, Experts) {
  const ModelGraph graph =
      graph_of("[4, 10]", "  - mlp: {hidden: 6, bias: false, experts: 8, top: 2}\n");
  EXPECT_EQ(graph.experts, 8U);
  EXPECT_EQ(graph.parameters(), 4 * 8 + 8 * (4 * 6 + 6 * 4));
  EXPECT_EQ(graph.forward_operations(), 2 * 10 * 4 * 8 + 2 * (2 * 20 * 4 * 6));
  const Operator& first = named(graph, "mlp1.linear1");
  EXPECT_TRUE(first.expert);
  EXPECT_EQ(first.product.rows, 20);
  EXPECT_EQ(first.exchange.dispatch, 80);
  EXPECT_EQ(first.exchange.gradient_sum, 40);
  EXPECT_EQ(named(graph, "mlp1.linear2").exchange.combine, 80);
  EXPECT_FALSE(named(graph, "mlp1.router").expert);
  expect_contains(refusal("[4, 10]", "  - mlp: {hidden: 6, experts: 2, top: 3}\n"),
                  "top 3 of 2 experts");
}

TEST(Transformer, Blocks) {
  const ModelGraph graph = graph_of("[1, 10]",
                                    "  - embedding: {entries: 50, width: 8}\n"
                                    "  - transformer: {layers: 2, heads: 2, hidden: 16}\n"
                                    "  - layer_norm\n");
  EXPECT_EQ(graph.blocks, 2);
  EXPECT_EQ(graph.boundary, 80);
  EXPECT_EQ(named(graph, "embedding1").block, -1);
  EXPECT_EQ(named(graph, "block1.attention.query_key_value").block, 1);
  EXPECT_EQ(named(graph, "layer_norm1").block, 2);
  // A block: 4 x (8 x 8 + 8) attention, 8 x 16 + 16 + 16 x 8 + 8 mlp, two norms of 16.
  EXPECT_EQ(graph.parameters(), 50 * 8 + 2 * (288 + 280 + 32) + 16);
  EXPECT_FALSE(named(graph, "block0.attention.norm").tensor_parallel);
  EXPECT_FALSE(named(graph, "block0.mlp.add").tensor_parallel);
  for (const char* name :
       {"attention.query_key_value", "attention.scores", "attention.softmax", "attention.values",
        "attention.output", "mlp.linear1", "mlp.gelu", "mlp.linear2"}) {
    EXPECT_TRUE(named(graph, std::string("block0.") + name).tensor_parallel) << name;
  }
  EXPECT_EQ(named(graph, "block0.mlp.linear2").exchange.output_sum, 80);
}

TEST(Transformer, NormAfterTheSum) {
  const ModelGraph graph = graph_of(
      "[8, 10]",
      "  - transformer: {layers: 1, heads: 2, hidden: 16, norm_first: false, dropout: true}\n");
  EXPECT_EQ(graph.operators.front().name, "block0.attention.query_key_value");
  EXPECT_EQ(graph.operators.back().name, "block0.mlp.norm");
  EXPECT_EQ(named(graph, "block0.attention.dropout").forward.elements, 2 * 2 * 10 * 10);
  EXPECT_EQ(named(graph, "block0.mlp.output_dropout").forward.elements, 2 * 80);
}

// A decoder on 5 tokens over an encoder's 10 positions; both have a block.
TEST(Transformer, EncoderAndDecoder) {
  const ModelGraph graph =
      graph_of("[8, 10]",
               "  - transformer: {layers: 1, heads: 2, hidden: 16}\n"
               "  - input: [1, 5]\n"
               "  - embedding: {entries: 50, width: 8}\n"
               "  - transformer: {layers: 1, heads: 2, hidden: 16, cross: {memory: 10}}\n");
  EXPECT_EQ(graph.blocks, 2);
  EXPECT_EQ(named(graph, "embedding1").block, 1);
  EXPECT_EQ(named(graph, "block1.cross.query").product.rows, 5);
  EXPECT_EQ(named(graph, "block1.cross.key_value").product.rows, 10);
  EXPECT_EQ(named(graph, "block1.attention.scores").product.columns, 5);
}

}  // namespace
}  // namespace mosim
