#include "profile/cache.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "base/hash.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

namespace fs = std::filesystem;

const JobProfile kProfile{1.0 / 3, 5e-324, 1.7976931348623157e308, 53.20520544};

std::string digest_of(std::string_view text) {
  Hash128 hash;
  hash.add(text);
  return hash.hex();
}

const std::string kDigest = digest_of("a job");

bool same(const std::optional<JobProfile>& a, const JobProfile& b) {
  return a && a->compute_s == b.compute_s && a->network_s == b.network_s && a->volume == b.volume &&
         a->loading_s == b.loading_s;
}

std::size_t files_in(const std::string& dir) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : fs::directory_iterator(dir)) ++count;
  return count;
}

// Runs `body` in a process of its own, whose exit code is 0 when it gives true.
pid_t spawn(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  return child;
}

bool succeeded(pid_t child) {
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A cache in a new folder, with one entry.
struct Filled {
  test::TemporaryFolder folder;
  std::string dir = folder.path("a/b");
  ProfileCache cache{dir};
  bool stored = cache.store(kDigest, kProfile, "resnet50 on 8 GPUs");
  std::string entry = dir + "/" + kDigest + ".profile";
};

// Expected values by arbitrary-precision arithmetic from the definition of FNV-1a, after that gave
// the published value for "a".
TEST(Hash128, IsFnv1aOf128Bits) {
  EXPECT_EQ(Hash128().hex(), "6c62272e07bb014262b821756295c58d");
  Hash128 zeros;
  zeros.add(std::uint64_t{0});
  Hash128 empty;
  empty.add(std::string_view());
  EXPECT_EQ(zeros.hex(), empty.hex());
  EXPECT_EQ(zeros.hex(), "9d30c1f78465995be47dda5e4e4e77ed");
  Hash128 letter;  // the same as the byte 'a' and seven zeros
  letter.add(std::uint64_t{'a'});
  EXPECT_EQ(letter.hex(), "a728fc43ec659b4f1bbbd726dc45f86c");
}

TEST(Hash128, LengthsSeparateValues) {
  const auto pair = [](std::string_view a, std::string_view b) {
    Hash128 hash;
    hash.add(a);
    hash.add(b);
    return hash.hex();
  };
  EXPECT_NE(pair("ab", "c"), pair("a", "bc"));
  EXPECT_NE(pair("", "a"), pair("a", ""));
}

TEST(ProfileCache, RoundTripIsExact) {
  const Filled filled;
  ASSERT_TRUE(filled.stored);
  EXPECT_TRUE(same(filled.cache.load(kDigest), kProfile));
  EXPECT_TRUE(same(ProfileCache(filled.dir).load(kDigest), kProfile));
  EXPECT_FALSE(filled.cache.load(digest_of("another job")).has_value());
  EXPECT_EQ(files_in(filled.dir), 1U);
  EXPECT_NE(test::read_text(filled.entry).find("resnet50 on 8 GPUs"), std::string::npos);
  const JobProfile other{1, 2, 3, 4};
  EXPECT_TRUE(filled.cache.store(kDigest, other, ""));
  EXPECT_TRUE(same(filled.cache.load(kDigest), other));
}

TEST(ProfileCache, AnyDescriptionWillDo) {
  const Filled filled;
  const std::string nul("\0x", 2);
  for (const std::string& text :
       {std::string("two\nlines\r\n"), std::string("checksum 0\nvolume 1"),
        std::string(100000, 'x'), nul, std::string()}) {
    EXPECT_TRUE(filled.cache.store(kDigest, kProfile, text));
    EXPECT_TRUE(same(filled.cache.load(kDigest), kProfile)) << text.substr(0, 20);
  }
}

TEST(ProfileCache, NumbersThatNoProfileHasAreNotKept) {
  const test::TemporaryFolder folder;
  const ProfileCache cache(folder.path("c"));
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_FALSE(cache.store(kDigest, {1, bad, 1, 1}, ""));
    EXPECT_FALSE(cache.load(kDigest).has_value());
  }
}

TEST(ProfileCache, WhatIsNoDigestIsRefused) {
  const Filled filled;
  for (const char* bad :
       {"", "abc", "../../../../../../../../etc/passwd", "0123456789ABCDEF0123456789ABCDEF"}) {
    EXPECT_THROW((void)filled.cache.load(bad), std::invalid_argument) << bad;
    EXPECT_THROW((void)filled.cache.store(bad, kProfile, ""), std::invalid_argument) << bad;
  }
}

