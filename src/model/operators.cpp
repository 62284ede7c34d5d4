#include "model/operators.hpp"

#include <utility>

namespace mosim {
namespace {

Operator named(std::string name, OperatorKind kind) {
  Operator op;
  op.name = std::move(name);
  op.kind = kind;
  return op;
}

}  // namespace

Operator weighted_product(std::string name, OperatorKind kind, const MatrixProduct& product,
                          double in, double out) {
  Operator op = named(std::move(name), kind);
  op.product = product;
  op.forward = {product.operations(), in + out, 1};
  op.backward_input = op.forward;
  op.backward_weight = op.forward;
  op.saved = out;
  return op;
}

Operator linear_operator(std::string name, const LinearSize& size) {
  const double out = size.rows * size.columns;
  Operator op =
      weighted_product(std::move(name), OperatorKind::linear,
                       {size.rows, size.columns, size.depth, 1, true}, size.rows * size.depth, out);
  op.parameters = size.copies * (size.depth * size.columns + size.bias_columns);
  if (size.bias_columns > 0) {
    op.backward_weight.elements += out;
    ++op.backward_weight.kernels;
  }
  return op;
}

Operator bias_operator(std::string name, const Shape& shape) {
  Operator op = named(std::move(name), OperatorKind::elementwise);
  op.parameters = shape.channels;
  op.forward = {0, 2 * shape.elements(), 1};
  op.backward_weight = {0, shape.elements(), 1};
  return op;
}

Operator elementwise(std::string name, double elements, const ElementCost& cost) {
  Operator op = named(std::move(name), OperatorKind::elementwise);
  op.forward = {0, cost.forward * elements, 1};
  if (cost.backward > 0) op.backward_input = {0, cost.backward * elements, 1};
  op.saved = cost.saved * elements;
  return op;
}

Operator sum_operator(std::string name, double elements, double inputs) {
  // Backward every input gets the same gradient; adding it to what the input's other readers send
  // is the one pass over it.
  return elementwise(std::move(name), elements, {inputs + 1, 1, 0});
}

Operator pooling_operator(std::string name, double in, double out) {
  Operator op = named(std::move(name), OperatorKind::pooling);
  op.forward = {0, in + out, 1};
  op.backward_input = {0, in + 2 * out, 1};
  op.saved = out;
  return op;
}

Operator attention_product(std::string name, const MatrixProduct& product, double in) {
  Operator op = named(std::move(name), OperatorKind::attention);
  const double out = product.rows * product.columns * product.count;
  op.product = product;
  op.product.batched = false;
  op.forward = {product.operations(), in + out, 1};
  op.backward_input = {2 * product.operations(), 2 * (in + out), 2};
  op.saved = out;
  return op;
}

Operator fused_attention(std::string name, const MatrixProduct& scores, double in) {
  Operator op = named(std::move(name), OperatorKind::attention);
  const double out = scores.rows * scores.depth * scores.count;
  op.product = scores;
  op.product.batched = false;
  op.product.depth *= 2;  // scores, and their sum of values
  op.forward = {op.product.operations(), in + out, 1};
  op.backward_input = {2.5 * op.product.operations(), 2 * (in + out), 1};
  op.saved = out;
  return op;
}

}  // namespace mosim
