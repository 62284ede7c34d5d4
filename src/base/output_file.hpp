// Writing outputs whole or not at all.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/compress.hpp"

namespace mosim {

// What stands for standard output where a file is named.
inline constexpr std::string_view kStandardOutput = "-";

// A file under a temporary name beside its own until `commit` renames it: a reader sees the old
// file or the whole new one. Without `commit` nothing is left. Compressed when the name ends in .gz
// or .zst. Standard output, pipes and devices are written as the bytes come.
class OutputFile {
 public:
  // Throws InputError when the folder is missing, or when the file is there and `replace` is not
  // set; RunError when it cannot be made.
  OutputFile(std::string path, bool replace);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // Both throw RunError.
  void write(std::string_view bytes) { sink_->write(bytes); }
  void commit();

 private:
  std::string path_;
  std::filesystem::path temporary_;  // empty when written in place
  std::unique_ptr<ByteSink> sink_;
};

// An OutputFile of this content, which replaces what is there.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace mosim
