#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/commands.hpp"
#include "mosim/output.hpp"

namespace mosim::cli {
namespace {

struct Arguments {
  std::string measured;
  std::string placement;
  std::string simulated;
  bool json = false;
};

void validate(const Arguments& arguments) {
  const Outcome measured = read_outcome(arguments.measured, arguments.placement);
  const auto jobs = std::filesystem::path(arguments.simulated) / "jobs.csv";
  const Outcome simulated = read_outcome(jobs.string());
  const Fidelity fidelity = compare(measured, simulated);
  fmt::print("{}", arguments.json ? fidelity_json(fidelity)
                                  : fidelity_table(measured, simulated, fidelity));
}

}  // namespace

void add_validate(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "validate", "Compare a run with measurements: MAPE, KS and Wasserstein distance");
  command->add_option("--measured", arguments->measured, "Per-job CSV of a measured run")
      ->required();
  command->add_option("--simulated", arguments->simulated, "Folder of a run")->required();
  command->add_option("--placement", arguments->placement,
                      "Rows to take, when the measured file has a column `placement`");
  command->add_flag("--json", arguments->json, "Print JSON instead of a table");
  command->callback([arguments] { validate(*arguments); });
}

}  // namespace mosim::cli
