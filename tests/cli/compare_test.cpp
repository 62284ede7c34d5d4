#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"

namespace mosim::test {
namespace {

using Json = nlohmann::json;

TEST(Compare, RunsOfTwoPlacements) {
  const TemporaryFolder folder;
  const std::string lb = folder.path("lb");
  const std::string bp = folder.path("bp");
  ASSERT_EQ(run_mosim("run -q -o " + lb).exit_code, 0);
  ASSERT_EQ(run_mosim("run -q --placement bin-packing -o " + bp).exit_code, 0);
  const CommandResult result = run_mosim("compare --format json " + lb + " " + bp);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["jobs"][0]["common"], 120);
  const std::vector<std::string> folders{lb, bp};
  for (std::size_t run = 0; run < 2; ++run) {
    const Json summary = Json::parse(read_text(folders[run] + "/summary.json"));
    for (const Json& metric : json["metrics"]) {
      std::string place = "/" + metric["name"].get<std::string>();
      if (const auto dot = place.find('.'); dot != std::string::npos) place[dot] = '/';
      const Json::json_pointer at(place);
      if (place == "/jain_index/users") {
        EXPECT_TRUE(metric["values"][run].is_null());
      } else {
        EXPECT_EQ(metric["values"][run].get<double>(), summary.at(at).get<double>()) << place;
      }
    }
  }
  // The same run has nothing to tell.
  const Json same = Json::parse(run_mosim("compare --format json " + lb + " " + lb).out);
  EXPECT_EQ(same["jobs"][0]["same"], 120);
  EXPECT_EQ(same["metrics"][6]["changes"][1], 0);
}

// docs/outputs.md prints these.
TEST(Compare, TheDocumentedExampleIsWhatIsPrinted) {
  const TemporaryFolder folder;
  const std::string lb = folder.path("lb");
  const std::string bp = folder.path("bp");
  ASSERT_EQ(run_mosim("run -q -o " + lb).exit_code, 0);
  ASSERT_EQ(run_mosim("run -q --placement bin-packing -o " + bp).exit_code, 0);
  const std::string table = run_mosim("compare " + lb + " " + bp).out;
  ASSERT_FALSE(table.empty());
  EXPECT_NE(read_text(std::string(MOSIM_SOURCE_DIR) + "/docs/outputs.md").find(table),
            std::string::npos)
      << table;
}

TEST(Compare, WarnsOnStderrWhenTheClusterIsAnother) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_mosim("run -q -o " + folder.path("a")).exit_code, 0);
  ASSERT_EQ(
      run_mosim("run -q --set 'cluster.servers[0].nic=7 Gbps' -o " + folder.path("b")).exit_code,
      0);
  const CommandResult result = run_mosim("compare " + folder.path("a") + " " + folder.path("b"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("a and b: cluster.servers[0].nic is 7 Gbps, not 5 Gbps"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(result.out.find("warning"), std::string::npos);
}

TEST(Compare, ExitCodes) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_mosim("compare").exit_code, 2);
  EXPECT_EQ(run_mosim("compare " + folder.path("a")).exit_code, 2);
  EXPECT_EQ(run_mosim("compare --format xml a b").exit_code, 2);
  const CommandResult bad = run_mosim("compare " + folder.path("a") + " " + folder.path("b"));
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_EQ(bad.err.find(folder.path("a/jobs.csv") + ":1:1: "), 0U) << bad.err;
  EXPECT_EQ(bad.out, "");
}

}  // namespace
}  // namespace mosim::test
