// Operators' times by hand. The GPU of these tests computes 1e13 fp32 operations and moves 1e12
// bytes per second, of which half are reached, on 80 multiprocessors; a launch takes 10 us.
#include "profile/roofline.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "model/graphs.hpp"

namespace mosim {
namespace {

const GpuSpec& toy_gpu() {
  static const GpuSpec gpu = [] {
    GpuSpec spec;
    spec.memory_bandwidth = 1e12;
    spec.achieved_memory = 0.5;
    spec.multiprocessors = 80;
    spec.launch_overhead_s = 1e-5;
    spec.speeds[static_cast<std::size_t>(Precision::fp32)] = {1e13, {0.4, 1.2, 0.5, 0.25}};
    spec.speeds[static_cast<std::size_t>(Precision::fp16)] = {4e13, {0.4, 0.4, 0.5, 0.25}};
    return spec;
  }();
  return gpu;
}

RooflineSetting setting(double samples, Precision precision = Precision::fp32) {
  return {&toy_gpu(), precision, samples, {}};
}

Operator plain(OperatorKind kind) {
  Operator op;
  op.kind = kind;
  return op;
}

TEST(Roofline, TheLongerOfComputingAndMovingPlusLaunches) {
  Operator op = plain(OperatorKind::linear);
  op.parameters = 5e5;
  op.forward = {1e9, 1e6, 2};
  op.backward_input = {1e6, 2e6, 1};
  const OperatorTime time = time_operator(op, setting(4));
  // Computing: 4 x 1e9 / (1e13 x 0.5) = 800 us; moving: (4 x 1e6 + 5e5) x 4 B / 5e11 = 36 us.
  EXPECT_DOUBLE_EQ(time.forward_s, 800e-6 + 2 * 10e-6);
  // Computing: 4 x 1e6 / 5e12 = 0.8 us; moving: (4 x 2e6 + 5e5) x 4 B / 5e11 = 68 us.
  EXPECT_DOUBLE_EQ(time.backward_input_s, 68e-6 + 10e-6);
  EXPECT_EQ(time.backward_weight_s, 0);  // it launches nothing
  EXPECT_DOUBLE_EQ(time.total_s(), 820e-6 + 78e-6);
}

TEST(Roofline, APrecisionHasItsRateAndItsBytes) {
  Operator op = plain(OperatorKind::linear);
  op.forward = {1e9, 0, 1};
  // 1e9 / (4e13 x 0.5) = 50 us.
  EXPECT_DOUBLE_EQ(time_operator(op, setting(1, Precision::fp16)).forward_s, 50e-6 + 10e-6);
  op.forward = {0, 1e6, 1};
  // 1e6 x 2 B / 5e11 = 4 us.
  EXPECT_DOUBLE_EQ(time_operator(op, setting(1, Precision::fp16)).forward_s, 4e-6 + 10e-6);
}

TEST(Roofline, EveryClassHasItsFraction) {
  Operator op = plain(OperatorKind::winograd);
  op.forward = {1.2e9, 0, 1};
  // 1.2e9 / (1e13 x 1.2): counted in direct operations, Winograd exceeds the peak.
  EXPECT_DOUBLE_EQ(time_operator(op, setting(1)).forward_s, 100e-6 + 10e-6);
  op.kind = OperatorKind::convolution;  // 1.2e9 / (1e13 x 0.4)
  EXPECT_DOUBLE_EQ(time_operator(op, setting(1)).forward_s, 300e-6 + 10e-6);
  op.kind = OperatorKind::attention;  // 1.2e9 / (1e13 x 0.25)
  EXPECT_DOUBLE_EQ(time_operator(op, setting(1)).forward_s, 480e-6 + 10e-6);
}

// 64 to 128 channels, 3x3, 32 x 32 positions, 10 samples: 2 x 10240 x 576 x 128 = 1.50994944e9
// operations a pass, at 1e13 x 0.4 x efficiency.
TEST(Roofline, AConvolutionsThreeProducts) {
  const ModelGraph graph = test::graph_of("[64, 32, 32]",
                                          "  - conv: {out: 64, kernel: 1, bias: false}\n"
                                          "  - conv: {out: 128, kernel: 3, bias: false}\n");
  Operator op = test::named(graph, "conv2");
  EXPECT_EQ(op.kind, OperatorKind::winograd);  // 3x3 at stride 1
  op.kind = OperatorKind::convolution;         // here as a product
  const OperatorTime time = time_operator(op, setting(10));
  const double whole_s = 1.50994944e9 / (1e13 * 0.4);
  // Forward: 10240 x 128 is 80 tiles of 128 x 128.
  EXPECT_DOUBLE_EQ(time.forward_s, whole_s + 10e-6);
  // By input: 10240 x 64 (the depth is 9 taps x 128): 80 tiles of 128 x 64, which run at 0.95.
  EXPECT_DOUBLE_EQ(time.backward_input_s, whole_s / 0.95 + 10e-6);
  // By weight: 576 x 128, depth 10240, at most 10240 / 256 = 40 parts. 9 tiles of 64 x 128 in 35
  // parts are 315 of the 320 places of four waves: 0.95 x 315 / 320.
  EXPECT_DOUBLE_EQ(time.backward_weight_s, whole_s / (0.95 * 315 / 320) + 10e-6);
}

TEST(Roofline, ATensorGroupDividesColumnsOperationsAndWeights) {
  Operator op = plain(OperatorKind::linear);
  op.tensor_parallel = true;
  op.product = {1024, 256, 64, 1, true, 1};
  op.forward = {op.product.operations(), 0, 1};  // 2 x 1024 x 256 x 64 = 33554432
  RooflineSetting two = setting(10);
  two.parallelism.tensor = 2;
  // Of 10240 x 256 each has 10240 x 128: 80 full tiles, half of the operations.
  EXPECT_DOUBLE_EQ(time_operator(op, two).forward_s, 10 * 33554432.0 / 2 / 5e12 + 10e-6);

  Operator heads = plain(OperatorKind::attention);
  heads.tensor_parallel = true;
  heads.product = {32, 32, 64, 16, false, 1};
  heads.forward = {heads.product.operations(), 0, 1};  // 2 x 32 x 32 x 64 x 16 = 2097152
  // Of 16 heads each has 8; in 10 samples 80 tiles of 32 x 32, which run at 0.6.
  EXPECT_DOUBLE_EQ(time_operator(heads, two).forward_s,
                   10 * 2097152.0 / 2 / (1e13 * 0.25 * 0.6) + 10e-6);
}

TEST(Roofline, ExpertsOnOtherRanksAreNotRead) {
  Operator op = plain(OperatorKind::linear);
  op.expert = true;
  op.parameters = 8e6;
  op.forward = {1, 1e6, 1};
  RooflineSetting four = setting(1);
  four.parallelism.expert = 4;
  // (1e6 + 8e6 / 4) x 4 B / 5e11 = 24 us: as many tokens, fewer weights.
  EXPECT_DOUBLE_EQ(time_operator(op, four).forward_s, 24e-6 + 10e-6);
}

TEST(ProductEfficiency, FullTilesOnEveryMultiprocessor) {
  EXPECT_DOUBLE_EQ(product_efficiency(80 * 128, 128, 64, 1, 80, false), 1);
  EXPECT_DOUBLE_EQ(product_efficiency(128, 128, 64, 80, 80, false), 1);
  EXPECT_DOUBLE_EQ(product_efficiency(160 * 128, 128, 64, 1, 80, false), 1);
}

TEST(ProductEfficiency, ATileOnOneOfEightyMultiprocessors) {
  // The smallest tile, at 0.6, on 1 of 80.
  EXPECT_DOUBLE_EQ(product_efficiency(32, 32, 64, 1, 80, false), 0.6 / 80);
  // 128 x 128 is better off as 16 small tiles than as a large one: 0.6 x 16 / 80 against 1 / 80.
  EXPECT_DOUBLE_EQ(product_efficiency(128, 128, 64, 1, 80, false), 0.6 * 16 / 80);
}

TEST(ProductEfficiency, TwelveColumnsOfAThirtyTwoWideTile) {
  // DenseNet's growth of 12: 80 tiles of 128 x 32 at 0.8, of which 12 / 32 are used.
  EXPECT_DOUBLE_EQ(product_efficiency(80 * 128, 12, 64, 1, 80, false), 0.8 * 12 / 32);
}

TEST(ProductEfficiency, TheLastWaveIsPartlyEmpty) {
  // 81 x 128 rows: in tiles of 64 x 64 324 in 5 waves of 80, 0.85 x 324 / 400 = 0.6885; of 128 x
  // 128 only 81 / 160.
  EXPECT_DOUBLE_EQ(product_efficiency(81 * 128, 128, 64, 1, 80, false), 0.85 * 324 / 400);
}

TEST(ProductEfficiency, ASplitDepthFillsTheGpu) {
  // One tile of 128 x 128, whose depth makes 80 parts of 256.
  EXPECT_DOUBLE_EQ(product_efficiency(128, 128, 80 * 256, 1, 80, true), 1);
  // 10 parts: 16 tiles of 32 x 32 in 5 parts are 80, at 0.6; 4 of 64 x 64 in 10 only 0.85 x 40/80.
  EXPECT_DOUBLE_EQ(product_efficiency(128, 128, 10 * 256, 1, 80, true), 0.6);
  // Too shallow to split.
  EXPECT_DOUBLE_EQ(product_efficiency(128, 128, 255, 1, 80, true),
                   product_efficiency(128, 128, 255, 1, 80, false));
}

TEST(ProductEfficiency, IsAboveZeroAndAtMostOneAndSplittingNeverHurts) {
  EXPECT_TRUE(rc::check([] {
    const auto size = [] { return static_cast<double>(*rc::gen::inRange(1, 70000)); };
    const double rows = size();
    const double columns = size();
    const double depth = size();
    const double count = *rc::gen::inRange(1, 200);
    const auto processors = static_cast<std::uint32_t>(*rc::gen::inRange(1, 200));
    const double whole = product_efficiency(rows, columns, depth, count, processors, false);
    const double split = product_efficiency(rows, columns, depth, count, processors, true);
    RC_ASSERT(whole > 0);
    RC_ASSERT(whole <= split);
    RC_ASSERT(split <= 1);
  }));
}

// Gradient read, weights read and written (16-bit: only written), every state read and written.
TEST(OptimizerTraffic, BytesPerParameter) {
  EXPECT_EQ(optimizer_traffic(Optimizer::sgd, Precision::fp32), 4 + 8);
  EXPECT_EQ(optimizer_traffic(Optimizer::momentum, Precision::fp32), 4 + 8 + 2 * 4);
  EXPECT_EQ(optimizer_traffic(Optimizer::adam, Precision::fp32), 4 + 8 + 2 * 8);
  EXPECT_EQ(optimizer_traffic(Optimizer::adam, Precision::tf32), 4 + 8 + 2 * 8);
  // The states hold an fp32 copy of the weights too.
  EXPECT_EQ(optimizer_traffic(Optimizer::sgd, Precision::fp16), 2 + 2 + 2 * 4);
  EXPECT_EQ(optimizer_traffic(Optimizer::momentum, Precision::fp16), 2 + 2 + 2 * (4 + 4));
  EXPECT_EQ(optimizer_traffic(Optimizer::adam, Precision::bf16), 2 + 2 + 2 * (8 + 4));
}

TEST(OptimizerTraffic, SecondsForAllParameters) {
  // 1e9 x 28 B / 5e11 = 56 ms, and 100 launches of 10 us.
  EXPECT_DOUBLE_EQ(optimizer_s(toy_gpu(), Optimizer::adam, Precision::fp32, 1e9, 100), 0.057);
}

}  // namespace
}  // namespace mosim
