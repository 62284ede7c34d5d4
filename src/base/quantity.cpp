#include <fmt/format.h>

#include <cmath>
#include <span>

#include "base/text.hpp"
#include "mosim/base.hpp"

namespace mosim {
namespace {

struct Unit {
  std::string_view name;
  double factor;  // to base units
};

constexpr Unit kBandwidth[] = {{"GB/s", 1e9},        {"MB/s", 1e6},     {"kB/s", 1e3},
                               {"TB/s", 1e12},       {"B/s", 1},        {"GiB/s", 1073741824.0},
                               {"MiB/s", 1048576.0}, {"KiB/s", 1024.0}, {"TiB/s", 1099511627776.0},
                               {"Gbps", 1e9 / 8},    {"Mbps", 1e6 / 8}, {"kbps", 1e3 / 8},
                               {"Tbps", 1e12 / 8},   {"bps", 1.0 / 8}};
constexpr Unit kDuration[] = {{"s", 1},  {"ms", 1e-3}, {"us", 1e-6}, {"min", 60},
                              {"m", 60}, {"h", 3600},  {"d", 86400}};
constexpr Unit kVolume[] = {{"B", 1},           {"kB", 1e3},           {"MB", 1e6},
                            {"GB", 1e9},        {"TB", 1e12},          {"KiB", 1024.0},
                            {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};
constexpr Unit kOperations[] = {{"FLOP", 1}, {"MFLOP", 1e6}, {"GFLOP", 1e9}, {"TFLOP", 1e12}};
constexpr Unit kComputeSpeed[] = {
    {"FLOPS", 1}, {"MFLOPS", 1e6}, {"GFLOPS", 1e9}, {"TFLOPS", 1e12}, {"PFLOPS", 1e15}};

struct DimensionInfo {
  std::string_view base_unit;  // what `format_quantity` writes
  std::string_view accepted;
  std::string_view example;
  std::span<const Unit> units;
};

DimensionInfo info(Dimension dimension) {
  switch (dimension) {
    case Dimension::bandwidth:
      return {"B/s", "Gbps, Mbps, GB/s, MB/s, GiB/s, MiB/s", "5 Gbps", kBandwidth};
    case Dimension::duration:
      return {"s", "s, ms, us, min, h, d", "2h30m", kDuration};
    case Dimension::volume:
      return {"B", "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB", "25 MiB", kVolume};
    case Dimension::operations:
      return {"FLOP", "FLOP, MFLOP, GFLOP, TFLOP", "8.2 GFLOP", kOperations};
    case Dimension::compute_speed:
      return {"FLOPS", "GFLOPS, TFLOPS, PFLOPS", "15.7 TFLOPS", kComputeSpeed};
  }
  throw std::logic_error("unknown dimension");
}

[[noreturn]] void refuse(const DimensionInfo& kind, std::string_view problem) {
  throw std::invalid_argument(
      fmt::format("{}; expected a number with one of the units {}, such as '{}'", problem,
                  kind.accepted, kind.example));
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

bool is_number_char(char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+'; }

// Length of the number at the start of `text`; an exponent belongs to it only when digits follow,
// so that "5e3 MB" and "2 d" both read as meant.
std::size_t number_length(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && is_number_char(text[i])) ++i;
  if (i > 0 && i + 1 < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    if (text[j] == '+' || text[j] == '-') ++j;
    if (j < text.size() && text[j] >= '0' && text[j] <= '9') {
      while (j < text.size() && text[j] >= '0' && text[j] <= '9') ++j;
      return j;
    }
  }
  return i;
}

}  // namespace

std::string_view accepted_units(Dimension dimension) { return info(dimension).accepted; }

double parse_quantity(Dimension dimension, std::string_view text) {
  const DimensionInfo kind = info(dimension);
  std::string_view rest = trim(text);
  if (rest.empty()) refuse(kind, "is empty");
  double total = 0;
  while (!rest.empty()) {
    const std::size_t digits = number_length(rest);
    const auto number = parse_double(rest.substr(0, digits));
    if (!number) refuse(kind, fmt::format("'{}' is not a number with a unit", text));
    rest = trim(rest.substr(digits));
    std::size_t letters = 0;
    while (letters < rest.size() && !is_number_char(rest[letters]) && rest[letters] != ' ') {
      ++letters;
    }
    const std::string_view name = rest.substr(0, letters);
    if (name.empty()) refuse(kind, fmt::format("'{}' has no unit", text));
    const Unit* unit = find_unit(kind.units, name);
    if (unit == nullptr) refuse(kind, fmt::format("'{}' is not a unit that fits here", name));
    if (*number < 0) refuse(kind, fmt::format("'{}' is negative", text));
    total += *number * unit->factor;
    rest = trim(rest.substr(letters));
    // Only durations are written as sums.
    if (!rest.empty() && dimension != Dimension::duration) {
      refuse(kind, fmt::format("'{}' has something after its unit", text));
    }
  }
  if (!std::isfinite(total)) refuse(kind, fmt::format("'{}' is too large", text));
  return total;
}

std::string format_quantity(Dimension dimension, double value) {
  const DimensionInfo kind = info(dimension);
  std::string best = fmt::format("{} {}", value, kind.base_unit);
  for (const Unit& unit : kind.units) {
    const double amount = value / unit.factor;
    if (!std::isfinite(amount)) continue;
    const std::string text = fmt::format("{} {}", amount, unit.name);
    if (text.size() < best.size() && parse_quantity(dimension, text) == value) best = text;
  }
  return best;
}

}  // namespace mosim
