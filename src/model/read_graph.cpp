#include "model/read_graph.hpp"

#include <fmt/format.h>

#include <array>

#include "base/text.hpp"
#include "model/layers.hpp"

namespace mosim {
namespace {

constexpr std::uint32_t kDeepest = 50;
constexpr double kMostParameters = 1e15;
constexpr double kMostOperations = 1e24;

struct LayerKind {
  std::string_view name;
  void (*read)(const Layer&, GraphBuilder&);
};

constexpr std::array kLayerKinds{
    LayerKind{"conv", read_convolution},
    LayerKind{"conv_bn_relu", read_conv_bn_relu},
    LayerKind{"linear", read_linear},
    LayerKind{"batch_norm", read_normalization},
    LayerKind{"layer_norm", read_normalization},
    LayerKind{"rms_norm", read_normalization},
    LayerKind{"group_norm", read_normalization},
    LayerKind{"lrn", read_normalization},
    LayerKind{"relu", read_activation},
    LayerKind{"gelu", read_activation},
    LayerKind{"silu", read_activation},
    LayerKind{"tanh", read_activation},
    LayerKind{"sigmoid", read_activation},
    LayerKind{"dropout", read_activation},
    LayerKind{"softmax", read_activation},
    LayerKind{"loss", read_loss},
    LayerKind{"max_pool", read_pool_layer},
    LayerKind{"avg_pool", read_pool_layer},
    LayerKind{"global_pool", read_global_pool},
    LayerKind{"flatten", read_flatten},
    LayerKind{"pad_channels", read_pad_channels},
    LayerKind{"embedding", read_embedding},
    LayerKind{"positions", read_positions},
    LayerKind{"add", read_add},
    LayerKind{"concat", read_concat},
    LayerKind{"repeat", read_repeat},
    LayerKind{"attention", read_attention},
    LayerKind{"mlp", read_mlp},
    LayerKind{"transformer", read_transformer},
    LayerKind{"input", read_stream},
};

const LayerKind* find_kind(std::string_view name) {
  for (const LayerKind& kind : kLayerKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

void add_unknown(const Layer& layer, Problems& problems) {
  std::vector<std::string> names;
  names.reserve(kLayerKinds.size());
  for (const LayerKind& kind : kLayerKinds) names.emplace_back(kind.name);
  problems.add(layer.where, fmt::format("unknown layer '{}'", layer.kind),
               one_of(layer.kind, names));
}

// Sizes stay within what a sum or product of them can be without overflow.
void check_shape(const Layer& layer, GraphBuilder& builder) {
  const Shape& shape = builder.shape;
  if (shape.channels <= kLargestSize && shape.height <= kLargestSize &&
      shape.width <= kLargestSize) {
    return;
  }
  builder.problems.add(layer.where, fmt::format("{} gives {}", layer.kind, shape_text(shape)),
                       fmt::format("at most {} in each direction", kLargestSize));
  builder.shape = {1, 1, 1, shape.sequence};
}

void check_size(const ModelGraph& graph, const YamlNode& layers, Problems& problems) {
  const double parameters = graph.parameters();
  const double operations = graph.forward_operations();
  if (parameters >= 1 && parameters <= kMostParameters && operations <= kMostOperations) return;
  problems.add(
      layers.where(),
      fmt::format("layers have {} parameters and {} operations", parameters, operations),
      fmt::format("1 to {} parameters, at most {} operations", kMostParameters, kMostOperations));
}

void read_item(const YamlNode& item, GraphBuilder& builder) {
  Layer layer;
  if (item.kind == YamlNode::Kind::scalar) {
    layer = {item.scalar, item.where(), nullptr};
  } else if (item.kind == YamlNode::Kind::map && item.children.size() == 1) {
    const YamlNode& value = item.children.front();
    layer = {value.key, value.key_where(), &value};
  } else {
    builder.problems.add(item.where(), "is not a layer",
                         "a name, or one name with its keys, such as conv: {out: 64, kernel: 3}");
    return;
  }
  const LayerKind* kind = find_kind(layer.kind);
  if (kind == nullptr) {
    add_unknown(layer, builder.problems);
    return;
  }
  ++builder.layers;
  kind->read(layer, builder);
  check_shape(layer, builder);
  check_growth(builder, layer.where);
}

}  // namespace

void read_layers(const YamlNode& list, GraphBuilder& builder) {
  if (list.kind != YamlNode::Kind::list) {
    builder.problems.add(list.where(), fmt::format("layers is {}", kind_name(list.kind)),
                         "a list of layers");
    return;
  }
  if (++builder.depth > kDeepest) {
    builder.problems.add(list.where(), "layers stand too deep within layers",
                         fmt::format("at most {} deep", kDeepest));
    builder.problems.throw_if_any();
  }
  // An empty repetition must count too, or it could go on for ever.
  ++builder.layers;
  check_growth(builder, list.where());
  for (const YamlNode& item : list.children) read_item(item, builder);
  --builder.depth;
}

void read_input(const YamlNode& input, GraphBuilder& builder) {
  const std::size_t sizes = input.children.size();
  if (input.kind != YamlNode::Kind::list || (sizes != 2 && sizes != 3)) {
    builder.problems.add(input.where(), fmt::format("input is {}", kind_name(input.kind)),
                         "[channels, height, width] or [features, positions]");
    return;
  }
  Shape& shape = builder.shape;
  shape.channels = read_number(input.children[0], "input", kSizes, builder.problems);
  shape.height = read_number(input.children[1], "input", kSizes, builder.problems);
  shape.width = sizes == 3 ? read_number(input.children[2], "input", kSizes, builder.problems) : 1;
  shape.sequence = sizes == 2;
}

ModelGraph read_graph(const YamlNode& layers, const YamlNode& input, Problems& problems) {
  GraphBuilder builder(problems);
  const std::size_t before = problems.count();
  read_input(input, builder);
  read_layers(layers, builder);
  if (problems.count() == before) check_size(builder.graph, layers, problems);
  return std::move(builder.graph);
}

}  // namespace mosim
