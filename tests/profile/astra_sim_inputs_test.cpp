// What is handed over to ASTRA-sim, and the closed form of what it answers.
#include "profile/astra_sim/inputs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "profile/astra_sim/closed_form.hpp"
#include "support/astra_sim_cases.hpp"

namespace mosim::astra_sim {
namespace {

using test::run_error;

AstraSimOptions options_of(std::vector<AstraSimOptions::Dimension> dimensions) {
  AstraSimOptions options;
  options.dimensions = std::move(dimensions);
  return options;
}

AstraSimOptions four_gpus() { return options_of({{4, 25 * 1073741824.0, 500e-9}}); }

TraceNode compute(const std::string& name, double seconds, std::vector<std::uint32_t> after = {}) {
  return {name, seconds, {}, 0, std::move(after)};
}

TraceNode collective(Collective kind, double bytes, std::vector<std::uint32_t> after = {}) {
  return {"coll", 0, kind, bytes, std::move(after)};
}

IterationTrace trace_of(std::vector<TraceNode> nodes, std::uint32_t ranks = 4) {
  return {std::move(nodes), ranks};
}

// Four all-reduces of 8, 16, 32 and 64 MiB, one after the other.
TEST(AstraSimClosedForm, IsWhatWasRecorded) {
  const std::string summary = test::astra_sim_path("summary.csv");
  MOSIM_NEEDS(summary);
  std::size_t checked = 0;
  for (const test::CsvLine& line : test::read_plain_csv(summary)) {
    if (!line.at("case").ends_with("_serial")) continue;
    const auto ranks = static_cast<std::uint32_t>(std::stoul(line.at("npus")));
    double total = 0;
    for (const double mib : {8, 16, 32, 64}) {
      total += ring_all_reduce_ns({mib * 1048576, ranks, 4, 25, 500, 10, 3350});
    }
    EXPECT_EQ(total, std::stod(line.at("comm_time_rank0"))) << line.at("case");
    // Nothing overlaps, so the bound of the same job is its recorded time, less 1 ns for each
    // number that is rounded: 5(N-1) of them in each of the 4 chunks of 4 collectives.
    const Inputs inputs = make_inputs(test::recorded_trace(line.at("case"), ranks),
                                      test::recorded_options(line.at("case"), false));
    const double rounding = 4 * 4 * 5 * (ranks - 1.0);
    EXPECT_EQ(least_times(inputs).communication_ns, total - rounding);
    EXPECT_EQ(least_times(inputs).wall_ns, std::stod(line.at("wall_cycles_max")) - rounding);
    ++checked;
  }
  EXPECT_EQ(checked, 3U);  // N = 2, 4, 8
}

// N = 4, S = 1 MiB, k = 4: m = 64 KiB; m/B = 65536 / 26.84 = 2441.4; floor(1000 + 2441.4) = 3441;
// m/M = 65536 / 3350 = 19.6. 4 x (6 x 3451 + 10 + 9 x 19) = 83548.
TEST(AstraSimClosedForm, ByHand) {
  EXPECT_EQ(ring_all_reduce_ns({1048576, 4, 4, 25, 500, 10, 3350}), 83548);
}

// 2 x 7/8 x 64 MiB inside the server at 400 GiB/s; 2 x 1/2 x 64 MiB / 8 between servers at 25.
TEST(AstraSimClosedForm, BytesOfASlowerDimensionBound) {
  const double gib = 1073741824.0;
  const IterationTrace trace = trace_of({collective(Collective::all_reduce, 64 * 1048576.0)}, 16);
  const Inputs inputs =
      make_inputs(trace, options_of({{8, 400 * gib, 500e-9}, {2, 25 * gib, 2000e-9}}));
  const double inside_ns = 117440512 / (400 * gib) * 1e9;
  const double between_ns = 8388608 / (25 * gib) * 1e9;
  EXPECT_DOUBLE_EQ(least_times(inputs).wall_ns, std::max(inside_ns, between_ns));
}

// No other collective is bounded by more than N-1 of its N shards.
TEST(AstraSimClosedForm, ShardsOfOtherCollectives) {
  for (const Collective kind :
       {Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all}) {
    const Inputs inputs = make_inputs(trace_of({collective(kind, 1 << 20)}), four_gpus());
    EXPECT_DOUBLE_EQ(least_times(inputs).wall_ns, 0.75 * 1048576 / (25 * 1073741824.0) * 1e9);
  }
}

TEST(AstraSimInputs, ComputeIsWholeMicrosecondsAndItsSumIsRight) {
  std::vector<TraceNode> nodes;
  for (int i = 0; i < 1000; ++i) nodes.push_back(compute("c", 0.3e-6));
  nodes.push_back(compute("d", 2.4e-6));
  std::uint64_t sum = 0;
  for (const Node& node : make_inputs(trace_of(nodes), four_gpus()).nodes) {
    EXPECT_GT(node.duration_us, 0U);
    sum += node.duration_us;
  }
  EXPECT_EQ(sum, 302U);  // 300 + 2.4
}

TEST(AstraSimInputs, NodesThatTakeNoTimeAreWiredThrough) {
  const Inputs inputs = make_inputs(
      trace_of({compute("a", 1e-6), compute("b", 2e-6), compute("zero", 0, {1, 0}),
                collective(Collective::all_reduce, 0, {2, 0}), compute("c", 1e-6, {3, 1})}),
      four_gpus());
  ASSERT_EQ(inputs.nodes.size(), 3U);
  EXPECT_EQ(inputs.nodes[2].name, "c");
  EXPECT_EQ(inputs.nodes[2].after, (std::vector<std::uint32_t>{1, 0}));
}

TEST(AstraSimInputs, SizesArePaddedToWholeMessages) {
  const auto size = [](Collective kind, double bytes) {
    return make_inputs(trace_of({collective(kind, bytes)}), four_gpus()).nodes[0].comm_size;
  };
  // 4 splits x 4 ranks.
  EXPECT_EQ(size(Collective::all_reduce, 1), 16U);
  EXPECT_EQ(size(Collective::all_reduce, 16), 16U);
  EXPECT_EQ(size(Collective::all_to_all, 1000001), 1000016U);
  EXPECT_EQ(size(Collective::reduce_scatter, 16.5), 32U);
  EXPECT_EQ(size(Collective::all_gather, 1000001), 250004U);  // each rank brings a fourth
}

TEST(AstraSimInputs, DimensionsOfOneGpuAreLeftOut) {
  const Inputs inputs =
      make_inputs(trace_of({compute("c", 1e-3)}), options_of({{1, 0, 0}, {4, 25e9, 1e-6}}));
  ASSERT_EQ(inputs.dimensions.size(), 1U);
  EXPECT_EQ(inputs.implementation.size(), 1U);
  EXPECT_EQ(run_error([&] { check_inputs(inputs); }), "");
}

TEST(AstraSimInputs, NamesCannotForgeLines) {
  const Inputs inputs =
      make_inputs(trace_of({compute("a\nsys[0] finished \xc3\xa9", 1e-3)}), four_gpus());
  EXPECT_EQ(inputs.nodes[0].name, "a_sys[0] finished __");
}

TEST(AstraSimInputs, NetworkIsInTheUnitsOfTheTool) {
  const Inputs inputs =
      make_inputs(trace_of({}, 8),
                  options_of({{4, 400 * 1073741824.0, 500e-9}, {2, 0.5 * 1073741824.0, 2e-6}}));
  EXPECT_EQ(network_yml(inputs),
            "topology: [ Switch, Switch ]\n"
            "npus_count: [ 4, 2 ]\n"
            "bandwidth: [ 400, 0.5 ]  # 2^30 B/s\n"
            "latency: [ 500, 2000 ]  # ns\n");
}

// Answered without a binary: one rank exchanges nothing, and an empty iteration takes no time.
TEST(AstraSimInputs, NothingToExchange) {
  const IterationTrace alone = trace_of({compute("a", 1.5e-3), compute("b", 0.2345678e-3, {0}),
                                         collective(Collective::all_reduce, 1e6, {1})},
                                        1);
  for (const AstraSimOptions& options : {options_of({}), options_of({{1, 0, 0}})}) {
    const AstraSimResult result = run_astra_sim(alone, options);
    EXPECT_EQ(result.wall_ns, 1734568U);
    EXPECT_EQ(result.compute_ns, 1734568U);
    EXPECT_EQ(result.communication_ns, 0U);
    EXPECT_EQ(result.ranks.size(), 1U);
  }
  EXPECT_EQ(run_astra_sim(trace_of({}), four_gpus()).wall_ns, 0U);
  EXPECT_NE(run_error([&] { (void)run_astra_sim(alone, four_gpus()); }), "");
}

TEST(AstraSimInputs, SenselessIterationsAndOptionsAreRefused) {
  const auto expect = [](const IterationTrace& trace, const AstraSimOptions& options,
                         const std::string& part) {
    const std::string message = run_error([&] { (void)run_astra_sim(trace, options); });
    EXPECT_NE(message.find(part), std::string::npos) << part << ": '" << message << "'";
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto expect_trace = [&](std::vector<TraceNode> nodes, const std::string& part) {
    expect(trace_of(std::move(nodes)), four_gpus(), part);
  };
  expect_trace({compute("a", -1)}, "node 'a' of the iteration computes for -1 s");
  expect_trace({compute("a", kNan)}, "computes for nan s");
  expect_trace({collective(Collective::all_reduce, kNan)}, "has nan bytes");
  expect_trace({collective(Collective::all_reduce, 1e30)}, "has 1e+30 bytes");
  expect_trace({compute("a", 1, {1})}, "waits for node 1, which is not there");
  expect_trace({compute("a", 1, {0})}, "dependency cycle: node 'a' would never run");
  expect_trace({compute("a", 0, {1}), compute("b", 0, {0})}, "dependency cycle");
  expect_trace({{"a", 1, Collective::all_reduce, 8, {}}}, "both computes and communicates");
  expect_trace({{"a", 0, {}, 8, {}}}, "has bytes but no collective");
  const IterationTrace good = trace_of({compute("a", 1)});
  expect(trace_of({compute("a", 1)}, 0), four_gpus(), "no ranks");
  expect(good, options_of({}), "4 ranks, but the network has 0 GPUs");
  expect(good, options_of({{4, kNan, 0}}), "has a bandwidth of nan");
  expect(good, options_of({{4, 1, -1}}), "has a latency of");
  expect(good, options_of({{0, 1, 0}}), "has 0 GPUs");
  const auto expect_option = [&](void (*change)(AstraSimOptions&), const std::string& part) {
    AstraSimOptions options = four_gpus();
    options.binary = "none";
    change(options);
    expect(good, options, part);
  };
  expect_option([](AstraSimOptions& o) { o.active_chunks = 4; },
                "4 active chunks; the congestion-unaware binary takes one");
  expect_option([](AstraSimOptions& o) { o.active_chunks = 0; }, "0 active chunks");
  expect_option([](AstraSimOptions& o) { o.dataset_splits = 0; }, "0 dataset splits");
  expect_option([](AstraSimOptions& o) { o.endpoint_delay_ns = 0.5; }, "an endpoint delay of 0.5");
  expect_option([](AstraSimOptions& o) { o.local_mem_bw = 0; }, "local memory bandwidth of 0");
  expect_option([](AstraSimOptions& o) { o.timeout_s = 0; }, "a time limit of 0 s");
}

}  // namespace
}  // namespace mosim::astra_sim
