// The files of data/, carried inside the library. A path `bundled:models/bert.yaml` names one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mosim {

struct BundledFile {
  std::string_view path;  // below data/, such as "models/bert.yaml"
  std::string_view text;
};

inline constexpr std::string_view kBundledPrefix = "bundled:";

// Filled by the build from data/; see cmake/write_embedded.cmake. Sorted by path.
extern const BundledFile kBundledFiles[];
extern const std::size_t kBundledFileCount;

// The text of the bundled file at `path` (without the prefix), if there is one.
[[nodiscard]] std::optional<std::string_view> find_bundled(std::string_view path);

// Every bundled file below `folder` (such as "models/"), in the order of their paths.
[[nodiscard]] std::vector<BundledFile> bundled_below(std::string_view folder);

}  // namespace mosim
