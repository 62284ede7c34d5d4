#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/scenario_arguments.hpp"
#include "mosim/study.hpp"

namespace mosim::cli {
namespace {

struct Arguments {
  std::shared_ptr<ScenarioArguments> scenario;
  std::vector<std::string> models;
  std::string format = "table";
};

void run_pairwise(const Arguments& arguments) {
  const Scenario scenario = arguments.scenario->load();
  const PairwiseMatrix matrix = pairwise(scenario, arguments.models);
  for (const std::string& line : matrix.refused) spdlog::warn("{}", line);
  if (arguments.format == "json") {
    fmt::print("{}", pairwise_json(matrix));
  } else if (arguments.format == "csv") {
    fmt::print("{}", pairwise_csv(matrix));
  } else {
    fmt::print("{}", pairwise_table(matrix));
  }
}

}  // namespace

void add_pairwise(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "pairwise", "Print how much two jobs that share two servers slow each other down");
  arguments->scenario = add_scenario(
      *command, "Scenario file (YAML) with the cluster, the backend and the contention model");
  command
      ->add_option("--models", arguments->models,
                   "Models, comma-separated; without it, those that the pool draws from")
      ->delimiter(',');
  const auto flag = [&](const char* name, const char* key, const char* help) {
    add_key_flag(*command, arguments->scenario, name, key, help);
  };
  flag("--gpu", "cluster.servers[0].gpu", "GPU type, a name of data/gpus/");
  flag("--backend", "profile.backend", "Where profiles come from");
  flag("--contention", "contention.model", "Contention model");
  flag("--resolution", "contention.resolution", "When a running job demands bandwidth");
  flag("--cluster", "cluster.file",
       "Cluster file; the first of its servers is the one that counts");
  command->add_option("--format", arguments->format, "Of stdout: table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command->callback([arguments] { run_pairwise(*arguments); });
}

}  // namespace mosim::cli
