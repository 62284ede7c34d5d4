#include "mosim/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "base/yaml.hpp"
#include "mosim/metrics.hpp"

namespace mosim {
namespace {

constexpr std::size_t kMostJobs = 5;
constexpr std::size_t kMostDifferences = 5;
constexpr double kRounding = 1e-9;
constexpr NumberRange kAnyNumber{-1e300, 1e300};
constexpr NumberRange kTime{0, 1e15};
constexpr NumberRange kCount{0, 1e15, true};

struct MetricName {
  std::string_view name;
  bool of_every_version = true;  // false: earlier versions did not write it, or not of every trace
};

// In the order of summary.json.
constexpr std::array<MetricName, 30> kMetrics{{{"training_s.avg"},
                                               {"training_s.median"},
                                               {"training_s.p99"},
                                               {"wait_s.avg"},
                                               {"wait_s.median"},
                                               {"wait_s.p99"},
                                               {"capacity_wait_s.avg", false},
                                               {"placement_wait_s.avg", false},
                                               {"jct_s.avg"},
                                               {"jct_s.median"},
                                               {"jct_s.p99"},
                                               {"makespan_s"},
                                               {"gpu_utilization"},
                                               {"gpu_computing", false},
                                               {"fragmentation", false},
                                               {"mean_contention"},
                                               {"restarts", false},
                                               {"preemptions", false},
                                               {"moves", false},
                                               {"lost_gpu_s", false},
                                               {"restart_gpu_s", false},
                                               {"bounded_slowdown.avg", false},
                                               {"bounded_slowdown.median", false},
                                               {"bounded_slowdown.p99", false},
                                               {"jain_index.jobs", false},
                                               {"jain_index.users", false},
                                               {"rho.avg", false},
                                               {"rho.max", false},
                                               {"rho.above_one", false},
                                               {"goodput", false}}};

struct StoredJob {
  std::string id;
  std::string model;  // empty: not known
  double gpus = 0;
  double submit_s = 0;
  double jct_s = 0;

