#include <fmt/format.h>

#include <array>

#include "base/yaml.hpp"
#include "mosim/generate.hpp"

namespace mosim {
namespace {

constexpr std::array<std::string_view, kDurationLaws> kLawNames{
    "constant", "uniform", "log-uniform", "exponential", "log-normal", "weibull", "empirical"};

std::string seconds(double value) { return format_quantity(Dimension::duration, value); }

std::string arrivals_yaml(const ArrivalSpec& arrivals) {
  std::string text = fmt::format("arrivals:\n  rate: {}/s\n", arrivals.rate_per_s);
  if (arrivals.variation > 1) text += fmt::format("  variation: {}\n", arrivals.variation);
  if (arrivals.start_s > 0) text += fmt::format("  start: {}\n", seconds(arrivals.start_s));
  if (arrivals.week.empty()) return text;
  text += "  week:  # from Monday 00:00, a day a line\n";
  for (std::size_t hour = 0; hour < arrivals.week.size(); ++hour) {
    text += fmt::format("{}{}{}",
                        hour == 0        ? "    ["
                        : hour % 24 == 0 ? "     "
                                         : " ",
                        arrivals.week[hour], hour + 1 == arrivals.week.size() ? "]\n" : ",");
    if (hour % 24 == 23 && hour + 1 < arrivals.week.size()) text += "\n";
  }
  return text;
}

std::string law_keys(const DurationSpec& durations) {
  switch (durations.law) {
    case DurationLaw::constant:
      return fmt::format("  value: {}\n", seconds(durations.value_s));
    case DurationLaw::uniform:
    case DurationLaw::log_uniform:
      return "";
    case DurationLaw::exponential:
      return fmt::format("  mean: {}\n", seconds(durations.value_s));
    case DurationLaw::log_normal:
      return fmt::format("  median: {}\n  sigma: {}\n", seconds(durations.value_s),
                         durations.shape);
    case DurationLaw::weibull:
      return fmt::format("  scale: {}\n  shape: {}\n", seconds(durations.value_s), durations.shape);
    case DurationLaw::empirical:
      break;
  }
  std::string text = "  percentiles:\n";
  for (const Percentile& point : durations.percentiles) {
    text += fmt::format("    - [{}, {}]\n", point.percent, seconds(point.value_s));
  }
  return text;
}

std::string durations_yaml(const DurationSpec& durations) {
  std::string text = fmt::format("durations:\n  law: {}\n", duration_law_name(durations.law));
  text += law_keys(durations);
  if (durations.law == DurationLaw::constant) return text;
  text += fmt::format("  min: {}\n", seconds(durations.min_s));
  // The largest limit is the default.
  if (durations.max_s < kLongestTime_s || durations.law == DurationLaw::uniform ||
      durations.law == DurationLaw::log_uniform) {
    text += fmt::format("  max: {}\n", seconds(durations.max_s));
  }
  return text;
}

std::string names_yaml(std::string_view key, const std::vector<WeightedName>& names) {
  if (names.empty()) return "";
  std::string text = fmt::format("{}:\n", key);
  for (const WeightedName& one : names) {
    text += fmt::format("  {}: {}\n", yaml_scalar(one.name), one.weight);
  }
  return text;
}

}  // namespace

std::string_view duration_law_name(DurationLaw law) {
  return kLawNames[static_cast<std::size_t>(law)];
}

std::string generator_yaml(const GeneratorSpec& spec) {
  std::string text = fmt::format("jobs: {}\nseed: {}\n", spec.jobs, spec.seed);
  text += arrivals_yaml(spec.arrivals);
  text += "gpus:\n";
  for (const WeightedCount& one : spec.gpus) {
    text += fmt::format("  {}: {}\n", one.count, one.weight);
  }
  if (spec.gpus_per_worker > 1) text += fmt::format("gpus_per_worker: {}\n", spec.gpus_per_worker);
  if (spec.cpus_per_worker > 0) text += fmt::format("cpus_per_worker: {}\n", spec.cpus_per_worker);
  text += durations_yaml(spec.durations);
  text += names_yaml("models", spec.models);
  text += names_yaml("users", spec.users);
  text += names_yaml("virtual_clusters", spec.virtual_clusters);
  text += names_yaml("statuses", spec.statuses);
  return text;
}

}  // namespace mosim
