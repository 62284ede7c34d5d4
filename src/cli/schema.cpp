#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "mosim/scenario.hpp"

namespace mosim::cli {

void add_schema(CLI::App& app) {
  auto markdown = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("schema", "Print the JSON Schema of the scenario file, for editors");
  command->add_flag("--markdown", *markdown, "Print docs/scenario.md instead");
  command->callback(
      [markdown] { fmt::print("{}", *markdown ? scenario_markdown() : scenario_schema()); });
}

}  // namespace mosim::cli
