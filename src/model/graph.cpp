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

}  // namespace mosim
