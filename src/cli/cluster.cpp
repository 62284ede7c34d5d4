#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "base/output_file.hpp"
#include "cli/commands.hpp"
#include "cli/scenario_arguments.hpp"
#include "mosim/output.hpp"

namespace mosim::cli {
namespace {

struct Arguments {
  std::shared_ptr<ScenarioArguments> scenario = std::make_shared<ScenarioArguments>();
  std::string format = "table";
  std::string output;
  bool force = false;
};

void show(const Arguments& arguments) {
  const Scenario scenario = arguments.scenario->load();
  const ClusterSpec cluster = cluster_of(scenario);
  for (const std::string& note : scenario.cluster_notes) spdlog::warn("{}", note);
  if (!arguments.output.empty()) {
    OutputFile output(arguments.output, arguments.force);
    output.write(cluster_yaml(cluster));
    output.commit();
    if (arguments.output == kStandardOutput) return;
    spdlog::info("wrote {}", arguments.output);
  }
  fmt::print("{}", arguments.format == "json" ? cluster_json(cluster, scenario.cluster_notes)
                                              : cluster_table(cluster));
}

}  // namespace

void add_cluster(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "cluster", "Show a cluster file, of MoSim or of another project, and convert it");
  command
      ->add_option_function<std::string>(
          "file",
          [arguments](const std::string& file) {
            arguments->scenario->flags.push_back({"cluster.file", file, "--cluster", false});
          },
          "Cluster file")
      ->required();
  add_key_flag(*command, arguments->scenario, "--cluster-format", "cluster.format",
               "Format of the file; auto tells by its content");
  command
      ->add_option("--set", arguments->scenario->settings,
                   "Set a scenario key, such as cluster.nic='100 Gbps'")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("--format", arguments->format, "Of stdout: table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output,
                      "Write it as a cluster file of MoSim; - for standard output, instead of what "
                      "is shown there");
  command->add_flag("--force", arguments->force, "Replace the file that is there");
  command->callback([arguments] { show(*arguments); });
}

}  // namespace mosim::cli
