// The paper's tables, from the authors' artifact.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mosim/study.hpp"
#include "study/paper.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

const ReproducedRow* find(const Reproduction& reproduction, std::string_view placement,
                          std::string_view method) {
  for (const ReproducedRow& row : reproduction.rows) {
    if (row.testbed == "32gpu" && row.placement == placement && row.method == method) return &row;
  }
  return nullptr;
}

TEST(Reproduce, EveryCellOfThePaper) {
  const std::string artifact = test::shared_path("mosim-artifact");
  MOSIM_NEEDS(artifact);
  const Reproduction reproduction = reproduce_paper(artifact);
  int cells = 0;
  for (const ReproducedRow& row : reproduction.rows) {
    if (!row.paper) continue;
    SCOPED_TRACE(row.testbed + " " + row.placement + " " + row.method);
    // Phases drift against each other chaotically, so these rows have more room.
    const bool phases = row.method == "MoSim";
    const auto near = [&](double Fidelity::* cell, double tolerance) {
      const double paper = (*row.paper).*cell;
      if (paper == kNotPrinted) return;
      ++cells;
      EXPECT_NEAR(row.ours.*cell, paper, tolerance);
    };
    near(&Fidelity::avg_training_time, phases ? 0.1 : 0.05);
    near(&Fidelity::avg_jct, phases ? 0.1 : 0.05);
    near(&Fidelity::median_jct, phases ? 0.1 : 0.05);
    near(&Fidelity::p99_jct, phases ? 0.1 : 0.05);
    near(&Fidelity::makespan, phases ? 0.1 : 0.05);
    near(&Fidelity::ks, phases ? 0.01 : 0.005);
    near(&Fidelity::wasserstein_s, phases ? 0.003 * row.paper->wasserstein_s : 1);
  }
  EXPECT_EQ(cells, 50);
}

// The artifact's `comms` model on the 32-GPU trace with ASTRA-sim's profile.
TEST(Reproduce, TheEventResolutionOfTheArtifact) {
  const std::string artifact = test::shared_path("mosim-artifact");
  MOSIM_NEEDS(artifact);
  const Reproduction reproduction = reproduce_paper(artifact);
  const auto check = [&](const char* placement, const Fidelity& reference) {
    const ReproducedRow* row = find(reproduction, placement, "MoSim (event)");
    ASSERT_NE(row, nullptr);
    EXPECT_NEAR(row->ours.avg_training_time, reference.avg_training_time, 0.05);
    EXPECT_NEAR(row->ours.avg_jct, reference.avg_jct, 0.05);
    EXPECT_NEAR(row->ours.median_jct, reference.median_jct, 0.05);
    EXPECT_NEAR(row->ours.p99_jct, reference.p99_jct, 0.05);
    EXPECT_NEAR(row->ours.makespan, reference.makespan, 0.05);
    EXPECT_NEAR(row->ours.ks, reference.ks, 0.005);
    EXPECT_NEAR(row->ours.wasserstein_s, reference.wasserstein_s, 1);
  };
  check("bin-packing", {30.45, 28.29, 15.70, 37.28, 24.69, 0.183, 2835});
  check("load-balancing", {33.30, 40.44, 44.28, 23.13, 18.58, 0.283, 5304});
}

TEST(Reproduce, JsonHasTheTables) {
  const std::string artifact = test::shared_path("mosim-artifact");
  MOSIM_NEEDS(artifact);
  const auto json = nlohmann::json::parse(test::run_mosim("reproduce --json " + artifact).out);
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["cells_in_paper"], 50);
  EXPECT_LE(json["max_abs_difference"].get<double>(), 0.1);
  EXPECT_NEAR(json["tables"]["II"]["Tiresias"]["avg_jct"].get<double>(), 73.64, 0.05);
  EXPECT_NEAR(json["tables"]["III"]["bin-packing"]["MoSim"]["p99_jct"].get<double>(), 24.84, 0.1);
  EXPECT_NEAR(json["tables"]["IV"]["load-balancing"]["Pollux"]["ks"].get<double>(), 0.37, 0.005);
}

TEST(Reproduce, AFolderWithoutMeasuredRunsIsRefused) {
  const test::TemporaryFolder folder;
  const test::CommandResult result = test::run_mosim("reproduce " + folder.path(""));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("holds no measured run"), std::string::npos) << result.err;
}

// A run from the command line against a measured file gives what `reproduce` gives.
TEST(Validate, GivesTheMeasuresOfReproduce) {
  const std::string data = test::shared_path("mosim-artifact/data");
  MOSIM_NEEDS(data);
  const test::TemporaryFolder folder;
  const std::string out = folder.path("out");
  const test::CommandResult run = test::run_mosim(
      "run -q --trace " + data + "/trace/testbed-trace-32gpu.csv --cluster " + MOSIM_SOURCE_DIR +
      "/data/clusters/testbed-32gpu.yaml --set profile.backend=table --set profile.table=" + data +
      "/single_job_simulation/itertime_simulated-ar-v100-8gpu-ar-loading-time.csv "
      "--set profile.network=" +
      data +
      "/single_job_simulation/network_chakra_ar_v100_8gpu_network_summary.csv "
      "--set loading=added --set trace.iterations=duration --placement bin-packing -o " +
      out);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const test::CommandResult result = test::run_mosim("validate --json --measured " + data +
                                                     "/testbed/32gpu/k8sbp.csv --simulated " + out);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_NEAR(json["mape_percent"]["avg_jct"].get<double>(), 28.29, 0.05);
  EXPECT_NEAR(json["ks"].get<double>(), 0.183, 0.005);
}

}  // namespace
}  // namespace mosim
