#include "generate/samplers.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/fixed_math.hpp"

namespace mosim {
namespace {

constexpr double kHour_s = 3600;
constexpr double kWeek_s = kHour_s * kWeekHours;

}  // namespace

double to_milliseconds(double seconds) { return std::floor(seconds * 1000 + 0.5) / 1000; }

WeightedChoice::WeightedChoice(std::span<const double> weights) {
  double end = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] > 0)) continue;
    end += weights[i];
    ends_.push_back(end);
    indices_.push_back(i);
  }
}

std::size_t WeightedChoice::at(double uniform) const {
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), uniform * ends_.back());
  const auto chosen = static_cast<std::size_t>(end - ends_.begin());
  return indices_[std::min(chosen, indices_.size() - 1)];
}

DurationSampler::DurationSampler(DurationSpec spec) : spec_(std::move(spec)) {
  switch (spec_.law) {
    case DurationLaw::constant:
    case DurationLaw::uniform:
      return;
    case DurationLaw::log_uniform:
      log_low_ = fixed_log(spec_.min_s);
      log_span_ = fixed_log(spec_.max_s) - log_low_;
      return;
    default:
      from_ = probability_below(spec_.min_s);
      to_ = probability_below(std::nextafter(spec_.max_s, kLongestTime_s * 2));
  }
}

// By bisection of the quantiles, which needs no other function.
double DurationSampler::probability_below(double value) const {
  double low = 0;
  double high = 1;
  for (int step = 0; step < 64; ++step) {
    const double middle = low + (high - low) / 2;
    (quantile(middle) < value ? low : high) = middle;
  }
  return low == 0 ? 0 : high;
}

double DurationSampler::percentile_quantile(double percent) const {
  const auto& points = spec_.percentiles;
  const auto above =
      std::upper_bound(points.begin() + 1, points.end() - 1, percent,
                       [](double value, const Percentile& point) { return value < point.percent; });
  const Percentile& low = *(above - 1);
  const double part = (percent - low.percent) / (above->percent - low.percent);
  if (low.value_s <= 0) return low.value_s + part * (above->value_s - low.value_s);
  return low.value_s * fixed_exp(part * fixed_log(above->value_s / low.value_s));
}

double DurationSampler::quantile(double p) const {
  p = std::clamp(p, 0x1p-1022, 1 - 0x1p-53);
  switch (spec_.law) {
    case DurationLaw::constant:
      return spec_.value_s;
    case DurationLaw::uniform:
      return spec_.min_s + p * (spec_.max_s - spec_.min_s);
    case DurationLaw::log_uniform:
      return fixed_exp(log_low_ + p * log_span_);
    case DurationLaw::exponential:
      return -spec_.value_s * fixed_log(1 - p);
    case DurationLaw::log_normal:
      return spec_.value_s * fixed_exp(spec_.shape * normal_quantile(p));
    case DurationLaw::weibull:
      return spec_.value_s * fixed_exp(fixed_log(-fixed_log(1 - p)) / spec_.shape);
    case DurationLaw::empirical:
      return percentile_quantile(100 * p);
  }
  throw std::logic_error("unknown law of durations");
}

double DurationSampler::at(double uniform) const {
  const double value = quantile(from_ + uniform * (to_ - from_));
  if (spec_.law == DurationLaw::constant) return value;
  return std::clamp(to_milliseconds(value), spec_.min_s, spec_.max_s);
}

// Whole weeks before the start change nothing, and would cost the digits of the times.
WeekClock::WeekClock(const ArrivalSpec& spec) : start_s_(std::fmod(spec.start_s, kWeek_s)) {
  double total = 0;
  for (const double relative : spec.week) total += relative;
  const double mean = spec.week.empty() ? 1 : total / kWeekHours;
  for (std::size_t hour = 0; hour < kWeekHours; ++hour) {
    const double relative = spec.week.empty() ? 1 : spec.week[hour];
    rates_[hour] = spec.rate_per_s * relative / mean;
    before_[hour + 1] = before_[hour] + rates_[hour] * kHour_s;
  }
  before_start_ = expected_since_monday(start_s_);
}

double WeekClock::expected_since_monday(double time_s) const {
  const double weeks = std::floor(time_s / kWeek_s);
  const double rest = time_s - weeks * kWeek_s;
  const auto hour = std::min(static_cast<std::size_t>(rest / kHour_s), kWeekHours - 1);
  const double in_hour = rest - static_cast<double>(hour) * kHour_s;
  return weeks * before_.back() + before_[hour] + in_hour * rates_[hour];
}

double WeekClock::expected_until(double time_s) const {
  return expected_since_monday(start_s_ + time_s) - before_start_;
}

double WeekClock::time_of(double expected) const {
  const double since_monday = before_start_ + expected;
  const double weeks = std::floor(since_monday / before_.back());
  const double rest = since_monday - weeks * before_.back();
  // The hour in which `rest` is reached; one without submissions is stepped over.
  const auto end = std::lower_bound(before_.begin() + 1, before_.end() - 1, rest);
  const auto hour = static_cast<std::size_t>(end - before_.begin()) - 1;
  const double in_hour = rates_[hour] > 0 ? (rest - before_[hour]) / rates_[hour] : 0;
  return weeks * kWeek_s + static_cast<double>(hour) * kHour_s + in_hour - start_s_;
}

GapSampler::GapSampler(double variation) {
  if (!(variation > 1)) return;
  const double square = variation * variation;
  short_odds_ = (1 + std::sqrt((square - 1) / (square + 1))) / 2;
  short_mean_ = 1 / (2 * short_odds_);
  long_mean_ = 1 / (2 * (1 - short_odds_));
}

double GapSampler::at(double choice, double uniform) const {
  return -(choice < short_odds_ ? short_mean_ : long_mean_) * fixed_log(uniform);
}

}  // namespace mosim
