#include "mosim/registry.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "schedule/parameters.hpp"
#include "schedule/placements.hpp"
#include "schedule/queues.hpp"

namespace mosim {
namespace {

template <typename Made, typename Base>
std::unique_ptr<Base> create(const PolicySetup&) {
  return std::make_unique<Made>();
}

// What std::invalid_argument says; empty when nothing is thrown.
template <typename Call>
std::string complaint(Call&& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST(PolicyRegistry, PoliciesThatShipSayWhatTheyAre) {
  const auto check = [](const auto& entries) {
    for (const auto& entry : entries) {
      EXPECT_FALSE(entry.info.summary.empty()) << entry.info.name;
      EXPECT_FALSE(entry.info.source.empty()) << entry.info.name;
      for (const Parameter& parameter : entry.info.parameters) {
        EXPECT_FALSE(parameter.help.empty()) << entry.info.name << ' ' << parameter.name;
      }
    }
  };
  check(policies().queues());
  check(policies().placements());
  EXPECT_NE(dynamic_cast<Fifo*>(policies().make_queue("fifo").policy.get()), nullptr);
  EXPECT_NE(dynamic_cast<FifoSkip*>(policies().make_queue("fifo-skip").policy.get()), nullptr);
  EXPECT_NE(dynamic_cast<Consolidate*>(policies().make_placement("consolidate").get()), nullptr);
}

TEST(PolicyRegistry, MakesWhatWasAdded) {
  PolicyRegistry registry;
  registry.add_queue({{.name = "mine",
                       .summary = "of mine",
                       .needs = {.remaining_time = true},
                       .spans_virtual_clusters = true},
                      create<FifoSkip, Policy>});
  registry.add_placement({{.name = "mine", .summary = "of mine"}, create<Consolidate, Placement>});
  const ActivePolicy mine = registry.make_queue("mine");
  EXPECT_EQ(mine.name, "mine");
  EXPECT_TRUE(mine.needs.remaining_time);
  EXPECT_TRUE(mine.spans_virtual_clusters);
  EXPECT_NE(dynamic_cast<FifoSkip*>(mine.policy.get()), nullptr);
  EXPECT_NE(dynamic_cast<Consolidate*>(registry.make_placement("mine").get()), nullptr);
  // Every run gets a policy of its own.
  EXPECT_NE(registry.make_queue("mine").policy, registry.make_queue("mine").policy);
}

TEST(PolicyRegistry, HandsOverSeedAndParameters) {
  PolicyRegistry registry;
  std::vector<double> seen;
  registry.add_placement({{.name = "mine",
                           .summary = "of mine",
                           .parameters = {{"limit", ParameterKind::number, "3", "a limit", 1, 9}}},
                          [&](const PolicySetup& setup) {
                            seen.push_back(static_cast<double>(setup.seed));
                            seen.push_back(setup.parameters.number("limit"));
                            return std::make_unique<RandomPlacement>(setup.seed);
                          }});
  EXPECT_NE(registry.make_placement("mine"), nullptr);
  EXPECT_NE(registry.make_placement(" mine( limit = 4.5 ) ", 7), nullptr);
  EXPECT_EQ(seen, (std::vector<double>{1, 3, 7, 4.5}));
}

TEST(PolicyRegistry, RefusesDuplicatesAndUnknownNames) {
  PolicyRegistry registry;
  registry.add_queue({{.name = "mine"}, create<Fifo, Policy>});
  registry.add_placement({{.name = "mine"}, create<BinPacking, Placement>});
  EXPECT_THROW(registry.add_queue({{.name = "mine"}, create<FifoSkip, Policy>}),
               std::invalid_argument);
  EXPECT_THROW(registry.add_placement({{.name = "mine"}, create<Consolidate, Placement>}),
               std::invalid_argument);
  EXPECT_EQ(registry.queues().size(), 1U);
  EXPECT_EQ(registry.placements().size(), 1U);
  EXPECT_EQ(complaint([&] { static_cast<void>(registry.make_queue("mien")); }),
            "policy 'mien' is not registered; expected one of mine (nearest: 'mine')");
  EXPECT_THROW(static_cast<void>(registry.make_placement("other")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(registry.make_placement("")), std::invalid_argument);
}

PolicyInfo info_with_all_kinds() {
  return {.name = "p",
          .summary = {},
          .source = {},
          .parameters = {{"number", ParameterKind::number, "0.5", "", 0, 1},
                         {"count", ParameterKind::integer, "2", "", 1},
                         {"flag", ParameterKind::boolean, "false", ""},
                         {"time", ParameterKind::duration, "1 min", ""},
                         {"list", ParameterKind::numbers, "1 2.5", ""},
                         {"kind", ParameterKind::choice, "a", "", 0, 0, {"a", "b"}}}};
}

TEST(Parameters, DefaultsAndValues) {
  const PolicyInfo info = info_with_all_kinds();
  const Parameters defaults = read_parameters(info, {});
  EXPECT_EQ(defaults.number("number"), 0.5);
  EXPECT_EQ(defaults.number("count"), 2);
  EXPECT_FALSE(defaults.flag("flag"));
  EXPECT_EQ(defaults.number("time"), 60);
  EXPECT_EQ(defaults.numbers("list"), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(defaults.text("kind"), "a");
  const PolicyCall call =
      parse_policy_call("p(number=1, count=7, flag=true, time=1h30m, list=3  4 5, kind=b)");
  const Parameters given = read_parameters(info, call.arguments);
  EXPECT_EQ(given.number("number"), 1);
  EXPECT_EQ(given.number("count"), 7);
  EXPECT_TRUE(given.flag("flag"));
  EXPECT_EQ(given.number("time"), 5400);
  EXPECT_EQ(given.numbers("list"), (std::vector<double>{3, 4, 5}));
  EXPECT_EQ(given.text("kind"), "b");
  EXPECT_THROW(static_cast<void>(given.number("other")), std::logic_error);
}

TEST(Parameters, WrongOnesAreRefusedWithWhatWasExpected) {
  const PolicyInfo info = info_with_all_kinds();
  const auto wrong = [&](const std::string& inside) {
    return complaint([&] {
      static_cast<void>(read_parameters(info, parse_policy_call("p(" + inside + ")").arguments));
    });
  };
  EXPECT_EQ(wrong("number=2"),
            "parameter 'number' of policy 'p' is '2'; expected a number from 0 to 1");
  EXPECT_EQ(wrong("count=1.5"),
            "parameter 'count' of policy 'p' is '1.5'; expected a whole number of at least 1");
  EXPECT_EQ(wrong("flag=yes"), "parameter 'flag' of policy 'p' is 'yes'; expected true or false");
  EXPECT_EQ(wrong("time=5"),
            "parameter 'time' of policy 'p' is '5'; expected a duration, such as 30 s or 2h");
  EXPECT_EQ(wrong("list="),
            "parameter 'list' of policy 'p' is ''; expected numbers with blanks between them, each "
            "of at least 0");
  EXPECT_EQ(wrong("kind=c"), "parameter 'kind' of policy 'p' is 'c'; expected a or b");
  EXPECT_EQ(wrong("cuont=1"),
            "policy 'p' has no parameter 'cuont'; expected one of number, count, flag, time, list, "
            "kind (nearest: 'count')");
  EXPECT_EQ(wrong("count=1, count=2"),
            "parameter 'count' of policy 'p' is given twice; expected it once");
  EXPECT_EQ(wrong("count"), "'p(count)' is not a policy; expected NAME or NAME(key=value, ...)");
  EXPECT_EQ(complaint([] { static_cast<void>(parse_policy_call("p(count=1")); }),
            "'p(count=1' is not a policy; expected NAME or NAME(key=value, ...)");
}

}  // namespace
}  // namespace mosim
