// Fixed hashes (FNV-1a) for digests of inputs and schedules; not for security.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace mosim {

class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) mix(static_cast<unsigned char>(c));
  }
  void add(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) mix(static_cast<unsigned char>(value >> shift));
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }

  [[nodiscard]] std::uint64_t value() const { return value_; }
  [[nodiscard]] std::string hex() const { return fmt::format("{:016x}", value_); }

 private:
  void mix(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3ULL; }

  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

// The same in 128 bits, where two inputs must not be taken for each other: with 10^9 inputs the
// odds of any collision are below 10^-20. Every value is added with its length, so that ("ab", "c")
// and
// ("a", "bc") differ.
class Hash128 {
 public:
  void add(std::string_view bytes) {
    add(std::uint64_t{bytes.size()});
    for (const char c : bytes) mix(static_cast<unsigned char>(c));
  }
  void add(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) mix(static_cast<unsigned char>(value >> shift));
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }

  [[nodiscard]] std::string hex() const { return fmt::format("{:016x}{:016x}", high_, low_); }

 private:
  // Times the prime 2^88 + 0x13b, in halves: standard C++ has no 128-bit integer.
  void mix(unsigned char byte) {
    constexpr std::uint64_t kPrime = 0x13b;
    constexpr std::uint64_t kHalf = 0xffffffffULL;
    low_ ^= byte;
    const std::uint64_t bottom = (low_ & kHalf) * kPrime;
    const std::uint64_t top = (low_ >> 32) * kPrime + (bottom >> 32);
    high_ = high_ * kPrime + (top >> 32) + (low_ << 24);
    low_ = (top << 32) | (bottom & kHalf);
  }

  std::uint64_t high_ = 0x6c62272e07bb0142ULL;
  std::uint64_t low_ = 0x62b821756295c58dULL;
};

}  // namespace mosim
