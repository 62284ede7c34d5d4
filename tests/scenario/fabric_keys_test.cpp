// The keys of cluster.fabric: reading, writing, and the examples. What is wrong with bad ones is in
// cli/bad_input_test.cpp.
#include <gtest/gtest.h>

#include "mosim/fabric.hpp"
#include "mosim/output.hpp"
#include "mosim/scenario.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

TEST(FabricKeys, AreReadAndWritten) {
  const test::TemporaryFolder folder;
  const Scenario scenario = load_scenario(folder.write("s.yaml", R"(
cluster:
  servers: [{count: 8, servers_per_rack: 2}]
  fabric:
    rack: {uplinks: 4, oversubscription: 8}
    pod: {racks: 2, uplinks: 3, oversubscription: 1.5}
    ecmp_seed: 7
)"),
                                          {});
  const FabricSpec fabric{4, 8, 2, 3, 1.5, 7};
  EXPECT_EQ(cluster_of(scenario).fabric, fabric);
  const std::string text = resolved_yaml(scenario);
  const Scenario again = load_scenario(folder.write("r.yaml", text), {});
  EXPECT_EQ(cluster_of(again).fabric, fabric);
  EXPECT_EQ(resolved_yaml(again), text);
  const std::string file = folder.write("c.yaml", cluster_yaml(cluster_of(scenario)));
  const Scenario by_file = load_scenario("", {{"cluster.file", file, "--cluster"}});
  EXPECT_EQ(cluster_of(by_file).fabric, fabric);
  EXPECT_EQ(resolved_yaml(by_file).find("cluster.file"), std::string::npos);
}

TEST(FabricKeys, AreNotWrittenWithoutAFabric) {
  EXPECT_EQ(resolved_yaml(Scenario{}).find("fabric"), std::string::npos);
  EXPECT_EQ(cluster_yaml(cluster_of(Scenario{})).find("fabric"), std::string::npos);
  EXPECT_EQ(cluster_table(cluster_of(Scenario{})).find("fabric"), std::string::npos);
  EXPECT_EQ(cluster_json(cluster_of(Scenario{}), {}).find("fabric"), std::string::npos);
}

TEST(FabricKeys, OfTheScenarioGoBeforeThoseOfTheClusterFile) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write(
      "c.yaml", "servers: [{count: 4}]\nfabric: {rack: {uplinks: 2, oversubscription: 8}}\n");
  const auto fabric_with = [&](const std::string& setting) {
    return cluster_of(load_scenario("", {{"cluster.file", file, "--cluster"},
                                         parse_override("cluster.fabric." + setting)}))
        .fabric;
  };
  EXPECT_EQ(fabric_with("rack.oversubscription=4"), (FabricSpec{2, 4}));
  EXPECT_EQ(fabric_with("rack.uplinks=0"), (FabricSpec{0, 8}));
  EXPECT_EQ(fabric_with("ecmp_seed=3"),
            (FabricSpec{.rack_uplinks = 2, .rack_oversubscription = 8, .ecmp_seed = 3}));
}

TEST(FabricKeys, ThatAreInVainAreTold) {
  const Scenario scenario =
      load_scenario("", {parse_override("cluster.fabric.rack.oversubscription=4")});
  ASSERT_EQ(scenario.cluster_notes.size(), 1U);
  EXPECT_EQ(
      scenario.cluster_notes[0],
      "cluster.fabric.rack.oversubscription does nothing: cluster.fabric.rack.uplinks is 0, so "
      "racks do not limit");
}

TEST(FabricKeys, CountInTheDigestAsPodsDo) {
  const auto digest = [](const std::vector<std::string>& settings) {
    std::vector<Override> overrides{parse_override("trace.limit=1")};
    for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
    return prepare(load_scenario("", overrides)).digest;
  };
  const std::string plain = digest({});
  EXPECT_EQ(digest({"cluster.fabric.rack.uplinks=0"}), plain);
  EXPECT_NE(digest({"cluster.fabric.rack.uplinks=1"}), plain);
  EXPECT_NE(digest({"cluster.servers[0].pod=a"}), plain);
}

// The comments of the examples say what the uplinks carry.
TEST(FabricKeys, OfTheExamplesMakeWhatTheySay) {
  constexpr double kGbps = 1e9 / 8;
  const auto fabric_of = [](const std::string& name) {
    const std::string file = std::string(MOSIM_SOURCE_DIR "/examples/") + name;
    const PreparedRun run = prepare(load_scenario(file, {parse_override("trace.limit=20")}));
    EXPECT_EQ(run.jobs.size(), 20U);
    return Fabric(run.cluster);
  };
  const Fabric racks = fabric_of("racks.yaml");
  EXPECT_EQ(racks.links(), 128U + 4 * 2);
  EXPECT_DOUBLE_EQ(racks.capacity(128), 40 * kGbps);
  const Fabric clos = fabric_of("clos.yaml");
  EXPECT_EQ(clos.links(), 256U + 16 * 4 * 2 + 4 * 16 * 2);
  EXPECT_DOUBLE_EQ(clos.capacity(256), 200 * kGbps);
  EXPECT_DOUBLE_EQ(clos.capacity(256 + 128), 50 * kGbps);
}

}  // namespace
}  // namespace mosim
