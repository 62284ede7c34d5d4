#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

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
                      "virtual_cluster,preemptions,moves,restart_s,capacity_wait_s,"
                      "placement_wait_s,rho,workers\n"),
            0U);
  EXPECT_EQ(read_text(out + "/timeline.csv")
                .find("time_s,running,waiting,gpus_used,gpus_up,gpus_free,gpus_stranded\n"),
            0U);
  EXPECT_FALSE(std::filesystem::exists(out + "/attempts.csv"));
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

TEST(Run, FailuresAndVirtualClustersAreInTheResults) {
  const TemporaryFolder folder;
  // One job of 1000 s on the only server, which fails at 700 and is back at 800. A checkpoint each
  // 500 s: it ends at 800 + 500.
  const std::string trace = folder.write(
      "trace.csv", "job_id,model,arrival_time,duration,gpu_workers\n0,bert,0,1000,1\n");
  const std::string scenario = folder.write("s.yaml",
                                            "cluster:\n"
                                            "  servers: [{count: 1, gpus: 4, gpu: V100}]\n"
                                            "  virtual_clusters: [{name: prod, quota: 2}]\n"
                                            "  unmapped: prod\n"
                                            "availability:\n"
                                            "  checkpoint_interval: 500 s\n"
                                            "  events:\n"
                                            "    - {time: 700 s, server: 0, what: fail}\n"
                                            "    - {time: 800 s, server: 0, what: repair}\n");
  const CommandResult result =
      run_mosim("run --json -q " + scenario + " --trace " + trace + " -o " + folder.path("out"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json summary = Json::parse(result.out);
  EXPECT_EQ(summary["restarts"], 1);
  EXPECT_NEAR(summary["lost_gpu_s"].get<double>(), 200, 1e-9);
  EXPECT_EQ(summary["virtual_clusters"]["prod"]["jobs"], 1);
  EXPECT_NEAR(summary["virtual_clusters"]["prod"]["avg_jct_s"].get<double>(), 1300, 1e-9);
  EXPECT_NEAR(summary["wait_s"]["avg"].get<double>(), 100, 1e-9);
  EXPECT_NEAR(summary["training_s"]["avg"].get<double>(), 1200, 1e-9);
  const std::string jobs = read_text(folder.path("out/jobs.csv"));
  // It waits for 100 s without a server. Alone it takes 1000 s, on 1 of 4 GPUs with no other job.
  EXPECT_NE(jobs.find(",0:1,1,200,V100-SXM2-16GB,prod,0,0,0,100,0,1.3,1\n"), std::string::npos)
      << jobs;
  EXPECT_EQ(read_text(folder.path("out/attempts.csv")),
            "job_id,start_s,end_s,how,gpus,servers\n0,0,700,failed,1,0:1\n");
  const std::string timeline = read_text(folder.path("out/timeline.csv"));
  EXPECT_NE(timeline.find("\n0,1,0,1,4,3,3\n700,0,1,0,0,0,0\n800,1,0,1,4,3,3\n"), std::string::npos)
      << timeline;
  // It names the racks before it runs.
  EXPECT_NE(run_mosim("run --dry-run " + scenario + " --trace " + trace).err.find("in 1 racks"),
            std::string::npos);
}

TEST(Run, TheReferenceTypeGivesTheIterations) {
  const TemporaryFolder folder;
  // 100 s on the V100 that the trace is from are 10 iterations; the T4 takes 30 s for each.
  const std::string table = folder.write(
      "table.csv",
      "model,gpus,gpu,compute_s,network_s,volume_MB\nbert,1,V100,10,0,0\nbert,1,T4,30,0,0\n");
  const std::string trace =
      folder.write("trace.csv", "job_id,model,arrival_time,duration,gpu_workers\n0,bert,0,100,1\n");
  const CommandResult result =
      run_mosim("run --json -q --set profile.backend=table --set profile.table=" + table +
                " --set 'cluster.servers=[{gpu: T4}]' --set profile.reference_gpu=V100 --trace " +
                trace + " -o " + folder.path("out"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["jct_s"]["avg"], 300);
}

TEST(Run, GpusAreSharedIfTheScenarioSaysSo) {
  const TemporaryFolder folder;
  // Two jobs of 100 s on half a GPU each, at once or one after the other on the only one.
  const std::string trace =
      folder.write("trace.csv",
                   "job_id,model,arrival_time,duration,gpu_workers,gpu_share\n"
                   "0,bert,0,100,1,0.5\n1,bert,0,100,1,0.5\n");
  const auto makespan = [&](const char* share) {
    const CommandResult result =
        run_mosim(std::string("run --json -q --set 'cluster.servers=[{count: 1, gpus: 1}]' "
                              "--force --set scheduler.share_gpus=") +
                  share + " --trace " + trace + " -o " + folder.path("out"));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out)["makespan_s"].get<double>();
  };
  EXPECT_NEAR(makespan("true"), 100, 1e-9);
  EXPECT_NEAR(makespan("false"), 200, 1e-9);
}

TEST(Run, TheOpenbTraceRunsOnItsOwnServers) {
  const std::string folder_of = test::shared_path("traces/alibaba-openb-2023");
  MOSIM_NEEDS(folder_of);
  const TemporaryFolder folder;
  const CommandResult result = run_mosim(
      "run --json -q --trace " + folder_of + "/openb_pod_list_default.csv --cluster " + folder_of +
      "/openb_node_list_gpu_node.csv --set 'cluster.gpu_types=G2=A10,G3=A100-SXM4-80GB'"
      " --set scheduler.share_gpus=true --placement bin-packing -o " +
      folder.path("out"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["jobs"]["finished"], 6171);
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
  EXPECT_EQ(queue["anyOf"][0]["enum"][0], "fifo");
  const std::regex with_parameters(queue["anyOf"][1]["pattern"].get<std::string>());
  EXPECT_TRUE(std::regex_match("fifo-skip(a=1)", with_parameters));
  EXPECT_FALSE(std::regex_match("other(a=1)", with_parameters));
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

TEST(Run, WhatBecameOfTheTraceIsToldAndInTheSummary) {
  const test::TemporaryFolder folder;
  const std::string header = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,";
  const std::string trace = folder.write(
      "helios.csv",
      header +
          "start_time,end_time,duration,queue\n"
          "1,u,v,4,4,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:01,2020-06-09 "
          "18:51:01,600,0\n"
          "2,u,v,1,4,1,FAILED,2020-06-09 18:41:02,2020-06-09 18:41:02,2020-06-09 18:41:12,10,0\n"
          "3,u,v,0,4,1,COMPLETED,2020-06-09 18:41:03,2020-06-09 18:41:03,2020-06-09 18:41:13,10,0\n"
          "4,u,v,9,4,1,FAILED,2020-06-09 18:41:04,2020-06-09 18:41:04,2020-06-09 18:41:14,10,0\n");
  const test::CommandResult result = test::run_mosim(
      "run --json --trace " + trace + " --set trace.max_gpus=8 -o " + folder.path("out"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("4 jobs read, 2 kept; 2 failed (keep), 1 zero-gpus (drop), 1 filtered"),
            std::string::npos)
      << result.err;
  const auto account = nlohmann::json::parse(result.out)["trace"];
  EXPECT_EQ(account["jobs_read"], 4);
  EXPECT_EQ(account["filtered"], 1);
  EXPECT_EQ(account["found"].dump(), R"({"failed":2,"zero-gpus":1})");
  EXPECT_EQ(account["dropped"].dump(), R"({"zero-gpus":1})");
}

}  // namespace
}  // namespace mosim::test
