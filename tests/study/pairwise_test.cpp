// The co-run matrix. Two jobs of 8 GPUs have 4 on each of two servers, so each has one flow of
// D = V / T_net on both NICs.
#include <gtest/gtest.h>

#include <algorithm>

#include "mosim/study.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

constexpr const char* kColumns = "model,gpus,compute_s,network_s,volume_MB\n";

class Pairwise : public ::testing::Test {
 protected:
  // NICs of 100 MB/s, and a profile table of `rows`.
  Scenario with_profiles(const std::string& rows) const {
    Scenario scenario;
    scenario.profile_backend = "table";
    scenario.profile_table = folder_.write("profiles.csv", kColumns + rows);
    scenario.servers = {ServerGroup{.count = 1, .gpus = 4, .nic = 100e6}, ServerGroup{.nic = 1e6}};
    return scenario;
  }

  // D of alexnet is 40 MB / 0.5 s = 80 MB/s, D of bert 40 MB / 1 s = 40 MB/s.
  Scenario alexnet_and_bert() const { return with_profiles("alexnet,8,1,0.5,40\nbert,8,2,1,40\n"); }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(Pairwise, SharesOfTheNicAtEventResolution) {
  const PairwiseMatrix matrix = pairwise(alexnet_and_bert(), {"alexnet", "bert"});
  ASSERT_EQ(matrix.rows.size(), 2U);
  const PairwiseRow& alexnet = matrix.rows[0];
  const PairwiseRow& bert = matrix.rows[1];
  EXPECT_DOUBLE_EQ(alexnet.alone.factor, 1);
  EXPECT_DOUBLE_EQ(alexnet.alone.iteration_s, 1.5);
  // 80 + 40 MB/s on 100 MB/s: shares 66.67 and 33.33, S = 80 / 66.67 = 40 / 33.33 = 1.2.
  EXPECT_NEAR(alexnet.factor(1), 1.2, 1e-12);
  EXPECT_NEAR(bert.factor(0), 1.2, 1e-12);
  EXPECT_NEAR(alexnet.beside[1].iteration_s, 1 + 0.5 * 1.2, 1e-12);
  EXPECT_NEAR(alexnet.iteration_ratio(1), 1.6 / 1.5, 1e-12);
  EXPECT_NEAR(bert.iteration_ratio(0), 3.2 / 3, 1e-12);
  // Beside its own kind: 160 MB/s give S = 1.6, 80 MB/s fit.
  EXPECT_NEAR(alexnet.factor(0), 1.6, 1e-12);
  EXPECT_NEAR(alexnet.iteration_ratio(0), 1.8 / 1.5, 1e-12);
  EXPECT_DOUBLE_EQ(bert.factor(1), 1);
}

TEST_F(Pairwise, Ranges) {
  const PairwiseMatrix matrix = pairwise(alexnet_and_bert(), {"alexnet", "bert"});
  const Range alexnet = range_over_partners(matrix.rows[0], &PairwiseRow::factor_ratio);
  EXPECT_NEAR(alexnet.min, 1.2, 1e-12);
  EXPECT_NEAR(alexnet.mean, 1.4, 1e-12);
  EXPECT_NEAR(alexnet.max, 1.6, 1e-12);
  const Range all = range_over_pairs(matrix, &PairwiseRow::factor_ratio);
  EXPECT_NEAR(all.min, 1, 1e-12);
  EXPECT_NEAR(all.mean, (1.6 + 1.2 + 1.2 + 1) / 4, 1e-12);
  EXPECT_NEAR(all.max, 1.6, 1e-12);
}

// D = 200 MB/s on 100 MB/s: S = 2 alone and 4 beside its own kind. The partner's part is 2.
TEST_F(Pairwise, AJobThatANicSlowsAlreadyAlone) {
  const PairwiseMatrix matrix = pairwise(with_profiles("bert,8,1,0.5,100\n"), {"bert"});
  const PairwiseRow& bert = matrix.rows.at(0);
  EXPECT_NEAR(bert.alone.factor, 2, 1e-12);
  EXPECT_NEAR(bert.factor(0), 4, 1e-12);
  EXPECT_NEAR(bert.factor_ratio(0), 2, 1e-12);
  EXPECT_NEAR(bert.alone.iteration_s, 1 + 0.5 * 2, 1e-12);
  EXPECT_NEAR(bert.iteration_ratio(0), 3.0 / 2, 1e-12);
  EXPECT_NEAR(bert.profile_ratio(0), 3.0 / 1.5, 1e-12);
}

TEST_F(Pairwise, ContentionNoneChangesNothing) {
  for (const char* resolution : {"event", "phase"}) {
    Scenario scenario = alexnet_and_bert();
    scenario.contention_model = "none";
    scenario.contention_resolution = resolution;
    for (const PairwiseRow& row : pairwise(scenario, {"alexnet", "bert"}).rows) {
      for (const std::size_t partner : {0, 1}) {
        EXPECT_EQ(row.factor_ratio(partner), 1);
        EXPECT_EQ(row.iteration_ratio(partner), 1);
        EXPECT_EQ(row.profile_ratio(partner), 1);
      }
    }
  }
}

TEST_F(Pairwise, ContentionFixedIsTheRatio) {
  Scenario scenario = alexnet_and_bert();
  scenario.contention_model = "fixed";
  const PairwiseMatrix matrix = pairwise(scenario, {"alexnet", "bert"});
  for (const PairwiseRow& row : matrix.rows) {
    EXPECT_EQ(row.alone.factor, 1);
    for (const std::size_t partner : {0, 1}) EXPECT_DOUBLE_EQ(row.factor_ratio(partner), 1.1);
  }
  EXPECT_NEAR(matrix.rows[0].iteration_ratio(1), 1.55 / 1.5, 1e-12);
}

// Two jobs that compute for 1 s and then need the whole NIC for 1 s. The one that starts `d` s
// after the other (0 <= d <= 1) keeps that distance: the first sends alone for d s, both share for
// 2(1 - d) s, the second sends alone for d s. An iteration takes 1 + d + 2(1 - d) = 3 - d s; for d
// from 1 to 2 it is the same with 2 - d. Over d = 0, 0.2, .. 1.8 the mean is
// (3 + 2 (2.8 + 2.6 + 2.4 + 2.2) + 2) / 10 = 2.5 s.
TEST_F(Pairwise, PhasesMeetAtEveryDistance) {
  Scenario scenario = with_profiles("bert,8,1,1,100\n");
  scenario.contention_resolution = "phase";
  const PairwiseMatrix matrix = pairwise(scenario, {"bert"});
  const PairwiseRow& bert = matrix.rows.at(0);
  EXPECT_DOUBLE_EQ(bert.alone.iteration_s, 2);
  EXPECT_NEAR(bert.beside[0].iteration_s, 2.5, 1e-9);
  EXPECT_NEAR(bert.factor(0), 1.5, 1e-9);
  EXPECT_NEAR(bert.iteration_ratio(0), 1.25, 1e-9);
}

// A partner that computes for no time sends always: phases then give what events give.
TEST_F(Pairwise, PhasesAgreeWithEventsWhereThePartnerAlwaysSends) {
  Scenario scenario = with_profiles("alexnet,8,1,0.5,40\nbert,8,0,1,40\n");
  scenario.contention_resolution = "phase";
  const PairwiseMatrix matrix = pairwise(scenario, {"alexnet", "bert"});
  EXPECT_NEAR(matrix.rows[0].factor(1), 1.2, 1e-9);
  EXPECT_NEAR(matrix.rows[0].beside[1].iteration_s, 1.6, 1e-9);
  // The other way round it meets alexnet's flow for a part of the time only.
  EXPECT_GT(matrix.rows[1].factor(0), 1);
  EXPECT_LT(matrix.rows[1].factor(0), 1.2);
}

TEST_F(Pairwise, TwoServersLikeTheFirstOfTheCluster) {
  const PairwiseMatrix matrix = pairwise(alexnet_and_bert(), {"alexnet"});
  EXPECT_EQ(matrix.servers.count, 2U);
  EXPECT_EQ(matrix.servers.gpus, 8U);
  EXPECT_EQ(matrix.servers.nic, 100e6);
}

TEST_F(Pairwise, AModelWithoutAProfileIsNamed) {
  const Scenario scenario = with_profiles("alexnet,8,1,0.5,40\nbert,4,1,0.5,40\n");
  const PairwiseMatrix matrix = pairwise(scenario, {"alexnet", "bert"});
  EXPECT_EQ(matrix.rows.size(), 1U);
  ASSERT_EQ(matrix.refused.size(), 1U);
  EXPECT_EQ(matrix.refused[0], "bert on 8 GPUs: expected 4 GPUs, as in the table");
  EXPECT_THROW((void)pairwise(scenario, {"bert"}), InputError);
  EXPECT_THROW((void)pairwise(scenario, {"no-such-model"}), InputError);
}

// What holds of any pair: a partner never speeds a job up, and phases never meet more than always.
TEST(PairwisePool, BuiltinInvariants) {
  Scenario scenario;
  scenario.profile_layout = "spread";
  const PairwiseMatrix events = pairwise(scenario, {});
  scenario.contention_resolution = "phase";
  const PairwiseMatrix phases = pairwise(scenario, {});
  ASSERT_EQ(events.rows.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < 12; ++j) {
      SCOPED_TRACE(events.rows[i].model + " beside " + events.rows[j].model);
      EXPECT_GE(phases.rows[i].factor_ratio(j), 1 - 1e-9);
      EXPECT_LE(phases.rows[i].factor(j), events.rows[i].factor(j) + 1e-9);
      EXPECT_LE(events.rows[i].iteration_ratio(j), events.rows[i].factor_ratio(j) + 1e-12);
      // Proportional shares slow both jobs of a pair alike.
      EXPECT_NEAR(events.rows[i].factor(j), events.rows[j].factor(i), 1e-9);
    }
    // Two of a kind get half of what one gets of a NIC that it fills, else what they ask for.
    const double demand = events.rows[i].profile.demand();
    EXPECT_NEAR(events.rows[i].factor(i), std::max(1.0, 2 * demand / 625e6), 1e-9);
  }
}

