#include "base/compress.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "mosim/base.hpp"

namespace mosim {
namespace {

constexpr std::size_t kChunk = 1U << 17;

class DescriptorSink : public ByteSink {
 public:
  DescriptorSink(int descriptor, std::string path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  DescriptorSink(const DescriptorSink&) = delete;
  DescriptorSink& operator=(const DescriptorSink&) = delete;
  ~DescriptorSink() override {
    if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) ::close(descriptor_);
  }

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t wrote = ::write(descriptor_, bytes.data(), bytes.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) refuse();
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
  }

  // Some file systems tell only now that the disk is full.
  void finish() override {
    if (descriptor_ == STDOUT_FILENO) return;
    const int closing = descriptor_;
    descriptor_ = -1;
    if (::close(closing) != 0) refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    throw RunError(fmt::format("{}: cannot be written ({})", path_, std::strerror(errno)));
  }

  int descriptor_;
  std::string path_;
};

class GzipSink : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> raw) : raw_(std::move(raw)) {
    constexpr int kGzip = 16 + MAX_WBITS;
    constexpr int kMemory = 8;  // zlib's default
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;
  ~GzipSink() override { deflateEnd(&stream_); }

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, 1U << 30);
      deflate_all(piece, Z_NO_FLUSH);
      bytes.remove_prefix(piece.size());
    }
  }

  void finish() override {
    deflate_all({}, Z_FINISH);
    raw_->finish();
  }

 private:
  void deflate_all(std::string_view piece, int flush) {
    // zlib reads its input without changing it. NOLINTNEXTLINE(*-const-cast,*-reinterpret-cast)
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());  // NOLINT(*-reinterpret-cast)
      stream_.avail_out = static_cast<uInt>(out_.size());
      deflate(&stream_, flush);
      raw_->write({out_.data(), out_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  std::unique_ptr<ByteSink> raw_;
  z_stream stream_ = {};
  std::vector<char> out_ = std::vector<char>(kChunk);
};

class ZstdSink : public ByteSink {
 public:
  explicit ZstdSink(std::unique_ptr<ByteSink> raw)
      : raw_(std::move(raw)), stream_(ZSTD_createCStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ZstdSink(const ZstdSink&) = delete;
  ZstdSink& operator=(const ZstdSink&) = delete;
  ~ZstdSink() override { ZSTD_freeCStream(stream_); }

  void write(std::string_view bytes) override { compress(bytes, ZSTD_e_continue); }

  void finish() override {
    compress({}, ZSTD_e_end);
    raw_->finish();
  }

 private:
  void compress(std::string_view bytes, ZSTD_EndDirective end) {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer output{out_.data(), out_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(stream_, &output, &input, end);
      if (ZSTD_isError(left) != 0) throw RunError(ZSTD_getErrorName(left));
      raw_->write({out_.data(), output.pos});
      if (end == ZSTD_e_end ? left == 0 : input.pos == input.size) return;
    }
  }

  std::unique_ptr<ByteSink> raw_;
  ZSTD_CStream* stream_;
  std::vector<char> out_ = std::vector<char>(kChunk);
};

}  // namespace

std::unique_ptr<ByteSink> descriptor_sink(int descriptor, std::string path) {
  return std::make_unique<DescriptorSink>(descriptor, std::move(path));
}

std::unique_ptr<ByteSink> compressed(std::unique_ptr<ByteSink> raw, std::string_view path) {
  if (path.ends_with(".gz")) return std::make_unique<GzipSink>(std::move(raw));
  if (path.ends_with(".zst")) return std::make_unique<ZstdSink>(std::move(raw));
  return raw;
}

}  // namespace mosim
