// What the subcommands of `mosim trace` that read a trace have in common: its file, and flags that
// are short names for the keys that say how it is read and which of its jobs are wanted.
#pragma once

#include <memory>

#include "cli/scenario_arguments.hpp"

namespace mosim::cli {

inline void add_trace_file(CLI::App& command, const std::shared_ptr<ScenarioArguments>& arguments) {
  add_key_flag(command, arguments, "FILE", "trace.file",
               "Trace: a path (plain, gz or zst), - for standard input, or bundled:NAME")
      ->required();
}

inline void add_trace_filters(CLI::App& command,
                              const std::shared_ptr<ScenarioArguments>& arguments) {
  const auto flag = [&](const char* name, const char* key, const char* help) {
    add_key_flag(command, arguments, name, key, help);
  };
  flag("--trace-format", "trace.format", "Format of the trace");
  add_key_switch(command, arguments, "--lenient", "trace.lenient",
                 "Leave out rows of the trace that are wrong, and count them");
  flag("--from", "trace.from", "Keep jobs submitted from here on, such as 12h or 30d");
  flag("--to", "trace.to", "Keep jobs submitted before");
  flag("--min-gpus", "trace.min_gpus", "Keep jobs of at least so many GPUs");
  flag("--max-gpus", "trace.max_gpus", "Keep jobs of at most so many GPUs");
  flag("--status", "trace.statuses", "Keep jobs that ended so, comma-separated");
  flag("--virtual-cluster", "trace.virtual_clusters",
       "Keep the jobs of these virtual clusters, comma-separated");
  flag("--limit", "trace.limit", "Keep only the first jobs by submission");
  flag("--sample", "trace.sample", "Keep this fraction of the jobs");
  flag("--sample-seed", "trace.sample_seed", "Seed of the sample");
  flag("--time-scale", "trace.time_scale", "Multiply all times and durations");
  flag("--load-scale", "trace.load_scale", "Submit jobs that much faster; durations stay");
}

}  // namespace mosim::cli
