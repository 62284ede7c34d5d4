// Runs the program as a user does, in a folder of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mosim::test {

struct CommandResult {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// A folder that is there as long as the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  // The path of `name` in the folder, as text.
  [[nodiscard]] std::string path(const std::string& name) const { return (dir_ / name).string(); }
  // Writes a file into the folder and gives its path.
  std::string write(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path dir_;
};

[[nodiscard]] std::string read_text(const std::string& path);

// Runs a shell command line; `{mosim}` stands for the program.
[[nodiscard]] CommandResult run_command(const std::string& command);

// run_command("{mosim} " + arguments)
[[nodiscard]] CommandResult run_mosim(const std::string& arguments);

// A path below the folder of data that is not part of the project; empty when it is absent.
[[nodiscard]] std::string shared_path(const std::string& below);

}  // namespace mosim::test

// For tests of data that a checkout may lack: NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define MOSIM_NEEDS(path)                                                               \
  do {                                                                                  \
    if ((path).empty()) GTEST_SKIP() << "the data is not beside this checkout: " #path; \
  } while (false)
