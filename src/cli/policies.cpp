#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "mosim/output.hpp"
#include "schedule/plugin.hpp"

namespace mosim::cli {
namespace {

struct Arguments {
  std::vector<std::string> plugins;
  std::string name;
  bool json = false;
};

void add_options(CLI::App& command, const std::shared_ptr<Arguments>& arguments) {
  command.add_option("--plugin", arguments->plugins, "Shared object with policies of your own")
      ->allow_extra_args(false)
      ->take_all();
  command.add_flag("--json", arguments->json, "Print JSON");
}

void load(const std::vector<std::string>& plugins) {
  for (const std::string& plugin : plugins) load_plugin(std::filesystem::absolute(plugin).string());
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& entry : policies().queues()) names.push_back(entry.info.name);
  for (const auto& entry : policies().placements()) names.push_back(entry.info.name);
  return names;
}

void list(const Arguments& arguments) {
  load(arguments.plugins);
  fmt::print("{}", arguments.json ? policies_json(policies()) : policies_text(policies()));
}

void show(const Arguments& arguments) {
  load(arguments.plugins);
  const std::vector<std::string> names = all_names();
  if (std::find(names.begin(), names.end(), arguments.name) == names.end()) {
    throw CLI::ValidationError("NAME", fmt::format("policy '{}' is not registered; expected {}",
                                                   arguments.name, one_of(arguments.name, names)));
  }
  fmt::print("{}", arguments.json ? policies_json(policies(), arguments.name)
                                  : policy_text(policies(), arguments.name));
}

}  // namespace

void add_policies(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("policies", "List the registered scheduling policies");
  add_options(*command, arguments);
  CLI::App* one = command->add_subcommand("show", "Describe one policy and its parameters");
  one->add_option("NAME", arguments->name, "A queue policy or a placement")->required();
  add_options(*one, arguments);
  one->callback([arguments] { show(*arguments); });
  command->callback([arguments, one] {
    if (!one->parsed()) list(*arguments);
  });
}

}  // namespace mosim::cli
