#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "mosim/metrics.hpp"

namespace mosim {
namespace {

constexpr NumberRange kTime{0, 1e15};

double relative_error_percent(double measured, double simulated) {
  if (measured == 0) return simulated == 0 ? 0 : std::numeric_limits<double>::infinity();
  return std::abs(simulated - measured) / std::abs(measured) * 100;
}

// The artifact's measured files repeat a column's name, so the first one counts.
std::size_t need(const CsvReader& csv, const std::string& path,
                 std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto column = csv.find_first(name)) return *column;
  }
  const std::vector<std::string> wanted(names.begin(), names.end());
  throw InputError({path, {}}, fmt::format("has no column '{}'", join(wanted, "' or '")),
                   "a per-job CSV with that column");
}

// The one placement that all rows share, when the caller named none.
std::string chosen_placement(const std::string& path, const std::string& placement) {
  const std::vector<std::string> all = placements_in(path);
  if (!placement.empty() && std::find(all.begin(), all.end(), placement) == all.end()) {
    throw InputError({path, {}}, fmt::format("has no rows of placement '{}'", placement),
                     one_of(placement, all));
  }
  if (!placement.empty()) return placement;
  if (all.size() > 1) {
    throw InputError({path, {}}, "has rows of several placements",
                     fmt::format("a choice of one of {}", join(all, ", ")));
  }
  return all.empty() ? "" : all.front();
}

}  // namespace

std::vector<std::string> placements_in(const std::string& path) {
  CsvReader csv(path, "a per-job CSV");
  std::vector<std::string> names;
  const auto column = csv.find_first("placement");
  if (!column) return names;
  while (csv.next()) {
    const std::string name(csv.field(*column));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

Outcome read_outcome(const std::string& path, const std::string& placement) {
  CsvReader csv(path, "a per-job CSV");
  const auto placement_column = csv.find_first("placement");
  if (!placement_column && !placement.empty()) {
    throw InputError({path, {}}, "has no column 'placement'", "that column, to choose rows by it");
  }
  const std::string chosen = placement_column ? chosen_placement(path, placement) : "";
  const std::size_t training = need(csv, path, {"training_s", "training_time"});
  const std::size_t jct = need(csv, path, {"jct_s", "jcts"});
  const std::size_t submit = need(csv, path, {"submit_s", "arrival_times"});
  auto end = csv.find_first("end_s");
  if (!end) end = csv.find_first("end_time_seconds");
  Outcome outcome;
  Problems problems;
  double first = std::numeric_limits<double>::infinity();
  double last = 0;
  while (csv.next()) {
    if (placement_column && csv.field(*placement_column) != chosen) continue;
    outcome.training_s.push_back(csv.number(training, kTime, problems));
    outcome.jct_s.push_back(csv.number(jct, kTime, problems));
    const double submit_s = csv.number(submit, kTime, problems);
    first = std::min(first, submit_s);
    last =
        std::max(last, end ? csv.number(*end, kTime, problems) : submit_s + outcome.jct_s.back());
  }
  problems.throw_if_any();
  if (outcome.jct_s.empty()) {
    throw InputError({path, {}}, "has no jobs", "at least one row after the header");
  }
  outcome.makespan_s = last - first;
  return outcome;
}

Fidelity compare(const Outcome& measured, const Outcome& simulated) {
  Fidelity fidelity;
  fidelity.avg_training_time =
      relative_error_percent(mean(measured.training_s), mean(simulated.training_s));
  const Distribution was = describe(measured.jct_s);
  const Distribution is = describe(simulated.jct_s);
  fidelity.avg_jct = relative_error_percent(was.avg, is.avg);
  fidelity.median_jct = relative_error_percent(was.median, is.median);
  fidelity.p99_jct = relative_error_percent(was.p99, is.p99);
  fidelity.makespan = relative_error_percent(measured.makespan_s, simulated.makespan_s);
  fidelity.ks = ks_distance(measured.jct_s, simulated.jct_s);
  fidelity.wasserstein_s = wasserstein_distance(measured.jct_s, simulated.jct_s);
  return fidelity;
}

}  // namespace mosim
