#include <fmt/format.h>

#include "cli/commands.hpp"
#include "mosim/schedule.hpp"

namespace mosim::cli {

void add_policies(CLI::App& app) {
  CLI::App* command = app.add_subcommand("policies", "List the registered scheduling policies");
  command->callback([] {
    const auto print = [](std::string_view kind, const auto& entries) {
      for (const auto& entry : entries) {
        fmt::print("{:<11}{:<21}{}\n", kind, entry.info.name, entry.info.summary);
      }
    };
    print("queue", policies().queues());
    print("placement", policies().placements());
  });
}

}  // namespace mosim::cli
