#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/bundled.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "generate/samplers.hpp"
#include "mosim/generate.hpp"

namespace mosim {
namespace {

constexpr std::string_view kPresets = "generators/";
constexpr double kMostJobs = 1e12;
constexpr double kMostSeed = 9007199254740992.0;  // 2^53: exact as a number in YAML
constexpr NumberRange kWeight{0, 1e12};

// A map whose keys may be missing.
class Keys {
 public:
  Keys(const YamlNode& node, std::string_view what, Problems& problems)
      : node_(node), map_(node, what, problems) {}

  // The value of the key, when it is there.
  const YamlNode* find(std::string_view key) { return map_.any(key, false); }
  const YamlNode* require(std::string_view key) { return map_.any(key, true); }
  std::string text(std::string_view key) { return map_.text(key); }

  double number(std::string_view key, double fallback, const NumberRange& range) {
    return find(key) == nullptr ? fallback : map_.number(key, range);
  }
  double seconds(std::string_view key, double fallback) {
    return find(key) == nullptr ? fallback : map_.quantity(key, Dimension::duration);
  }
  double seconds(std::string_view key) { return map_.quantity(key, Dimension::duration); }
  [[nodiscard]] const YamlNode& node() const { return node_; }
  void finish() { map_.finish(); }

 private:
  const YamlNode& node_;
  YamlMap map_;
};

double number_of(const YamlNode& node, std::string_view what, const NumberRange& range,
                 Problems& problems) {
  const auto value = parse_double(node.scalar);
  if (node.kind == YamlNode::Kind::scalar && value && *value >= range.minimum &&
      *value <= range.maximum) {
    return *value;
  }
  problems.add(node.where(), fmt::format("{} is '{}'", what, node.scalar),
               fmt::format("a number from {} to {}", range.minimum, range.maximum));
  return range.minimum;
}

// Of one unit of time, such as "h"; nothing when it is not one.
std::optional<double> period_of(std::string_view unit) {
  try {
    return parse_quantity(Dimension::duration, "1 " + std::string(trim(unit)));
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

// "0.005/s", "18 per h": jobs over a unit of time.
double read_rate(const YamlNode& node, Problems& problems) {
  const std::string_view text = node.scalar;
  for (const std::string_view over : {"/", "per"}) {
    const std::size_t end = text.find(over);
    if (end == std::string_view::npos) continue;
    const auto count = parse_double(trim(text.substr(0, end)));
    const auto period = period_of(text.substr(end + over.size()));
    if (!count || !period) break;
    const double rate = *count / *period;
    if (rate > 0 && rate <= 1e9) return rate;
  }
  problems.add(node.where(), fmt::format("rate is '{}'", text),
               "jobs over a unit of time, such as 0.005/s, 18/h or 400/d");
  return 1;
}

std::vector<double> read_rates(const YamlNode& node, std::size_t count, std::string_view what,
                               Problems& problems) {
  std::vector<double> rates;
  rates.reserve(node.children.size());
  for (const YamlNode& item : node.children) {
    rates.push_back(number_of(item, what, kWeight, problems));
  }
  const bool any = std::any_of(rates.begin(), rates.end(), [](double rate) { return rate > 0; });
  if (node.kind == YamlNode::Kind::list && rates.size() == count && any) return rates;
  problems.add(
      node.where(),
      fmt::format("{} has {} numbers{}", what, rates.size(), any || rates.empty() ? "" : ", all 0"),
      fmt::format("a list of {} relative rates, not all 0", count));
  return std::vector<double>(count, 1);
}

// From `week`, or from `hours` and `weekdays`.
std::vector<double> read_week(Keys& keys, Problems& problems) {
  const YamlNode* week = keys.find("week");
  const YamlNode* hours = keys.find("hours");
  const YamlNode* weekdays = keys.find("weekdays");
  if (week != nullptr) {
    if (hours != nullptr || weekdays != nullptr) {
      problems.add(week->key_where(), "week stands beside hours or weekdays",
                   "either week, or hours and weekdays");
    }
    return read_rates(*week, kWeekHours, "week", problems);
  }
  if (hours == nullptr && weekdays == nullptr) return {};
  std::vector<double> of_day(24, 1);
  std::vector<double> of_week(7, 1);
  if (hours != nullptr) of_day = read_rates(*hours, 24, "hours", problems);
  if (weekdays != nullptr) of_week = read_rates(*weekdays, 7, "weekdays", problems);
  std::vector<double> rates;
  for (const double day : of_week) {
    for (const double hour : of_day) rates.push_back(day * hour);
  }
  return rates;
}

ArrivalSpec read_arrivals(const YamlNode& node, Problems& problems) {
  Keys keys(node, "arrivals", problems);
  ArrivalSpec arrivals;
  if (const YamlNode* rate = keys.require("rate")) {
    arrivals.rate_per_s = read_rate(*rate, problems);
  }
  arrivals.variation = keys.number("variation", 1, {1, 1000});
  arrivals.week = read_week(keys, problems);
  arrivals.start_s = keys.seconds("start", 0);
  keys.finish();
  return arrivals;
}

std::vector<Percentile> read_percentiles(const YamlNode& node, Problems& problems) {
  std::vector<Percentile> points;
  for (const YamlNode& item : node.children) {
    if (item.kind != YamlNode::Kind::list || item.children.size() != 2) {
      problems.add(item.where(), "is not a pair", "[percent, duration], such as [50, 10 min]");
      return points;
    }
    Percentile point;
    point.percent = number_of(item.children[0], "percent", {0, 100}, problems);
    try {
      point.value_s = parse_quantity(Dimension::duration, item.children[1].scalar);
    } catch (const std::invalid_argument& error) {
      problems.add(item.children[1].where(), error.what(), "");
    }
    const bool rises = points.empty() || (point.percent > points.back().percent &&
                                          point.value_s >= points.back().value_s);
    if (!rises) problems.add(item.where(), "goes down", "rising percents and durations");
    points.push_back(point);
  }
  if (points.size() < 2 || points.front().percent != 0 || points.back().percent != 100) {
    problems.add(node.where(), "does not reach from 0 to 100 percent",
                 "a list of [percent, duration] from 0 to 100");
  }
  return points;
}

DurationLaw read_law(const YamlNode& node, Problems& problems) {
  std::vector<std::string> names;
  for (std::size_t law = 0; law < kDurationLaws; ++law) {
    names.emplace_back(duration_law_name(static_cast<DurationLaw>(law)));
    if (names.back() == node.scalar) return static_cast<DurationLaw>(law);
  }
  problems.add(node.where(), fmt::format("law is '{}'", node.scalar), one_of(node.scalar, names));
  return DurationLaw::constant;
}

// The parameter of each law, beside its limits.
void read_law_keys(Keys& keys, DurationSpec& spec, Problems& problems) {
  const auto positive = [&](std::string_view key) {
    spec.value_s = keys.seconds(key);
    const YamlNode* node = keys.find(key);
    if (node != nullptr && spec.value_s <= 0) {
      problems.add(node->where(), fmt::format("{} is 0", key), "a duration above 0");
    }
  };
  const auto shape = [&](std::string_view key, const NumberRange& range) {
    if (keys.require(key) != nullptr) spec.shape = keys.number(key, 0, range);
  };
  switch (spec.law) {
    case DurationLaw::constant:
      spec.value_s = keys.seconds("value");
      return;
    case DurationLaw::uniform:
    case DurationLaw::log_uniform:
      return;
    case DurationLaw::exponential:
      return positive("mean");
    case DurationLaw::log_normal:
      positive("median");
      return shape("sigma", {0, 20});
    case DurationLaw::weibull:
      positive("scale");
      return shape("shape", {0.05, 100});
    case DurationLaw::empirical:
      if (const YamlNode* points = keys.require("percentiles")) {
        spec.percentiles = read_percentiles(*points, problems);
      }
      return;
  }
}

DurationSpec read_durations(const YamlNode& node, Problems& problems) {
  Keys keys(node, "durations", problems);
  DurationSpec spec;
  const std::size_t before = problems.count();
  if (const YamlNode* law = keys.require("law")) spec.law = read_law(*law, problems);
  if (problems.count() > before) return spec;  // the other keys depend on the law
  read_law_keys(keys, spec, problems);
  const bool between = spec.law == DurationLaw::uniform || spec.law == DurationLaw::log_uniform;
  if (spec.law != DurationLaw::constant) {
    spec.min_s = between ? keys.seconds("min") : keys.seconds("min", spec.min_s);
    spec.max_s = between ? keys.seconds("max") : keys.seconds("max", spec.max_s);
  }
  keys.finish();
  if (problems.count() > before) return spec;
  const bool longest = std::max(spec.value_s, spec.max_s) > kLongestTime_s;
  if (longest || spec.min_s > spec.max_s ||
      (spec.law == DurationLaw::log_uniform && spec.min_s <= 0)) {
    problems.add(
        node.where(), "has limits that do not fit",
        fmt::format("min up to max, at most {} s; above 0 for log-uniform", kLongestTime_s));
  } else if (!DurationSampler(spec).possible()) {
    problems.add(node.where(), "has no durations between min and max",
                 "limits that the law reaches");
  }
  return spec;
}

struct WeightedNode {
  std::string name;
  double weight = 1;
  SourceLocation where;
};

// A map from names to weights, a list of names of equal weight, or one name.
std::vector<WeightedNode> read_weights(const YamlNode& node, std::string_view what,
                                       Problems& problems) {
  std::vector<WeightedNode> items;
  double total = 0;
  const bool map = node.kind == YamlNode::Kind::map;
  if (node.kind == YamlNode::Kind::scalar) items.push_back({node.scalar, 1, node.where()});
  for (const YamlNode& child : node.children) {
    items.push_back(map ? WeightedNode{child.key, number_of(child, "weight", kWeight, problems),
                                       child.key_where()}
                        : WeightedNode{child.scalar, 1, child.where()});
  }
  for (const WeightedNode& item : items) {
    total += item.weight;
    if (item.name.empty()) problems.add(item.where, fmt::format("{} is empty", what), "a name");
  }
  if (total > 0) return items;
  problems.add(node.where(), fmt::format("{} has nothing to draw from", what),
               "a list, or a map to weights that are not all 0");
  return items;
}

std::vector<WeightedName> read_names(Keys& keys, std::string_view key, Problems& problems) {
  std::vector<WeightedName> names;
  const YamlNode* node = keys.find(key);
  if (node == nullptr) return names;
  for (WeightedNode& item : read_weights(*node, key, problems)) {
    names.push_back({std::move(item.name), item.weight});
  }
  return names;
}

std::vector<WeightedName> read_statuses(Keys& keys, Problems& problems) {
  std::vector<std::string> known;
  known.reserve(kJobStatuses);
  for (std::size_t status = 0; status < kJobStatuses; ++status) {
    known.emplace_back(status_name(static_cast<JobStatus>(status)));
  }
  std::vector<WeightedName> statuses = read_names(keys, "statuses", problems);
  for (const WeightedName& status : statuses) {
    if (std::find(known.begin(), known.end(), status.name) != known.end()) continue;
    problems.add(keys.find("statuses")->where(), fmt::format("statuses has '{}'", status.name),
                 one_of(status.name, known));
  }
  return statuses;
}

// {min: 2, max: 8}, or numbers as `read_weights` takes them.
std::vector<WeightedCount> read_gpus(const YamlNode& node, std::uint32_t per_worker,
                                     Problems& problems) {
  constexpr NumberRange kCount{1, 1e5, true};
  std::vector<WeightedCount> gpus;
  if (node.find("min") != nullptr || node.find("max") != nullptr) {
    YamlMap range(node, "gpus", problems);
    const auto low = static_cast<std::uint32_t>(range.number("min", kCount));
    const auto high = static_cast<std::uint32_t>(range.number("max", kCount));
    range.finish();
    if (low > high) problems.add(node.where(), "min is above max", "min up to max");
    for (std::uint32_t count = low; count <= high; ++count) gpus.push_back({count, 1});
  } else {
    for (const WeightedNode& item : read_weights(node, "gpus", problems)) {
      const auto count = parse_double(item.name);
      if (!count || *count < 1 || *count > kMostGpus || std::floor(*count) != *count) {
        problems.add(item.where, fmt::format("a number of GPUs is '{}'", item.name),
                     fmt::format("an integer from 1 to {}", kMostGpus));
        continue;
      }
      gpus.push_back({static_cast<std::uint32_t>(*count), item.weight});
    }
  }
  for (const WeightedCount& one : gpus) {
    if (one.count <= per_worker || one.count % per_worker == 0) continue;
    problems.add(node.where(),
                 fmt::format("{} GPUs are no whole number of workers of {}", one.count, per_worker),
                 "multiples of gpus_per_worker, or fewer GPUs than one worker has");
    break;
  }
  return gpus;
}

}  // namespace

GeneratorSpec read_generator(const std::string& file) {
  const YamlNode root = parse_yaml(file, read_file(file, "a generator of traces (YAML)"));
  Problems problems;
  Keys keys(root, "a generator of traces", problems);
  GeneratorSpec spec;
  spec.jobs = static_cast<std::uint64_t>(
      keys.number("jobs", static_cast<double>(spec.jobs), {1, kMostJobs, true}));
  spec.seed = static_cast<std::uint64_t>(keys.number("seed", 1, {0, kMostSeed, true}));
  if (const YamlNode* node = keys.require("arrivals")) {
    spec.arrivals = read_arrivals(*node, problems);
  }
  spec.gpus_per_worker =
      static_cast<std::uint32_t>(keys.number("gpus_per_worker", 1, {1, kMostGpus, true}));
  if (const YamlNode* node = keys.require("gpus")) {
    spec.gpus = read_gpus(*node, spec.gpus_per_worker, problems);
  }
  if (const YamlNode* node = keys.require("durations")) {
    spec.durations = read_durations(*node, problems);
  }
  spec.cpus_per_worker =
      static_cast<std::uint32_t>(keys.number("cpus_per_worker", 0, {0, 1e6, true}));
  spec.models = read_names(keys, "models", problems);
  spec.users = read_names(keys, "users", problems);
  spec.virtual_clusters = read_names(keys, "virtual_clusters", problems);
  spec.statuses = read_statuses(keys, problems);
  keys.finish();
  problems.throw_if_any();
  return spec;
}

std::vector<std::string> generator_presets() {
  std::vector<std::string> names;
  for (const BundledFile& file : bundled_below(kPresets)) {
    const std::string_view name = file.path.substr(kPresets.size());
    names.emplace_back(name.substr(0, name.rfind('.')));
  }
  return names;
}

}  // namespace mosim
