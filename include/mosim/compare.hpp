// Runs side by side: their folders read back, and what changed from the first to each other one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mosim {

// One number of summary.json, in each run.
struct ComparedMetric {
  std::string name;                           // "jct_s.avg": its place in the file
  std::vector<std::optional<double>> values;  // nothing: the run's file has none

  // (value - first) / first; nothing where a value is missing, or the first is 0 and this is not.
  [[nodiscard]] std::optional<double> change(std::size_t run) const;
};

// The JCT of one job in the first run and in another one.
struct JctChange {
  std::string job_id;
  double first_s = 0;
  double other_s = 0;

  [[nodiscard]] double change_s() const { return other_s - first_s; }
};

// The jobs that a run has in common with the first: same id, GPUs, submission and model. A job
// stayed the same when its two JCTs are within 1e-9 of each other, as a part of the larger.
struct JobComparison {
  std::size_t common = 0;
  std::size_t gained = 0;  // ended sooner than in the first run
  std::size_t lost = 0;
  std::size_t same = 0;
  double median_change_s = 0;
  std::vector<JctChange> most_gained;  // at most five, the largest change first
  std::vector<JctChange> most_lost;
};

struct RunComparison {
  std::vector<std::string> folders;
  std::vector<std::string> labels;  // the shortest tails of the folders' paths that tell them apart
  std::vector<ComparedMetric> metrics;
  std::vector<JobComparison> jobs;    // of every run but the first
  std::vector<std::string> warnings;  // where trace or cluster are not those of the first run
};

// Reads the jobs.csv, summary.json and scenario.resolved.yaml of two or more run folders. Throws
// InputError.
[[nodiscard]] RunComparison compare_runs(const std::vector<std::string>& folders);

// As few last components of each path as are at the end of no other one.
[[nodiscard]] std::vector<std::string> shortest_labels(const std::vector<std::string>& paths);

// For a person, on a terminal and in Markdown; as JSON; a line for each number.
[[nodiscard]] std::string comparison_table(const RunComparison& comparison);
[[nodiscard]] std::string comparison_markdown(const RunComparison& comparison);
[[nodiscard]] std::string comparison_json(const RunComparison& comparison);
[[nodiscard]] std::string comparison_csv(const RunComparison& comparison);

}  // namespace mosim
