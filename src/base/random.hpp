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

 private:
  std::uint64_t state_;
};

}  // namespace mosim
