#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>

#include "cli/commands.hpp"
#include "mosim/base.hpp"

namespace {

// Documented in README.md; scripts rely on them.
constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr int kBadInput = 3;

// stdout is data, stderr is talk.
void set_up_log() {
  auto log = spdlog::stderr_color_mt("mosim");
  log->set_pattern("%^%l%$: %v");
  spdlog::set_default_logger(log);
}

int run(int argc, char** argv) {
  CLI::App app(
      "Simulates distributed-training jobs on a shared GPU cluster: how long would each have taken "
      "under this scheduler, with the slowdown of jobs that share the network?",
      "mosim");
  app.footer(
      "Examples:\n"
      "  mosim run                                     the bundled scenario\n"
      "  mosim run my.yaml --placement bin-packing -o out-bp\n"
      "  mosim run --trace jobs.csv --set 'cluster.servers[0].count=16' --json\n"
      "  mosim reproduce ARTIFACT                      the paper's tables beside ours\n\n"
      "Exit codes: 0 done, 1 the run failed, 2 usage, 3 bad input.");
  app.set_version_flag("--version", std::string("mosim ") + std::string(mosim::version()));
  app.require_subcommand(1);
  mosim::cli::add_run(app);
  mosim::cli::add_reproduce(app);
  mosim::cli::add_validate(app);
  mosim::cli::add_compare(app);
  mosim::cli::add_characterize(app);
  mosim::cli::add_pairwise(app);
  mosim::cli::add_trace(app);
  mosim::cli::add_cluster(app);
  mosim::cli::add_policies(app);
  mosim::cli::add_schema(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  return 0;
}

// Whether all that was printed is written: a full disk may show only when the buffer is emptied.
bool output_is_written() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

}  // namespace

int main(int argc, char** argv) {
  try {
    // A file that reaches the limit of its size is then an error of its writing.
    std::signal(SIGXFSZ, SIG_IGN);
    set_up_log();
    const int exit_code = run(argc, argv);
    if (!output_is_written()) throw mosim::RunError("what was printed is lost");
    return exit_code;
  } catch (const mosim::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    const bool written = output_is_written();
    fmt::print(stderr, "mosim: {}{}\n",
               written ? "" : "standard output cannot be written: ", error.what());
    return kFailed;
  }
}
