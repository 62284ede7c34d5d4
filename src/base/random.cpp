#include "base/random.hpp"

#include "base/hash.hpp"

namespace mosim {

RandomStream::RandomStream(std::uint64_t seed, std::string_view purpose) {
  Hash hash;
  hash.add(seed);
  hash.add(purpose);
  state_ = hash.value();
}

namespace {
constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
}  // namespace

std::uint64_t RandomStream::next() {
  state_ += kStep;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

RandomStream RandomStreams::at(std::uint64_t item) const {
  RandomStream ahead(base_.state_ + item * kStep);
  return RandomStream(ahead.next());
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  // Numbers under 2^64 mod bound would favour small results: draw again.
  const std::uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t value = next();
    if (value >= threshold) return value % bound;
  }
}

}  // namespace mosim
