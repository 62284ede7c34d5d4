#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/output_file.hpp"
#include "mosim/output.hpp"

namespace mosim {
namespace {

namespace fs = std::filesystem;

// In the order of writing: a folder with a summary holds a whole run.
constexpr std::array<const char*, 5> kFiles{"jobs.csv", "attempts.csv", "timeline.csv",
                                            "scenario.resolved.yaml", "summary.json"};

}  // namespace

void claim_run_directory(const fs::path& dir, bool force) {
  std::error_code error;
  if (fs::exists(dir, error) && !fs::is_directory(dir, error)) {
    throw InputError({dir.string(), {}}, "is not a folder", "a folder for the run's files");
  }
  for (const char* file : kFiles) {
    if (!force && fs::exists(dir / file, error)) {
      throw InputError({dir.string(), {}}, fmt::format("holds a run already ({})", file),
                       "another folder (-o DIR), or --force to replace it");
    }
  }
  fs::create_directories(dir, error);
  if (error) {
    throw RunError(fmt::format("{}: cannot be made ({})", dir.string(), error.message()));
  }
  if (::access(dir.c_str(), W_OK) != 0) {
    throw RunError(fmt::format("{}: cannot be written ({})", dir.string(), std::strerror(errno)));
  }
}

void write_run(const fs::path& dir, const Run& run, std::span<const JobMeasures> measures,
               const std::string& summary, const std::string& resolved_scenario) {
  // A replaced run must not lend its summary to a half-written one.
  std::error_code ignored;
  fs::remove(dir / kFiles[4], ignored);
  write_file(dir / kFiles[0], jobs_csv(run, measures));
  const std::string attempts = attempts_csv(run);
  if (attempts.empty()) {
    fs::remove(dir / kFiles[1], ignored);
  } else {
    write_file(dir / kFiles[1], attempts);
  }
  write_file(dir / kFiles[2], timeline_csv(run));
  write_file(dir / kFiles[3], resolved_scenario);
  write_file(dir / kFiles[4], summary);
}

}  // namespace mosim
