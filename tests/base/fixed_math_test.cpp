#include "base/fixed_math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"

namespace mosim {
namespace {

constexpr double kTolerance = 4e-16;  // relative: two units in the last place

double relative_error(double value, double truth) {
  return std::abs(value - truth) / std::abs(truth);
}

// True values to 17 digits, worked out with 40.
TEST(FixedMath, KnownConstants) {
  EXPECT_EQ(fixed_log(1), 0);
  EXPECT_EQ(fixed_log(2), 0.69314718055994531);
  EXPECT_EQ(fixed_log(10), 2.3025850929940457);
  EXPECT_EQ(fixed_exp(0), 1);
  EXPECT_LT(relative_error(fixed_exp(1), 2.7182818284590452), kTolerance);
  EXPECT_LT(relative_error(fixed_exp(-20), 2.0611536224385578e-9), kTolerance);
  EXPECT_LT(relative_error(fixed_exp(100), 2.6881171418161354e43), kTolerance);
}

TEST(FixedMath, TheEndsOfTheRange) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(fixed_log(0), -kInfinity);
  EXPECT_EQ(fixed_log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(fixed_log(-1)));
  EXPECT_LT(relative_error(fixed_log(5e-324), -744.44007192138127), kTolerance);
  EXPECT_EQ(fixed_exp(710), kInfinity);
  EXPECT_EQ(fixed_exp(-746), 0);
  EXPECT_LT(relative_error(fixed_exp(709.5), std::exp(709.5)), kTolerance);
  EXPECT_NEAR(fixed_exp(-740), std::exp(-740), 5e-324);  // a subnormal number
}

TEST(FixedMath, AgreesWithTheLibraryEverywhere) {
  RandomStream random(1, "fixed math");
  for (int i = 0; i < 200000; ++i) {
    const double exponent = (random.uniform() - 0.5) * 1400;
    ASSERT_LT(relative_error(fixed_exp(exponent), std::exp(exponent)), kTolerance) << exponent;
    const double wide = std::exp(exponent);
    ASSERT_LT(relative_error(fixed_log(wide), std::log(wide)), kTolerance) << wide;
    const double near_one = 0.5 + random.uniform();
    ASSERT_LT(relative_error(fixed_log(near_one), std::log(near_one)), kTolerance) << near_one;
  }
}

TEST(FixedMath, NormalQuantiles) {
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_LT(relative_error(normal_quantile(0.975), 1.9599639845400542), 1e-15);
  EXPECT_LT(relative_error(normal_quantile(0.01), -2.3263478740408411), 1e-15);
  EXPECT_LT(relative_error(normal_quantile(0.6), 0.25334710313579980), 1e-15);
  EXPECT_LT(relative_error(normal_quantile(1e-12), -7.0344838253011319), 1e-15);
  EXPECT_LT(relative_error(normal_quantile(1e-300), -37.047096299361199), 1e-15);
}

TEST(RandomStreams, ItemsHaveStreamsOfTheirOwn) {
  const RandomStreams streams(42, "models");
  // The first two numbers of the purpose's stream (RandomStream.NumbersAreFixed) start items 0
  // and 1.
  RandomStream zero = streams.at(0);
  RandomStream again = streams.at(0);
  RandomStream one = streams.at(1);
  EXPECT_EQ(zero.next(), again.next());
  EXPECT_NE(zero.next(), one.next());
  EXPECT_NE(RandomStreams(43, "models").at(0).next(), RandomStreams(42, "models").at(0).next());
}

}  // namespace
}  // namespace mosim
