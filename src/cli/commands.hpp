// One file per subcommand: it parses, calls the library and prints.
#pragma once

#include <CLI/CLI.hpp>

namespace mosim::cli {

// Adds a subcommand; what it does runs as its CLI11 callback.
void add_run(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_validate(CLI::App& app);
void add_compare(CLI::App& app);
void add_policies(CLI::App& app);
void add_schema(CLI::App& app);
void add_characterize(CLI::App& app);
void add_cluster(CLI::App& app);
void add_pairwise(CLI::App& app);
void add_trace(CLI::App& app);

// Below `trace`.
void add_trace_convert(CLI::App& trace);
void add_trace_stats(CLI::App& trace);
void add_trace_generate(CLI::App& trace);

}  // namespace mosim::cli
