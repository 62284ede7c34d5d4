#include "mosim/compare.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "cli/commands.hpp"

namespace mosim::cli {
namespace {

struct Arguments {
  std::vector<std::string> folders;
  std::string format = "table";
};

void print_comparison(const Arguments& arguments) {
  const RunComparison comparison = compare_runs(arguments.folders);
  for (const std::string& warning : comparison.warnings) spdlog::warn("{}", warning);
  if (arguments.format == "json") {
    fmt::print("{}", comparison_json(comparison));
  } else if (arguments.format == "csv") {
    fmt::print("{}", comparison_csv(comparison));
  } else if (arguments.format == "markdown") {
    fmt::print("{}", comparison_markdown(comparison));
  } else {
    fmt::print("{}", comparison_table(comparison));
  }
}

}  // namespace

void add_compare(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("compare", "Set runs side by side: measures, and each job's JCT");
  constexpr int kNoLimit = 1 << 20;
  command->add_option("DIR", arguments->folders, "Folders of runs; changes are against the first")
      ->required()
      ->expected(2, kNoLimit);
  command->add_option("--format", arguments->format, "Of stdout: table, json, csv or markdown")
      ->check(CLI::IsMember({"table", "json", "csv", "markdown"}))
      ->capture_default_str();
  command->footer(
      "Example:\n"
      "  mosim run -o out/lb && mosim run --placement bin-packing -o out/bp\n"
      "  mosim compare out/lb out/bp");
  command->callback([arguments] { print_comparison(*arguments); });
}

}  // namespace mosim::cli
