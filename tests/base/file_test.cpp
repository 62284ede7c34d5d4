#include "base/file.hpp"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>

#include "support/command.hpp"

namespace mosim {
namespace {

std::string gzip_of(const std::string& text) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("t.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return test::read_text(path);
}

std::string zstd_of(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

// Longer than any buffer on the way, and hard to compress to nothing.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += std::to_string(i * 7919 % 1000003) + "\n";
  return text;
}

class Files : public testing::Test {
 protected:
  std::string content_of(const std::string& bytes) {
    return read_file(folder_.write("f", bytes), "a file");
  }
  // The message with which reading fails, the path left out; empty when it does not.
  std::string failure(const std::string& bytes) {
    try {
      (void)content_of(bytes);
    } catch (const InputError& error) {
      return std::string(error.what()).substr(folder_.path("f").size());
    }
    return "";
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(Files, PlainAndCompressedReadAlike) {
  const std::string text = long_text();
  EXPECT_EQ(content_of(text), text);
  EXPECT_EQ(content_of(gzip_of(text)), text);
  EXPECT_EQ(content_of(zstd_of(text)), text);
  EXPECT_EQ(content_of(""), "");
  EXPECT_EQ(content_of(gzip_of("")), "");
  EXPECT_EQ(content_of(zstd_of("")), "");
  // Shorter than the marks of compression.
  EXPECT_EQ(content_of("\x1f"), "\x1f");
}

TEST_F(Files, SeveralMembersAreOneText) {
  EXPECT_EQ(content_of(gzip_of("one\n") + gzip_of("two\n")), "one\ntwo\n");
  EXPECT_EQ(content_of(zstd_of("one\n") + zstd_of("two\n")), "one\ntwo\n");
  EXPECT_EQ(content_of(gzip_of("one\n") + std::string(512, '\0')), "one\n");  // padding of a tape
}

TEST_F(Files, CutAndDamagedFilesAreRefused) {
  const std::string text = long_text();
  for (const std::string& whole : {gzip_of(text), zstd_of(text)}) {
    EXPECT_NE(failure(whole.substr(0, whole.size() / 2)).find("is truncated or damaged"),
              std::string::npos);
    EXPECT_NE(failure(whole.substr(0, whole.size() - 1)), "");
    std::string damaged = whole;
    damaged[whole.size() / 2] = static_cast<char>(~damaged[whole.size() / 2]);
    EXPECT_NE(failure(damaged), "");
  }
}

TEST_F(Files, NothingButZerosMayFollowTheLastMember) {
  const std::string one = gzip_of("one\n");
  std::string broken = gzip_of("two\n");
  broken[0] = 'X';
  EXPECT_NE(failure(one + broken).find("is truncated or damaged"), std::string::npos);
  EXPECT_NE(failure(one + "garbage"), "");
  EXPECT_NE(failure(one + std::string(3, '\0') + "x"), "");
}

TEST(Diagnostics, ControlCharactersAreEscapedAndLongTextsCut) {
  const Diagnostic odd{{"f", {2, 3}}, std::string("x is '\0\x1b'", 9), "a number"};
  EXPECT_EQ(odd.text(), "f:2:3: x is '\\x00\\x1b'; expected a number");
  const Diagnostic long_one{{"f", {}}, std::string(100000, 'A'), "less"};
  EXPECT_LT(long_one.text().size(), 2100U);
}

TEST(PeekedSource, LooksAheadAndReadsTheSame) {
  const test::TemporaryFolder folder;
  PeekedSource source(open_source(folder.write("f", "abcdef"), "a file"));
  EXPECT_EQ(source.peek(2), "ab");
  EXPECT_EQ(source.peek(4), "abcd");
  char out[8] = {};
  EXPECT_EQ(source.read(out, 3), 3U);
  EXPECT_EQ(source.peek(8), "def");
  EXPECT_EQ(source.read(out, 8), 3U);
  EXPECT_EQ(std::string(out, 3), "def");
  EXPECT_EQ(source.read(out, 8), 0U);
}

TEST(StandardInput, ADashReadsIt) {
  const test::TemporaryFolder folder;
  const std::string file =
      folder.write("t.csv", "job_id,model,arrival_time,duration,gpu_workers\n0,bert,0,9,2\n");
  for (const char* filter : {"cat", "gzip -c", "zstd -q -c"}) {
    const test::CommandResult result = test::run_command(std::string(filter) + " < " + file +
                                                         " | {mosim} run --trace - -q --json" +
                                                         " --force -o " + folder.path("out"));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("\"finished\": 1"), std::string::npos) << filter;
  }
}

}  // namespace
}  // namespace mosim
