#include <fmt/format.h>

#include <cmath>

#include "base/yaml_map.hpp"
#include "model/operators.hpp"
#include "model/read_graph.hpp"

namespace mosim {
namespace {

constexpr double kUsualOperators = 100;

double number_or(YamlMap& map, const YamlNode& node, std::string_view key, double fallback,
                 const NumberRange& range) {
  if (node.find(key) != nullptr) return map.number(key, range);
  (void)map.any(key, false);
  return fallback;
}

}  // namespace

ModelGraph read_totals(const YamlNode& totals, Problems& problems) {
  YamlMap map(totals, "totals", problems);
  const double parameters = map.number("parameters", {1, 1e15, false});
  const double operations = map.quantity("forward_operations", Dimension::operations);
  const double count = number_or(map, totals, "operators", kUsualOperators, {1, 10000, true});
  // A square matrix of each operator's parameters, and as many rows as give its operations.
  const double side = std::sqrt(parameters / count);
  const double rows = operations / (2 * parameters);
  const double activations =
      number_or(map, totals, "activations", count * rows * side, {0, 1e15, false});
  map.finish();

  ModelGraph graph;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i) {
    Operator op =
        weighted_product(fmt::format("part{}", i + 1), OperatorKind::linear,
                         {rows, side, side, 1, true}, activations / count, activations / count);
    op.parameters = parameters / count;
    if (i == 0) op.backward_input = {};
    graph.operators.push_back(std::move(op));
  }
  return graph;
}

}  // namespace mosim
