#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "model/attention.hpp"
#include "model/layers.hpp"
#include "model/mlp.hpp"
#include "model/operators.hpp"

namespace mosim {
namespace {

constexpr NumberRange kBlocks{1, 10000, true};

struct Transformer {
  std::uint32_t layers = 1;
  Attention attention;
  Attention cross;  // to another stream, when it has a memory
  Mlp mlp;
  std::string norm;
  bool norm_first = true;
  bool dropout = false;
};

void read_cross(const YamlNode& node, Transformer& transformer, GraphBuilder& builder) {
  const Layer layer{"cross", node.where(), &node};
  LayerKeys keys(layer, "", builder.problems);
  transformer.cross = transformer.attention;
  transformer.cross.memory = keys.size("memory");
  transformer.cross.memory_width = keys.size_or("width", builder.shape.channels);
  keys.finish();
}

Transformer read_keys(const Layer& layer, GraphBuilder& builder) {
  static const std::array<std::string, 2> kNorms{"layer_norm", "rms_norm"};
  LayerKeys keys(layer, "", builder.problems);
  Transformer t;
  t.layers = static_cast<std::uint32_t>(keys.size("layers", kBlocks));
  const bool bias = keys.flag("bias", true);
  t.attention = read_attention_keys(keys, layer, bias, builder);
  t.mlp = read_mlp_keys(keys, layer, bias, builder);
  t.norm = keys.choice("norm", kNorms, "layer_norm");
  t.norm_first = keys.flag("norm_first", true);
  t.dropout = keys.flag("dropout", false);
  t.attention.dropout = t.dropout;
  if (const YamlNode* cross = keys.any("cross", false)) read_cross(*cross, t, builder);
  keys.finish();
  return t;
}

// A part of a block with its norm, before it or after the residual sum, and the sum itself.
void append_residual(const Transformer& t, const std::string& part, GraphBuilder& builder,
                     const std::function<void()>& append_part) {
  const Scope scope(builder, part);
  const double size = builder.shape.elements();
  if (t.norm_first) append(builder, normalization("norm", t.norm, builder.shape));
  append_part();
  if (t.dropout) append(builder, elementwise("output_dropout", size, kDropout));
  append(builder, sum_operator("add", size, 2));
  if (!t.norm_first) append(builder, normalization("norm", t.norm, builder.shape));
}

void append_block(const Transformer& t, GraphBuilder& builder) {
  append_residual(t, "attention", builder, [&] { append_attention(t.attention, builder); });
  if (t.cross.memory > 0) {
    append_residual(t, "cross", builder, [&] { append_attention(t.cross, builder); });
  }
  append_residual(t, "mlp", builder, [&] { append_mlp(t.mlp, builder); });
}

}  // namespace

void read_transformer(const Layer& layer, GraphBuilder& builder) {
  const Transformer transformer = read_keys(layer, builder);
  ModelGraph& graph = builder.graph;
  graph.boundary = std::max(graph.boundary, builder.shape.elements());
  for (std::uint32_t i = 0; i < transformer.layers; ++i) {
    builder.block = graph.blocks++;
    // Blocks are numbered through the model, wherever they stand.
    const std::string outer = std::exchange(builder.prefix, "");
    {
      const Scope scope(builder, fmt::format("block{}", builder.block));
      append_block(transformer, builder);
    }
    builder.prefix = outer;
    check_growth(builder, layer.where);
  }
  builder.block = graph.blocks;
}

}  // namespace mosim
