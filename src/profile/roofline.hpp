// How long an operator computes on a GPU: the roofline, max(operations / achieved rate, bytes /
// memory bandwidth), plus a launch overhead per kernel (Williams et al., CACM 2009).
#pragma once

#include <span>

#include "mosim/cluster.hpp"
#include "mosim/workload.hpp"

namespace mosim {

// Under what an operator runs.
struct RooflineSetting {
  const GpuSpec* gpu = nullptr;
  Precision precision = Precision::fp32;
  double samples = 1;  // per GPU
  Parallelism parallelism;
};

// Seconds of each direction.
struct OperatorTime {
  double forward_s = 0;
  double backward_input_s = 0;
  double backward_weight_s = 0;

  [[nodiscard]] double backward_s() const { return backward_input_s + backward_weight_s; }
  [[nodiscard]] double total_s() const { return forward_s + backward_s(); }
};

// Parameters of an operator that one rank holds: its part of what a tensor group divides, and of
// the experts.
[[nodiscard]] double parameters_on_rank(const Operator& op, const Parallelism& parallelism);

[[nodiscard]] OperatorTime time_operator(const Operator& op, const RooflineSetting& setting);

// Which part of a GPU's rate a matrix product [rows x depth] x [depth x columns], done `count`
// times at once, can use: tiles at its edges are partly empty, and so is the last wave of tiles
// over the multiprocessors. The best of some tile shapes, at most 1. `splittable`: the depth may be
// divided among multiprocessors (weight gradients, whose depth is the batch). Source: NVIDIA,
// Matrix Multiplication Background User's Guide (tile and wave quantization).
[[nodiscard]] double product_efficiency(double rows, double columns, double depth, double count,
                                        std::uint32_t multiprocessors, bool splittable);

// What the optimiser reads and writes of memory for one parameter, bytes.
enum class Optimizer { sgd, momentum, adam };
[[nodiscard]] double optimizer_traffic(Optimizer optimizer, Precision precision);

// Bytes of optimiser state kept for one parameter (with fp16 and bf16 the fp32 copy of the weights
// too: Rajbhandari et al., ZeRO, SC 2020).
[[nodiscard]] double optimizer_state(Optimizer optimizer, Precision precision);

// Seconds for `parameters` in `tensors` tensors on this GPU.
[[nodiscard]] double optimizer_s(const GpuSpec& gpu, Optimizer optimizer, Precision precision,
                                 double parameters, double tensors);

}  // namespace mosim