Scenario of_the_artifact(const std::string& times, const std::string& network) {
  Scenario scenario;
  scenario.servers = {ServerGroup{.nic = 463e6, .intra = 16384e6}};
  scenario.profile_backend = "table";
  scenario.profile_table = times;
  scenario.profile_network = network;
  return scenario;
}

void expect_overall(const PairwiseMatrix& matrix, double factor_mean, double factor_max,
                    double iteration_mean, double iteration_max) {
  const Range factor = range_over_pairs(matrix, &PairwiseRow::factor_ratio);
  const Range iteration = range_over_pairs(matrix, &PairwiseRow::iteration_ratio);
  EXPECT_NEAR(factor.mean, factor_mean, 0.005);
  EXPECT_NEAR(factor.max, factor_max, 0.005);
  EXPECT_NEAR(iteration.mean, iteration_mean, 0.005);
  EXPECT_NEAR(iteration.max, iteration_max, 0.005);
}

// docs/reproduction.md prints these.
TEST(PairwiseArtifact, MeansAndMaxima) {
  const std::string data = test::shared_path("mosim-artifact/data");
  MOSIM_NEEDS(data);
  const std::string simulated = data + "/single_job_simulation/";
  Scenario scenario =
      of_the_artifact(simulated + "itertime_simulated-ar-v100-8gpu-ar-loading-time.csv",
                      simulated + "network_chakra_ar_v100_8gpu_network_summary.csv");
  expect_overall(pairwise(scenario, {}), 1.41, 3.84, 1.33, 3.14);
  scenario.contention_resolution = "phase";
  expect_overall(pairwise(scenario, {}), 1.26, 3.32, 1.21, 2.73);
  const std::string measured = data + "/profiling/";
  scenario = of_the_artifact(measured + "itertime_wshark-v100-8gpu-ar-loading-time.csv",
                             measured + "network_ar_v100_8gpu_network_summary.csv");
  expect_overall(pairwise(scenario, {}), 1.81, 6.67, 1.51, 5.00);
}

}  // namespace
}  // namespace mosim
