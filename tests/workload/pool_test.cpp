// Pools of several parts.
#include <gtest/gtest.h>

#include "mosim/scenario.hpp"
#include "mosim/workload.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

std::string model(const std::string& name, const std::string& aliases, int parameters) {
  return "name: " + name + "\naliases: [" + aliases +
         "]\npool: default\nbatch_per_gpu: 4\ndata_set: d\nframework: f\n"
         "collective: ring-all-reduce\n"
         "totals: {parameters: " +
         std::to_string(parameters) + ", forward_operations: 1 GFLOP}\nsources: none\n";
}

TEST(Pool, AFolderAddsToTheDefaultAndReplacesByName) {
  const test::TemporaryFolder folder;
  folder.write("a.yaml", model("mine", "workload_14", 1000));
  folder.write("b.yaml", model("bert", "", 2000));
  const ModelPool pool = read_pool("default, " + folder.path(""));
  EXPECT_EQ(pool.models().size(), read_pool("default").models().size() + 1);
  EXPECT_EQ(pool.find("bert")->parameters, 2000);
  EXPECT_EQ(pool.find("workload_02"), nullptr);  // an alias of the bert that is gone
  EXPECT_EQ(pool.canonical("workload_14"), "mine");
  EXPECT_NE(pool.find("resnet50"), nullptr);
  EXPECT_EQ(default_draw(pool).weights.size(), 13U);
}

TEST(Pool, OrderDecidesWhoReplacesWhom) {
  const test::TemporaryFolder folder;
  folder.write("b.yaml", model("bert", "", 2000));
  const double bundled = read_pool("default").find("bert")->parameters;
  EXPECT_EQ(read_pool(folder.path("") + ",default").find("bert")->parameters, bundled);
}

TEST(Pool, TwoModelsOfOneNameInAFolderAreRefused) {
  const test::TemporaryFolder folder;
  folder.write("a.yaml", model("mine", "", 1000));
  folder.write("b.yaml", model("mine", "", 2000));
  EXPECT_THROW((void)read_pool(folder.path("")), InputError);
  EXPECT_THROW((void)read_pool("default,/nowhere"), InputError);
}

TEST(Pool, AFolderIsRelativeToTheScenario) {
  const test::TemporaryFolder folder;
  const std::string scenario = folder.write("s.yaml", "workloads: {pool: \"default, ./models\"}\n");
  EXPECT_EQ(load_scenario(scenario, {}).workloads_pool, "default," + folder.path("models"));
}

}  // namespace
}  // namespace mosim