// Every byte changed in several ways, every byte left out, every cut: nothing, never a wrong value.
TEST(ProfileCache, DamageAnywhereIsFound) {
  const Filled filled;
  const std::string whole = test::read_text(filled.entry);
  ASSERT_GT(whole.size(), 100U);
  const auto reads = [&](const std::string& content) {
    (void)filled.folder.write("a/b/" + kDigest + ".profile", content);
    return filled.cache.load(kDigest).has_value();
  };
  ASSERT_TRUE(reads(whole));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      EXPECT_FALSE(reads(damaged)) << "byte " << at << " xor " << change;
    }
    EXPECT_FALSE(reads(whole.substr(0, at))) << "cut at " << at;
    EXPECT_FALSE(reads(whole.substr(at + 1))) << "from " << at + 1;
    EXPECT_FALSE(reads(std::string(whole).erase(at, 1))) << "without byte " << at;
    EXPECT_FALSE(reads(std::string(whole).insert(at, 1, '0'))) << "a byte more at " << at;
  }
  EXPECT_FALSE(reads(whole + "\n"));
  EXPECT_FALSE(reads(whole + whole));
  EXPECT_FALSE(reads(std::string(whole.size(), '\0')));
  EXPECT_FALSE(reads(std::string(1U << 20, 'x')));
  EXPECT_TRUE(filled.cache.store(kDigest, kProfile, ""));
  EXPECT_TRUE(same(filled.cache.load(kDigest), kProfile));
}

// A whole entry, checksum and all, that belongs to another digest or another version.
TEST(ProfileCache, AnEntryInAnotherPlaceOrVersionIsIgnored) {
  const Filled filled;
  const std::string other = digest_of("another job");
  fs::copy_file(filled.entry, filled.dir + "/" + other + ".profile");
  EXPECT_FALSE(filled.cache.load(other).has_value());
  std::string text = test::read_text(filled.entry);
  text = text.substr(0, text.rfind("checksum "));
  const auto with_checksum = [](const std::string& content) {
    return content + "checksum " + digest_of(content) + "\n";
  };
  const std::string name = "a/b/" + kDigest + ".profile";
  (void)filled.folder.write(name, with_checksum(text));
  EXPECT_TRUE(filled.cache.load(kDigest).has_value());
  text.replace(text.find("profile 1"), 9, "profile 2");
  (void)filled.folder.write(name, with_checksum(text));
  EXPECT_FALSE(filled.cache.load(kDigest).has_value());
}

TEST(ProfileCache, WhatIsNoFileIsReplaced) {
  const Filled filled;
  const std::vector<std::function<void()>> obstacles = {
      [&] { fs::create_directories(filled.entry + "/with/content"); },
      [&] { fs::create_symlink(filled.dir, filled.entry); },
      [&] { fs::create_symlink("nowhere", filled.entry); },
      [&] { ASSERT_EQ(::mkfifo(filled.entry.c_str(), 0600), 0); },
      [&] { (void)filled.folder.write("a/b/" + kDigest + ".profile", ""); },
  };
  for (const auto& put : obstacles) {
    fs::remove_all(filled.entry);
    put();
    EXPECT_FALSE(filled.cache.load(kDigest).has_value());
    EXPECT_TRUE(filled.cache.store(kDigest, kProfile, ""));
    EXPECT_TRUE(same(filled.cache.load(kDigest), kProfile));
    EXPECT_EQ(files_in(filled.dir), 1U);
  }
}

TEST(ProfileCache, AFolderThatCannotBeWrittenMeansNoCaching) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("file", "x");
  for (const std::string& dir : {std::string(), file, file + "/below", std::string("/proc/none")}) {
    const ProfileCache cache(dir);
    EXPECT_FALSE(cache.store(kDigest, kProfile, "")) << dir;
    EXPECT_FALSE(cache.load(kDigest).has_value()) << dir;
  }
  if (::geteuid() != 0) {  // root may write anywhere
    const std::string dir = folder.path("locked");
    fs::create_directory(dir);
    fs::permissions(dir, fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_FALSE(ProfileCache(dir).store(kDigest, kProfile, ""));
    fs::permissions(dir, fs::perms::owner_all);
  }
}

