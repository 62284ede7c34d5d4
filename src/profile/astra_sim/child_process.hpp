// Runs a program of the user's within limits: time, size of what it prints, processes left behind.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace mosim::astra_sim {

struct ChildOptions {
  std::string program;                 // a path, or a name that is looked up in PATH
  std::vector<std::string> arguments;  // without the program; no shell reads them
  std::string folder;                  // where it runs
  std::chrono::duration<double> time_limit{60};
  std::size_t most_output = std::size_t{1} << 24;  // bytes of each stream
};

struct ChildResult {
  enum class End { exited, signalled, timed_out, too_much_output };

  End end = End::exited;
  int exit_code = 0;        // when it exited
  int signal = 0;           // when a signal that was not ours ended it
  double time_limit_s = 0;  // that was given
  std::string out;
  std::string err;
};

// Waits for the program, not for children that it leaves: these are killed with its process group,
// as it is itself at a limit. Its input is empty. Throws RunError when it cannot be started.
[[nodiscard]] ChildResult run_child(const ChildOptions& options);

}  // namespace mosim::astra_sim
