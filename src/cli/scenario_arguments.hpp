// What every subcommand that takes a scenario has in common: the file, flags that are short names
// for its keys, and --set.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mosim/scenario.hpp"

namespace mosim::cli {

struct ScenarioArguments {
  std::string file;
  std::vector<std::string> settings;
  std::vector<Override> flags;  // --trace and the like, as overrides

  // Flags first, then --set. Throws InputError.
  [[nodiscard]] std::vector<Override> overrides() const {
    std::vector<Override> all = flags;
    for (const std::string& setting : settings) all.push_back(parse_override(setting));
    return all;
  }

  [[nodiscard]] Scenario load() const { return load_scenario(file, overrides()); }

  // Whether the user says anything of a section such as "cluster", in a file or otherwise.
  [[nodiscard]] bool says(std::string_view section) const {
    const std::string prefix = std::string(section) + ".";
    const std::vector<Override> all = overrides();
    return !file.empty() || std::any_of(all.begin(), all.end(), [&](const Override& override) {
      return override.key.starts_with(prefix);
    });
  }
};

inline void add_set_option(CLI::App& command, ScenarioArguments& arguments) {
  command.add_option("--set", arguments.settings, "Set any scenario key, as KEY=VALUE")
      ->allow_extra_args(false)
      ->take_all();
}

// Adds --plugin, which may be repeated, to what the scenario names.
inline void add_plugin_option(CLI::App& command,
                              const std::shared_ptr<ScenarioArguments>& arguments) {
  command
      .add_option_function<std::vector<std::string>>(
          "--plugin",
          [arguments](const std::vector<std::string>& paths) {
            for (const std::string& path : paths) {
              arguments->flags.push_back({"plugins[]", path, "--plugin", false});
            }
          },
          "Shared object with policies of your own (docs/policies.md); may be repeated")
      ->allow_extra_args(false)
      ->take_all();
}

// Adds the scenario file, --set and --plugin to a subcommand.
inline std::shared_ptr<ScenarioArguments> add_scenario(CLI::App& command, const char* help) {
  auto arguments = std::make_shared<ScenarioArguments>();
  command.add_option("scenario", arguments->file, help);
  add_set_option(command, *arguments);
  add_plugin_option(command, arguments);
  return arguments;
}

// Adds --set, --plugin and --scenario to a subcommand whose positional argument is something else.
inline std::shared_ptr<ScenarioArguments> add_settings(CLI::App& command) {
  auto arguments = std::make_shared<ScenarioArguments>();
  command.add_option("--scenario", arguments->file, "Scenario file (YAML) with further keys");
  add_set_option(command, *arguments);
  add_plugin_option(command, arguments);
  return arguments;
}

// Adds a flag, such as "-o,--output", that sets one key. A name without dashes is a positional
// argument.
inline CLI::Option* add_key_flag(CLI::App& command,
                                 const std::shared_ptr<ScenarioArguments>& arguments,
                                 const std::string& name, const char* key, const char* help) {
  const std::size_t dashes = name.find("--");
  const std::string source = dashes == std::string::npos ? name : name.substr(dashes);
  return command.add_option_function<std::string>(
      name,
      [arguments, key, source](const std::string& value) {
        arguments->flags.push_back({key, value, source, false});
      },
      help);
}

// Adds a flag without a value that sets one key to true.
inline void add_key_switch(CLI::App& command, const std::shared_ptr<ScenarioArguments>& arguments,
                           const std::string& name, const char* key, const char* help) {
  command.add_flag_callback(
      name, [arguments, key, name] { arguments->flags.push_back({key, "true", name, false}); },
      help);
}

}  // namespace mosim::cli
