#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"

namespace mosim::test {
namespace {

using Json = nlohmann::json;

// A job's rows without the scenario's digests.
std::string jobs_of(const std::string& folder) { return read_text(folder + "/jobs.csv"); }

TEST(Characterize, EveryModelOfThePoolOnEverySize) {
  const CommandResult result = run_mosim("characterize --format json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["profiles"].size(), 48U);  // 12 models x {1, 2, 4, 8}
  for (const Json& row : json["profiles"]) {
    EXPECT_GT(row["compute_s"], 0) << row["model"];
    EXPECT_GT(row["detail"]["memory_bytes"], 0) << row["model"];
    EXPECT_EQ(row["network_s"] > 0, row["gpus"] > 1) << row["model"];
  }
}

TEST(Characterize, AFrozenTableChangesNoJob) {
  const TemporaryFolder folder;
  const std::string table = folder.path("profiles.csv");
  ASSERT_EQ(run_mosim("characterize -o " + table).exit_code, 0);
  ASSERT_EQ(run_mosim("run -q -o " + folder.path("computed")).exit_code, 0);
  const CommandResult frozen =
      run_mosim("run -q --set profile.backend=table --set profile.table=" + table + " -o " +
                folder.path("frozen"));
  ASSERT_EQ(frozen.exit_code, 0) << frozen.err;
  EXPECT_EQ(jobs_of(folder.path("computed")), jobs_of(folder.path("frozen")));
}

TEST(Characterize, ExplainsOperatorsAndCollectives) {
  const CommandResult result = run_mosim("characterize --explain vgg16 --gpus 4");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("winograd"), std::string::npos);
  EXPECT_NE(result.out.find("all-reduce"), std::string::npos);
}

TEST(Characterize, CostStandsBesideTheRowsOfThePaper) {
  const CommandResult result = run_mosim("characterize --cost --set cost.gpu_hour=2");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  // 41 GPU-hours at 2 dollars.
  EXPECT_NE(result.out.find("82"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("MoSim, backend builtin"), std::string::npos);
}

TEST(Characterize, ParallelismBatchAndPrecisionCanBeChanged) {
  const CommandResult result = run_mosim(
      "characterize --models gpt2 --gpus 8 --gpu H100 --precision bf16 --batch 8 "
      "--parallelism tensor=2,zero=1 --format json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["profiles"].size(), 1U);
  // Twelve heads and blocks: three GPUs are no multiple of two.
  const CommandResult odd =
      run_mosim("characterize --models gpt2 --gpus 3 --parallelism tensor=2 --format json");
  EXPECT_EQ(odd.exit_code, 0);
  EXPECT_NE(odd.err.find("a multiple of 2 GPUs"), std::string::npos) << odd.err;
}

TEST(Characterize, BadInputIsRefused) {
  struct Case {
    std::string arguments;
    std::string message;
  };
  const Case cases[] = {
      {"--models bret", "nearest: 'bert'"},
      {"--gpu Abacus", "is not in the catalogue"},
      {"--parallelism tensr=2", "unknown key 'tensr'"},
      {"--parallelism tensor=0", "tensor is '0'"},
      {"--backend astra-sim --set profile.astra_sim.binary=/nowhere/astra", "/nowhere/astra"},
      {"--backend simai --set profile.table=/nowhere/index.csv", "/nowhere/index.csv"},
      {"--backend oracle", "expected"},
      {"--set profile.bucket=25", "has no unit"},
      {"--against /nowhere", "/nowhere"}};
  for (const Case& bad : cases) {
    const CommandResult result = run_mosim("characterize " + bad.arguments);
    EXPECT_EQ(result.exit_code, 3) << bad.arguments << ": " << result.err;
    EXPECT_NE(result.err.find(bad.message), std::string::npos)
        << bad.arguments << ": " << result.err;
  }
}

TEST(Characterize, AFailingAstraSimIsAFailedRun) {
  const TemporaryFolder folder;
  const CommandResult result =
      run_mosim("characterize --models bert --gpus 2 --backend astra-sim --set profile.cache=" +
                folder.path("cache") + " --set profile.astra_sim.binary=/bin/false");
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_NE(result.err.find("exit code 1"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace mosim::test
