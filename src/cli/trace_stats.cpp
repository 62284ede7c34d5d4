#include "mosim/trace_stats.hpp"

#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/trace_arguments.hpp"

namespace mosim::cli {
namespace {

struct Arguments {
  std::shared_ptr<ScenarioArguments> scenario;
  std::string format = "table";
};

void print_stats(const Arguments& arguments) {
  const Scenario scenario = arguments.scenario->load();
  const TraceOptions options = trace_options(scenario);
  const ClusterSpec cluster{scenario.servers};
  const TraceStats stats =
      trace_stats(read_trace(options), arguments.scenario->says("cluster") ? &cluster : nullptr);
  if (arguments.format == "json") {
    fmt::print("{}", trace_stats_json(stats, options));
  } else if (arguments.format == "csv") {
    fmt::print("{}", trace_stats_csv(stats, options));
  } else if (arguments.format == "markdown") {
    fmt::print("{}", trace_stats_markdown(stats, options));
  } else {
    fmt::print("{}", trace_stats_table(stats, options));
  }
}

}  // namespace

void add_trace_stats(CLI::App& trace) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = trace.add_subcommand(
      "stats", "Print what a trace is like: sizes, times, submissions, who, and the load");
  arguments->scenario = add_settings(*command);
  add_trace_file(*command, arguments->scenario);
  add_trace_filters(*command, arguments->scenario);
  add_key_flag(*command, arguments->scenario, "--cluster", "cluster.file",
               "Cluster file: print the load that the trace offers to it");
  command->add_option("--format", arguments->format, "Of stdout: table, json, csv or markdown")
      ->check(CLI::IsMember({"table", "json", "csv", "markdown"}))
      ->capture_default_str();
  command->callback([arguments] { print_stats(*arguments); });
}

}  // namespace mosim::cli
