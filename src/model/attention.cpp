#include "model/attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/layers.hpp"
#include "model/operators.hpp"

namespace mosim {
namespace {

Operator divided(Operator op) {
  op.tensor_parallel = true;
  return op;
}

// A projection to heads: divided by columns, so that its input's gradient is a sum over the group.
void append_projection(std::string name, const LinearSize& size, GraphBuilder& builder) {
  Operator op = divided(linear_operator(std::move(name), size));
  op.exchange.gradient_sum = size.rows * size.depth;
  append(builder, std::move(op));
}

void append_projections(const Attention& a, double tokens, double width, GraphBuilder& builder) {
  const double query = a.heads * a.head_width;
  const double key = a.kv_heads * a.head_width;
  const double query_bias = a.bias ? query : 0;
  const double key_value_bias = (a.key_bias ? key : 0) + (a.bias ? key : 0);
  if (a.memory > 0) {
    append_projection("query", {tokens, width, query, query_bias, 1}, builder);
    append_projection("key_value", {a.memory, a.memory_width, 2 * key, key_value_bias, 1}, builder);
  } else {
    append_projection("query_key_value",
                      {tokens, width, query + 2 * key, query_bias + key_value_bias, 1}, builder);
  }
  if (a.rotary) {
    append(builder, divided(elementwise("rotary", tokens * (query + key), kCopy)));
  }
}

// Unfused, as frameworks run it without a fused kernel: the scores go through memory, and a causal
// mask spares nothing.
void append_core(const Attention& a, double tokens, GraphBuilder& builder) {
  const double positions = a.memory > 0 ? a.memory : tokens;
  const double attended = a.window > 0 ? std::min(a.window, positions) : positions;
  const double queries = tokens * a.heads * a.head_width;
  const double keys = positions * a.kv_heads * a.head_width;
  if (a.fused) {
    // Blocks of scores above the diagonal of a causal mask are skipped.
    const double seen = a.causal && a.window == 0 ? attended / 2 : attended;
    append(builder, divided(fused_attention("core", {tokens, seen, a.head_width, a.heads, false},
                                            queries + 2 * keys)));
    return;
  }
  const double scores = a.heads * tokens * attended;
  append(builder, divided(attention_product(
                      "scores", {tokens, attended, a.head_width, a.heads, false}, queries + keys)));
  append(builder, divided(elementwise("softmax", scores, kActivation)));
  if (a.dropout) append(builder, divided(elementwise("dropout", scores, kDropout)));
  append(builder, divided(attention_product(
                      "values", {tokens, a.head_width, attended, a.heads, false}, scores + keys)));
}

}  // namespace

Attention read_attention_keys(LayerKeys& keys, const Layer& layer, bool bias,
                              GraphBuilder& builder) {
  Attention a;
  a.heads = keys.size("heads");
  a.kv_heads = keys.size_or("kv_heads", a.heads);
  const double width = builder.shape.channels / a.heads;
  a.head_width = keys.size_or("head_width", std::max(1.0, std::floor(width)));
  a.window = keys.size_or("window", 0);
  a.bias = bias;
  a.key_bias = keys.flag("key_bias", bias);
  a.rotary = keys.flag("rotary", false);
  a.causal = keys.flag("causal", false);
  a.fused = keys.flag("fused", false);
  if (!keys.has("head_width") && width != a.head_width) {
    builder.problems.add(
        layer.where,
        fmt::format("{} heads do not divide {} features", a.heads, builder.shape.channels),
        "a divisor, or head_width");
  }
  if (std::fmod(a.heads, a.kv_heads) != 0) {
    builder.problems.add(layer.where,
                         fmt::format("kv_heads {} does not divide {} heads", a.kv_heads, a.heads),
                         "a divisor");
  }
  return a;
}

void append_attention(const Attention& a, GraphBuilder& builder) {
  const double tokens = builder.shape.positions();
  const double width = builder.shape.channels;
  append_projections(a, tokens, width, builder);
  append_core(a, tokens, builder);
  Operator output = divided(
      linear_operator("output", {tokens, a.heads * a.head_width, width, a.bias ? width : 0, 1}));
  output.exchange.output_sum = tokens * width;
  append(builder, std::move(output));
}

void read_attention(const Layer& layer, GraphBuilder& builder) {
  LayerKeys keys(layer, "", builder.problems);
  const bool bias = keys.flag("bias", true);
  Attention attention = read_attention_keys(keys, layer, bias, builder);
  attention.memory = keys.size_or("memory", 0);
  attention.memory_width = keys.size_or("memory_width", builder.shape.channels);
  attention.dropout = keys.flag("dropout", false);
  keys.finish();
  const Scope scope(builder, numbered(builder, layer.kind));
  append_attention(attention, builder);
}

}  // namespace mosim
