#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mosim/study.hpp"
#include "study/paper.hpp"

namespace mosim {
namespace {

using Json = nlohmann::ordered_json;

struct Measure {
  const char* key;
  const char* title;
  double Fidelity::* cell;
};

constexpr std::array<Measure, 5> kMape{{
    {"avg_training_time", "avg training", &Fidelity::avg_training_time},
    {"avg_jct", "avg JCT", &Fidelity::avg_jct},
    {"median_jct", "median JCT", &Fidelity::median_jct},
    {"p99_jct", "P99 JCT", &Fidelity::p99_jct},
    {"makespan", "makespan", &Fidelity::makespan},
}};
constexpr std::array<Measure, 2> kDistances{{
    {"ks", "KS", &Fidelity::ks},
    {"wasserstein_s", "Wasserstein (s)", &Fidelity::wasserstein_s},
}};

// The largest differences from the paper, over the cells that it prints.
struct Differences {
  std::size_t cells = 0;
  double mape = 0;  // percentage points
  double ks = 0;
  double wasserstein_s = 0;
};

Differences differences(const Reproduction& reproduction) {
  Differences largest;
  for (const ReproducedRow& row : reproduction.rows) {
    if (!row.paper) continue;
    const auto note = [&](double Fidelity::* cell, double& into) {
      if ((*row.paper).*cell == kNotPrinted) return;
      ++largest.cells;
      into = std::max(into, std::abs(row.ours.*cell - (*row.paper).*cell));
    };
    for (const Measure& measure : kMape) note(measure.cell, largest.mape);
    note(&Fidelity::ks, largest.ks);
    note(&Fidelity::wasserstein_s, largest.wasserstein_s);
  }
  return largest;
}

template <std::size_t N>
std::string table(const Reproduction& reproduction, std::string_view testbed,
                  const std::array<Measure, N>& measures, std::string_view title) {
  std::string out;
  for (const ReproducedRow& row : reproduction.rows) {
    if (row.testbed != testbed) continue;
    if (out.empty()) {
      out = fmt::format("{}\n{:<16}{:<26}", title, "placement", "simulator");
      for (const Measure& measure : measures) out += fmt::format("{:>20}", measure.title);
      out += '\n';
    }
    out += fmt::format("{:<16}{:<26}", row.placement, row.method);
    for (const Measure& measure : measures) {
      const double paper = row.paper ? (*row.paper).*measure.cell : kNotPrinted;
      const std::string beside = paper == kNotPrinted ? "-" : fmt::format("{}", paper);
      out += fmt::format("{:>20}", fmt::format("{:.2f} ({})", row.ours.*measure.cell, beside));
    }
    out += '\n';
  }
  return out.empty() ? out : out + '\n';
}

template <std::size_t N>
Json cells(const ReproducedRow& row, const std::array<Measure, N>& measures) {
  Json json;
  for (const Measure& measure : measures) json[measure.key] = row.ours.*measure.cell;
  return json;
}

}  // namespace

std::string reproduction_tables(const Reproduction& reproduction) {
  std::string out =
      table(reproduction, "16gpu", kMape, "Table II, 16 GPUs: MAPE in %, ours (the paper's)") +
      table(reproduction, "32gpu", kMape, "Table III, 32 GPUs: MAPE in %, ours (the paper's)") +
      table(reproduction, "32gpu", kDistances,
            "Table IV, 32 GPUs: distance of the JCT distributions, ours (the paper's)");
  for (const std::string& run : reproduction.ignored) {
    out += fmt::format("not used, its policy is not one of ours: {}\n", run);
  }
  const Differences largest = differences(reproduction);
  out += fmt::format(
      "largest difference from the paper over its {} cells: {:.3f} percentage points of MAPE, "
      "{:.4f} of KS, {:.2f} s of Wasserstein\n",
      largest.cells, largest.mape, largest.ks, largest.wasserstein_s);
  return out;
}

std::string reproduction_json(const Reproduction& reproduction) {
  Json tables = Json::object();
  Json aggregates = Json::array();
  for (const ReproducedRow& row : reproduction.rows) {
    if (row.testbed == "32gpu") {
      tables["III"][row.placement][row.method] = cells(row, kMape);
      tables["IV"][row.placement][row.method] = cells(row, kDistances);
    } else if (row.placement == "load-balancing") {
      tables["II"][row.method] = cells(row, kMape);
    } else {
      tables["II other placements"][row.placement][row.method] = cells(row, kMape);
    }
    aggregates.push_back({{"testbed", row.testbed},
                          {"placement", row.placement},
                          {"method", row.method},
                          {"avg_training_time_s", row.summary.training.avg},
                          {"avg_jct_s", row.summary.jct.avg},
                          {"median_jct_s", row.summary.jct.median},
                          {"p99_jct_s", row.summary.jct.p99},
                          {"makespan_s", row.summary.makespan_s}});
  }
  const Differences largest = differences(reproduction);
  Json json;
  json["schema_version"] = 1;
  json["tables"] = tables;
  json["cells_in_paper"] = largest.cells;
  json["max_abs_difference"] = largest.mape;
  json["max_abs_difference_ks"] = largest.ks;
  json["max_abs_difference_wasserstein_s"] = largest.wasserstein_s;
  json["aggregates"] = aggregates;
  return json.dump(2) + "\n";
}

}  // namespace mosim
