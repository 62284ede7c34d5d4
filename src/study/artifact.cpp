#include "study/artifact.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mosim/base.hpp"

namespace mosim {

namespace fs = std::filesystem;

fs::path artifact_data(const std::string& artifact) {
  const fs::path root = artifact;
  return fs::is_directory(root / "data") ? root / "data" : root;
}

std::vector<fs::path> csv_files(const fs::path& dir) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string artifact_file(const fs::path& dir, std::string_view prefix) {
  for (const fs::path& file : csv_files(dir)) {
    if (file.filename().string().starts_with(prefix)) return file.string();
  }
  throw InputError({dir.string(), {}}, fmt::format("has no file {}*.csv", prefix),
                   "a folder laid out as the authors' artifact");
}

}  // namespace mosim
