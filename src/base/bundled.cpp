#include "base/bundled.hpp"

#include <span>

namespace mosim {

std::optional<std::string_view> find_bundled(std::string_view path) {
  for (const BundledFile& file : std::span(kBundledFiles, kBundledFileCount)) {
    if (file.path == path) return file.text;
  }
  return std::nullopt;
}

std::vector<BundledFile> bundled_below(std::string_view folder) {
  std::vector<BundledFile> found;
  for (const BundledFile& file : std::span(kBundledFiles, kBundledFileCount)) {
    if (file.path.substr(0, folder.size()) == folder) found.push_back(file);
  }
  return found;
}

}  // namespace mosim
