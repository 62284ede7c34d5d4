#include "base/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "mosim/base.hpp"

namespace mosim {
namespace {

namespace fs = std::filesystem;

// Whether the output is renamed into place at the end. Throws InputError when it may not be made.
bool is_renamed(const std::string& path, bool replace) {
  if (path == kStandardOutput) return false;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) throw InputError({path, {}}, "is a directory", "a file to write");
  if (fs::exists(status)) {
    if (!fs::is_regular_file(status)) return false;
    if (!replace) {
      throw InputError({path, {}}, "is there already", "another name, or --force to replace it");
    }
    return true;
  }
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored)) {
    throw InputError({path, {}}, fmt::format("cannot be made: {} is no folder", folder.string()),
                     "a name in a folder that is there");
  }
  return true;
}

int open_output(const std::string& path, const fs::path& temporary) {
  if (path == kStandardOutput) return STDOUT_FILENO;
  const int descriptor =
      temporary.empty() ? ::open(path.c_str(), O_WRONLY | O_CLOEXEC)
                        : ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor >= 0) return descriptor;
  throw RunError(fmt::format("{}: cannot be written ({})", path, std::strerror(errno)));
}

}  // namespace

OutputFile::OutputFile(std::string path, bool replace) : path_(std::move(path)) {
  if (is_renamed(path_, replace)) {
    temporary_ = path_;
    temporary_ += fmt::format(".tmp{}", ::getpid());
  }
  sink_ = compressed(descriptor_sink(open_output(path_, temporary_), path_), path_);
}

OutputFile::~OutputFile() {
  sink_.reset();
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void OutputFile::commit() {
  sink_->finish();
  if (temporary_.empty()) return;
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error) throw RunError(fmt::format("{}: cannot be written ({})", path_, error.message()));
  temporary_.clear();
}

void write_file(const fs::path& path, std::string_view content) {
  OutputFile out(path.string(), true);
  out.write(content);
  out.commit();
}

}  // namespace mosim
