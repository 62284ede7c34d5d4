// Streams of bytes: from a file or standard input, inflated when they are gzip or zstd.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace mosim {

// Bytes of an open file descriptor, which it closes unless it is standard input.
[[nodiscard]] std::unique_ptr<ByteSource> descriptor_source(int descriptor, std::string path);

// `raw` itself, or what it holds compressed: gzip (RFC 1952, any number of members) and zstd
// (RFC 8878, any number of frames) are told by their first bytes.
[[nodiscard]] std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> raw,
                                                       const std::string& path);

}  // namespace mosim
