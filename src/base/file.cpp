#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/bundled.hpp"
#include "base/decompress.hpp"
#include "base/text.hpp"

namespace mosim {
namespace {

namespace fs = std::filesystem;

InputError unreadable(const std::string& path, std::string what, std::string_view expected) {
  return {{path, {}}, std::move(what), std::string(expected)};
}

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
  if (text) return text_source(*text);
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
  if (path == kStandardInput) {
    return decompressed(descriptor_source(STDIN_FILENO, path), path);
  }
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status)) throw unreadable(path, "does not exist", expected);
  if (fs::is_directory(status)) throw unreadable(path, "is a directory", expected);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw unreadable(path, fmt::format("cannot be opened ({})", std::strerror(errno)), expected);
  }
  return decompressed(descriptor_source(descriptor, path), path);
}

std::unique_ptr<ByteSource> text_source(std::string_view text) {
  return std::make_unique<TextSource>(text);
}

std::string_view PeekedSource::peek(std::size_t size) {
  while (head_.size() < size) {
    const std::size_t had = head_.size();
    head_.resize(size);
    const std::size_t got = source_->read(head_.data() + had, size - had);
    head_.resize(had + got);
    if (got == 0) break;
  }
  return std::string_view(head_).substr(0, size);
}

std::size_t PeekedSource::read(char* out, std::size_t size) {
  if (head_.empty()) return source_->read(out, size);
  const std::size_t count = std::min(size, head_.size());
  std::copy_n(head_.data(), count, out);
  head_.erase(0, count);
  return count;
}

std::string read_file(const std::string& path, std::string_view expected) {
  const auto source = open_source(path, expected);
  std::string content;
  constexpr std::size_t kChunk = 1U << 18;
  constexpr std::size_t kLongest = 1U << 28;
  for (;;) {
    if (content.size() > kLongest) {
      throw InputError({path, {}}, "is over 256 MiB long", std::string(expected));
    }
    const std::size_t size = content.size();
    content.resize(size + kChunk);
    const std::size_t got = source->read(content.data() + size, kChunk);
    content.resize(size + got);
    if (got == 0) return content;
  }
}

}  // namespace mosim
