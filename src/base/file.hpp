// Reading inputs: plain, gz, zst, standard input, bundled.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mosim/base.hpp"

namespace mosim {

// Bytes of an input, read in pieces. Plain, gzip and zstd files are told apart by their content.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills up to `size` bytes of `out`; fewer only at the end, 0 after it.
  // Throws InputError when the input is damaged or ends inside a compressed stream.
  virtual std::size_t read(char* out, std::size_t size) = 0;
};

// A source whose beginning can be looked at before it is read.
class PeekedSource : public ByteSource {
 public:
  explicit PeekedSource(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  // The next bytes, up to `size` of them, without taking them. Valid until the next call.
  [[nodiscard]] std::string_view peek(std::size_t size);

  std::size_t read(char* out, std::size_t size) override;

 private:
  std::unique_ptr<ByteSource> source_;
  std::string head_;  // read ahead
};

// What stands for standard input where a file is named.
inline constexpr std::string_view kStandardInput = "-";

// Opens a file, standard input (`-`), or a bundled one (`bundled:` before its path below data/).
// Throws InputError, with `expected` as what should be there, when it is missing, a directory or
// not readable.
[[nodiscard]] std::unique_ptr<ByteSource> open_source(const std::string& path,
                                                      std::string_view expected);

// Reads from memory, which must outlive it.
[[nodiscard]] std::unique_ptr<ByteSource> text_source(std::string_view text);

// The whole content of `open_source`, which must not be over 256 MiB.
[[nodiscard]] std::string read_file(const std::string& path, std::string_view expected);

}  // namespace mosim
