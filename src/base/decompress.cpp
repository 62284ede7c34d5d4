#include "base/decompress.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace mosim {
namespace {

constexpr std::size_t kChunk = 1U << 17;

[[noreturn]] void refuse_damaged(const std::string& path, std::string_view detail) {
  throw InputError({path, {}}, fmt::format("is truncated or damaged ({})", detail),
                   "a plain file, or a complete gzip or zstd file");
}

class DescriptorSource : public ByteSource {
 public:
  DescriptorSource(int descriptor, std::string path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  DescriptorSource(const DescriptorSource&) = delete;
  DescriptorSource& operator=(const DescriptorSource&) = delete;
  ~DescriptorSource() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }

  std::size_t read(char* out, std::size_t size) override {
    std::size_t filled = 0;
    while (filled < size) {
      const ssize_t got = ::read(descriptor_, out + filled, size - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        throw InputError({path_, {}}, fmt::format("cannot be read ({})", std::strerror(errno)),
                         "a readable file");
      }
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
    }
    return filled;
  }

 private:
  int descriptor_;
  std::string path_;
};

// Compressed bytes waiting to be inflated.
struct Compressed {
  std::unique_ptr<ByteSource> raw;
  std::vector<char> bytes = std::vector<char>(kChunk);
  bool ended = false;

  std::size_t refill() {
    const std::size_t got = raw->read(bytes.data(), bytes.size());
    ended = got == 0;
    return got;
  }
};

class GzipSource : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> raw, std::string path)
      : input_{std::move(raw)}, path_(std::move(path)) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { inflateEnd(&stream_); }

  std::size_t read(char* out, std::size_t size) override {
    const std::size_t wanted = std::min<std::size_t>(size, 1U << 30);
    stream_.next_out = reinterpret_cast<Bytef*>(out);  // NOLINT(*-reinterpret-cast): zlib's bytes
    stream_.avail_out = static_cast<uInt>(wanted);
    while (stream_.avail_out > 0 && more_input()) {
      if (between_members_ && *stream_.next_in == 0) {
        skip_padding();
        break;
      }
      const int code = inflate(&stream_, Z_NO_FLUSH);
      if (code == Z_STREAM_END) {
        between_members_ = true;
        inflateReset(&stream_);
      } else if (code == Z_OK) {
        between_members_ = false;
      } else {
        refuse_damaged(path_, stream_.msg == nullptr ? "not gzip data" : stream_.msg);
      }
    }
    return wanted - stream_.avail_out;
  }

 private:
  // False at the end of the file, which must be the end of a member.
  bool more_input() {
    if (finished_) return false;
    if (stream_.avail_in > 0) return true;
    stream_.avail_in = static_cast<uInt>(input_.refill());
    stream_.next_in =
        reinterpret_cast<Bytef*>(input_.bytes.data());  // NOLINT(*-reinterpret-cast): zlib's bytes
    if (stream_.avail_in > 0) return true;
    if (!between_members_) refuse_damaged(path_, "unexpected end of file");
    finished_ = true;
    return false;
  }

  // Tape tools pad a file with zeros after its last member. Anything else there is no gzip.
  void skip_padding() {
    while (more_input()) {
      for (; stream_.avail_in > 0; ++stream_.next_in, --stream_.avail_in) {
        if (*stream_.next_in != 0) refuse_damaged(path_, "data after its last member");
      }
    }
  }

  Compressed input_;
  std::string path_;
  z_stream stream_ = {};
  bool between_members_ = false;
  bool finished_ = false;
};

class ZstdSource : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> raw, std::string path)
      : input_{std::move(raw)}, path_(std::move(path)), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

  std::size_t read(char* out, std::size_t size) override {
    ZSTD_outBuffer produced{out, size, 0};
    while (produced.pos < produced.size) {
      // A full output may leave more in the decoder: ask it before asking for input.
      if (pending_.pos == pending_.size && !maybe_more_inside_ && !refill()) break;
      const std::size_t left = ZSTD_decompressStream(stream_, &produced, &pending_);
      if (ZSTD_isError(left) != 0) refuse_damaged(path_, ZSTD_getErrorName(left));
      inside_frame_ = left != 0;
      maybe_more_inside_ = produced.pos == produced.size && inside_frame_;
    }
    return produced.pos;
  }

 private:
  bool refill() {
    pending_ = {input_.bytes.data(), input_.refill(), 0};
    if (pending_.size > 0) return true;
    if (inside_frame_) refuse_damaged(path_, "unexpected end of file");
    return false;
  }

  Compressed input_;
  std::string path_;
  ZSTD_DStream* stream_;
  ZSTD_inBuffer pending_ = {nullptr, 0, 0};
  bool inside_frame_ = false;
  bool maybe_more_inside_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> descriptor_source(int descriptor, std::string path) {
  return std::make_unique<DescriptorSource>(descriptor, std::move(path));
}

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> raw, const std::string& path) {
  auto peeked = std::make_unique<PeekedSource>(std::move(raw));
  const std::string_view head = peeked->peek(4);
  if (head.starts_with("\x1f\x8b")) return std::make_unique<GzipSource>(std::move(peeked), path);
  if (head == "\x28\xb5\x2f\xfd") return std::make_unique<ZstdSource>(std::move(peeked), path);
  return peeked;
}

}  // namespace mosim
