#include "mosim/scenario.hpp"

#include <gtest/gtest.h>

#include "support/command.hpp"

namespace mosim {
namespace {

TEST(Scenario, TheBundledDefaultHasTheDocumentedDefaults) {
  const Scenario scenario = load_scenario("", {});
  EXPECT_EQ(scenario.queue, "fifo");
  EXPECT_EQ(scenario.contention_resolution, "event");
  EXPECT_EQ(scenario.min_bandwidth, 10e6);
  ASSERT_EQ(scenario.servers.size(), 1U);
  EXPECT_EQ(scenario.servers[0].nic, 625e6);
  EXPECT_EQ(scenario.servers[0].cpus, 256U);
}

TEST(Scenario, OverridesReachIntoLists) {
  const Scenario scenario =
      load_scenario("", {parse_override("cluster.servers[0].count=2"),
                         parse_override("cluster.servers[1]={count: 3, gpus: 4, nic: 100 Gbps}")});
  ASSERT_EQ(scenario.servers.size(), 2U);
  EXPECT_EQ(scenario.servers[0].count, 2U);
  EXPECT_EQ(scenario.servers[0].gpus, 8U);
  EXPECT_EQ(scenario.servers[1].nic, 12.5e9);
  EXPECT_THROW((void)load_scenario("", {parse_override("cluster.servers[9].count=2")}), InputError);
}

TEST(Scenario, PathsInAFileAreRelativeToIt) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("s.yaml", "trace: {file: jobs.csv}\n");
  EXPECT_EQ(load_scenario(file, {}).trace_file, folder.path("jobs.csv"));
}

TEST(Scenario, ResolvedYamlReadsBackTheSame) {
  const test::TemporaryFolder folder;
  Scenario scenario = load_scenario("", {parse_override("contention.min_bandwidth=12.5 MB/s"),
                                         parse_override("scheduler.skip_unplaceable=true")});
  const std::string text = resolved_yaml(scenario);
  EXPECT_EQ(resolved_yaml(load_scenario(folder.write("r.yaml", text), {})), text);
}

TEST(Scenario, TheSeedOfTheSchedulerReachesThePlacement) {
  const auto run = [](const char* placement, const char* seed) {
    const Scenario scenario = load_scenario("", {{"scheduler.placement", placement, "--set", false},
                                                 {"scheduler.seed", seed, "--set", false}});
    return simulate(scenario, prepare(scenario)).result.digest();
  };
  EXPECT_EQ(run("random", "1"), run("random", "1"));
  EXPECT_NE(run("random", "1"), run("random", "2"));
  EXPECT_EQ(run("topology", "1"), run("topology", "2"));
}

TEST(Scenario, TheSeedOfTheSchedulerIsPartOfTheRun) {
  const auto digest = [](const char* seed) {
    return prepare(load_scenario("", {{"scheduler.seed", seed, "--set", false}})).digest;
  };
  EXPECT_NE(digest("1"), digest("2"));
}

constexpr const char* kRealCluster = R"(
cluster:
  servers:
    - {count: 4, gpus: 8, gpu: V100, nics: 2, memory: 512 GiB, servers_per_rack: 2}
    - {count: 2, gpus: 8, gpu: MISC, virtual_cluster: b}
  virtual_clusters:
    - {name: a, jobs: [x, "y, z"], quota: 16, queue: fifo-skip}
    - {name: b}
  unmapped: a
scheduler: {mix_gpu_types: true}
availability:
  events:
    - {time: 2h, servers: 0-3, what: drain}
    - {time: 3h, server: 5, what: fail}
  mtbf: 30d
  mttr: 2h
  checkpoint_interval: 30min
)";

TEST(Scenario, ReadsARealCluster) {
  const test::TemporaryFolder folder;
  const Scenario scenario = load_scenario(folder.write("s.yaml", kRealCluster), {});
  EXPECT_EQ(scenario.servers[0].nics, 2U);
  EXPECT_EQ(scenario.servers[0].memory, 512 * 1024.0 * 1024 * 1024);
  EXPECT_EQ(cluster_of(scenario).racks(), 3U);
  EXPECT_EQ(scenario.virtual_clusters[0].jobs, (std::vector<std::string>{"x", "y, z"}));
  EXPECT_EQ(scenario.virtual_clusters[0].quota, 16U);
  const Availability availability = availability_options(scenario);
  ASSERT_EQ(availability.events.size(), 2U);
  EXPECT_EQ(availability.events[0].time_s, 7200);
  EXPECT_EQ(availability.events[0].last, ServerId{3});
  EXPECT_EQ(availability.events[1].first, ServerId{5});
  EXPECT_EQ(availability.events[1].change, ServerChange::fail);
  EXPECT_EQ(availability.mtbf_s, 30 * 86400.0);
  // And back again.
  const std::string text = resolved_yaml(scenario);
  EXPECT_EQ(resolved_yaml(load_scenario(folder.write("r.yaml", text), {})), text);
}

TEST(Scenario, AClusterFileBringsItsVirtualClusters) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write(
      "c.yaml", "servers: [{count: 2}]\nvirtual_clusters: [{name: a, jobs: all, quota: 4}]\n");
  const Scenario scenario = load_scenario(
      "", {{"cluster.file", file, "--cluster"}, parse_override("cluster.unmapped=a")});
  ASSERT_EQ(scenario.virtual_clusters.size(), 1U);
  EXPECT_EQ(scenario.virtual_clusters[0].jobs, std::vector<std::string>{"all"});
}

TEST(Scenario, AnEmptyFileIsTheDefaults) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(resolved_yaml(load_scenario(folder.write("s.yaml", ""), {})),
            resolved_yaml(Scenario{}));
}

}  // namespace
}  // namespace mosim
