// The two linear layers of a transformer block, once or once per expert.
#pragma once

#include <string>

#include "model/layer.hpp"

namespace mosim {

struct Mlp {
  double hidden = 1;
  std::string activation = "gelu";  // swiglu: a gate beside the hidden features
  double experts = 0;               // 0: one for all tokens
  double top = 1;                   // experts that a token goes to
  bool bias = true;
};

// The keys that the layers `mlp` and `transformer` share; `bias` is not among them.
[[nodiscard]] Mlp read_mlp_keys(LayerKeys& keys, const Layer& layer, bool bias,
                                GraphBuilder& builder);

// Appends the layers from the builder's shape to the same shape.
void append_mlp(const Mlp& mlp, GraphBuilder& builder);

}  // namespace mosim
