#include <fmt/format.h>

#include <array>
#include <cmath>

#include "model/layers.hpp"
#include "model/operators.hpp"

namespace mosim {
namespace {

constexpr NumberRange kPads{0, kLargestSize, true};

// A window that slides over the positions.
struct Window {
  Extent kernel;
  Extent stride;
  Extent pad;
  bool same = false;  // as much padding as makes the output ceil(size / stride)
};

// `pad` is a name or the zeros on each side.
void read_pad(LayerKeys& keys, const Shape& shape, std::string_view fallback, Window& window) {
  static const std::array<std::string, 2> kNames{"same", "valid"};
  const YamlNode* node = keys.find("pad");
  const bool named =
      node == nullptr || (node->kind == YamlNode::Kind::scalar &&
                          node->scalar.find_first_not_of("0123456789.-+") != std::string::npos);
  if (named) {
    window.same = keys.choice("pad", kNames, fallback) == "same";
    window.pad = {0, 0};
  } else {
    window.pad = keys.extent("pad", Extent{0, 0}, kPads, shape, 0);
  }
}

double slid(double size, double kernel, double stride, double pad, bool same) {
  return same ? std::ceil(size / stride) : std::floor((size + 2 * pad - kernel) / stride) + 1;
}

// The shape after the window; the same shape, with a problem, when the window does not fit.
Shape slide(const Shape& shape, const Window& window, const Layer& layer, Problems& problems) {
  Shape out = shape;
  out.height = slid(shape.height, window.kernel.height, window.stride.height, window.pad.height,
                    window.same);
  out.width =
      slid(shape.width, window.kernel.width, window.stride.width, window.pad.width, window.same);
  if (out.height >= 1 && out.width >= 1) return out;
  problems.add(layer.where,
               fmt::format("{} with a kernel of {} x {} does not fit {}", layer.kind,
                           window.kernel.height, window.kernel.width, shape_text(shape)),
               "a smaller kernel or more padding");
  return shape;
}

bool divides(double groups, double channels) { return std::fmod(channels, groups) == 0; }

struct Convolution {
  Window window;
  double out = 1;  // channels
  double groups = 1;
  bool bias = true;
};

Convolution read_keys(const Layer& layer, bool can_have_bias, GraphBuilder& builder) {
  LayerKeys keys(layer, "", builder.problems);
  const Shape& in = builder.shape;
  Convolution conv;
  conv.out = keys.size("out");
  conv.window.kernel = keys.extent("kernel", {}, kSizes, in, 1);
  conv.window.stride = keys.extent("stride", Extent{}, kSizes, in, 1);
  read_pad(keys, in, "same", conv.window);
  conv.groups = keys.size_or("groups", 1);
  conv.bias = can_have_bias && keys.flag("bias", true);
  keys.finish();
  if (!divides(conv.groups, in.channels) || !divides(conv.groups, conv.out)) {
    builder.problems.add(layer.where,
                         fmt::format("{} groups do not divide {} into {} channels", conv.groups,
                                     in.channels, conv.out),
                         "a divisor of both");
    conv.groups = 1;
  }
  return conv;
}

// cuDNN has Winograd kernels for 3x3 at stride 1.
bool can_be_winograd(const Convolution& conv) {
  const Extent& kernel = conv.window.kernel;
  const Extent& stride = conv.window.stride;
  return kernel.height == 3 && kernel.width == 3 && stride.height == 1 && stride.width == 1 &&
         conv.groups == 1;
}

void append_convolution(const Convolution& conv, const Layer& layer, GraphBuilder& builder) {
  const Shape in = builder.shape;
  Shape out = slide(in, conv.window, layer, builder.problems);
  out.channels = conv.out;
  const double taps = conv.window.kernel.height * conv.window.kernel.width;
  const double depth = in.channels / conv.groups * taps;
  const std::string name = numbered(builder, "conv");
  Operator op = weighted_product(
      name, can_be_winograd(conv) ? OperatorKind::winograd : OperatorKind::convolution,
      {out.positions() * conv.groups, conv.out / conv.groups, depth, 1, true, taps}, in.elements(),
      out.elements());
  op.parameters = conv.out * depth;
  append(builder, std::move(op));
  if (conv.bias) append(builder, bias_operator(name + ".bias", out));
  builder.shape = out;
}

}  // namespace

void read_convolution(const Layer& layer, GraphBuilder& builder) {
  append_convolution(read_keys(layer, true, builder), layer, builder);
}

void read_conv_bn_relu(const Layer& layer, GraphBuilder& builder) {
  append_convolution(read_keys(layer, false, builder), layer, builder);
  read_normalization({"batch_norm", layer.where, nullptr}, builder);
  read_activation({"relu", layer.where, nullptr}, builder);
}

void read_pool_layer(const Layer& layer, GraphBuilder& builder) {
  LayerKeys keys(layer, "kernel", builder.problems);
  const Shape in = builder.shape;
  Window window;
  window.kernel = keys.extent("kernel", {}, kSizes, in, 1);
  window.stride = keys.extent("stride", window.kernel, kSizes, in, 1);
  read_pad(keys, in, "valid", window);
  keys.finish();
  builder.shape = slide(in, window, layer, builder.problems);
  append(builder,
         pooling_operator(numbered(builder, layer.kind), in.elements(), builder.shape.elements()));
}

void read_global_pool(const Layer& layer, GraphBuilder& builder) {
  LayerKeys(layer, "", builder.problems).finish();
  const Shape in = builder.shape;
  builder.shape.height = 1;
  builder.shape.width = 1;
  append(builder,
         pooling_operator(numbered(builder, layer.kind), in.elements(), builder.shape.elements()));
}

}  // namespace mosim
