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

TEST(Scenario, AnEmptyFileIsTheDefaults) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(resolved_yaml(load_scenario(folder.write("s.yaml", ""), {})),
            resolved_yaml(Scenario{}));
}

}  // namespace
}  // namespace mosim
