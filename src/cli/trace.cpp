#include "cli/commands.hpp"

namespace mosim::cli {

void add_trace(CLI::App& app) {
  CLI::App* trace = app.add_subcommand("trace", "Look at, convert and make traces");
  trace->require_subcommand(1);
  add_trace_convert(*trace);
  add_trace_stats(*trace);
  add_trace_generate(*trace);
}

}  // namespace mosim::cli
