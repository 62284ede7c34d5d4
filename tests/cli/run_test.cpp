#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"

namespace mosim::test {
namespace {

using Json = nlohmann::json;

TEST(Run, WritesItsFourFilesAndJsonIsTheSummary) {
  const TemporaryFolder folder;
  const std::string out = folder.path("out");
  const CommandResult result = run_mosim("run --json -o " + out);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, read_text(out + "/summary.json"));
  const Json summary = Json::parse(result.out);
  EXPECT_EQ(summary["schema_version"], 1);
  EXPECT_EQ(summary["jobs"]["finished"], 120);
  EXPECT_EQ(read_text(out + "/jobs.csv")
                .find("job_id,model,gpus,submit_s,start_s,end_s,wait_s,training_s,jct_s,compute_s,"
                      "network_s,loading_s,iterations,mean_contention,servers,restarts,lost_s,gpu,"
                      "virtual_cluster\n"),
            0U);
  EXPECT_EQ(read_text(out + "/timeline.csv").find("time_s,running,waiting,gpus_used,gpus_up\n"),
            0U);
}

TEST(Run, TheResolvedScenarioRunsTheSameAgain) {
  const TemporaryFolder folder;
  ASSERT_EQ(
      run_mosim("run -q --seed 7 --queue fifo-skip --set 'cluster.servers[0].nic=7 Gbps' -o " +
                folder.path("a"))
          .exit_code,
      0);
  ASSERT_EQ(
      run_mosim("run -q " + folder.path("a/scenario.resolved.yaml") + " -o " + folder.path("b"))
          .exit_code,
      0);
  for (const char* file :
       {"/jobs.csv", "/timeline.csv", "/summary.json", "/scenario.resolved.yaml"}) {
    EXPECT_EQ(read_text(folder.path("a") + file), read_text(folder.path("b") + file)) << file;
  }
}

TEST(Run, FlagsAreScenarioKeys) {
  const CommandResult result = run_mosim(
      "run --dry-run --queue fifo-skip --placement consolidate --contention fixed --seed 3 "
      "--set contention.ratio=0.25");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* line : {"queue: fifo-skip\n", "placement: consolidate\n", "model: fixed\n",
                           "seed: 3\n", "ratio: 0.25\n"}) {
    EXPECT_NE(result.out.find(line), std::string::npos) << line << result.out;
  }
}

TEST(Run, DryRunWritesNothing) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_mosim("run --dry-run -o " + folder.path("out")).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
}

TEST(Run, ProgressIsShownOnATerminalOnly) {
  const TemporaryFolder folder;
  const CommandResult result = run_mosim("run -o " + folder.path("out"));
  EXPECT_EQ(result.err.find("events/s"), std::string::npos);
}

TEST(Run, ClusterFile) {
  const TemporaryFolder folder;
  const std::string cluster =
      folder.write("cluster.yaml",
                   "servers:\n  - {count: 2, gpus: 4, gpu: T4, nic: 10 Gbps}\n"
                   "  - {count: 1, gpus: 8, gpu: T4, nic: 10 Gbps}\n");
  const CommandResult result =
      run_mosim("run --json -q --cluster " + cluster + " -o " + folder.path("out"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["cluster"], Json::parse(R"({"servers": 3, "gpus": 16})"));
}

// The same bytes from the release and the sanitizer build.
TEST(Run, ReleaseAndTestBuildsWriteTheSameBytes) {
  if (!std::filesystem::exists(MOSIM_RELEASE_BINARY)) {
    GTEST_SKIP() << "there is no release build beside this one";
  }
  const TemporaryFolder folder;
  for (const char* arguments : {"", " --resolution phase",
                                " --contention fixed --queue fifo-skip --placement bin-packing"}) {
    const std::string a = folder.path("a");
    const std::string b = folder.path("b");
    ASSERT_EQ(run_command(std::string("{mosim} run -q --force") + arguments + " -o " + a).exit_code,
              0);
    ASSERT_EQ(
        run_command(std::string(MOSIM_RELEASE_BINARY) + " run -q --force" + arguments + " -o " + b)
            .exit_code,
        0);
    EXPECT_EQ(run_command("diff -r " + a + " " + b).exit_code, 0) << arguments;
  }
}

TEST(Policies, OneLineEach) {
  const CommandResult result = run_mosim("policies");
  EXPECT_EQ(result.exit_code, 0);
  for (const char* name : {"fifo ", "fifo-skip", "bin-packing", "load-balancing", "consolidate"}) {
    EXPECT_NE(result.out.find(name), std::string::npos) << name;
  }
}

TEST(Schema, IsJsonAndKnowsTheRegisteredPolicies) {
  const Json schema = Json::parse(run_mosim("schema").out);
  EXPECT_EQ(schema["additionalProperties"], false);
  const Json& queue = schema["properties"]["scheduler"]["properties"]["queue"];
  EXPECT_EQ(queue["enum"], Json::parse(R"(["fifo", "fifo-skip"])"));
  const Json& servers = schema["properties"]["cluster"]["properties"]["servers"];
  EXPECT_EQ(servers["items"]["properties"]["gpus"]["minimum"], 1);
}

TEST(Schema, TheDocumentedKeysAreTheTable) {
  EXPECT_EQ(run_mosim("schema --markdown").out,
            read_text(std::string(MOSIM_SOURCE_DIR) + "/docs/scenario.md"))
      << "run: mosim schema --markdown > docs/scenario.md";
}

TEST(Help, ListsTheScenarioKeys) {
  const CommandResult result = run_mosim("run --help");
  EXPECT_NE(result.out.find("contention.min_bandwidth=10 MB/s"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace mosim::test
