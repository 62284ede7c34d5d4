// What every room shares: strong ids, quantities with units, and errors that know their place.
//
// Inside the program time is seconds, volume bytes and bandwidth bytes per second, all `double`.
// Units appear at the edges only: see `parse_quantity`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mosim {

// Strong ids. `index()` turns one into a position in the array it names.
enum class ServerId : std::uint32_t {};
enum class JobIndex : std::uint32_t {};  // position in arrival order within one run
enum class LinkId : std::uint32_t {};

template <typename Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

// A place in an input: 1-based line and column (in bytes).
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

struct SourceLocation {
  std::string file;
  Position position;
};

// One thing wrong with an input, printed as `file:line:column: what; expected`.
struct Diagnostic {
  SourceLocation where;
  std::string what;      // what is wrong
  std::string expected;  // what would have been right

  [[nodiscard]] std::string text() const;
};

// Bad input, never the program's fault: everything found wrong, in the order of the input.
// `mosim` ends with exit code 3 on it.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  InputError(SourceLocation where, std::string what, std::string expected);

  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

// The run could not be carried out: a full disk, a directory that cannot be written.
// `mosim` ends with exit code 1 on it.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Kinds of quantity that users write with a unit.
enum class Dimension {
  bandwidth,      // bytes per second: Gbps, Mbps, GB/s, MB/s, GiB/s, MiB/s, ...
  duration,       // seconds: s, ms, us, min, h, d; sums such as 2h30m
  volume,         // bytes: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB
  operations,     // floating-point operations: MFLOP, GFLOP, TFLOP
  compute_speed,  // floating-point operations per second: GFLOPS, TFLOPS
};

// "Gbps, Mbps, GB/s, ...": the units that `parse_quantity` takes, for messages.
[[nodiscard]] std::string_view accepted_units(Dimension dimension);

// Reads a finite number >= 0 with its unit, such as "5 Gbps", "463 MB/s", "25 MiB" or "2h30m"
// (spaces are optional), into base units. 1 MB = 10^6 bytes, 1 MiB = 2^20 bytes,
// 1 Gbps = 10^9 bits per second. Throws std::invalid_argument that says what was expected; a bare
// number is refused.
[[nodiscard]] double parse_quantity(Dimension dimension, std::string_view text);

// The shortest text that `parse_quantity` reads back to exactly `value`.
[[nodiscard]] std::string format_quantity(Dimension dimension, double value);

// What numbers are kept and multiplied in. tf32 is kept as fp32 and multiplied by tensor cores.
enum class Precision { fp32, tf32, fp16, bf16 };

inline constexpr std::size_t kPrecisions = 4;

[[nodiscard]] std::string_view precision_name(Precision precision);

// The precision with this name; throws std::invalid_argument that says what was expected.
[[nodiscard]] Precision parse_precision(std::string_view name);

// Of one number in memory.
[[nodiscard]] constexpr double bytes_of(Precision precision) {
  return precision == Precision::fp16 || precision == Precision::bf16 ? 2 : 4;
}

// Version of the library and the program, such as "0.1.0".
[[nodiscard]] std::string_view version();

}  // namespace mosim
