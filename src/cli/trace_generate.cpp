#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <charconv>
#include <limits>
#include <memory>
#include <optional>

#include "base/output_file.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/report_account.hpp"
#include "cli/trace_arguments.hpp"
#include "mosim/generate.hpp"

namespace mosim::cli {
namespace {

struct Arguments {
  std::shared_ptr<ScenarioArguments> scenario;  // how the trace of --fit or --like is read
  std::string preset, spec, fit, like;
  std::string law = "empirical";
  std::string output = "-";
  std::optional<std::uint64_t> jobs;
  std::optional<std::uint64_t> seed;
  double jitter = 0;
  bool force = false;
  bool print_spec = false;
  bool quiet = false;
};

Trace read(const std::string& file, ScenarioArguments scenario, const char* flag) {
  scenario.flags.push_back({"trace.file", file, flag, false});
  const TraceOptions options = trace_options(scenario.load());
  Trace trace = read_trace(options);
  report_account(trace, options);
  return trace;
}

std::string preset_file(const std::string& name) {
  const std::vector<std::string> names = generator_presets();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InputError({"--preset", {}}, fmt::format("is '{}'", name), one_of(name, names));
  }
  return "bundled:generators/" + name + ".yaml";
}

GeneratorSpec fitted(const Arguments& arguments) {
  TraceFit found = fit(read(arguments.fit, *arguments.scenario, "--fit"));
  if (!arguments.quiet) fmt::print(stderr, "{}", describe_fit(found));
  if (arguments.law == "log-normal") found.spec.durations = found.log_normal;
  return std::move(found.spec);
}

GeneratorSpec spec_of(const Arguments& arguments) {
  GeneratorSpec spec;
  if (!arguments.like.empty()) {
    spec = like(read(arguments.like, *arguments.scenario, "--like"));
    spec.jitter = arguments.jitter;
  } else if (!arguments.fit.empty()) {
    spec = fitted(arguments);
  } else if (!arguments.spec.empty()) {
    spec = read_generator(arguments.spec);
  } else {
    spec = read_generator(preset_file(arguments.preset.empty() ? "paper" : arguments.preset));
  }
  if (arguments.jobs) spec.jobs = *arguments.jobs;
  if (arguments.seed) spec.seed = *arguments.seed;
  return spec;
}

void refuse_idle_filters(const Arguments& arguments) {
  const ScenarioArguments& scenario = *arguments.scenario;
  if (!arguments.fit.empty() || !arguments.like.empty()) return;
  if (scenario.file.empty() && scenario.flags.empty() && scenario.settings.empty()) return;
  throw CLI::ValidationError(
      "keys of a scenario, such as the filters, say how the trace of --fit "
      "or --like is read, and neither is given");
}

void generate(const Arguments& arguments) {
  refuse_idle_filters(arguments);
  if (arguments.quiet) spdlog::set_level(spdlog::level::err);
  const GeneratorSpec spec = spec_of(arguments);
  OutputFile output(arguments.output, arguments.force);
  if (arguments.print_spec) {
    output.write(generator_yaml(spec));
  } else {
    generate_trace(spec, [&](std::string_view text) { output.write(text); });
  }
  output.commit();
}

// CLI11 takes -1 for 2^64 - 1, and not-a-number for a number in any range.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && stopped == end && value >= least && value <= most) return {};
    return fmt::format("is '{}'; expected an integer from {} to {}", text, least, most);
  };
  return {check, fmt::format("{} to {}", least, most)};
}

CLI::Validator number(double least, double most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    const std::optional<double> value = parse_double(text);
    if (value && *value >= least && *value <= most) return {};
    return fmt::format("is '{}'; expected a number from {} to {}", text, least, most);
  };
  return {check, fmt::format("{} to {}", least, most)};
}

void add_sources(CLI::App& command, Arguments& arguments) {
  auto* source = command.add_option_group("source", "Where jobs come from; one of");
  source->add_option("--preset", arguments.preset,
                     "A bundled specification: " + join(generator_presets(), ", ") +
                         "; paper when nothing is named");
  source->add_option("--spec", arguments.spec, "A specification (YAML)");
  source->add_option("--fit", arguments.fit,
                     "A trace: its arrivals, GPUs and durations, each by itself");
  source->add_option("--like", arguments.like,
                     "A trace: its arrivals, and whole jobs of it drawn with replacement");
  source->require_option(0, 1);
}

}  // namespace

void add_trace_generate(CLI::App& trace) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      trace.add_subcommand("generate", "Write a synthetic trace in the mosim CSV format");
  arguments->scenario = add_settings(*command);
  add_sources(*command, *arguments);
  command->add_option("--jobs", arguments->jobs, "Number of jobs, instead of the source's")
      ->check(whole_number(1, 1'000'000'000'000));
  command->add_option("--seed", arguments->seed, "Seed: the same one gives the same bytes")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()));
  command->add_option("--fit-durations", arguments->law, "What --fit gives: empirical, log-normal")
      ->check(CLI::IsMember({"empirical", "log-normal"}));
  command
      ->add_option("--jitter", arguments->jitter,
                   "With --like: durations times a factor from 1/(1+J) to 1+J")
      ->check(number(0, 100));
  command->add_option("-o,--output", arguments->output, "File to write; - for standard output");
  command
      ->add_flag("--print-spec", arguments->print_spec,
                 "Write the specification (YAML) instead of a trace; not with --like")
      ->excludes("--like");
  add_trace_filters(*command, arguments->scenario);
  command->add_flag("--force", arguments->force, "Replace the output file");
  command->add_flag("-q,--quiet", arguments->quiet, "No messages but errors");
  command->footer(
      "Examples:\n"
      "  mosim trace generate --preset philly-like --jobs 5000 -o jobs.csv\n"
      "  mosim trace generate --like philly_jobs.csv.gz --jobs 1000000 -o big.csv\n"
      "  mosim trace generate --fit jobs.csv --print-spec -o fitted.yaml");
  command->callback([arguments] { generate(*arguments); });
}

}  // namespace mosim::cli
