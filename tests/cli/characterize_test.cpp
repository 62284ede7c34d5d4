#include <gtest/gtest.h>

#include <filesystem>
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

// The whole way with a stand-in that plays the files it is given: its times are near our own ring,
// results are kept, and a damaged entry is made again.
TEST(Characterize, AstraSimIsAskedOnceAndAgreesWithTheRing) {
  const TemporaryFolder folder;
  const std::string runs = folder.path("runs");
  const std::string rest = " --models bert,resnet110 --gpus 1,2,4 --format json";
  const std::string command =
      "MOSIM_TEST_RUNS=" + runs +
      " {mosim} characterize --backend astra-sim --set profile.cache=" + folder.path("cache") +
      " --set profile.astra_sim.binary=" MOSIM_SOURCE_DIR "/tests/support/astra_sim_model.py" +
      rest;
  const CommandResult first = run_command(command);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(read_text(runs), "xxxx");  // one GPU needs no run
  const CommandResult again = run_command(command);
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(read_text(runs), "xxxx");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("cache"))) {
    std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) - 5);
  }
  EXPECT_EQ(run_command(command).out, first.out);
  EXPECT_EQ(read_text(runs), "xxxxxxxx");

  const Json theirs = Json::parse(first.out)["profiles"];
  const Json ours = Json::parse(run_mosim("characterize" + rest).out)["profiles"];
  ASSERT_EQ(theirs.size(), ours.size());
  for (std::size_t row = 0; row < ours.size(); ++row) {
    EXPECT_EQ(theirs[row]["volume_bytes"], ours[row]["volume_bytes"]);
    const double time = ours[row]["network_s"];
    EXPECT_NEAR(theirs[row]["network_s"], time, 0.1 * time) << ours[row]["model"];
  }
}

// A trace of one micro-batch would be taken for the whole iteration.
TEST(Characterize, AstraSimIsNotAskedAboutMicroBatches) {
  const CommandResult result = run_mosim(
      "characterize --models bert --gpus 2 --parallelism micro_batches=2 --backend astra-sim "
      "--set profile.cache=none --set profile.astra_sim.binary=" MOSIM_SOURCE_DIR
      "/tests/support/astra_sim_model.py --format csv");
  EXPECT_EQ(result.out, "model,gpus,compute_s,network_s,volume_B,loading_s\n");
  EXPECT_NE(result.err.find("with one micro-batch"), std::string::npos) << result.err;
}

TEST(Characterize, WritesItsTableToStandardOutputOrOverTheLastOne) {
  const TemporaryFolder folder;
  const std::string table = folder.write("table.csv", "old");
  const std::string command = "characterize --models bert --gpus 2 -o ";
  ASSERT_EQ(run_mosim(command + table).exit_code, 0);
  const std::string written = read_text(table);
  EXPECT_NE(written.find("bert,2,"), std::string::npos) << written;
  EXPECT_EQ(run_mosim(command + "-").out, written);
}

}  // namespace
}  // namespace mosim::test
