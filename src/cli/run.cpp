#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/report_account.hpp"
#include "cli/scenario_arguments.hpp"
#include "mosim/output.hpp"
#include "mosim/scenario.hpp"

namespace mosim::cli {
namespace {

struct RunArguments {
  std::shared_ptr<ScenarioArguments> scenario;
  bool force = false;
  bool json = false;
  bool quiet = false;
  bool dry_run = false;
};

void warn_dropped(const PreparedRun& prepared) {
  constexpr std::size_t kShown = 5;
  for (std::size_t job = 0; job < std::min(prepared.dropped.size(), kShown); ++job) {
    spdlog::warn("dropped: {}", prepared.dropped[job]);
  }
  if (prepared.dropped.size() > kShown) {
    spdlog::warn("dropped {} jobs in all", prepared.dropped.size());
  }
}

void print_plan(const Scenario& scenario, const PreparedRun& prepared) {
  fmt::print("{}", resolved_yaml(scenario));
  const ClusterSpec& cluster = prepared.cluster;
  spdlog::info(
      "would run {} jobs of {} ({}) on {} GPUs of {} servers in {} racks and write into {}",
      prepared.jobs.size(), prepared.trace.file, prepared.trace.format, cluster.gpus(),
      cluster.servers(), cluster.racks(), scenario.output_dir);
}

void run(const RunArguments& arguments) {
  if (arguments.quiet) spdlog::set_level(spdlog::level::err);
  const Scenario scenario = arguments.scenario->load();
  PreparedRun prepared = prepare(scenario);
  report_account(prepared.trace, trace_options(scenario));
  for (const std::string& warning : prepared.warnings) spdlog::warn("{}", warning);
  warn_dropped(prepared);
  if (arguments.dry_run) return print_plan(scenario, prepared);
  claim_run_directory(scenario.output_dir, arguments.force);
  spdlog::info("{} jobs of {} ({})", prepared.jobs.size(), prepared.trace.file,
               prepared.trace.format);

  const std::string digest = prepared.digest;
  ProgressLine line;
  std::function<void(const Progress&)> progress;
  if (!arguments.quiet && ::isatty(STDERR_FILENO) != 0) {
    progress = [&](const Progress& now) { line.draw(now); };
  }
  const Run finished = simulate(scenario, std::move(prepared), progress);
  line.clear();
  const std::vector<JobMeasures> measures = measure_jobs(finished);
  const Summary summary = summarize(finished, measures);
  const std::string json = summary_json(summary, digest);
  write_run(scenario.output_dir, finished, measures, json, resolved_yaml(scenario));
  if (arguments.json) {
    fmt::print("{}", json);
  } else if (!arguments.quiet) {
    fmt::print("{}", summary_table(summary));
  }
  spdlog::info("wrote {}", scenario.output_dir);
}

}  // namespace

void add_run(CLI::App& app) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Simulate one scenario");
  arguments->scenario =
      add_scenario(*command, "Scenario file (YAML); without one, the bundled default");
  const auto flag = [&](const char* name, const char* key, const char* help) {
    add_key_flag(*command, arguments->scenario, name, key, help);
  };
  flag("--trace", "trace.file", "Trace to replay");
  flag("--trace-format", "trace.format", "Format of the trace");
  add_key_switch(*command, arguments->scenario, "--lenient", "trace.lenient",
                 "Leave out rows of the trace that are wrong, and count them");
  flag("--cluster", "cluster.file", "Cluster file");
  flag("--cluster-format", "cluster.format", "Format of the cluster file");
  flag("--queue", "scheduler.queue", "Queue discipline (see `mosim policies`)");
  flag("--placement", "scheduler.placement", "Placement (see `mosim policies`)");
  flag("--contention", "contention.model", "Contention model: none, fixed or mosim");
  flag("--resolution", "contention.resolution", "Resolution of mosim: event or phase");
  flag("--seed", "workloads.seed", "Seed of the workload draw");
  flag("-o,--output", "output.dir", "Folder for the run's files");
  add_key_switch(*command, arguments->scenario, "--skip-unplaceable", "scheduler.skip_unplaceable",
                 "Drop and count jobs that the cluster can never hold");
  command->add_flag("--force", arguments->force, "Replace the run that the folder holds");
  command->add_flag("--json", arguments->json, "Print summary.json instead of a table");
  command->add_flag("-q,--quiet", arguments->quiet, "No table and no messages but errors");
  command->add_flag("--dry-run", arguments->dry_run,
                    "Print the resolved scenario and what would run; write nothing");
  command->footer(
      "Examples:\n"
      "  mosim run --placement bin-packing -o out-bp\n"
      "  mosim run --trace philly_jobs.csv.gz --set 'cluster.servers=[{count: 400, gpus: 8}]'\n\n" +
      scenario_help());
  command->callback([arguments] { run(*arguments); });
}

}  // namespace mosim::cli
