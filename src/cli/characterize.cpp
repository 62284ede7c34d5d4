#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "base/output_file.hpp"
#include "cli/commands.hpp"
#include "cli/scenario_arguments.hpp"
#include "mosim/study.hpp"

namespace mosim::cli {
namespace {

struct Arguments {
  std::shared_ptr<ScenarioArguments> scenario;
  std::vector<std::string> models;
  std::vector<std::uint32_t> gpus = {1, 2, 4, 8};
  std::string explain;
  std::string against;
  std::string parallelism;
  std::uint32_t batch_per_gpu = 0;
  std::string precision;
  bool cost = false;
  std::string format = "table";
  std::string output;
};

TrainingChanges changes_of(const Arguments& arguments) {
  TrainingChanges changes;
  if (!arguments.parallelism.empty()) {
    changes.parallelism = parse_parallelism(arguments.parallelism);
  }
  if (arguments.batch_per_gpu > 0) changes.batch_per_gpu = arguments.batch_per_gpu;
  if (!arguments.precision.empty()) changes.precision = parse_precision(arguments.precision);
  return changes;
}

void explain(const Arguments& arguments, const Scenario& scenario) {
  const CharacterizedPool pool =
      characterize_pool(scenario, {arguments.explain}, arguments.gpus, changes_of(arguments));
  for (const std::string& line : pool.refused) spdlog::warn("{}", line);
  if (pool.rows.empty()) return;
  fmt::print("{}", operator_table(pool.rows.back()));
}

void characterize(const Arguments& arguments) {
  const Scenario scenario = arguments.scenario->load();
  if (!arguments.against.empty()) {
    fmt::print("{}", comparison_table(compare_with_artifact(arguments.against, scenario)));
    return;
  }
  if (!arguments.explain.empty()) return explain(arguments, scenario);
  CharacterizedPool pool;
  const auto make = [&] {
    pool = characterize_pool(scenario, arguments.models, arguments.gpus, changes_of(arguments));
  };
  if (arguments.cost) {
    fmt::print("{}", cost_table(characterization_cost(scenario, make), scenario));
    return;
  }
  make();
  for (const std::string& line : pool.refused) spdlog::warn("{}", line);
  if (!arguments.output.empty()) {
    OutputFile output(arguments.output, true);
    output.write(characterization_csv(pool));
    output.commit();
    if (arguments.output == kStandardOutput) return;
    spdlog::info("wrote {}", arguments.output);
  }
  if (arguments.format == "json") {
    fmt::print("{}", characterization_json(pool));
  } else if (arguments.format == "csv") {
    fmt::print("{}", characterization_csv(pool));
  } else {
    fmt::print("{}", characterization_table(pool));
  }
}

}  // namespace

void add_characterize(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "characterize", "Print what models compute, send and need per iteration, without a GPU");
  arguments->scenario =
      add_scenario(*command, "Scenario file (YAML) with the cluster and the backend");
  command
      ->add_option("--models", arguments->models,
                   "Models, comma-separated; without it, those that the pool draws from")
      ->delimiter(',');
  command->add_option("--gpus", arguments->gpus, "Numbers of GPUs, comma-separated")
      ->delimiter(',')
      ->check(CLI::Range(1U, 1048576U))
      ->capture_default_str();
  const auto flag = [&](const char* name, const char* key, const char* help) {
    add_key_flag(*command, arguments->scenario, name, key, help);
  };
  flag("--gpu", "cluster.servers[0].gpu", "GPU type, a name of data/gpus/");
  flag("--backend", "profile.backend", "Where profiles come from");
  flag("--cluster", "cluster.file", "Cluster file");
  command->add_option("--explain", arguments->explain,
                      "Print the operators and collectives of one model, on the last of --gpus");
  command->add_option("--against", arguments->against,
                      "Compare with the measured and ASTRA-sim profiles of the authors' artifact");
  command->add_option("--parallelism", arguments->parallelism,
                      "In place of the models' own, such as tensor=8,pipeline=4,micro_batches=16; "
                      "also expert, zero, recompute");
  command
      ->add_option("--batch", arguments->batch_per_gpu,
                   "Samples per GPU and iteration, in place of the models' own")
      ->check(CLI::Range(1U, 1000000000U));
  command->add_option("--precision", arguments->precision, "In place of the models' own")
      ->check(CLI::IsMember({"fp32", "tf32", "fp16", "bf16"}));
  command->add_flag("--cost", arguments->cost,
                    "Print what making the profiles costs, beside Table V of the paper");
  command->add_option("--format", arguments->format, "Of stdout: table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output,
                      "Write a profile table, which profile.backend=table reads; - for standard "
                      "output, instead of what is shown there");
  command->callback([arguments] { characterize(*arguments); });
}

}  // namespace mosim::cli
