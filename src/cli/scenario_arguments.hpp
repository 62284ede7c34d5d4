// What every subcommand that takes a scenario has in common: the file, flags that are short names
// for its keys, and --set.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "mosim/scenario.hpp"

namespace mosim::cli {

struct ScenarioArguments {
  std::string file;
  std::vector<std::string> settings;
  std::vector<Override> flags;  // --trace and the like, as overrides

  // Flags first, then --set. Throws InputError.
  [[nodiscard]] Scenario load() const {
    std::vector<Override> overrides = flags;
    for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
    return load_scenario(file, overrides);
  }
};

// Adds the scenario file and --set to a subcommand.
inline std::shared_ptr<ScenarioArguments> add_scenario(CLI::App& command, const char* help) {
  auto arguments = std::make_shared<ScenarioArguments>();
  command.add_option("scenario", arguments->file, help);
  command.add_option("--set", arguments->settings, "Set any scenario key, as KEY=VALUE")
      ->allow_extra_args(false)
      ->take_all();
  return arguments;
}

// Adds a flag, such as "-o,--output", that sets one key.
inline void add_key_flag(CLI::App& command, const std::shared_ptr<ScenarioArguments>& arguments,
                         const std::string& name, const char* key, const char* help) {
  const std::string source = name.substr(name.find("--"));
  command.add_option_function<std::string>(
      name,
      [arguments, key, source](const std::string& value) {
        arguments->flags.push_back({key, value, source, false});
      },
      help);
}

}  // namespace mosim::cli
