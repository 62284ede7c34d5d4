#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "mosim/study.hpp"

namespace mosim::cli {

void add_reproduce(CLI::App& app) {
  struct Arguments {
    std::string artifact;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "reproduce", "Print Tables II-IV of the paper beside ours, from the authors' artifact");
  command->add_option("artifact", arguments->artifact, "Folder laid out as the artifact")
      ->required();
  command->add_flag("--json", arguments->json, "Print JSON instead of tables");
  command->callback([arguments] {
    const Reproduction reproduction = reproduce_paper(arguments->artifact);
    fmt::print("{}", arguments->json ? reproduction_json(reproduction)
                                     : reproduction_tables(reproduction));
  });
}

}  // namespace mosim::cli
