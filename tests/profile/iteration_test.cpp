// Iterations by hand. Every operator's passes take 1 s; two ranks exchange 100 bytes in 2 s.
#include "profile/iteration.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <numeric>

#include "model/graphs.hpp"

namespace mosim {
namespace {

// A model's operators, with times and a plan around them.
struct Sample {
  std::vector<Operator> operators;
  std::vector<OperatorTime> times;

  void add(std::string name, double parameters) {
    Operator op;
    op.name = std::move(name);
    op.parameters = parameters;
    operators.push_back(op);
    times.push_back({1, 1, 1});
  }

  [[nodiscard]] IterationPlan plan(std::uint32_t replicas) const {
    IterationPlan result;
    result.operators = operators;
    result.times = times;
    result.replicas = replicas;
    result.bucket = 100;
    result.optimizer_s = 0.5;
    return result;
  }

  [[nodiscard]] double compute_s() const {
    double sum = 0;
    for (const OperatorTime& time : times) sum += time.total_s();
    return sum;
  }
};

// Three operators with 100 bytes of fp32 gradients each.
Sample three() {
  Sample sample;
  for (const char* name : {"a", "b", "c"}) sample.add(name, 25);
  return sample;
}

// All groups have as many ranks, on one server, without delays.
PlaySetting network(std::uint32_t ranks, double bandwidth) {
  PlaySetting setting;
  setting.spans.fill({ranks, 1, ranks, bandwidth, bandwidth, 0, 0});
  return setting;
}

Played played(const IterationPlan& plan, double bandwidth = 50) {
  return play(build_iteration(plan), network(plan.replicas, bandwidth));
}

double sent(const Played& iteration) {
  double sum = 0;
  for (const Transfer& transfer : iteration.transfers) sum += transfer.sent;
  return sum;
}

std::vector<std::string> names(const Played& iteration) {
  std::vector<std::string> result;
  for (const Transfer& transfer : iteration.transfers) result.push_back(transfer.name);
  return result;
}

// Forward 0 to 3 s, then c, b and a backward, 2 s each; 2 x 1/2 x 100 B / 50 B/s = 2 s a bucket.
TEST(DataParallel, BucketsAreReducedBesideTheBackwardPass) {
  const Sample sample = three();
  const Played iteration = played(sample.plan(2));
  ASSERT_EQ(names(iteration), (std::vector<std::string>{"gradients0", "gradients1", "gradients2"}));
  for (int i = 0; i < 3; ++i) {
    // Operator c's bucket when its backward pass ends, at 5 s, and so on.
    EXPECT_DOUBLE_EQ(iteration.transfers[i].start_s, 5 + 2 * i);
    EXPECT_DOUBLE_EQ(iteration.transfers[i].end_s, 7 + 2 * i);
    EXPECT_EQ(iteration.transfers[i].bytes, 100);
    EXPECT_EQ(iteration.transfers[i].collective, Collective::all_reduce);
    EXPECT_EQ(iteration.transfers[i].group, Communicator::data);
  }
  EXPECT_DOUBLE_EQ(iteration.compute_s, 9.5);
  EXPECT_DOUBLE_EQ(iteration.network_s, 6);
  // The backward pass ends at 9 s, the last bucket at 11 s; then the weights are updated.
  EXPECT_DOUBLE_EQ(iteration.makespan_s, 11.5);
  EXPECT_DOUBLE_EQ(iteration.exposed_s(), 2);
}

TEST(DataParallel, BucketsQueueOnASlowLink) {
  // 4 s a bucket: 5 to 9, 9 to 13, 13 to 17 s.
  const Played iteration = played(three().plan(2), 25);
  EXPECT_DOUBLE_EQ(iteration.transfers[2].start_s, 13);
  EXPECT_DOUBLE_EQ(iteration.makespan_s, 17.5);
  EXPECT_DOUBLE_EQ(iteration.exposed_s(), 17 - 9);
  EXPECT_DOUBLE_EQ(iteration.network_s, 12);
}

TEST(DataParallel, WithoutOverlapComputingAndNetworkingAdd) {
  const Sample sample = three();
  IterationPlan plan = sample.plan(2);
  plan.overlap = false;
  const Played iteration = played(plan);
  EXPECT_DOUBLE_EQ(iteration.makespan_s, 9.5 + 6);
  EXPECT_DOUBLE_EQ(iteration.exposed_s(), 6);
}

TEST(DataParallel, BucketsFillInTheOrderOfTheBackwardPass) {
  const Sample sample = three();
  IterationPlan plan = sample.plan(2);
  plan.bucket = 150;  // c alone is not enough; a is what is left
  Played iteration = played(plan);
  ASSERT_EQ(iteration.transfers.size(), 2U);
  EXPECT_EQ(iteration.transfers[0].bytes, 200);
  EXPECT_DOUBLE_EQ(iteration.transfers[0].start_s, 7);
  EXPECT_EQ(iteration.transfers[1].bytes, 100);
  EXPECT_DOUBLE_EQ(iteration.transfers[1].start_s, 11);
  plan.bucket = 1e9;
  iteration = played(plan);
  ASSERT_EQ(iteration.transfers.size(), 1U);
  EXPECT_EQ(iteration.transfers[0].bytes, 300);
}

TEST(DataParallel, OneReplicaAndInnerMicroBatchesReduceNothing) {
  const Sample sample = three();
  EXPECT_TRUE(played(sample.plan(1)).transfers.empty());
  IterationPlan plan = sample.plan(2);
  plan.synchronize = false;
  const Played iteration = played(plan);
  EXPECT_TRUE(iteration.transfers.empty());
  EXPECT_DOUBLE_EQ(iteration.makespan_s, 9);  // and the weights are not updated
}

// M = 300 bytes on 4 ranks; a reduce-scatter and a gather are 3/4 M each.
TEST(Zero, VolumeOfEachStage) {
  const Sample sample = three();
  IterationPlan plan = sample.plan(4);
  EXPECT_DOUBLE_EQ(sent(played(plan)), 2 * 0.75 * 300);
  for (const std::uint32_t zero : {1U, 2U}) {
    plan.parallelism.zero = zero;
    const Played iteration = played(plan);
    EXPECT_DOUBLE_EQ(sent(iteration), 2 * 0.75 * 300);
    ASSERT_EQ(iteration.transfers.size(), 4U);
    EXPECT_EQ(iteration.transfers[0].collective, Collective::reduce_scatter);
    // The new weights are gathered after the update, with nothing beside.
    EXPECT_EQ(iteration.transfers[3].collective, Collective::all_gather);
    EXPECT_EQ(iteration.transfers[3].bytes, 300);
    EXPECT_DOUBLE_EQ(iteration.makespan_s, iteration.transfers[3].end_s);
  }
  // Gathered twice and scattered once; c is still there when the backward pass begins.
  plan.parallelism.zero = 3;
  EXPECT_DOUBLE_EQ(sent(played(plan)), 0.75 * (3 * 300 - 100));
}

// ZeRO 3 on 2 ranks: gathers of 1/2 x 100 B / 50 B/s = 1 s.
TEST(Zero, WeightsAreGatheredOneUnitAhead) {
  const Sample sample = three();
  IterationPlan plan = sample.plan(2);
  plan.parallelism.zero = 3;
  const Played iteration = played(plan);
  ASSERT_EQ(names(iteration),
            (std::vector<std::string>{"a.forward.gather", "b.forward.gather", "c.forward.gather",
                                      "b.backward.gather", "gradients0", "a.backward.gather",
                                      "gradients1", "gradients2"}));
  // Computed: a 1 to 2, b 2 to 3, c 3 to 4 and 4 to 6, b 6 to 8, a 8 to 10 s. Each gather but the
  // first is done beside the unit before.
  const double starts[] = {0, 1, 2, 4, 6, 7, 8, 10};
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_DOUBLE_EQ(iteration.transfers[i].start_s, starts[i]) << iteration.transfers[i].name;
  }
  EXPECT_DOUBLE_EQ(iteration.makespan_s, 11.5);
}

// Experts on 2 of 4 replicas: each expert's weights exist on 2 ranks, which divide them.
TEST(Zero, ExpertsAreGatheredAmongThoseThatHoldThem) {
  Sample sample = three();
  sample.operators[1].expert = true;
  IterationPlan plan = sample.plan(4);
  plan.bucket = 50;  // so that each operator is a unit
  plan.parallelism.expert = 2;
  plan.parallelism.zero = 3;
  PlaySetting setting = network(4, 50);
  setting.spans[static_cast<std::size_t>(Communicator::expert_data)].size = 2;
  const Played iteration = play(build_iteration(plan), setting);
  // a: 3/4 x 3 x 100, c: 3/4 x 2 x 100; the expert half of 100 bytes, 1/2 x 3 x 50.
  EXPECT_DOUBLE_EQ(sent(iteration), 225 + 150 + 75);
}

// Transformer blocks of width 8 on 16 tokens.
Sample transformer(const std::string& keys) {
  const ModelGraph graph =
      test::graph_of("[8, 16]", "  - transformer: {layers: 2, heads: 2, hidden: 32" + keys + "}\n");
  Sample sample;
  sample.operators = graph.operators;
  sample.times.assign(graph.operators.size(), {1, 1, 1});
  return sample;
}

std::vector<Transfer> of_group(const Played& iteration, Communicator group) {
  std::vector<Transfer> found;
  for (const Transfer& transfer : iteration.transfers) {
    if (transfer.group == group) found.push_back(transfer);
  }
  return found;
}

TEST(TensorParallel, FourAllReducesOfTheActivationsABlock) {
  const Sample sample = transformer("");
  IterationPlan plan = sample.plan(1);
  plan.samples = 3;
  plan.parallelism.tensor = 2;
  const Played iteration = play(build_iteration(plan), network(2, 1e3));
  const std::vector<Transfer> sums = of_group(iteration, Communicator::tensor);
  // Attention and MLP, forward and backward, in two blocks.
  ASSERT_EQ(sums.size(), 2U * 4);
  for (const Transfer& sum : sums) {
    EXPECT_EQ(sum.collective, Collective::all_reduce);
    EXPECT_EQ(sum.bytes, 16 * 8 * 3 * 4);  // tokens x width x samples x 4 B
  }
  // Forward they are waited for: nothing is computed beside.
  EXPECT_LE(iteration.exposed_s(), iteration.network_s);
  EXPECT_GE(iteration.exposed_s(), iteration.network_s / 2);
}

TEST(TensorParallel, RecomputingSumsTheForwardPassAgain) {
  const Sample sample = transformer("");
  IterationPlan plan = sample.plan(1);
  plan.blocks = 2;
  plan.parallelism.tensor = 2;
  plan.parallelism.recompute = true;
  const Played iteration = play(build_iteration(plan), network(2, 1e3));
  EXPECT_EQ(of_group(iteration, Communicator::tensor).size(), 2U * 6);
}

TEST(ExpertParallel, TokensGoToTheirExpertsAndBack) {
  const Sample sample = transformer(", experts: 4, top: 2");
  IterationPlan plan = sample.plan(4);
  plan.parallelism.expert = 4;
  const Played iteration = play(build_iteration(plan), network(4, 1e3));
  const std::vector<Transfer> exchanged = of_group(iteration, Communicator::expert);
  ASSERT_EQ(exchanged.size(), 2U * 4);  // there and back, forward and backward
  for (const Transfer& transfer : exchanged) {
    EXPECT_EQ(transfer.collective, Collective::all_to_all);
    EXPECT_EQ(transfer.bytes, 16 * 2 * 8 * 4);  // tokens x experts of a token x width x 4 B
  }
  // Each expert exists once among the 4 replicas: its gradients are not reduced.
  EXPECT_TRUE(of_group(iteration, Communicator::expert_data).empty());
  double expert_parameters = 0;
  double parameters = 0;
  for (const Operator& op : sample.operators) {
    (op.expert ? expert_parameters : parameters) += op.parameters;
  }
  EXPECT_GT(expert_parameters, 0);
  double reduced = 0;
  for (const Transfer& t : of_group(iteration, Communicator::data)) reduced += t.bytes;
  EXPECT_DOUBLE_EQ(reduced, 4 * parameters);
  // With 8 replicas each expert exists twice, a quarter of the experts on a rank.
  plan.replicas = 8;
  reduced = 0;
  const Played twice = play(build_iteration(plan), network(2, 1e3));
  for (const Transfer& t : of_group(twice, Communicator::expert_data)) reduced += t.bytes;
  EXPECT_DOUBLE_EQ(reduced, 4 * expert_parameters / 4);
}

// Checkpoints are at the blocks: what is after the last one is kept as it is.
TEST(Recompute, EveryBlockIsComputedForwardTwice) {
  Sample sample;
  for (const char* name : {"embedding", "one", "two", "head"}) sample.add(name, 0);
  sample.operators[1].block = 0;
  sample.operators[2].block = 1;
  sample.operators[3].block = 2;
  IterationPlan plan = sample.plan(1);
  plan.parallelism.recompute = true;
  plan.blocks = 2;
  EXPECT_DOUBLE_EQ(played(plan).compute_s, 4 * 3 + 2 + 0.5);
}

}  // namespace
}  // namespace mosim
