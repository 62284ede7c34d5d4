// Inputs that are in memory take the place of files and give the same run.
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "mosim/scenario.hpp"

namespace mosim {
namespace {

constexpr const char* kDemo = "bundled:traces/demo.csv";
constexpr const char* kTable =
    "model,gpus,compute_s,network_ms,volume_MB\n"
    "bert,1,0.5,0,0\n";

TEST(InMemory, ScenarioIsReadAsItsFile) {
  const Scenario scenario = parse_scenario("given", "scheduler: {queue: fifo-skip}\n", {});
  EXPECT_EQ(scenario.queue, "fifo-skip");
  try {
    (void)parse_scenario("given", "scheduler:\n  queue: none\n", {});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("given:2:10: ")) << error.what();
  }
}

TEST(InMemory, TraceAndFileGiveTheSameRun) {
  const Scenario scenario = load_scenario("", {});
  TraceOptions options = trace_options(scenario);
  options.file = "given";
  GivenInputs given;
  given.trace = read_trace(options, read_file(kDemo, "a trace"));
  EXPECT_EQ(given.trace->file, "given");
  EXPECT_EQ(prepare(scenario, std::move(given)).digest, prepare(scenario).digest);
}

TEST(InMemory, ProfilesStandForTheBackend) {
  const Scenario scenario = load_scenario("", {{"trace.limit", "1", "--set", true}});
  GivenInputs given;
  std::vector<std::string> asked;
  given.profiles = [&](const ModelPool& pool, const std::string& gpu) {
    asked.push_back(gpu);
    return std::make_unique<ProfileTable>(parse_profile_table("given", kTable, pool, gpu));
  };
  const PreparedRun run = prepare(scenario, std::move(given));
  ASSERT_EQ(run.jobs.size(), 1U);
  EXPECT_DOUBLE_EQ(run.jobs[0].profile.compute_s, 0.5);
  EXPECT_EQ(asked, std::vector<std::string>{"V100-SXM2-16GB"});
}

}  // namespace
}  // namespace mosim
