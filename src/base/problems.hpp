// Collects what is wrong with an input, so that a user sees more than the first mistake.
#pragma once

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "mosim/base.hpp"

namespace mosim {

class Problems {
 public:
  // Throws what was collected once there is too much to be useful.
  void add(SourceLocation where, std::string what, std::string expected) {
    found_.push_back({std::move(where), std::move(what), std::move(expected)});
    if (found_.size() >= kMost) throw InputError(std::move(found_));
  }

  [[nodiscard]] std::size_t count() const { return found_.size(); }

  // Takes back what was found after the first `count`.
  std::vector<Diagnostic> take_after(std::size_t count) {
    const auto from = found_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<Diagnostic> taken(std::make_move_iterator(from),
                                  std::make_move_iterator(found_.end()));
    found_.erase(from, found_.end());
    return taken;
  }

  void throw_if_any() {
    if (!found_.empty()) throw InputError(std::move(found_));
  }

 private:
  static constexpr std::size_t kMost = 20;
  std::vector<Diagnostic> found_;
};

}  // namespace mosim
