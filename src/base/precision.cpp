#include <fmt/format.h>

#include <array>

#include "base/text.hpp"
#include "mosim/base.hpp"

namespace mosim {
namespace {

constexpr std::array<std::string_view, kPrecisions> kNames{"fp32", "tf32", "fp16", "bf16"};

}  // namespace

std::string_view precision_name(Precision precision) {
  return kNames[static_cast<std::size_t>(precision)];
}

Precision parse_precision(std::string_view name) {
  for (std::size_t i = 0; i < kPrecisions; ++i) {
    if (kNames[i] == name) return static_cast<Precision>(i);
  }
  const std::vector<std::string> names(kNames.begin(), kNames.end());
  throw std::invalid_argument(fmt::format("'{}'; expected {}", name, one_of(name, names)));
}

}  // namespace mosim
