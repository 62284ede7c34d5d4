#include "base/fixed_math.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace mosim {
namespace {

// log(2) in two parts. The first has 32 bits, so that its product with an exponent is exact.
constexpr double kLog2High = 0x1.62e42feep-1;
constexpr double kLog2Low = 0x1.a39ef35793c76p-33;
constexpr double kInverseLog2 = 0x1.71547652b82fep+0;
constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;

// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule.
template <std::size_t kSize>
constexpr double polynomial(const std::array<double, kSize>& c, double x) {
  double sum = c[kSize - 1];
  for (std::size_t i = kSize - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

// 2 (1/3 + z/5 + z^2/7 + ...), for the series of the inverse hyperbolic tangent.
constexpr std::array<double, 11> kAtanh{2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                                        2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23};

// 1/2! + r/3! + ... + r^11/13!
constexpr std::array<double, 12> kExp{
    1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
    1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};

}  // namespace

// x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). With s = f / (2 + f),
// log(1 + f) = 2 atanh(s) = 2s + s R, R = 2 (s^2/3 + s^4/5 + ...). As 2s = f - sf and
// sf = f^2/2 - s f^2/2, that is f - (f^2/2 - s (f^2/2 + R)): the large term f is exact (the form is
// that of fdlibm's e_log.c). s^2 < 0.0295, so the first term left out is under 1e-18 of the whole.
double fixed_log(double x) {
  if (!(x > 0)) {
    return x == 0 ? -std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::quiet_NaN();
  }
  if (x == std::numeric_limits<double>::infinity()) return x;
  int k = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    k = -54;
  }
  constexpr std::uint64_t kMantissa = (1ULL << 52) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  k += static_cast<int>(bits >> 52) - 1022;
  double m = std::bit_cast<double>((bits & kMantissa) | (1022ULL << 52));  // 1/2 <= m < 1
  if (m < kSqrtHalf) {
    m *= 2;
    --k;
  }
  const double f = m - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  const double r = z * polynomial(kAtanh, z);
  const double half = 0.5 * f * f;
  const double exponent = k;
  return exponent * kLog2High - ((half - (s * (half + r) + exponent * kLog2Low)) - f);
}

// x = k log(2) + r with |r| <= log(2)/2, and the Taylor series of e^r: the first term left out is
// under 1e-17.
double fixed_exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.782712893384) return std::numeric_limits<double>::infinity();
  if (x < -745.2) return 0;
  const double k = std::floor(x * kInverseLog2 + 0.5);
  const double r = (x - k * kLog2High) - k * kLog2Low;
  const double power = 1 + (r + r * r * polynomial(kExp, r));
  if (k > -1022 && k < 1023) {
    const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023);
    return power * std::bit_cast<double>(exponent << 52);
  }
  return std::ldexp(power, static_cast<int>(k));
}

// Source: M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution",
// Applied Statistics 37(3), 1988, routine PPND16.
double normal_quantile(double p) {
  constexpr std::array<double, 8> a{3.3871328727963666080e0,  1.3314166789178437745e+2,
                                    1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                    4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                    3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr std::array<double, 8> b{1.0,
                                    4.2313330701600911252e+1,
                                    6.8718700749205790830e+2,
                                    5.3941960214247511077e+3,
                                    2.1213794301586595867e+4,
                                    3.9307895800092710610e+4,
                                    2.8729085735721942674e+4,
                                    5.2264952788528545610e+3};
  constexpr std::array<double, 8> c{1.42343711074968357734e0,  4.63033784615654529590e0,
                                    5.76949722146069140550e0,  3.64784832476320460504e0,
                                    1.27045825245236838258e0,  2.41780725177450611770e-1,
                                    2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr std::array<double, 8> d{1.0,
                                    2.05319162663775882187e0,
                                    1.67638483018380384940e0,
                                    6.89767334985100004550e-1,
                                    1.48103976427480074590e-1,
                                    1.51986665636164571966e-2,
                                    5.47593808499534494600e-4,
                                    1.05075007164441684324e-9};
  constexpr std::array<double, 8> e{6.65790464350110377720e0,  5.46378491116411436990e0,
                                    1.78482653991729133580e0,  2.96560571828504891230e-1,
                                    2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                    2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr std::array<double, 8> f{1.0,
                                    5.99832206555887937690e-1,
                                    1.36929880922735805310e-1,
                                    1.48753612908506148525e-2,
                                    7.86869131145613259100e-4,
                                    1.84631831751005468180e-5,
                                    1.42151175831644588870e-7,
                                    2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  const double r = std::sqrt(-fixed_log(q < 0 ? p : 1 - p));
  const double value = r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6)
                              : polynomial(e, r - 5) / polynomial(f, r - 5);
  return q < 0 ? -value : value;
}

}  // namespace mosim
