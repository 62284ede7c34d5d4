#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mosim/output.hpp"
#include "support/command.hpp"

namespace mosim::test {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Policies, ListsEachOnALine) {
  const CommandResult result = run_mosim("policies");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(has(result.out, "queue      fifo                 strict FIFO")) << result.out;
  EXPECT_TRUE(has(result.out, "\nplacement  bin-packing          fills")) << result.out;
}

TEST(Policies, ShowsOneWithItsParameters) {
  const CommandResult result = run_mosim("policies show las");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("queue las: ")) << result.out;
  for (const char* part : {"source ", "needs             nothing but what every scheduler sees\n",
                           "placement         scheduler.placement", "a policy for each of them",
                           "mosim run --queue 'las(thresholds=", "exact or tiresias"}) {
    EXPECT_TRUE(has(result.out, part)) << part << "\nnot in\n" << result.out;
  }
}

TEST(Policies, ShowsNeedsAndParametersAsTheyAreDeclared) {
  PolicyRegistry registry;
  registry.add_queue(
      {{.name = "mine",
        .summary = "of mine",
        .source = "a paper",
        .parameters = {{.name = "part", .fallback = "0.5", .help = "which", .maximum = 1},
                       {.name = "after",
                        .kind = ParameterKind::duration,
                        .fallback = "90 s",
                        .help = "when",
                        .minimum = 60}},
        .needs = {.remaining_time = true, .deadlines = true},
        .decides_placement = true,
        .spans_virtual_clusters = true},
       [](const PolicySetup&) { return std::unique_ptr<Policy>(); }});
  EXPECT_EQ(
      policy_text(registry, "mine"),
      "queue mine: of mine\n"
      "\n"
      "source            a paper\n"
      "needs             remaining times (an oracle: no real scheduler knows them), deadlines\n"
      "placement         its own\n"
      "virtual clusters  one policy for all of them\n"
      "example           mosim run --queue 'mine(part=0.5)'\n"
      "\n"
      "parameter  kind      default  accepts       meaning\n"
      "part       number    0.5      0 to 1        which\n"
      "after      duration  90 s     at least 1 m  when\n");
  EXPECT_EQ(policy_text(registry, "other"), "");
}

TEST(Policies, ShowsBothOfOneName) {
  PolicyRegistry registry;
  registry.add_queue({{.name = "mine", .summary = "first"},
                      [](const PolicySetup&) { return std::unique_ptr<Policy>(); }});
  registry.add_placement({{.name = "mine", .summary = "second"},
                          [](const PolicySetup&) { return std::unique_ptr<Placement>(); }});
  const std::string text = policy_text(registry, "mine");
  EXPECT_TRUE(has(text, "queue mine: first\n")) << text;
  EXPECT_TRUE(has(text, "no parameters\n\nplacement mine: second\n")) << text;
  EXPECT_EQ(nlohmann::json::parse(policies_json(registry, "mine")).size(), 2U);
}

TEST(Policies, PrintsJson) {
  const auto all = nlohmann::json::parse(run_mosim("policies --json").out);
  EXPECT_EQ(all.size(), policies().queues().size() + policies().placements().size());
  EXPECT_EQ(all[0]["name"], "fifo");
  EXPECT_EQ(all[0]["needs"]["remaining_time"], false);
  const auto one = nlohmann::json::parse(run_mosim("policies show tiresias --json").out);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0]["kind"], "placement");
  EXPECT_EQ(one[0]["parameters"][0]["name"], "threshold");
  EXPECT_EQ(one[0]["parameters"][0]["default"], "0.5");
}

TEST(Policies, TheGuideListsThemAll) {
  const std::string guide = read_text(std::string(MOSIM_SOURCE_DIR) + "/docs/policies.md");
  const auto check = [&](const auto& entries) {
    for (const auto& entry : entries) {
      EXPECT_TRUE(has(guide, "| `" + entry.info.name + "` | " + entry.info.summary + " |"))
          << entry.info.name;
    }
  };
  check(policies().queues());
  check(policies().placements());
}

TEST(Policies, AnUnknownNameIsAMistakeInTheUsage) {
  const CommandResult result = run_mosim("policies show fifo-skp");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(has(result.err, "policy 'fifo-skp' is not registered; expected one of fifo, "))
      << result.err;
  EXPECT_TRUE(has(result.err, "(nearest: 'fifo-skip')")) << result.err;
  EXPECT_EQ(run_mosim("policies show").exit_code, 2);
}

}  // namespace
}  // namespace mosim::test
