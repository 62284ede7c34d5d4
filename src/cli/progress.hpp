// The progress line on a terminal.
#pragma once

#include <chrono>
#include <functional>

#include "mosim/sim.hpp"

namespace mosim::cli {

// Draws the line on stderr at most ten times a second; `clear` takes it away.
class ProgressLine {
 public:
  ProgressLine();

  void draw(const Progress& progress);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point started_;
  Clock::time_point drawn_;
  bool visible_ = false;
};

}  // namespace mosim::cli
