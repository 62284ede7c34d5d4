// From uniform random numbers to choices, durations and submission times.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "mosim/generate.hpp"

namespace mosim {

// An index with the odds of its weight.
class WeightedChoice {
 public:
  explicit WeightedChoice(std::span<const double> weights);

  [[nodiscard]] bool empty() const { return ends_.empty(); }
  [[nodiscard]] std::size_t at(double uniform) const;

 private:
  std::vector<double> ends_;  // of the weights laid end to end
  std::vector<std::size_t> indices_;
};

// Durations by inversion: one uniform number makes one duration. A law is cut off at its limits by
// drawing only from the probabilities between them.
class DurationSampler {
 public:
  explicit DurationSampler(DurationSpec spec);

  // Whether the law reaches between its limits at all.
  [[nodiscard]] bool possible() const { return from_ < to_; }

  // Rounded to milliseconds, unless that would leave the limits.
  [[nodiscard]] double at(double uniform) const;

 private:
  [[nodiscard]] double quantile(double p) const;
  [[nodiscard]] double percentile_quantile(double percent) const;
  [[nodiscard]] double probability_below(double value) const;

  DurationSpec spec_;
  double log_low_ = 0;   // of log_uniform: the logarithm of min_s,
  double log_span_ = 0;  // and from there to that of max_s
  double from_ = 0;
  double to_ = 1;
};

// The expected number of submissions until a time, and the time by which so many are expected: the
// integral of the rate over the hours of the week, and its inverse.
class WeekClock {
 public:
  explicit WeekClock(const ArrivalSpec& spec);

  [[nodiscard]] double expected_until(double time_s) const;
  [[nodiscard]] double time_of(double expected) const;

 private:
  [[nodiscard]] double expected_since_monday(double time_s) const;

  std::array<double, kWeekHours> rates_{};       // per second
  std::array<double, kWeekHours + 1> before_{};  // expected from Monday to the start of each hour
  double start_s_ = 0;
  double before_start_ = 0;
};

// Gaps with mean 1: exponential, or two exponential laws with balanced means where the coefficient
// of variation is above 1. Source: W. Whitt, "Approximating a point process by a renewal process,
// I: two basic methods", Operations Research 30(1), 1982, section 3.
class GapSampler {
 public:
  explicit GapSampler(double variation);

  [[nodiscard]] double at(double choice, double uniform) const;

 private:
  double short_odds_ = 1;  // of the law with the shorter gaps
  double short_mean_ = 1;
  double long_mean_ = 1;
};

[[nodiscard]] double to_milliseconds(double seconds);

}  // namespace mosim
