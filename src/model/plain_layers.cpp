#include <fmt/format.h>

#include <algorithm>

#include "model/layers.hpp"
#include "model/operators.hpp"

namespace mosim {
namespace {

void check_shared(const Layer& layer, const Embedding& wanted, GraphBuilder& builder) {
  const bool found = std::any_of(
      builder.embeddings.begin(), builder.embeddings.end(), [&](const Embedding& embedding) {
        return embedding.entries == wanted.entries && embedding.width == wanted.width;
      });
  if (found) return;
  builder.problems.add(layer.where,
                       fmt::format("no embedding of {} entries and width {} to share above",
                                   wanted.entries, wanted.width),
                       "an embedding of that size, or no 'tied'");
}

ElementCost activation_cost(std::string_view kind) {
  if (kind == "relu") return kInPlace;
  if (kind == "dropout") return kDropout;
  return kActivation;
}

}  // namespace

Operator normalization(std::string name, std::string_view kind, const Shape& shape) {
  const double size = shape.elements();
  ElementCost cost = kRowNorm;
  if (kind == "batch_norm") cost = kBatchNorm;
  if (kind == "lrn") cost = kLocalResponseNorm;
  Operator op = elementwise(std::move(name), size, cost);
  op.kind = OperatorKind::normalization;
  if (kind == "lrn") return op;
  op.parameters = (kind == "rms_norm" ? 1 : 2) * shape.channels;
  // Batch norm needs the sums that are its weights' gradients for its input's gradient anyway.
  if (kind != "batch_norm") op.backward_weight = {0, 2 * size, 1};
  return op;
}

void read_linear(const Layer& layer, GraphBuilder& builder) {
  LayerKeys keys(layer, "out", builder.problems);
  const double out = keys.size("out");
  const bool bias = keys.flag("bias", true);
  const bool tied = keys.flag("tied", false);
  const bool vocabulary = keys.flag("vocabulary", tied);
  keys.finish();
  const double rows = builder.shape.positions();
  const double depth = builder.shape.channels;
  Operator op =
      linear_operator(numbered(builder, layer.kind), {rows, depth, out, bias ? out : 0, 1});
  if (tied) {
    check_shared(layer, {out, depth}, builder);
    op.parameters = bias ? out : 0;
  }
  if (vocabulary) {
    op.tensor_parallel = true;
    op.exchange.gradient_sum = rows * depth;
  }
  append(builder, std::move(op));
  builder.shape.channels = out;
}

void read_normalization(const Layer& layer, GraphBuilder& builder) {
  LayerKeys keys(layer, "", builder.problems);
  const bool scale = layer.kind != "batch_norm" || keys.flag("scale", true);
  keys.finish();
  Operator op = normalization(numbered(builder, layer.kind), layer.kind, builder.shape);
  if (!scale) op.parameters -= builder.shape.channels;
  append(builder, std::move(op));
}

void read_activation(const Layer& layer, GraphBuilder& builder) {
  LayerKeys(layer, "", builder.problems).finish();
  append(builder, elementwise(numbered(builder, layer.kind), builder.shape.elements(),
                              activation_cost(layer.kind)));
}

void read_flatten(const Layer& layer, GraphBuilder& builder) {
  LayerKeys(layer, "", builder.problems).finish();
  builder.shape = {builder.shape.elements(), 1, 1, builder.shape.sequence};
}

void read_pad_channels(const Layer& layer, GraphBuilder& builder) {
  LayerKeys keys(layer, "out", builder.problems);
  const double out = keys.size("out");
  keys.finish();
  if (out < builder.shape.channels) {
    builder.problems.add(layer.where, fmt::format("pads to {} channels", out),
                         fmt::format("at least the {} that there are", builder.shape.channels));
    return;
  }
  const double before = builder.shape.elements();
  builder.shape.channels = out;
  Operator op = elementwise(numbered(builder, layer.kind), 1, {});
  op.forward.elements = before + builder.shape.elements();
  op.backward_input = op.forward;
  append(builder, std::move(op));
}

void read_embedding(const Layer& layer, GraphBuilder& builder) {
  LayerKeys keys(layer, "", builder.problems);
  const Embedding table{keys.size("entries"), keys.size("width")};
  const bool vocabulary = keys.flag("vocabulary", true);
  keys.finish();
  if (builder.shape.channels != 1) {
    builder.problems.add(layer.where, fmt::format("an embedding of {}", shape_text(builder.shape)),
                         "one number per position, such as input: [1, 512]");
  }
  builder.shape.channels = table.width;
  builder.embeddings.push_back(table);
  const double size = builder.shape.elements();
  Operator op = elementwise(numbered(builder, layer.kind), size, {2, 0, 0});
  op.kind = OperatorKind::embedding;
  op.parameters = table.entries * table.width;
  op.backward_weight = op.forward;
  if (vocabulary) {
    op.tensor_parallel = true;
    op.exchange.output_sum = size;
  }
  append(builder, std::move(op));
}

void read_positions(const Layer& layer, GraphBuilder& builder) {
  LayerKeys keys(layer, "entries", builder.problems);
  const double entries = keys.size("entries");
  const bool fixed = keys.flag("fixed", false);
  keys.finish();
  if (entries < builder.shape.positions()) {
    builder.problems.add(layer.where,
                         fmt::format("{} entries for the {} positions of {}", entries,
                                     builder.shape.positions(), shape_text(builder.shape)),
                         "an entry per position");
  }
  const double size = builder.shape.elements();
  // The gradient passes through as it is.
  Operator op = elementwise(numbered(builder, layer.kind), size, {2, 0, 0});
  op.kind = OperatorKind::embedding;
  if (!fixed) {
    op.parameters = entries * builder.shape.channels;
    op.backward_weight = {0, size, 1};
  }
  append(builder, std::move(op));
}

void read_loss(const Layer& layer, GraphBuilder& builder) {
  LayerKeys(layer, "", builder.problems).finish();
  const auto& operators = builder.graph.operators;
  Operator op = elementwise(numbered(builder, layer.kind), builder.shape.elements(), kLoss);
  // What a tensor group divides stays divided: a head's logits are never gathered.
  op.tensor_parallel = !operators.empty() && operators.back().tensor_parallel;
  append(builder, std::move(op));
}

}  // namespace mosim
