#include <fmt/format.h>

#include "model/layers.hpp"
#include "model/operators.hpp"

namespace mosim {
namespace {

constexpr double kMostRepeats = 10000;

bool is_list_of_lists(const Layer& layer, Problems& problems) {
  bool fits = layer.value != nullptr && layer.value->kind == YamlNode::Kind::list &&
              !layer.value->children.empty();
  if (fits) {
    for (const YamlNode& branch : layer.value->children) {
      fits = fits && branch.kind == YamlNode::Kind::list;
    }
  }
  if (!fits) {
    problems.add(layer.where, fmt::format("{} has no branches", layer.kind),
                 "a list of branches, each a list of layers; [] passes on what it gets");
  }
  return fits;
}

// Reads every branch from the same place, and returns the shapes they end with.
std::vector<Shape> read_branches(const YamlNode& branches, GraphBuilder& builder) {
  const Shape start = builder.shape;
  const bool start_gradient = builder.gradient;
  bool gradient = start_gradient;
  std::vector<Shape> ends;
  for (const YamlNode& branch : branches.children) {
    builder.shape = start;
    builder.gradient = start_gradient;
    read_layers(branch, builder);
    ends.push_back(builder.shape);
    gradient = gradient || builder.gradient;
  }
  builder.gradient = gradient;
  return ends;
}

std::string shapes_text(const std::vector<Shape>& shapes) {
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "" : " and ") + shape_text(shape);
  return text;
}

}  // namespace

void read_add(const Layer& layer, GraphBuilder& builder) {
  if (!is_list_of_lists(layer, builder.problems)) return;
  const std::vector<Shape> ends = read_branches(*layer.value, builder);
  builder.shape = ends.front();
  for (const Shape& end : ends) {
    if (end == ends.front()) continue;
    builder.problems.add(layer.where, fmt::format("add of {}", shapes_text(ends)),
                         "branches with the same shape");
    break;
  }
  append(builder, sum_operator(numbered(builder, layer.kind), builder.shape.elements(),
                               static_cast<double>(ends.size())));
}

void read_concat(const Layer& layer, GraphBuilder& builder) {
  if (!is_list_of_lists(layer, builder.problems)) return;
  const std::vector<Shape> ends = read_branches(*layer.value, builder);
  Shape out = ends.front();
  out.channels = 0;
  bool fits = true;
  for (const Shape& end : ends) {
    fits = fits && end.height == out.height && end.width == out.width;
    out.channels += end.channels;
  }
  if (!fits) {
    builder.problems.add(layer.where, fmt::format("concat of {}", shapes_text(ends)),
                         "branches with the same height and width");
  }
  builder.shape = out;
  append(builder, elementwise(numbered(builder, layer.kind), out.elements(), kConcatenation));
}

void read_repeat(const Layer& layer, GraphBuilder& builder) {
  LayerKeys keys(layer, "", builder.problems);
  const auto times = static_cast<std::uint32_t>(keys.size("times", {1, kMostRepeats, true}));
  const YamlNode* layers = keys.any("layers", true);
  keys.finish();
  if (layers == nullptr) return;
  const std::string name = numbered(builder, layer.kind);
  for (std::uint32_t i = 0; i < times; ++i) {
    const std::size_t problems = builder.problems.count();
    const Scope scope(builder, fmt::format("{}.{}", name, i));
    read_layers(*layers, builder);
    // The same mistake again would hide others.
    if (builder.problems.count() > problems) return;
  }
}

void read_stream(const Layer& layer, GraphBuilder& builder) {
  if (layer.value == nullptr) {
    builder.problems.add(layer.where, "input without a shape", "such as input: [1, 64]");
    return;
  }
  read_input(*layer.value, builder);
  builder.gradient = false;
}

}  // namespace mosim
