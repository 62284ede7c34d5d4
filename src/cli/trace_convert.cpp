#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "base/output_file.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/report_account.hpp"
#include "cli/trace_arguments.hpp"

namespace mosim::cli {
namespace {

struct Arguments {
  std::shared_ptr<ScenarioArguments> scenario;
  std::string out;
  std::string format = "mosim";
  bool force = false;
};

// Before a large trace is read for nothing.
void check_format(const Arguments& arguments) {
  const std::vector<std::string> known = writable_trace_formats();
  if (std::find(known.begin(), known.end(), arguments.format) != known.end()) return;
  throw InputError({"--to", {}}, fmt::format("format '{}' cannot be written", arguments.format),
                   one_of(arguments.format, known));
}

void convert(const Arguments& arguments) {
  check_format(arguments);
  const TraceOptions options = trace_options(arguments.scenario->load());
  OutputFile out(arguments.out, arguments.force);
  const Trace trace = read_trace(options);
  report_account(trace, options);
  const std::uint64_t jobs =
      write_trace(trace, arguments.format, [&](std::string_view bytes) { out.write(bytes); });
  out.commit();
  for (const std::string& loss : losses_of(trace, arguments.format)) {
    spdlog::warn("{} does not hold: {}", arguments.format, loss);
  }
  spdlog::info("wrote {} jobs of {} ({}) to {} ({})", jobs, trace.file, trace.format, arguments.out,
               arguments.format);
}

}  // namespace

void add_trace_convert(CLI::App& trace) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = trace.add_subcommand(
      "convert", "Write a trace, or the jobs of it that are wanted, in another format");
  arguments->scenario = add_settings(*command);
  add_trace_file(*command, arguments->scenario);
  command
      ->add_option("-o,--output", arguments->out,
                   "File to write, - for standard output; compressed if it ends in .gz or .zst")
      ->required();
  command
      ->add_option("--to", arguments->format,
                   fmt::format("Format to write: {}", join(writable_trace_formats(), ", ")))
      ->capture_default_str();
  add_trace_filters(*command, arguments->scenario);
  command->add_flag("--force", arguments->force, "Replace the file that is there");
  command->footer(
      "Examples:\n"
      "  mosim trace convert philly_jobs.csv.gz -o philly.csv\n"
      "  mosim trace convert philly_jobs.csv.gz --from 30d --until 37d --to helios -o week.csv.gz");
  command->callback([arguments] { convert(*arguments); });
}

}  // namespace mosim::cli
