#include "model/builder.hpp"

#include <fmt/format.h>

namespace mosim {
namespace {

constexpr std::size_t kMostOperators = 200000;

}  // namespace

std::string shape_text(const Shape& shape) {
  if (shape.sequence) return fmt::format("[{}, {}]", shape.channels, shape.height);
  return fmt::format("[{}, {}, {}]", shape.channels, shape.height, shape.width);
}

std::string numbered(GraphBuilder& builder, std::string_view kind) {
  std::uint32_t& last = builder.numbers[builder.prefix + std::string(kind)];
  return fmt::format("{}{}", kind, ++last);
}

void append(GraphBuilder& builder, Operator op) {
  op.name = builder.prefix + op.name;
  op.block = builder.block;
  if (!builder.gradient) {
    // A normalization finds the gradients of its weights in the same kernel.
    const bool weights_apart = op.parameters == 0 || op.backward_weight.kernels > 0;
    if (weights_apart) op.backward_input = {};
    if (op.parameters == 0) op.saved = 0;
  }
  builder.gradient = builder.gradient || op.parameters > 0;
  builder.graph.operators.push_back(std::move(op));
}

void check_growth(GraphBuilder& builder, const SourceLocation& where) {
  if (builder.graph.operators.size() <= kMostOperators && builder.layers <= kMostOperators) return;
  builder.problems.add(where, "the model grows too large here",
                       fmt::format("at most {} layers and operators", kMostOperators));
  builder.problems.throw_if_any();
}

}  // namespace mosim
