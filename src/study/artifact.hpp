// Where things are in a folder laid out as the authors' artifact.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mosim {

// Its folder data/, or the folder itself.
[[nodiscard]] std::filesystem::path artifact_data(const std::string& artifact);

// The CSV files of a folder, sorted.
[[nodiscard]] std::vector<std::filesystem::path> csv_files(const std::filesystem::path& dir);

// The one file of `dir` whose name starts with `prefix`. Throws InputError.
[[nodiscard]] std::string artifact_file(const std::filesystem::path& dir, std::string_view prefix);

}  // namespace mosim
