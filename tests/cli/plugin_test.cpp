// Plugins as a user loads them: tests/plugins/ has their sources.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/command.hpp"

namespace mosim::test {
namespace {

class Plugin : public ::testing::Test {
 protected:
  static std::string built(const std::string& name) {
    return std::string(MOSIM_PLUGIN_DIR) + "/lib" + name + ".so";
  }

  // Expects `mosim run` to end so, with every one of `parts` in its message and no file written.
  void ends(int exit_code, const std::string& arguments, const std::vector<std::string>& parts) {
    const CommandResult result = run_mosim("run -q " + arguments + " -o " + folder_.path("out"));
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_EQ(result.out, "");
    for (const std::string& part : parts) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << "\nnot in\n" << result.err;
    }
    const std::string out = folder_.path("out");
    EXPECT_TRUE(!std::filesystem::exists(out) || std::filesystem::is_empty(out));
  }

  void throws(const std::string& policy, const std::vector<std::string>& parts) {
    ends(1, "--plugin " + built("misbehaving") + " --queue '" + policy + "'", parts);
  }

  TemporaryFolder folder_;
};

TEST_F(Plugin, WhatAPolicyThrowsEndsTheRunWithItsName) {
  throws("throws(where=decide)", {"mosim: policy 'throws' failed at 0 s: no luck"});
  throws("throws(where=submit)", {"mosim: policy 'throws' failed at 0 s: no luck"});
  throws("throws(where=end)", {"mosim: policy 'throws' failed at ", "no luck"});
  throws("throws(where=decide, what=int)", {"mosim: policy 'throws' failed at 0 s"});
  throws("throws(where=submit, what=int)", {"mosim: policy 'throws' failed at 0 s"});
  throws("throws(where=decide, what=action)", {"mosim: policy 'throws' at 0 s: not mine"});
  throws("throws(where=submit, what=action)", {"mosim: policy 'throws' at 0 s: not mine"});
  throws("throws(where=make)", {"mosim: policy 'throws' failed: no luck"});
  throws("throws(where=make, what=int)", {"mosim: policy 'throws' failed"});
  throws("nothing", {"mosim: policy 'nothing' is not made"});
}

TEST_F(Plugin, ARefusedActionEndsTheRun) {
  throws("throws(what=refused, where=end)",
         {"mosim: policy 'throws' at 0 s: the preemption of job 0 is refused: it waits"});
}

TEST_F(Plugin, WhatAPlacementThrowsEndsTheRunWithItsName) {
  const std::string plugin = "--plugin " + built("misbehaving");
  ends(1, plugin + " --placement throws", {"mosim: placement 'throws' failed: no luck"});
  ends(1, plugin + " --placement 'throws(what=int)'", {"mosim: placement 'throws' failed"});
}

// The same schedule as fifo-skip, if it catches what it must.
TEST_F(Plugin, CatchesWhatTheProgramThrows) {
  const auto digest = [&](const std::string& arguments) {
    const CommandResult result =
        run_mosim("run -q --json --force " + arguments + " -o " + folder_.path("out"));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const std::size_t at = result.out.find("\"schedule_digest\"");
    EXPECT_NE(at, std::string::npos);
    return result.out.substr(at, 40);
  };
  EXPECT_EQ(digest("--plugin " + built("misbehaving") + " --queue catches"),
            digest("--queue fifo-skip"));
}

TEST_F(Plugin, WrongOnesAreRefused) {
  const auto refused = [&](const std::string& path, const std::vector<std::string>& parts) {
    ends(3, "--plugin " + path, parts);
  };
  refused(folder_.path("none.so"), {"none.so:1:1: does not exist; expected a plugin"});
  refused(folder_.path(""), {"is a directory"});
  refused("-", {"is no shared object"});
  refused(folder_.write("text.so", "no object"), {"text.so:1:1: is no shared object"});
  refused(folder_.write("cut.so",
                        "\x7f"
                        "ELF"),
          {"cut.so:1:1: cannot be loaded"});
  refused(built("no_functions"), {"has no function 'mosim_plugin_abi'"});
  refused(built("other_version"),
          {"is built for MoSim 0.0.9, C++ ABI 1; expected MoSim 0", "rebuild the plugin"});
  refused(built("taken_name"), {"policy 'fifo' is registered already"});
  refused(built("throws_on_load"), {"throws what is no std::exception"});
  refused(built("unresolved_other_version"), {"is built for MoSim 0.0.9, C++ ABI 1; expected"});
  refused(built("unresolved"), {"cannot be loaded", "no_such_function"});
}

TEST_F(Plugin, TheScenarioNamesThemFromItsFolder) {
  std::filesystem::copy(built("misbehaving"), folder_.path("mine.so"));
  const std::string scenario =
      folder_.write("s.yaml", "plugins: mine.so\nscheduler: {queue: catches}\n");
  const CommandResult first = run_mosim("run -q --json " + scenario + " -o " + folder_.path("a"));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const CommandResult again = run_mosim(
      "run -q --json " + folder_.path("a/scenario.resolved.yaml") + " -o " + folder_.path("b"));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(first.out, again.out);
}

TEST_F(Plugin, TheFlagAddsToTheScenarioAndNamesNoneTwice) {
  const std::string plugin = built("misbehaving");
  const std::string scenario = folder_.write("s.yaml", "plugins: [" + plugin + "]\n");
  const CommandResult result =
      run_mosim("run --dry-run " + scenario + " --plugin " + plugin + " --queue catches");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("plugins: [" + plugin + "]\n"), std::string::npos) << result.out;
}

TEST_F(Plugin, WhatItHoldsIsPartOfTheRunAndWhereItLiesIsNot) {
  std::filesystem::copy(built("misbehaving"), folder_.path("a.so"));
  std::filesystem::copy(built("misbehaving"), folder_.path("b.so"));
  const auto digest = [&](const std::string& plugin) {
    const CommandResult result = run_mosim("run -q --json --force --plugin " +
                                           folder_.path(plugin) + " -o " + folder_.path("out"));
    const std::size_t at = result.out.find("\"scenario_digest\"");
    EXPECT_NE(at, std::string::npos) << result.err;
    return result.out.substr(at, 40);
  };
  const std::string a = digest("a.so");
  EXPECT_EQ(a, digest("b.so"));
  // Bytes behind the end of an object change nothing but what it is.
  ASSERT_EQ(run_command("echo x >> " + folder_.path("b.so")).exit_code, 0);
  EXPECT_NE(a, digest("b.so"));
}

}  // namespace
}  // namespace mosim::test
