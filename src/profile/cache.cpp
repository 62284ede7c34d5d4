#include "profile/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "base/hash.hpp"
#include "base/text.hpp"

namespace mosim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "mosim profile 1\n";  // the number is the format's version
constexpr std::string_view kSuffix = ".profile";
constexpr std::string_view kTemporary = ".profile.tmp-";
constexpr std::size_t kDigestSize = 32;
constexpr std::size_t kLongestDescription = 1000;
constexpr std::size_t kLargestEntry = 4096;
constexpr auto kStale = std::chrono::hours(1);

using Field = std::pair<std::string_view, double JobProfile::*>;
constexpr std::array<Field, 4> kFields{{{"compute_s", &JobProfile::compute_s},
                                        {"network_s", &JobProfile::network_s},
                                        {"volume", &JobProfile::volume},
                                        {"loading_s", &JobProfile::loading_s}}};

// An open file that is closed at the end of its scope.
struct OpenFile {
  explicit OpenFile(int descriptor) : fd(descriptor) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (fd >= 0) ::close(fd);
  }

  int fd;
};

bool is_digest(std::string_view text) {
  return text.size() == kDigestSize &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string checksum_line(std::string_view content) {
  Hash128 hash;
  hash.add(content);
  return fmt::format("checksum {}\n", hash.hex());
}

// An entry's lines: version, digest, description, the numbers, and the checksum of all before it.
std::string render(std::string_view digest, const JobProfile& profile,
                   std::string_view description) {
  std::string one_line(description.substr(0, kLongestDescription));
  std::replace_if(
      one_line.begin(), one_line.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; },
      ' ');
  std::string text = fmt::format("{}digest {}\nof {}\n", kFirstLine, digest, one_line);
  // The shortest decimal text that reads back to the same double.
  for (const auto& [name, value] : kFields) text += fmt::format("{} {}\n", name, profile.*value);
  return text + checksum_line(text);
}

// Takes "`key` value\n" off the front of `text`.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view key) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(key) || text[key.size()] != ' ') {
    return std::nullopt;
  }
  const std::string_view value = text.substr(key.size() + 1, end - key.size() - 1);
  text.remove_prefix(end + 1);
  return value;
}

std::optional<JobProfile> parse(std::string_view text, std::string_view digest) {
  const std::size_t sum_at = text.rfind("checksum ");
  if (sum_at == std::string_view::npos || !text.starts_with(kFirstLine)) return std::nullopt;
  if (text.substr(sum_at) != checksum_line(text.substr(0, sum_at))) return std::nullopt;
  std::string_view rest = text.substr(kFirstLine.size(), sum_at - kFirstLine.size());
  if (take_line(rest, "digest") != digest || !take_line(rest, "of")) return std::nullopt;
  JobProfile profile;
  for (const auto& [name, value] : kFields) {
    const auto number = take_line(rest, name);
    const auto parsed = number ? parse_double(*number) : std::nullopt;
    if (!parsed) return std::nullopt;
    profile.*value = *parsed;
  }
  if (!rest.empty()) return std::nullopt;
  return profile;
}

// The bytes of an entry; nothing for what cannot be one.
std::optional<std::string> read_entry(const fs::path& path) {
  // O_NONBLOCK: a pipe in the entry's place must not stop us.
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (file.fd < 0 || ::fstat(file.fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  std::string text(kLargestEntry + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.fd, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > kLargestEntry) return std::nullopt;
  text.resize(size);
  return text;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

// Writes `text` to a new file whose name begins with `stem`, down to the disk: a rename after a
// power cut must not uncover an empty file. The name, or an empty path.
fs::path write_temporary(const fs::path& stem, std::string_view text) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    fs::path name = stem;
    name += fmt::format("{}-{}-{}", ::getpid(), now, i);
    // O_EXCL: the name is ours alone, also among machines that share the folder.
    const OpenFile file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.fd < 0 && errno == EEXIST) continue;
    if (file.fd < 0) return {};
    if (write_all(file.fd, text) && ::fsync(file.fd) == 0) return name;
    ::unlink(name.c_str());
    return {};
  }
  return {};
}

// Puts `from` in the place of `to`. A folder there, which rename leaves alone, is not ours.
bool replace(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return true;
  std::error_code error;
  if (fs::is_directory(fs::symlink_status(to, error))) {
    fs::remove_all(to, error);
    if (::rename(from.c_str(), to.c_str()) == 0) return true;
  }
  ::unlink(from.c_str());
  return false;
}

void remove_stale(const fs::path& dir) {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator at(dir, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().find(kTemporary) != kDigestSize) continue;
    std::error_code gone;  // another process cleans too
    const auto written = fs::last_write_time(at->path(), gone);
    if (!gone && now - written > kStale) fs::remove(at->path(), gone);
  }
}

// The variable's value if it is an absolute path; the XDG specification ignores others.
std::optional<fs::path> folder_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || !fs::path(value).is_absolute()) return std::nullopt;
  return fs::path(value);
}

}  // namespace

fs::path default_cache_dir() {
  // Ours may be relative: whoever sets it means what it says.
  const char* own = std::getenv("MOSIM_CACHE_DIR");
  if (own != nullptr && *own != '\0') return own;
  if (const auto cache = folder_variable("XDG_CACHE_HOME")) return *cache / "mosim";
  if (const auto home = folder_variable("HOME")) return *home / ".cache" / "mosim";
  return {};
}

ProfileCache::ProfileCache(fs::path dir) : dir_(std::move(dir)) {
  if (!dir_.empty()) remove_stale(dir_);
}

fs::path ProfileCache::entry(std::string_view digest) const {
  // It becomes a file name.
  if (!is_digest(digest)) {
    throw std::invalid_argument(fmt::format("'{}' is not a digest of 32 hex digits", digest));
  }
  return dir_ / fmt::format("{}{}", digest, kSuffix);
}

std::optional<JobProfile> ProfileCache::load(std::string_view digest) const {
  const fs::path path = entry(digest);
  if (dir_.empty()) return std::nullopt;
  const auto text = read_entry(path);
  return text ? parse(*text, digest) : std::nullopt;
}

bool ProfileCache::store(std::string_view digest, const JobProfile& profile,
                         std::string_view description) const {
  const fs::path path = entry(digest);
  if (dir_.empty()) return false;
  const std::string text = render(digest, profile, description);
  // What would not be read back is not worth keeping: no profile has an infinite time.
  if (!parse(text, digest)) return false;
  std::error_code error;
  fs::create_directories(dir_, error);
  const fs::path temporary = write_temporary(dir_ / fmt::format("{}{}", digest, kTemporary), text);
  return !temporary.empty() && replace(temporary, path);
}

}  // namespace mosim
