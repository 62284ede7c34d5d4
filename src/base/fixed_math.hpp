// Elementary functions whose results are the same with every C library: those of <cmath> may differ
// in the last bit. Only sums, products, quotients and square roots, which IEEE 754 fixes.
#pragma once

namespace mosim {

// The natural logarithm, within one unit in the last place. x >= 0; -infinity at 0.
[[nodiscard]] double fixed_log(double x);

// e to the x, within one unit in the last place; 0 and infinity outside the range of double.
[[nodiscard]] double fixed_exp(double x);

// The p-quantile of the standard normal distribution, 0 < p < 1, to about 1 part in 10^15.
[[nodiscard]] double normal_quantile(double p);

}  // namespace mosim
