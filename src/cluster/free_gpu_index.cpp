#include <bit>

#include "mosim/cluster.hpp"

namespace mosim {
namespace {

constexpr std::uint32_t kBits = 64;

// The first set bit at or after `from`, or the number of bits.
std::uint32_t next_bit(const std::vector<std::uint64_t>& words, std::uint32_t from) {
  std::size_t word = from / kBits;
  if (word >= words.size()) return static_cast<std::uint32_t>(words.size() * kBits);
  std::uint64_t bits = words[word] & (~std::uint64_t{0} << (from % kBits));
  while (bits == 0) {
    if (++word == words.size()) return static_cast<std::uint32_t>(words.size() * kBits);
    bits = words[word];
  }
  return static_cast<std::uint32_t>(word * kBits) +
         static_cast<std::uint32_t>(std::countr_zero(bits));
}

}  // namespace

FreeGpuIndex::FreeGpuIndex(std::size_t servers, std::uint32_t most_gpus)
    : most_gpus_(most_gpus), levels_(std::size_t{most_gpus} + 1) {
  const std::size_t words = (servers + kBits - 1) / kBits;
  for (Level& level : levels_) {
    level.words.assign(words, 0);
    level.summary.assign((words + kBits - 1) / kBits, 0);
  }
}

void FreeGpuIndex::insert(ServerId server, std::uint32_t free) {
  Level& level = levels_[free];
  const std::size_t word = index(server) / kBits;
  level.words[word] |= std::uint64_t{1} << (index(server) % kBits);
  level.summary[word / kBits] |= std::uint64_t{1} << (word % kBits);
}

void FreeGpuIndex::erase(ServerId server, std::uint32_t free) {
  Level& level = levels_[free];
  const std::size_t word = index(server) / kBits;
  level.words[word] &= ~(std::uint64_t{1} << (index(server) % kBits));
  if (level.words[word] == 0) level.summary[word / kBits] &= ~(std::uint64_t{1} << (word % kBits));
}

std::uint32_t FreeGpuIndex::first_at(std::uint32_t free, std::uint32_t from) const {
  const Level& level = levels_[free];
  const std::size_t word = from / kBits;
  if (word >= level.words.size()) return kNone;
  const std::uint64_t bits = level.words[word] & (~std::uint64_t{0} << (from % kBits));
  if (bits != 0) {
    return static_cast<std::uint32_t>(word * kBits) +
           static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  const std::uint32_t next = next_bit(level.summary, static_cast<std::uint32_t>(word + 1));
  if (next >= level.words.size()) return kNone;
  return next * kBits + static_cast<std::uint32_t>(std::countr_zero(level.words[next]));
}

}  // namespace mosim
