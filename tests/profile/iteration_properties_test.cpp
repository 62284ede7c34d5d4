// What holds of every iteration, on random models.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "profile/iteration.hpp"

namespace mosim {
namespace {

struct Case {
  std::vector<Operator> operators;
  std::vector<OperatorTime> times;
  IterationPlan plan;
  PlaySetting network;
};

double small_number() { return *rc::gen::inRange(0, 1000); }

Operator any_operator(int number, std::int32_t block) {
  Operator op;
  op.name = "op" + std::to_string(number);
  op.block = block;
  op.parameters = small_number();
  op.tensor_parallel = *rc::gen::arbitrary<bool>();
  op.expert = *rc::gen::arbitrary<bool>();
  for (double* elements : {&op.exchange.output_sum, &op.exchange.gradient_sum,
                           &op.exchange.dispatch, &op.exchange.combine}) {
    if (*rc::gen::inRange(0, 3) == 0) *elements = small_number();
  }
  return op;
}

Case any_case() {
  Case any;
  const int count = *rc::gen::inRange(1, 12);
  std::int32_t block = -1;
  for (int i = 0; i < count; ++i) {
    block += *rc::gen::inRange(0, 2);
    any.operators.push_back(any_operator(i, block));
    any.times.push_back({small_number(), small_number(), small_number()});
  }
  IterationPlan& plan = any.plan;
  plan.operators = any.operators;
  plan.times = any.times;
  plan.bucket = small_number() * 10;
  plan.blocks = block + 1;
  plan.optimizer_s = small_number();
  plan.overlap = *rc::gen::arbitrary<bool>();
  plan.synchronize = *rc::gen::arbitrary<bool>();
  plan.parallelism.tensor = *rc::gen::element(1U, 2U, 4U);
  plan.parallelism.expert = *rc::gen::element(1U, 2U, 4U);
  plan.parallelism.zero = static_cast<std::uint32_t>(*rc::gen::inRange(0, 4));
  plan.parallelism.recompute = *rc::gen::arbitrary<bool>();
  plan.replicas = plan.parallelism.expert * *rc::gen::element(1U, 2U, 3U);
  const std::uint32_t alike = plan.replicas / plan.parallelism.expert;
  const std::uint32_t sizes[kCommunicators] = {plan.replicas, plan.parallelism.tensor, 1,
                                               plan.parallelism.expert, alike};
  for (std::size_t i = 0; i < kCommunicators; ++i) {
    any.network.spans[i] = {sizes[i], 1, sizes[i], 1 + small_number(), 1, small_number() / 100, 0};
  }
  return any;
}

double slack(double value) { return 1e-9 * (1 + std::abs(value)); }

TEST(Iterations, ComputationsAreTheOperatorsAndTheOptimizer) {
  EXPECT_TRUE(rc::check([] {
    Case any = any_case();
    double expected = any.plan.synchronize ? any.plan.optimizer_s : 0;
    for (std::size_t i = 0; i < any.times.size(); ++i) {
      const std::int32_t block = any.operators[i].block;
      const bool again = any.plan.parallelism.recompute && block >= 0 && block < any.plan.blocks;
      expected += any.times[i].total_s() + (again ? any.times[i].forward_s : 0);
    }
    double found = 0;
    for (const TraceNode& node : build_iteration(any.plan).nodes) found += node.compute_s;
    RC_ASSERT(std::abs(found - expected) <= slack(expected));
  }));
}

// Transfers are in the order of the nodes, so both streams can be followed.
TEST(Iterations, NothingOverlapsOnAStreamOrStartsBeforeWhatItWaitsFor) {
  EXPECT_TRUE(rc::check([] {
    const Case any = any_case();
    const IterationTrace trace = build_iteration(any.plan);
    const Played result = play(trace, any.network);
    std::size_t transfer = 0;
    double compute_end_s = 0;
    double network_end_s = 0;
    std::vector<double> end_s;
    for (const TraceNode& node : trace.nodes) {
      double ready_s = node.collective ? network_end_s : compute_end_s;
      for (const std::uint32_t before : node.after) {
        RC_ASSERT(before < end_s.size());
        ready_s = std::max(ready_s, end_s[before]);
      }
      if (node.collective) {
        const Transfer& played = result.transfers.at(transfer++);
        RC_ASSERT(played.name == node.name);
        RC_ASSERT(played.start_s >= ready_s);
        RC_ASSERT(played.end_s >= played.start_s);
        end_s.push_back(network_end_s = played.end_s);
      } else {
        end_s.push_back(compute_end_s = ready_s + node.compute_s);
      }
    }
    RC_ASSERT(transfer == result.transfers.size());
    RC_ASSERT(std::abs(result.makespan_s - std::max(compute_end_s, network_end_s)) <=
              slack(result.makespan_s));
  }));
}

TEST(Iterations, ExposedIsBetweenNothingAndAllNetworking) {
  EXPECT_TRUE(rc::check([] {
    const Case any = any_case();
    const Played result = play(build_iteration(any.plan), any.network);
    RC_ASSERT(result.exposed_s() >= -slack(result.makespan_s));
    RC_ASSERT(result.exposed_s() <= result.network_s + slack(result.makespan_s));
  }));
}

TEST(Iterations, OverlapNeverTakesLongerAndSendsTheSame) {
  EXPECT_TRUE(rc::check([] {
    Case any = any_case();
    any.plan.overlap = true;
    const Played beside = play(build_iteration(any.plan), any.network);
    any.plan.overlap = false;
    const Played after = play(build_iteration(any.plan), any.network);
    RC_ASSERT(std::abs(beside.network_s - after.network_s) <= slack(after.network_s));
    RC_ASSERT(beside.makespan_s <= after.makespan_s + slack(after.makespan_s));
  }));
}

// Without model parallelism: 2 (n - 1) / n of the gradients.
TEST(Iterations, DataParallelRanksSendARingsVolume) {
  EXPECT_TRUE(rc::check([] {
    Case any = any_case();
    any.plan.synchronize = true;
    any.plan.parallelism = {};
    any.plan.parallelism.zero = static_cast<std::uint32_t>(*rc::gen::inRange(0, 3));
    double bytes = 0;
    for (const Operator& op : any.operators) bytes += op.parameters * any.plan.width;
    const double n = any.plan.replicas;
    any.network.spans.fill({any.plan.replicas, 1, any.plan.replicas, 100, 100, 0, 0});
    double sent = 0;
    for (const Transfer& transfer : play(build_iteration(any.plan), any.network).transfers) {
      sent += transfer.sent;
    }
    const double expected = 2 * (n - 1) / n * bytes;
    RC_ASSERT(std::abs(sent - expected) <= slack(expected));
  }));
}

}  // namespace
}  // namespace mosim
