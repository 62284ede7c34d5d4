// Policies that act at random, rightly and wrongly. FuzzModel judges each action independently: the
// right ones are carried out, the wrong ones refused, and those leave no trace.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "sim/fuzz_policy.hpp"

namespace mosim::test {
namespace {

// Does what a fuzzed policy did, without its mistakes.
class Replay : public Policy {
 public:
  Replay(const Fuzz& fuzz, std::size_t& decision) : fuzz_(fuzz), decision_(decision) {}
  void decide(Scheduler& scheduler) override {
    for (const FuzzAction& action : fuzz_.decisions.at(decision_++)) {
      EXPECT_TRUE(carry_out(scheduler, action));
    }
  }

 private:
  const Fuzz& fuzz_;
  std::size_t& decision_;
};

template <typename Make>
SimulationResult run_with(const FuzzCase& one, Make&& make) {
  const std::size_t seats = one.one_policy ? 1 : one.cluster.virtual_clusters.size();
  std::vector<ActivePolicy> active;
  for (std::size_t i = 0; i < seats; ++i) {
    active.push_back({"fuzz", {.remaining_time = one.oracle}, one.one_policy, make(i)});
  }
  return simulate(one.cluster, one.jobs, active, *policies().make_placement(one.placement),
                  one.options);
}

void check_work(const FuzzCase& one, const Job& job, const JobResult& result,
                const FuzzModel::Kept& kept) {
  const bool phases = one.options.contention.kind == ContentionKind::mosim &&
                      one.options.contention.resolution == Resolution::phase;
  const double iterations = phases ? std::max(1.0, std::floor(job.iterations)) : job.iterations;
  EXPECT_EQ(result.iterations, iterations);
  const double all_s = result.training_s();
  const double slack = 1e-6 * (1 + all_s);
  const double parts = result.compute_s + result.network_s + result.loading_s + result.restart_s;
  EXPECT_NEAR(parts, all_s, slack);
  EXPECT_NEAR(result.training_s(), kept.served_s, slack);
  EXPECT_NEAR(result.service, kept.service, 1e-6 * (1 + kept.service));
  // The second type computes for longer.
  const double fast_s = job.profile.iteration_s();
  const double slow_s = job.by_gpu == nullptr ? fast_s : (*job.by_gpu)[1].iteration_s();
  const double kept_s = all_s - result.lost_s - result.loading_s - result.restart_s;
  EXPECT_GE(kept_s, iterations * fast_s - slack);
  if (one.options.contention.kind == ContentionKind::none) {
    EXPECT_LE(kept_s, iterations * slow_s + slack);
  }
  if (phases || result.restarts > 0) return;
  EXPECT_NEAR(result.lost_s, 0, slack);
  EXPECT_NEAR(result.network_alone_s, iterations * job.profile.network_s, slack);
  if (job.by_gpu == nullptr) {
    EXPECT_NEAR(result.compute_s, iterations * job.profile.compute_s, slack);
  }
}

void check_result(const Fuzz& fuzz, const SimulationResult& result) {
  std::vector<std::size_t> earlier(fuzz.one.jobs.size());
  for (const EarlierAttempt& attempt : result.earlier_attempts) ++earlier[index(attempt.job)];
  for (std::uint32_t i = 0; i < fuzz.one.jobs.size(); ++i) {
    SCOPED_TRACE(fmt::format("job {}", i));
    const FuzzModel::Kept& kept = fuzz.model.kept(JobIndex{i});
    const JobResult& job = result.jobs[i];
    EXPECT_EQ(kept.stage, JobStage::done);
    EXPECT_EQ(job.start_s, kept.first_start_s);
    EXPECT_EQ(job.end_s, kept.end_s);
    EXPECT_EQ(job.preemptions, kept.preemptions);
    EXPECT_EQ(job.moves, kept.moves);
    EXPECT_EQ(job.restarts, kept.restarts);
    EXPECT_EQ(earlier[i], kept.preemptions + kept.moves + kept.restarts);
    EXPECT_TRUE(std::ranges::equal(result.groups_of(job), kept.groups));
    check_work(fuzz.one, fuzz.one.jobs[i], job, kept);
  }
}

// One run; gives what was tried in it.
FuzzTally fuzz_run(std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  RandomStream random(seed, "fuzz");
  const FuzzCase one = fuzz_case(random);
  if (one.jobs.empty()) return {};
  Fuzz fuzz(one, random);
  const SimulationResult result =
      run_with(one, [&](std::size_t seat) { return std::make_shared<FuzzPolicy>(fuzz, seat); });
  check_result(fuzz, result);
  std::size_t decision = 0;
  const SimulationResult replayed =
      run_with(one, [&](std::size_t) { return std::make_shared<Replay>(fuzz, decision); });
  EXPECT_EQ(replayed.digest(), result.digest());
  return fuzz.tally;
}

TEST(PolicyFuzz, RightActionsAreCarriedOutAndWrongOnesLeaveNoTrace) {
  FuzzTally all;
  for (std::uint64_t seed = 1; all.actions < 120000 && !HasFailure(); ++seed) {
    const FuzzTally one = fuzz_run(seed);
    all.actions += one.actions;
    for (const auto& [kind, count] : one.right) all.right[kind] += count;
    for (const auto& [kind, count] : one.wrong) all.wrong[kind] += count;
  }
  if (HasFailure()) return;
  for (int kind = 0; kind < 7; ++kind) {
    EXPECT_GE(all.right[static_cast<FuzzKind>(kind)], 1000U) << kind;
    EXPECT_GE(all.wrong[static_cast<FuzzKind>(kind)], 1000U) << kind;
  }
}

}  // namespace
}  // namespace mosim::test
