// Reading inputs (plain, gz, bundled) and writing outputs whole or not at all.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "mosim/base.hpp"

namespace mosim {

// Bytes of an input, read in pieces. Plain and gzip files are told apart by their content.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills up to `size` bytes of `out`; fewer only at the end, 0 after it.
  // Throws InputError when the input is damaged or ends inside a gzip stream.
  virtual std::size_t read(char* out, std::size_t size) = 0;
};

// Opens a file, or a bundled one (`bundled:` before its path below data/). Throws InputError, with
// `expected` as what should be there, when it is missing, a directory or not readable.
[[nodiscard]] std::unique_ptr<ByteSource> open_source(const std::string& path,
                                                      std::string_view expected);

// The whole content of `open_source`.
[[nodiscard]] std::string read_file(const std::string& path, std::string_view expected);

// Writes `content` under a temporary name beside `path`, then renames: a reader sees the old file
// or the whole new one. Throws RunError.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace mosim
