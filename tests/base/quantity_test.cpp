#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "mosim/base.hpp"

namespace mosim {
namespace {

const std::vector<Dimension>& all_dimensions() {
  static const std::vector<Dimension> all = {Dimension::bandwidth, Dimension::duration,
                                             Dimension::volume, Dimension::operations,
                                             Dimension::compute_speed};
  return all;
}

// The message with which `text` is refused; empty when it is not refused.
std::string refusal(Dimension dimension, std::string_view text) {
  try {
    static_cast<void>(parse_quantity(dimension, text));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

void expect_refused(Dimension dimension, std::string_view text, std::string_view why) {
  const std::string message = refusal(dimension, text);
  EXPECT_NE(message.find(why), std::string::npos) << text << " -> " << message;
  // Whatever is wrong, the message says what is right.
  EXPECT_NE(message.find(accepted_units(dimension)), std::string::npos) << message;
}

TEST(ParseQuantity, Bandwidth) {
  // 5e9 bits/s / 8
  EXPECT_EQ(parse_quantity(Dimension::bandwidth, "5 Gbps"), 625e6);
  EXPECT_EQ(parse_quantity(Dimension::bandwidth, "5Gbps"), 625e6);
  EXPECT_EQ(parse_quantity(Dimension::bandwidth, "  5   Gbps\t"), 625e6);
  // 800e6 / 8, 16e3 / 8, 0.4e12 / 8, 8 / 8
  EXPECT_EQ(parse_quantity(Dimension::bandwidth, "800 Mbps"), 100e6);
  EXPECT_EQ(parse_quantity(Dimension::bandwidth, "16 kbps"), 2000);
  EXPECT_DOUBLE_EQ(parse_quantity(Dimension::bandwidth, "0.4 Tbps"), 50e9);
  EXPECT_EQ(parse_quantity(Dimension::bandwidth, "8 bps"), 1);
  EXPECT_EQ(parse_quantity(Dimension::bandwidth, "463 MB/s"), 463e6);
  EXPECT_EQ(parse_quantity(Dimension::bandwidth, "300 GB/s"), 300e9);
  // 2 x 2^20, 2^30
  EXPECT_EQ(parse_quantity(Dimension::bandwidth, "2 MiB/s"), 2097152);
  EXPECT_EQ(parse_quantity(Dimension::bandwidth, "1 GiB/s"), 1073741824);
}

TEST(ParseQuantity, Duration) {
  EXPECT_EQ(parse_quantity(Dimension::duration, "90 s"), 90);
  // 250 / 1000
  EXPECT_DOUBLE_EQ(parse_quantity(Dimension::duration, "250 ms"), 0.25);
  EXPECT_DOUBLE_EQ(parse_quantity(Dimension::duration, "5 us"), 5e-6);
  // 1.5 x 60, 2 x 3600, 2 x 86400
  EXPECT_EQ(parse_quantity(Dimension::duration, "1.5 min"), 90);
  EXPECT_EQ(parse_quantity(Dimension::duration, "2 h"), 7200);
  EXPECT_EQ(parse_quantity(Dimension::duration, "2 d"), 172800);
}

TEST(ParseQuantity, DurationsAreSums) {
  // 2 x 3600 + 30 x 60
  EXPECT_EQ(parse_quantity(Dimension::duration, "2h30m"), 9000);
  EXPECT_EQ(parse_quantity(Dimension::duration, "2 h 30 min"), 9000);
  // 86400 + 3600 + 60 + 1
  EXPECT_EQ(parse_quantity(Dimension::duration, "1d1h1m1s"), 90061);
  expect_refused(Dimension::duration, "2h30", "has no unit");
}

TEST(ParseQuantity, Volume) {
  // 25 x 2^20
  EXPECT_EQ(parse_quantity(Dimension::volume, "25 MiB"), 26214400);
  EXPECT_EQ(parse_quantity(Dimension::volume, "25 MB"), 25e6);
  EXPECT_EQ(parse_quantity(Dimension::volume, "3 B"), 3);
  EXPECT_EQ(parse_quantity(Dimension::volume, "3 kB"), 3000);
  EXPECT_EQ(parse_quantity(Dimension::volume, "3 KiB"), 3072);
  EXPECT_EQ(parse_quantity(Dimension::volume, "40 GB"), 40e9);
  EXPECT_EQ(parse_quantity(Dimension::volume, "1 TB"), 1e12);
  // 2^40
  EXPECT_EQ(parse_quantity(Dimension::volume, "1 TiB"), 1099511627776.0);
}

TEST(ParseQuantity, OperationsAndComputeSpeed) {
  EXPECT_DOUBLE_EQ(parse_quantity(Dimension::operations, "8.2 GFLOP"), 8.2e9);
  EXPECT_EQ(parse_quantity(Dimension::operations, "3 MFLOP"), 3e6);
  EXPECT_EQ(parse_quantity(Dimension::operations, "2 TFLOP"), 2e12);
  EXPECT_DOUBLE_EQ(parse_quantity(Dimension::compute_speed, "15.7 TFLOPS"), 15.7e12);
  EXPECT_EQ(parse_quantity(Dimension::compute_speed, "2 PFLOPS"), 2e15);
  // An amount is not a speed.
  expect_refused(Dimension::operations, "8 GFLOPS", "'GFLOPS' is not a unit");
  expect_refused(Dimension::compute_speed, "8 GFLOP", "'GFLOP' is not a unit");
}

TEST(ParseQuantity, ReadsExponents) {
  EXPECT_EQ(parse_quantity(Dimension::volume, "5e3 MB"), 5e9);
  EXPECT_EQ(parse_quantity(Dimension::volume, "5E+3MB"), 5e9);
  EXPECT_EQ(parse_quantity(Dimension::volume, "0 MB"), 0);
  expect_refused(Dimension::volume, "5 eB", "'eB' is not a unit");
}

TEST(ParseQuantity, RefusesABareNumber) {
  for (const Dimension dimension : {Dimension::bandwidth, Dimension::duration, Dimension::volume,
                                    Dimension::operations, Dimension::compute_speed}) {
    expect_refused(dimension, "5", "'5' has no unit");
  }
  EXPECT_NE(refusal(Dimension::bandwidth, "5").find("Gbps, Mbps, GB/s, MB/s"), std::string::npos);
  EXPECT_NE(refusal(Dimension::duration, "5").find("s, ms, us, min, h, d"), std::string::npos);
}

TEST(ParseQuantity, RefusesWrongUnits) {
  expect_refused(Dimension::bandwidth, "5 MB", "'MB' is not a unit");
  expect_refused(Dimension::volume, "5 MB/s", "'MB/s' is not a unit");
  expect_refused(Dimension::duration, "5 GB", "'GB' is not a unit");
  // Units are case-sensitive: Gb and GB differ.
  expect_refused(Dimension::bandwidth, "5 gbps", "'gbps' is not a unit");
  expect_refused(Dimension::volume, "5 MB 3 MB", "after its unit");
}

TEST(ParseQuantity, RefusesWhatIsNotAFiniteNumberFromZero) {
  expect_refused(Dimension::volume, "NaN MB", "not a number");
  expect_refused(Dimension::volume, "nan", "not a number");
  expect_refused(Dimension::volume, "inf MB", "not a number");
  expect_refused(Dimension::volume, "1.2.3 MB", "not a number");
  expect_refused(Dimension::volume, "MB", "not a number");
  expect_refused(Dimension::volume, "", "empty");
  expect_refused(Dimension::volume, "   ", "empty");
  expect_refused(Dimension::volume, "-1 MB", "negative");
  expect_refused(Dimension::duration, "2h-30m", "negative");
  // 1e308 x 1e12 has no double.
  expect_refused(Dimension::volume, "1e308 TB", "too large");
}

TEST(FormatQuantity, IsShort) {
  EXPECT_EQ(format_quantity(Dimension::bandwidth, 625e6), "5 Gbps");
  EXPECT_EQ(format_quantity(Dimension::volume, 26214400), "25 MiB");
  EXPECT_EQ(format_quantity(Dimension::duration, 172800), "2 d");
  EXPECT_EQ(format_quantity(Dimension::duration, 1), "1 s");
  EXPECT_EQ(format_quantity(Dimension::compute_speed, 15.7e12), "15.7 TFLOPS");
}

void expect_reads_back(Dimension dimension, double value) {
  const std::string text = format_quantity(dimension, value);
  EXPECT_EQ(parse_quantity(dimension, text), value) << text;
}

TEST(FormatQuantity, ReadsBackExactly) {
  for (const Dimension dimension : all_dimensions()) {
    for (const double value : {0.0, 0.1, 1.0 / 3, 1e-9, 1234567.891, 625e6, 1e300,
                               std::numeric_limits<double>::denorm_min()}) {
      expect_reads_back(dimension, value);
    }
    EXPECT_TRUE(rc::check("reads back exactly", [dimension](std::uint64_t a, std::uint32_t b) {
      const double value = static_cast<double>(a) / (static_cast<double>(b) + 1);
      RC_ASSERT(parse_quantity(dimension, format_quantity(dimension, value)) == value);
    }));
  }
}

TEST(FormatQuantity, LargestNumberReadsBackExactly) {
  // In a smaller unit (bps, ms) it has no double: such units are no candidates.
  for (const Dimension dimension : all_dimensions()) {
    EXPECT_NO_THROW(expect_reads_back(dimension, std::numeric_limits<double>::max()));
  }
}

}  // namespace
}  // namespace mosim
