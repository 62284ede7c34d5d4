// What a model computes: its operators in forward order, built from the layers in its file.
//
// Every amount is for one sample (one image, one sequence) unless it says otherwise, and in
// elements, not bytes: how many bytes an element has depends on the precision. docs/formats.md has
// the form of the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mosim/base.hpp"

namespace mosim {

enum class OperatorKind {
  convolution,    // direct or as a matrix product
  winograd,       // 3x3, stride 1, not grouped: fewer multiplications in fp32
  linear,         // a matrix product with weights
  attention,      // products of activations: scores, and scores times values
  normalization,  // batch, layer, RMS, group, local response
  embedding,      // table look-up
  pooling,
  elementwise,  // activations, bias, residual sums, concatenation, dropout, softmax, loss
};

inline constexpr std::size_t kOperatorKinds = 8;

[[nodiscard]] std::string_view operator_kind_name(OperatorKind kind);

// The matrix product [rows x depth] x [depth x columns] that an operator is, `count` of them a
// sample. With weights (`batched`), the rows of all samples are one product; else each stands
// alone. 2 x rows x columns x depth x count operations.
struct MatrixProduct {
  double rows = 0;  // 0: not a product
  double columns = 0;
  double depth = 0;
  double count = 1;
  bool batched = true;
  double taps = 1;  // positions of a convolution's kernel; the depth is taps x input channels

  [[nodiscard]] double operations() const { return 2 * rows * columns * depth * count; }
};

// One direction of an operator.
struct Pass {
  double operations = 0;      // floating-point
  double elements = 0;        // of activations read and written; weights come on top
  std::uint32_t kernels = 0;  // launches; 0: the pass does not exist
};

// What ranks of a model-parallel group exchange around an operator, in elements of one sample.
struct Exchange {
  double output_sum = 0;    // tensor parallel: all-reduce of its output in the forward pass
  double gradient_sum = 0;  // tensor parallel: all-reduce of its input's gradient in the backward
  double dispatch = 0;      // expert parallel: all-to-all before it, forward and backward
  double combine = 0;       // expert parallel: all-to-all after it, forward and backward
};

struct Operator {
  std::string name;  // unique in its model, such as "block3.attention.query"
  OperatorKind kind = OperatorKind::elementwise;
  double parameters = 0;  // trainable, all experts included
  double saved = 0;       // elements kept from the forward to the backward pass
  MatrixProduct product;
  Pass forward;
  Pass backward_input;
  Pass backward_weight;
  std::int32_t block = -1;       // transformer block; -1 before the first, `blocks` after the last
  bool tensor_parallel = false;  // its weights and operations are divided among a tensor group
  bool expert = false;           // it exists once per expert
  Exchange exchange;
};

struct ModelGraph {
  std::vector<Operator> operators;
  std::int32_t blocks = 0;  // transformer blocks: what pipeline stages divide
  double boundary = 0;      // elements that pass from block to block: tokens x width
  std::uint32_t experts = 0;

  [[nodiscard]] double parameters() const;
  [[nodiscard]] double forward_operations() const;
  // Parameters of the largest tensor.
  [[nodiscard]] double largest_tensor() const;
};

}  // namespace mosim
