#include "base/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace mosim {
namespace {

TEST(RandomStream, NumbersAreFixed) {
  // FNV-1a of the 8 bytes of 42 (least first) and of "models", then SplitMix64; worked out with
  // integers of any size, apart from this code.
  RandomStream stream(42, "models");
  EXPECT_EQ(stream.next(), 0x275aa136b36bdc1fULL);
  EXPECT_EQ(stream.next(), 0xbc05a2c7038394a4ULL);
  EXPECT_EQ(stream.next(), 0x3720456f8eae203bULL);
  EXPECT_EQ(stream.next(), 0x32519d05d5d6f6a9ULL);
}

TEST(RandomStream, BelowIsTheRemainder) {
  // The numbers above modulo 13.
  RandomStream stream(42, "models");
  EXPECT_EQ(stream.below(13), 8U);
  EXPECT_EQ(stream.below(13), 3U);
  EXPECT_EQ(stream.below(13), 1U);
  EXPECT_EQ(stream.below(13), 8U);
}

TEST(RandomStream, BelowDrawsAgainRatherThanFavourSmallResults) {
  // 2^64 mod (2^63 + 1) = 2^63 - 1: the first number is less and is dropped; the second leaves
  // 0xbc05a2c7038394a4 - 0x8000000000000001.
  RandomStream stream(42, "models");
  EXPECT_EQ(stream.below((1ULL << 63) + 1), 0x3c05a2c7038394a3ULL);
  EXPECT_EQ(stream.next(), 0x3720456f8eae203bULL);
}

TEST(RandomStream, BelowStaysInRangeAndReachesAll) {
  RandomStream stream(7, "range");
  for (const std::uint64_t bound : {1ULL, 2ULL, 13ULL, 64ULL}) {
    std::vector<int> seen(bound, 0);
    for (int i = 0; i < 6400; ++i) {
      const std::uint64_t value = stream.below(bound);
      ASSERT_LT(value, bound);
      ++seen[value];
    }
    // 6400 / bound are expected; half of that is 5 standard deviations off (bound 64).
    for (const int count : seen) EXPECT_GT(static_cast<std::uint64_t>(count) * 2 * bound, 6400U);
  }
}

TEST(RandomStream, SeedsAndPurposesDiffer) {
  const auto draw = [](std::uint64_t seed, std::string_view purpose) {
    RandomStream stream(seed, purpose);
    std::array<std::uint64_t, 4> numbers{};
    for (std::uint64_t& number : numbers) number = stream.next();
    return numbers;
  };
  EXPECT_EQ(draw(1, "a"), draw(1, "a"));
  EXPECT_NE(draw(1, "a"), draw(1, "b"));
  EXPECT_NE(draw(1, "a"), draw(2, "a"));
}

}  // namespace
}  // namespace mosim
