#include "base/file.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>

#include "base/bundled.hpp"
#include "base/text.hpp"

namespace mosim {
namespace {

namespace fs = std::filesystem;

InputError unreadable(const std::string& path, std::string what, std::string_view expected) {
  return {{path, {}}, std::move(what), std::string(expected)};
}

// zlib reads plain files as they are and gzip files inflated.
class FileSource : public ByteSource {
 public:
  FileSource(const std::string& path, std::string_view expected) : path_(path) {
    errno = 0;
    file_ = gzopen(path.c_str(), "rb");
    if (file_ == nullptr) {
      throw unreadable(path, fmt::format("cannot be opened ({})", std::strerror(errno)), expected);
    }
    gzbuffer(file_, 1U << 17);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override { gzclose(file_); }

  std::size_t read(char* out, std::size_t size) override {
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(size, INT_MAX));
    const int got = gzread(file_, out, wanted);
    int code = Z_OK;
    const char* text = gzerror(file_, &code);
    // Z_BUF_ERROR: the file ended before its gzip stream did.
    if (got < 0 || code == Z_BUF_ERROR || code == Z_DATA_ERROR) {
      throw InputError({path_, {}}, fmt::format("is truncated or damaged ({})", text),
                       "a plain file or a complete gzip file");
    }
    return static_cast<std::size_t>(got);
  }

 private:
  std::string path_;
  gzFile file_ = nullptr;
};

class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : rest_(text) {}

  std::size_t read(char* out, std::size_t size) override {
    const std::size_t count = std::min(size, rest_.size());
    std::copy_n(rest_.data(), count, out);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

std::unique_ptr<ByteSource> open_bundled(const std::string& path, std::string_view expected) {
  const auto text = find_bundled(std::string_view(path).substr(kBundledPrefix.size()));
  if (text) return std::make_unique<TextSource>(*text);
  std::vector<std::string> names;
  for (const BundledFile& file : bundled_below("")) {
    names.push_back(std::string(kBundledPrefix) + std::string(file.path));
  }
  const auto near = nearest(path, names);
  throw unreadable(
      path, "is not a bundled file",
      near ? fmt::format("{} (nearest: '{}')", expected, *near) : std::string(expected));
}

}  // namespace

std::unique_ptr<ByteSource> open_source(const std::string& path, std::string_view expected) {
  if (path.starts_with(kBundledPrefix)) return open_bundled(path, expected);
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status)) throw unreadable(path, "does not exist", expected);
  if (fs::is_directory(status)) throw unreadable(path, "is a directory", expected);
  return std::make_unique<FileSource>(path, expected);
}

std::string read_file(const std::string& path, std::string_view expected) {
  const auto source = open_source(path, expected);
  std::string content;
  constexpr std::size_t kChunk = 1U << 18;
  for (;;) {
    const std::size_t size = content.size();
    content.resize(size + kChunk);
    const std::size_t got = source->read(content.data() + size, kChunk);
    content.resize(size + got);
    if (got == 0) return content;
  }
}

void write_file(const fs::path& path, std::string_view content) {
  fs::path temporary = path;
  temporary += fmt::format(".tmp{}", ::getpid());
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.flush();
    if (!out) {
      std::error_code ignored;
      fs::remove(temporary, ignored);
      throw RunError(
          fmt::format("{}: cannot be written ({})", path.string(), std::strerror(errno)));
    }
  }
  std::error_code error;
  fs::rename(temporary, path, error);
  if (error) {
    fs::remove(temporary, error);
    throw RunError(fmt::format("{}: cannot be written ({})", path.string(), error.message()));
  }
}

}  // namespace mosim
