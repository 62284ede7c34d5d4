#include "profile/roofline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace mosim {
namespace {

// A tile of the output that one multiprocessor makes at a time. Smaller ones reuse each operand
// less, so they run slower.
struct Tile {
  double rows, columns, speed;
};

constexpr std::array<Tile, 7> kTiles{{{128, 128, 1.0},
                                      {128, 64, 0.95},
                                      {64, 128, 0.95},
                                      {64, 64, 0.85},
                                      {128, 32, 0.8},
                                      {32, 128, 0.8},
                                      {32, 32, 0.6}}};

// A part of the depth that is worth a multiprocessor's while.
constexpr double kLeastDepth = 256;
constexpr int kMostSplitWaves = 4;

double fraction(const AchievedFractions& achieved, OperatorKind kind) {
  switch (kind) {
    case OperatorKind::convolution:
      return achieved.convolution;
    case OperatorKind::winograd:
      return achieved.winograd;
    case OperatorKind::attention:
      return achieved.attention;
    default:
      return achieved.linear;
  }
}

// Ranks that share the operations of an operator. Experts spread over ranks leave them as they are:
// each rank has fewer, and gets as many tokens as before.
double sharing_ranks(const Operator& op, const RooflineSetting& setting) {
  return op.tensor_parallel ? setting.parallelism.tensor : 1;
}

enum class Direction { forward, backward_input, backward_weight };

// The product of a direction on one rank: with Y = X W, dX = dY W^T and dW = X^T dY. A tensor group
// divides the columns of a weight, and products without weights (heads) by number.
MatrixProduct product_of(const Operator& op, Direction direction, const RooflineSetting& setting) {
  MatrixProduct product = op.product;
  const double tensor = sharing_ranks(op, setting);
  if (!product.batched) {
    product.count = std::max(1.0, product.count * setting.samples / tensor);
    return product;
  }
  product.rows *= setting.samples;
  product.columns = std::max(1.0, product.columns / tensor);
  if (direction == Direction::backward_input) {
    // Each tap of a kernel spreads the gradients of all outputs over the inputs.
    const double inputs = product.depth / product.taps;
    product.depth = product.columns * product.taps;
    product.columns = inputs;
  }
  if (direction == Direction::backward_weight) std::swap(product.rows, product.depth);
  return product;
}

double time_pass(const Operator& op, const Pass& pass, Direction direction,
                 const RooflineSetting& setting) {
  if (pass.kernels == 0) return 0;
  const GpuSpec& gpu = *setting.gpu;
  const double sharing = sharing_ranks(op, setting);
  double compute_s = 0;
  if (pass.operations > 0) {
    const GpuSpeed& speed = gpu.speed(setting.precision);
    double efficiency = 1;
    if (op.product.rows > 0) {
      const MatrixProduct product = product_of(op, direction, setting);
      efficiency = product_efficiency(product.rows, product.columns, product.depth, product.count,
                                      gpu.multiprocessors, direction == Direction::backward_weight);
    }
    const double rate = speed.peak * fraction(speed.achieved, op.kind) * efficiency;
    compute_s = pass.operations * setting.samples / sharing / rate;
  }
  const double width = bytes_of(setting.precision);
  const double moved =
      (pass.elements * setting.samples / sharing + parameters_on_rank(op, setting.parallelism)) *
      width;
  const double memory_s = moved / (gpu.memory_bandwidth * gpu.achieved_memory);
  return std::max(compute_s, memory_s) + pass.kernels * gpu.launch_overhead_s;
}

}  // namespace

double product_efficiency(double rows, double columns, double depth, double count,
                          std::uint32_t multiprocessors, bool splittable) {
  const double processors = multiprocessors;
  const double parts = splittable ? std::max(1.0, std::floor(depth / kLeastDepth)) : 1;
  double best = 0;
  for (const Tile& tile : kTiles) {
    const double tiles = std::ceil(rows / tile.rows) * std::ceil(columns / tile.columns) * count;
    const double filled = rows * columns * count / (tiles * tile.rows * tile.columns);
    // Splitting the depth makes more and thinner tiles of the same work: as many as fill whole
    // waves.
    for (int waves = 1; waves <= kMostSplitWaves; ++waves) {
      const double split = std::clamp(std::floor(waves * processors / tiles), 1.0, parts);
      const double used_waves = std::ceil(tiles * split / processors);
      best = std::max(best, tile.speed * filled * tiles * split / (used_waves * processors));
    }
  }
  return best;
}

double parameters_on_rank(const Operator& op, const Parallelism& parallelism) {
  double parameters = op.parameters;
  if (op.tensor_parallel) parameters /= parallelism.tensor;
  if (op.expert) parameters /= parallelism.expert;
  return parameters;
}

OperatorTime time_operator(const Operator& op, const RooflineSetting& setting) {
  return {time_pass(op, op.forward, Direction::forward, setting),
          time_pass(op, op.backward_input, Direction::backward_input, setting),
          time_pass(op, op.backward_weight, Direction::backward_weight, setting)};
}

double optimizer_state(Optimizer optimizer, Precision precision) {
  const double moments =
      optimizer == Optimizer::adam ? 2 : (optimizer == Optimizer::momentum ? 1 : 0);
  const double copy = bytes_of(precision) < 4 ? 4 : 0;
  return 4 * moments + copy;
}

double optimizer_traffic(Optimizer optimizer, Precision precision) {
  // Every state is read and written, the gradient read; the weights are read and written too, or
  // only written where an fp32 copy is what is updated.
  const double width = bytes_of(precision);
  const double weights = width < 4 ? width : 2 * width;
  return width + weights + 2 * optimizer_state(optimizer, precision);
}

double optimizer_s(const GpuSpec& gpu, Optimizer optimizer, Precision precision, double parameters,
                   double tensors) {
  return parameters * optimizer_traffic(optimizer, precision) /
             (gpu.memory_bandwidth * gpu.achieved_memory) +
         tensors * gpu.launch_overhead_s;
}

}  // namespace mosim
