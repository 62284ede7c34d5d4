// Seeded random streams whose numbers are the same with every compiler and library.
#pragma once

#include <cstdint>
#include <string_view>

namespace mosim {

// One stream per purpose: two purposes never share numbers, so that drawing more for one does not
// change the other. SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", OOPSLA 2014), seeded with the seed and the FNV-1a hash of the purpose.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view purpose);

  std::uint64_t next();

  // Uniform in [0, bound), bound > 0; without modulo bias.
  std::uint64_t below(std::uint64_t bound);

  // Uniform in (0, 1), both ends excluded: one of the 2^52 midpoints (k + 1/2) 2^-52.
  double uniform() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }

 private:
  friend class RandomStreams;
  explicit RandomStream(std::uint64_t state) : state_(state) {}

  std::uint64_t state_;
};

// A stream for every item of one purpose, found by the item's number: what one item draws changes
// no other, and neither does how many items there are. Item i starts at the i-th number of the
// purpose's own stream.
class RandomStreams {
 public:
  RandomStreams(std::uint64_t seed, std::string_view purpose) : base_(seed, purpose) {}

  [[nodiscard]] RandomStream at(std::uint64_t item) const;

 private:
  RandomStream base_;
};

}  // namespace mosim