  [[nodiscard]] bool like(const StoredJob& other) const {
    return gpus == other.gpus && submit_s == other.submit_s && model == other.model;
  }
};

// A run as its folder has it.
struct StoredRun {
  std::vector<StoredJob> jobs;  // by id
  std::vector<std::optional<double>> metrics;
  double servers = 0;
  double gpus = 0;
  YamlNode cluster;  // of the scenario
};

// The node at a place such as "jct_s.avg"; null when it is not there.
const YamlNode* find_at(const YamlNode& root, std::string_view place) {
  const YamlNode* node = &root;
  while (node != nullptr && !place.empty()) {
    const std::string_view key = place.substr(0, place.find('.'));
    node = node->find(key);
    place.remove_prefix(std::min(place.size(), key.size() + 1));
  }
  return node;
}

double number_at(const YamlNode& root, std::string_view place, const NumberRange& range,
                 Problems& problems) {
  const YamlNode* node = find_at(root, place);
  if (node == nullptr) {
    problems.add(root.where(), fmt::format("has no {}", place), "the summary.json of a run");
    return 0;
  }
  const auto value = parse_double(node->scalar);
  if (value && *value >= range.minimum && *value <= range.maximum &&
      (!range.integer || std::floor(*value) == *value)) {
    return *value;
  }
  problems.add(node->where(),
               node->kind == YamlNode::Kind::scalar
                   ? fmt::format("{} is '{}'", place, node->scalar)
                   : fmt::format("{} is {}", place, kind_name(node->kind)),
               range.integer ? "an integer >= 0" : "a number");
  return 0;
}

std::vector<StoredJob> read_jobs(const std::string& path) {
  CsvReader csv(path, "the jobs.csv of a run");
  const std::size_t id = csv.require({"job_id"});
  const auto model = csv.find_first("model");
  const std::size_t gpus = csv.require({"gpus"});
  const std::size_t submit = csv.require({"submit_s"});
  const std::size_t jct = csv.require({"jct_s"});
  std::vector<StoredJob> jobs;
  Problems problems;
  while (csv.next()) {
    jobs.push_back({std::string(csv.field(id)), model ? std::string(csv.field(*model)) : "",
                    csv.number(gpus, kCount, problems), csv.number(submit, kAnyNumber, problems),
                    csv.number(jct, kTime, problems)});
  }
  problems.throw_if_any();
  return jobs;
}

// Fills what summary.json knows. JSON is YAML, whose reader knows where each value stands.
void read_summary(const std::string& path, StoredRun& run) {
  const YamlNode root = parse_yaml(path, read_file(path, "the summary.json of a run"));
  Problems problems;
  for (const MetricName& metric : kMetrics) {
    const bool absent = find_at(root, metric.name) == nullptr && !metric.of_every_version;
    run.metrics.push_back(
        absent ? std::nullopt : std::optional(number_at(root, metric.name, kAnyNumber, problems)));
  }
  run.servers = number_at(root, "cluster.servers", kCount, problems);
  run.gpus = number_at(root, "cluster.gpus", kCount, problems);
  const double finished = number_at(root, "jobs.finished", kCount, problems);
  problems.throw_if_any();
  if (finished != static_cast<double>(run.jobs.size())) {
    throw InputError(find_at(root, "jobs.finished")->where(),
                     fmt::format("jobs.finished is {}", finished),
                     fmt::format("{}, the jobs in jobs.csv beside it", run.jobs.size()));
  }
}

StoredRun read_run(const std::string& folder) {
  const std::filesystem::path dir(folder);
  StoredRun run;
  run.jobs = read_jobs((dir / "jobs.csv").string());
  read_summary((dir / "summary.json").string(), run);
  const std::string scenario = (dir / "scenario.resolved.yaml").string();
  const YamlNode root = parse_yaml(scenario, read_file(scenario, "the scenario of a run"));
  const YamlNode* cluster = root.find("cluster");
  if (cluster == nullptr) {
    throw InputError(root.where(), "has no key 'cluster'", "the scenario.resolved.yaml of a run");
  }
  run.cluster = *cluster;
  std::stable_sort(run.jobs.begin(), run.jobs.end(),
                   [](const StoredJob& a, const StoredJob& b) { return a.id < b.id; });
  return run;
}

std::string text_of(const YamlNode* node) {
  if (node == nullptr) return "unset";
  return node->kind == YamlNode::Kind::scalar ? node->scalar : std::string(kind_name(node->kind));
}

// Adds "servers[0].nic is 7 Gbps, not 5 Gbps" for every value of `other` that is not that of
// `first`. A key that only one of them has counts too.
void add_differences(const YamlNode* first, const YamlNode* other, const std::string& place,
                     std::vector<std::string>& found) {
  // How its jobs queue is no property of a virtual cluster's servers.
  if (place.ends_with("].queue")) return;
  const bool nested = first != nullptr && other != nullptr && first->kind == other->kind &&
                      first->kind != YamlNode::Kind::scalar;
  if (!nested) {
    const std::string was = text_of(first);
    const std::string is = text_of(other);
    if (was != is) found.push_back(fmt::format("{} is {}, not {}", place, is, was));
    return;
  }
  if (first->kind == YamlNode::Kind::list) {
    const std::size_t items = std::max(first->children.size(), other->children.size());
    const auto item = [](const YamlNode& list, std::size_t i) {
      return i < list.children.size() ? &list.children[i] : nullptr;
    };
    for (std::size_t i = 0; i < items; ++i) {
      add_differences(item(*first, i), item(*other, i), fmt::format("{}[{}]", place, i), found);
    }
    return;
  }
  const auto below = [&](const std::string& key) { return fmt::format("{}.{}", place, key); };
  for (const YamlNode& child : first->children) {
    add_differences(&child, other->find(child.key), below(child.key), found);
  }
  for (const YamlNode& child : other->children) {
    if (first->find(child.key) == nullptr) {
      add_differences(nullptr, &child, below(child.key), found);
    }
  }
}

void check_cluster(const StoredRun& first, const StoredRun& other, const std::string& labels,
                   std::vector<std::string>& warnings) {
  if (first.servers != other.servers || first.gpus != other.gpus) {
    warnings.push_back(fmt::format("{}: the cluster has {} GPUs of {} servers, not {} of {}",
                                   labels, other.gpus, other.servers, first.gpus, first.servers));
  }
  std::vector<std::string> found;
  add_differences(&first.cluster, &other.cluster, "cluster", found);
  for (std::size_t i = 0; i < std::min(found.size(), kMostDifferences); ++i) {
    warnings.push_back(fmt::format("{}: {}", labels, found[i]));
  }
  if (found.size() > kMostDifferences) {
    warnings.push_back(fmt::format("{}: {} more keys of the cluster differ", labels,
                                   found.size() - kMostDifferences));
  }
}

// What the ids of two runs have in common.
struct Pairs {
  std::vector<JctChange> common;
  std::size_t only_first = 0;
  std::size_t only_other = 0;
  std::size_t other_gpus = 0;  // same id; so with the next ones
  std::size_t other_submission = 0;
  std::size_t other_model = 0;
};

// Walks both runs' jobs by id; the n-th job of an id goes with the n-th.
Pairs pair_up(std::span<const StoredJob> first, std::span<const StoredJob> other) {
  Pairs pairs;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < first.size() && j < other.size()) {
    const int order = first[i].id.compare(other[j].id);
    if (order == 0) {
      if (first[i].like(other[j])) {
        pairs.common.push_back({first[i].id, first[i].jct_s, other[j].jct_s});
      }
      if (first[i].gpus != other[j].gpus) ++pairs.other_gpus;
      if (first[i].submit_s != other[j].submit_s) ++pairs.other_submission;
      if (first[i].model != other[j].model) ++pairs.other_model;
    } else if (order < 0) {
      ++pairs.only_first;
    } else {
      ++pairs.only_other;
    }
    if (order <= 0) ++i;
    if (order >= 0) ++j;
  }
  pairs.only_first += first.size() - i;
  pairs.only_other += other.size() - j;
  return pairs;
}

void check_trace(const Pairs& pairs, const std::string& labels,
                 std::vector<std::string>& warnings) {
  const std::size_t before = warnings.size();
  const auto warn = [&](std::size_t jobs, std::string_view what) {
    if (jobs > 0) warnings.push_back(fmt::format("{}: {} jobs {}", labels, jobs, what));
  };
  warn(pairs.only_first, "are in the first only");
  warn(pairs.only_other, "are in the second only");
  warn(pairs.other_gpus, "have other GPUs");
  warn(pairs.other_submission, "have another submission");
  warn(pairs.other_model, "have another model");
  if (warnings.size() > before) {
    warnings.push_back(fmt::format("{}: figures job by job are of the {} common jobs", labels,
                                   pairs.common.size()));
  }
}

// The largest changes first; of equal ones that of the lower id.
std::vector<JctChange> most(std::vector<JctChange> changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const JctChange& a, const JctChange& b) {
    return std::abs(a.change_s()) > std::abs(b.change_s());
  });
  changes.resize(std::min(changes.size(), kMostJobs));
  return changes;
}

