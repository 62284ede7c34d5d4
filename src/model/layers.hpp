// The layers of the file's form. Each function reads one layer and appends its operators.
#pragma once

#include "base/yaml.hpp"
#include "model/builder.hpp"
#include "model/layer.hpp"

namespace mosim {

// Appends the layers of a list, from the first to the last.
void read_layers(const YamlNode& list, GraphBuilder& builder);

// Sets the builder's shape to the one in `input`.
void read_input(const YamlNode& input, GraphBuilder& builder);

// convolution.cpp
void read_convolution(const Layer& layer, GraphBuilder& builder);
void read_conv_bn_relu(const Layer& layer, GraphBuilder& builder);
void read_pool_layer(const Layer& layer, GraphBuilder& builder);
void read_global_pool(const Layer& layer, GraphBuilder& builder);

// plain_layers.cpp
void read_linear(const Layer& layer, GraphBuilder& builder);
void read_normalization(const Layer& layer, GraphBuilder& builder);
void read_activation(const Layer& layer, GraphBuilder& builder);
void read_flatten(const Layer& layer, GraphBuilder& builder);
void read_pad_channels(const Layer& layer, GraphBuilder& builder);
void read_embedding(const Layer& layer, GraphBuilder& builder);
void read_positions(const Layer& layer, GraphBuilder& builder);
void read_loss(const Layer& layer, GraphBuilder& builder);

// structure.cpp
void read_add(const Layer& layer, GraphBuilder& builder);
void read_concat(const Layer& layer, GraphBuilder& builder);
void read_repeat(const Layer& layer, GraphBuilder& builder);
void read_stream(const Layer& layer, GraphBuilder& builder);

// attention.cpp, mlp.cpp, transformer.cpp
void read_attention(const Layer& layer, GraphBuilder& builder);
void read_mlp(const Layer& layer, GraphBuilder& builder);
void read_transformer(const Layer& layer, GraphBuilder& builder);

// An operator of the normalization layer `kind` ("layer_norm", ...) on the builder's shape.
[[nodiscard]] Operator normalization(std::string name, std::string_view kind, const Shape& shape);

}  // namespace mosim
