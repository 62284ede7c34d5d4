#include "support/command.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace mosim::test {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "mosim-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  dir_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(dir_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& content) const {
  std::ofstream(path(name), std::ios::binary) << content;
  return path(name);
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

CommandResult run_command(const std::string& command) {
  const TemporaryFolder folder;
  std::string line = command;
  const std::string mark = "{mosim}";
  for (std::size_t at = line.find(mark); at != std::string::npos; at = line.find(mark)) {
    line.replace(at, mark.size(), MOSIM_BINARY);
  }
  const std::string out = folder.path("out");
  const std::string err = folder.path("err");
  const int status =
      std::system(("( " + line + " ) >'" + out + "' 2>'" + err + "' </dev/null").c_str());
  CommandResult result;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  result.out = read_text(out);
  result.err = read_text(err);
  return result;
}

CommandResult run_mosim(const std::string& arguments) {
  return run_command("{mosim} " + arguments);
}

std::string shared_path(const std::string& below) {
  const fs::path path = fs::path(MOSIM_SHARED_DIR) / below;
  return fs::exists(path) ? path.lexically_normal().string() : "";
}

}  // namespace mosim::test
