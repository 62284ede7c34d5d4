// Where outputs go, piece by piece: an open file, deflated on the way when its name says so.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace mosim {

// Takes the bytes of an output. `finish` writes what is still held back; after it nothing may be
// written. Both throw RunError.
class ByteSink {
 public:
  virtual ~ByteSink() = default;

  virtual void write(std::string_view bytes) = 0;
  virtual void finish() = 0;
};

// An open file descriptor, which is closed by `finish` or the destructor unless it is standard
// output.
[[nodiscard]] std::unique_ptr<ByteSink> descriptor_sink(int descriptor, std::string path);

// `raw` itself, or what compresses into it when `path` ends in .gz or .zst.
[[nodiscard]] std::unique_ptr<ByteSink> compressed(std::unique_ptr<ByteSink> raw,
                                                   std::string_view path);

}  // namespace mosim
