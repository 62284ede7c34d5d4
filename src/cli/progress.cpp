#include "cli/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "mosim/output.hpp"

namespace mosim::cli {

ProgressLine::ProgressLine() : started_(Clock::now()), drawn_(started_) {}

void ProgressLine::draw(const Progress& progress) {
  const Clock::time_point now = Clock::now();
  if (now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  visible_ = true;
  const double elapsed = std::chrono::duration<double>(now - started_).count();
  const auto done = static_cast<double>(progress.jobs_done);
  std::string eta = "?";
  if (progress.jobs_done > 0) {
    eta = human_duration(elapsed * (static_cast<double>(progress.jobs) - done) / done);
  }
  fmt::print(stderr, "\r\033[Ksimulated {} | {} of {} jobs done | {:.1f} M events/s | ETA {}",
             human_duration(progress.time_s), progress.jobs_done, progress.jobs,
             static_cast<double>(progress.events) / elapsed / 1e6, eta);
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (visible_) fmt::print(stderr, "\r\033[K");
  visible_ = false;
}

}  // namespace mosim::cli
