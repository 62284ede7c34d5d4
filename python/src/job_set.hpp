// A set of jobs that is walked in the order of submission while it changes.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "mosim/base.hpp"

namespace mosim::python {

class JobSet {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit JobSet(std::size_t jobs) : words_(jobs / kBits + 1), used_(words_.size() / kBits + 1) {}

  void insert(JobIndex job) {
    const std::size_t word = index(job) / kBits;
    words_[word] |= bit(index(job));
    used_[word / kBits] |= bit(word);
  }

  void erase(JobIndex job) {
    const std::size_t word = index(job) / kBits;
    words_[word] &= ~bit(index(job));
    if (words_[word] == 0) used_[word / kBits] &= ~bit(word);
  }

  [[nodiscard]] bool contains(JobIndex job) const {
    return (words_[index(job) / kBits] & bit(index(job))) != 0;
  }

  // The first job at or after `from`; kNone when there is none.
  [[nodiscard]] std::size_t next(std::size_t from) const {
    const std::size_t word = from / kBits;
    if (word >= words_.size()) return kNone;
    const std::uint64_t rest = words_[word] & after(from);
    if (rest != 0) return word * kBits + first(rest);
    const std::size_t used = next_used(word + 1);
    return used == kNone ? kNone : used * kBits + first(words_[used]);
  }

 private:
  static constexpr std::size_t kBits = 64;
  static std::uint64_t bit(std::size_t at) { return std::uint64_t{1} << (at % kBits); }
  static std::uint64_t after(std::size_t at) { return ~std::uint64_t{0} << (at % kBits); }
  static std::size_t first(std::uint64_t word) {
    return static_cast<std::size_t>(std::countr_zero(word));
  }

  // The first word at or after `from` that is not 0.
  [[nodiscard]] std::size_t next_used(std::size_t from) const {
    std::size_t at = from / kBits;
    if (at >= used_.size()) return kNone;
    std::uint64_t rest = used_[at] & after(from);
    while (rest == 0) {
      if (++at == used_.size()) return kNone;
      rest = used_[at];
    }
    return at * kBits + first(rest);
  }

  std::vector<std::uint64_t> words_;  // a bit for each job
  std::vector<std::uint64_t> used_;   // a bit for each word
};

}  // namespace mosim::python