JobComparison compare_jobs(const std::vector<JctChange>& common) {
  JobComparison comparison;
  comparison.common = common.size();
  std::vector<double> changes;
  std::vector<JctChange> gained;
  std::vector<JctChange> lost;
  for (const JctChange& job : common) {
    changes.push_back(job.change_s());
    if (std::abs(job.change_s()) <= kRounding * std::max(job.first_s, job.other_s)) continue;
    (job.change_s() < 0 ? gained : lost).push_back(job);
  }
  comparison.gained = gained.size();
  comparison.lost = lost.size();
  comparison.same = common.size() - gained.size() - lost.size();
  comparison.median_change_s = percentile(std::move(changes), 50);
  comparison.most_gained = most(std::move(gained));
  comparison.most_lost = most(std::move(lost));
  return comparison;
}

// The last `count` components of a path.
std::string tail(std::span<const std::string> parts, std::size_t count) {
  return join(parts.last(std::min(count, parts.size())), "/");
}

std::vector<std::string> components(const std::string& path) {
  std::vector<std::string> parts;
  for (const auto& part : std::filesystem::path(path).lexically_normal()) {
    if (!part.empty() && part != "/") parts.push_back(part.string());
  }
  return parts;
}

}  // namespace

std::optional<double> ComparedMetric::change(std::size_t run) const {
  const auto& first = values.front();
  const auto& value = values[run];
  if (!first || !value) return std::nullopt;
  if (*first == *value) return 0;
  if (*first == 0) return std::nullopt;
  return (*value - *first) / std::abs(*first);
}

std::vector<std::string> shortest_labels(const std::vector<std::string>& paths) {
  std::vector<std::vector<std::string>> parts;
  parts.reserve(paths.size());
  for (const std::string& path : paths) parts.push_back(components(path));
  std::vector<std::string> labels;
  for (const auto& own : parts) {
    std::size_t count = 1;
    const auto is_shared = [&] {
      return std::count_if(parts.begin(), parts.end(), [&](const auto& other) {
               return tail(other, count) == tail(own, count);
             }) > 1;
    };
    while (count < own.size() && is_shared()) ++count;
    labels.push_back(tail(own, count));
  }
  return labels;
}

RunComparison compare_runs(const std::vector<std::string>& folders) {
  RunComparison comparison{folders, shortest_labels(folders), {}, {}, {}};
  for (const MetricName& metric : kMetrics) {
    comparison.metrics.push_back({std::string(metric.name), {}});
  }
  StoredRun first;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    StoredRun run = read_run(folders[i]);
    for (std::size_t metric = 0; metric < kMetrics.size(); ++metric) {
      comparison.metrics[metric].values.push_back(run.metrics[metric]);
    }
    if (i == 0) {
      first = std::move(run);
      continue;
    }
    const std::string labels =
        fmt::format("{} and {}", comparison.labels.front(), comparison.labels[i]);
    const Pairs pairs = pair_up(first.jobs, run.jobs);
    check_trace(pairs, labels, comparison.warnings);
    check_cluster(first, run, labels, comparison.warnings);
    comparison.jobs.push_back(compare_jobs(pairs.common));
  }
  return comparison;
}

}  // namespace mosim
