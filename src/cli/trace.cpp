#include "cli/commands.hpp"

namespace mosim::cli {

void add_trace(CLI::App& app) {
  CLI::App* group = app.add_subcommand("trace", "Make traces");
  group->require_subcommand(1);
  add_trace_generate(*group);
}

}  // namespace mosim::cli
