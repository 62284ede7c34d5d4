#include "model/mlp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/layers.hpp"
#include "model/operators.hpp"

namespace mosim {
namespace {

constexpr NumberRange kExperts{1, 1e6, true};

void append_router(const Mlp& mlp, double tokens, double width, GraphBuilder& builder) {
  append(builder, linear_operator("router", {tokens, width, mlp.experts, 0, 1}));
  append(builder, elementwise("router_softmax", tokens * mlp.experts, kActivation));
  append(builder, elementwise("dispatch", tokens * mlp.top * width, kCopy));
}

ElementCost hidden_cost(const std::string& activation) {
  if (activation == "swiglu") return kGatedActivation;
  return activation == "relu" ? kInPlace : kActivation;
}

}  // namespace

Mlp read_mlp_keys(LayerKeys& keys, const Layer& layer, bool bias, GraphBuilder& builder) {
  static const std::array<std::string, 4> kActivations{"gelu", "relu", "silu", "swiglu"};
  Mlp mlp;
  mlp.hidden = keys.size("hidden");
  mlp.activation = keys.choice("activation", kActivations, "gelu");
  mlp.experts = keys.size_or("experts", 0, kExperts);
  mlp.top = keys.size_or("top", 1, kExperts);
  mlp.bias = bias;
  if (mlp.top > std::max(1.0, mlp.experts)) {
    builder.problems.add(layer.where, fmt::format("top {} of {} experts", mlp.top, mlp.experts),
                         "no more than there are experts");
  }
  return mlp;
}

void append_mlp(const Mlp& mlp, GraphBuilder& builder) {
  const double tokens = builder.shape.positions();
  const double width = builder.shape.channels;
  const bool routed = mlp.experts > 0;
  const double rows = routed ? tokens * mlp.top : tokens;
  const double copies = routed ? mlp.experts : 1;
  const double columns = mlp.activation == "swiglu" ? 2 * mlp.hidden : mlp.hidden;
  if (routed) append_router(mlp, tokens, width, builder);

  Operator first =
      linear_operator("linear1", {rows, width, columns, mlp.bias ? columns : 0, copies});
  first.exchange.gradient_sum = tokens * width;
  first.exchange.dispatch = routed ? rows * width : 0;
  Operator activation = elementwise(mlp.activation, rows * mlp.hidden, hidden_cost(mlp.activation));
  Operator second =
      linear_operator("linear2", {rows, mlp.hidden, width, mlp.bias ? width : 0, copies});
  second.exchange.output_sum = tokens * width;
  second.exchange.combine = routed ? rows * width : 0;
  for (Operator* op : {&first, &activation, &second}) {
    op->tensor_parallel = true;
    op->expert = routed;
    append(builder, std::move(*op));
  }
  if (!routed) return;
  builder.graph.experts = std::max(builder.graph.experts, static_cast<std::uint32_t>(mlp.experts));
  // The outputs of a token's experts, weighted by the router.
  append(builder, sum_operator("combine", tokens * width, mlp.top));
}

void read_mlp(const Layer& layer, GraphBuilder& builder) {
  LayerKeys keys(layer, "", builder.problems);
  const bool bias = keys.flag("bias", true);
  const Mlp mlp = read_mlp_keys(keys, layer, bias, builder);
  keys.finish();
  const Scope scope(builder, numbered(builder, layer.kind));
  append_mlp(mlp, builder);
}

}  // namespace mosim