// A disk that is full after some bytes: nothing is kept, the old entry stays.
TEST(ProfileCache, AWriteThatFailsLeavesTheOldEntry) {
  const Filled filled;
  const pid_t child = spawn([&] {
    (void)std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{20, 20};
    return ::setrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           !filled.cache.store(kDigest, {1, 1, 1, 1}, "") &&
           !filled.cache.store(digest_of("new"), {1, 1, 1, 1}, "");
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_TRUE(same(filled.cache.load(kDigest), kProfile));
  EXPECT_EQ(files_in(filled.dir), 1U);
}

// Writers of one key store values that belong together; readers must see one of them whole.
TEST(ProfileCache, ProcessesMayShareAKey) {
  const Filled filled;
  const auto version = [](int i) {
    const double x = 1.0 / (1 + i);
    return JobProfile{x, x / 3, x / 7, x / 11};
  };
  ASSERT_TRUE(filled.cache.store(kDigest, version(0), ""));
  std::vector<pid_t> children;
  for (int writer = 0; writer < 4; ++writer) {
    children.push_back(spawn([&] {
      bool ok = true;
      for (int i = 0; i < 100; ++i) ok = filled.cache.store(kDigest, version(i), "") && ok;
      return ok;
    }));
  }
  for (int reader = 0; reader < 3; ++reader) {
    children.push_back(spawn([&] {
      for (int i = 0; i < 2000; ++i) {
        const auto seen = filled.cache.load(kDigest);
        if (!seen || !same(seen, version(static_cast<int>(1 / seen->compute_s + 0.5) - 1))) {
          return false;
        }
      }
      return true;
    }));
  }
  for (const pid_t child : children) EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(files_in(filled.dir), 1U);
}

// Writers killed at any moment: the entry is whole all the time and can be replaced.
TEST(ProfileCache, SurvivesKilledWriters) {
  const Filled filled;
  for (int i = 0; i < 40; ++i) {
    const pid_t child = spawn([&]() -> bool {
      for (;;) (void)filled.cache.store(kDigest, kProfile, "");
    });
    std::this_thread::sleep_for(std::chrono::microseconds(500 + 137 * i));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(same(filled.cache.load(kDigest), kProfile));
  }
  EXPECT_TRUE(filled.cache.store(kDigest, {1, 2, 3, 4}, ""));
  EXPECT_TRUE(same(filled.cache.load(kDigest), {1, 2, 3, 4}));
}

// What a writer leaves that is killed between writing and renaming.
TEST(ProfileCache, OldTemporaryFilesAreRemoved) {
  const Filled filled;
  const std::string other = digest_of("another job");
  const std::string whole = test::read_text(filled.entry);
  const auto put = [&](const std::string& name, int minutes_ago) {
    const std::string path = filled.folder.write("a/b/" + name, whole.substr(0, 50));
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(minutes_ago));
    return path;
  };
  const std::string old = put(other + ".profile.tmp-1-2-3", 61);
  const std::string fresh = put(other + ".profile.tmp-1-2-4", 55);  // may be at work still
  const std::string foreign = put("notes.profile.tmp-x", 1000);     // not ours
  const ProfileCache cache(filled.dir);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_TRUE(fs::exists(foreign));
  EXPECT_FALSE(cache.load(other).has_value());
  EXPECT_TRUE(cache.store(other, kProfile, ""));
  EXPECT_TRUE(same(cache.load(other), kProfile));
  EXPECT_TRUE(same(cache.load(kDigest), kProfile));
}

// In a process of its own, so that the variables of this one stay.
TEST(DefaultCacheDir, FollowsTheVariables) {
  const pid_t child = spawn([] {
    ::setenv("MOSIM_CACHE_DIR", "here", 1);
    ::setenv("XDG_CACHE_HOME", "/xdg", 1);
    ::setenv("HOME", "/home/me", 1);
    bool ok = default_cache_dir() == "here";
    ::setenv("MOSIM_CACHE_DIR", "", 1);
    ok = ok && default_cache_dir() == "/xdg/mosim";
    ::setenv("XDG_CACHE_HOME", "relative", 1);
    ok = ok && default_cache_dir() == "/home/me/.cache/mosim";
    ::unsetenv("HOME");
    return ok && default_cache_dir().empty();
  });
  EXPECT_TRUE(succeeded(child));
}

}  // namespace
}  // namespace mosim
