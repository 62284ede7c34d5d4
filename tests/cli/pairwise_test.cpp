#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"

namespace mosim::test {
namespace {

// alexnet demands 80 MB/s and bert 40 MB/s of NICs of 100 MB/s.
class PairwiseCommand : public ::testing::Test {
 protected:
  CommandResult run(const std::string& arguments) const {
    const std::string table = folder_.write("profiles.csv",
                                            "model,gpus,compute_s,network_s,volume_MB\n"
                                            "alexnet,8,1,0.5,40\nbert,8,2,1,40\n");
    return run_mosim("pairwise --backend table --set profile.table=" + table +
                     " --set 'cluster.servers[0].nic=100 MB/s' " + arguments);
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(PairwiseCommand, Table) {
  const CommandResult result = run("--models alexnet,bert");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(
      result.out,
      R"(2 servers of 8 V100-SXM2-16GB, NIC 0.1 GB/s; a job has 4 GPUs on each; contention mosim, resolution event

NIC contention factor of the row's job beside the column's, against alone
                        1     2
 1 alexnet           1.60  1.20
 2 bert              1.20  1.00

Iteration time of the row's job beside the column's, against alone
                        1     2
 1 alexnet           1.20  1.07
 2 bert              1.07  1.00

                      demand  S alone    contention factor       iteration time      against profile
over its partners       MB/s               min  mean   max      min  mean   max      min  mean   max
 1 alexnet              80.0     1.00     1.20  1.40  1.60     1.07  1.13  1.20     1.07  1.13  1.20
 2 bert                 40.0     1.00     1.00  1.10  1.20     1.00  1.03  1.07     1.00  1.03  1.07

over 4 ordered pairs                                     min    mean     max
contention factor, against alone in this placement      1.00    1.25    1.60
iteration time, against alone in this placement         1.00    1.08    1.20
contention factor S itself                              1.00    1.25    1.60
iteration time, against the profile                     1.00    1.08    1.20
paper: mean 1.33, max 2.14 (pairs on its testbed; nearest to it are the first two lines)
)");
}

TEST_F(PairwiseCommand, Json) {
  const CommandResult result = run("--models alexnet,bert --format json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["nic_bytes_per_s"], 100e6);
  EXPECT_EQ(json["models"][1]["model"], "bert");
  const auto& pair = json["models"][1]["beside"][0];
  EXPECT_EQ(pair["model"], "alexnet");
  EXPECT_NEAR(pair["factor"].get<double>(), 1.2, 1e-12);
  EXPECT_NEAR(pair["iteration_s"].get<double>(), 3.2, 1e-12);
  EXPECT_NEAR(json["overall"]["factor_ratio"]["mean"].get<double>(), 1.25, 1e-12);
  EXPECT_EQ(json["paper"]["max"], 2.14);
}

TEST_F(PairwiseCommand, CsvHasALineForEachPair) {
  const CommandResult result = run("--models alexnet,bert --format csv --contention none");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "model,partner,factor,factor_alone,factor_ratio,iteration_s,iteration_alone_s,"
            "iteration_ratio,profile_ratio\n"
            "alexnet,alexnet,1,1,1,1.5,1.5,1,1\nalexnet,bert,1,1,1,1.5,1.5,1,1\n"
            "bert,alexnet,1,1,1,3,3,1,1\nbert,bert,1,1,1,3,3,1,1\n");
}

TEST_F(PairwiseCommand, ModelsWithoutAProfileAreToldOnStderr) {
  const CommandResult result = run("--models alexnet,gpt2 --resolution phase");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("gpt2 on 8 GPUs"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("resolution phase"), std::string::npos) << result.out;
}

TEST_F(PairwiseCommand, MistakesAreRefused) {
  EXPECT_EQ(run("--models alexnett").exit_code, 3);
  EXPECT_EQ(run("--contention no-such-model").exit_code, 3);
  EXPECT_EQ(run("--format xml").exit_code, 2);
}

}  // namespace
}  // namespace mosim::test
