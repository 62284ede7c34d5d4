#include <algorithm>
#include <stdexcept>

#include "mosim/model.hpp"

namespace mosim {

std::string_view operator_kind_name(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::convolution:
      return "convolution";
    case OperatorKind::winograd:
      return "winograd";
    case OperatorKind::linear:
      return "linear";
    case OperatorKind::attention:
      return "attention";
    case OperatorKind::normalization:
      return "normalization";
    case OperatorKind::embedding:
      return "embedding";
    case OperatorKind::pooling:
      return "pooling";
    case OperatorKind::elementwise:
      return "elementwise";
  }
  throw std::logic_error("unknown kind of operator");
}

double ModelGraph::parameters() const {
  double sum = 0;
  for (const Operator& op : operators) sum += op.parameters;
  return sum;
}

double ModelGraph::forward_operations() const {
  double sum = 0;
  for (const Operator& op : operators) sum += op.forward.operations;
  return sum;
}

double ModelGraph::largest_tensor() const {
  double largest = 0;
  for (const Operator& op : operators) {
    const MatrixProduct& product = op.product;
    // The bias of a product is a tensor of its own, and so are the weights of each expert.
    const bool weights = product.rows > 0 && product.batched;
    const double matrix = product.depth * product.columns * product.count;
    largest = std::max(largest, weights ? std::min(op.parameters, matrix) : op.parameters);
  }
  return largest;
}

}  // namespace mosim
