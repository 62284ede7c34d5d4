// Attention as a part of layers.
#pragma once

#include "model/layer.hpp"

namespace mosim {

struct Attention {
  double heads = 1;
  double kv_heads = 1;    // heads of keys and values, each shared by several of the queries
  double head_width = 1;  // features of a head
  double window = 0;      // positions a token attends to; 0: all
  double memory = 0;      // attends to as many positions of another stream; 0: to its own
  double memory_width = 0;
  bool bias = true;
  bool key_bias = true;
  bool rotary = false;   // positions by rotation of queries and keys
  bool dropout = false;  // of the probabilities
  bool causal = false;   // a token attends to those before it only
  bool fused = false;    // one kernel that keeps the scores out of memory
};

// The keys that the layers `attention` and `transformer` share; `bias` and `dropout` are not among
// them.
[[nodiscard]] Attention read_attention_keys(LayerKeys& keys, const Layer& layer, bool bias,
                                            GraphBuilder& builder);

// Appends attention from the builder's shape to the same shape.
void append_attention(const Attention& attention, GraphBuilder& builder);

}  // namespace mosim
