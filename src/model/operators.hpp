// What each kind of operator costs, per sample and in elements.
//
// `saved` is an estimate: an operator keeps its output if a later backward pass needs it, which
// counts every tensor once. In-place layers keep nothing, and dropout a mask of a byte an element.
#pragma once

#include <string>

#include "model/builder.hpp"
#include "mosim/model.hpp"

namespace mosim {

struct LinearSize {
  double rows = 1;  // positions it is applied to
  double depth = 1;
  double columns = 1;
  double bias_columns = 0;  // of the columns, those that have a bias
  double copies = 1;        // experts with weights of their own
};

// Reads and writes per element of the output.
struct ElementCost {
  double forward = 0;
  double backward = 0;  // 0: no kernel
  double saved = 0;
};

inline constexpr ElementCost kInPlace{2, 3, 0};          // relu
inline constexpr ElementCost kActivation{2, 3, 1};       // its derivative needs what it read
inline constexpr ElementCost kDropout{2, 3, 0.25};       // the mask
inline constexpr ElementCost kGatedActivation{3, 5, 2};  // silu(gate), and its product with up
inline constexpr ElementCost kLoss{3, 2, 1};             // log-softmax, then picks the label
inline constexpr ElementCost kConcatenation{2, 2, 1};    // a copy
inline constexpr ElementCost kCopy{2, 2, 0};             // rotation or permutation
inline constexpr ElementCost kBatchNorm{3, 5, 1};        // statistics first, then a second read
inline constexpr ElementCost kRowNorm{2, 3, 1};          // a row stays in the registers
inline constexpr ElementCost kLocalResponseNorm{2, 4, 1};

// Forward, and backward to the input and to the weights, each of the product's operations. `in`
// and `out` are the elements of its activations.
[[nodiscard]] Operator weighted_product(std::string name, OperatorKind kind,
                                        const MatrixProduct& product, double in, double out);

// A matrix product with weights; the bias is added within it and costs a sum in the backward pass.
[[nodiscard]] Operator linear_operator(std::string name, const LinearSize& size);

// The bias of a convolution, in a kernel of its own.
[[nodiscard]] Operator bias_operator(std::string name, const Shape& shape);

[[nodiscard]] Operator elementwise(std::string name, double elements, const ElementCost& cost);

// The sum of `inputs` tensors.
[[nodiscard]] Operator sum_operator(std::string name, double elements, double inputs);

[[nodiscard]] Operator pooling_operator(std::string name, double in, double out);

// A product of two activations with `in` elements together. Each of them gets a gradient.
[[nodiscard]] Operator attention_product(std::string name, const MatrixProduct& product, double in);

// Scores, softmax and values in one kernel, from `in` elements of queries, keys and values. The
// backward pass computes the scores again: five products for the two of the forward pass (Dao et
// al., FlashAttention, NeurIPS 2022).
[[nodiscard]] Operator fused_attention(std::string name, const MatrixProduct& scores, double in);

}  // namespace mosim
