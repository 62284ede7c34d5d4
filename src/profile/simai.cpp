// The format of the results, from aliyun/SimAI (astra-sim/workload/Layer.cc, report, and
// CSVWriter.cc):
//
//   File name, Expose DP comm, Expose DP_EP comm, Expose TP comm, Expose_EP_comm, Expose_PP_comm,
//       bubble time, total comp, total exposed comm, Total time                     (one line)
//   PREFIX, 40 (4.00%), 0 (0.00%), ..., 1000
//   layer_name,RUN,fwd compute,wg compute,ig compute,fwd exposed comm,wg exposed comm,
//       ig exposed comm,fwd total comm,algbw,busbw,wg total comm,algbw,busbw,ig total comm,algbw,
//       busbw                                                                       (one line)
//   embedding_layer,Analytical_test,623,1,15,130,0,0,130,360.00,360.00,0,-nan,0.00,0,-nan,0.00
//   ... one line per layer of the workload file, in its order
//
// Times are microseconds without decimals: the simulator counts ticks of 1 ns and divides them by
// FREQ = 1000 (system/Common.hh). Bandwidths are in GiB/s; without a collective they are 0/0.
// Total time = total comp + total exposed comm + bubble time + Expose_PP_comm, and total exposed
// comm is the sum of the other four groups.
#include "profile/simai.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bundled.hpp"
#include "base/csv.hpp"
#include "base/problems.hpp"
#include "base/text.hpp"
#include "profile/simai_text.hpp"
#include "profile/simai_workload.hpp"

namespace mosim {
namespace {

constexpr std::string_view kExpected = "an EndToEnd.csv of SimAI-Analytical";
constexpr double kSecondsPerMicrosecond = 1e-6;
// 11 days. Where a bus bandwidth is missing, SimAI writes times near 2^64.
constexpr NumberRange kMicroseconds{0, 1e12, false};

// One of the two tables of the results: names of its columns and where they stand.
struct Columns {
  std::vector<std::string> names;

  [[nodiscard]] bool has(std::string_view name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
};

Columns read_columns(SimaiLines& lines, std::string_view first) {
  if (!lines.next()) {
    throw InputError(lines.line(), fmt::format("ends before the line of '{}'", first),
                     std::string(kExpected));
  }
  Columns columns;
  for (const SimaiCell& cell : lines.between_commas()) columns.names.emplace_back(cell.text);
  if (columns.names.front() != first) {
    throw InputError(lines.line(), fmt::format("begins with '{}'", columns.names.front()),
                     fmt::format("'{}', as in {}", first, kExpected));
  }
  return columns;
}

std::size_t require(const SimaiLines& lines, const Columns& columns, std::string_view name) {
  const auto at = std::find(columns.names.begin(), columns.names.end(), name);
  if (at != columns.names.end()) return static_cast<std::size_t>(at - columns.names.begin());
  throw InputError(lines.line(), fmt::format("has no column '{}'", name),
                   fmt::format("that column beside {}", join(columns.names, ", ")));
}

std::vector<SimaiCell> cells_of(const SimaiLines& lines, const Columns& columns) {
  std::vector<SimaiCell> cells = lines.between_commas();
  if (cells.size() == columns.names.size()) return cells;
  throw InputError(lines.line(), fmt::format("has {} fields", cells.size()),
                   fmt::format("{}, as its header", columns.names.size()));
}

// Whether printed numbers can differ by so much because `count` of them were rounded to integers.
bool agree(double a, double b, int count) {
  return std::abs(a - b) <= 0.5 * count + 1e-9 * std::max(std::abs(a), std::abs(b));
}

struct Summary {
  double dp = 0, dp_ep = 0, tp = 0, ep = 0, pp = 0, bubble = 0, compute = 0, exposed = 0, total = 0;
};

using SummaryField = std::pair<std::string_view, double Summary::*>;
constexpr std::array<SummaryField, 9> kSummary{{{"Expose DP comm", &Summary::dp},
                                                {"Expose DP_EP comm", &Summary::dp_ep},
                                                {"Expose TP comm", &Summary::tp},
                                                {"Expose_EP_comm", &Summary::ep},
                                                {"Expose_PP_comm", &Summary::pp},
                                                {"bubble time", &Summary::bubble},
                                                {"total comp", &Summary::compute},
                                                {"total exposed comm", &Summary::exposed},
                                                {"Total time", &Summary::total}}};

// "633 (36.28%)" without its share.
SimaiCell without_share(SimaiCell cell) {
  const std::size_t share = cell.text.find(" (");
  if (share != std::string_view::npos && cell.text.ends_with("%)")) {
    cell.text = trim(cell.text.substr(0, share));
  }
  return cell;
}

// What the summary's parts and the workload must add up to.
void check_sums(const SimaiLines& lines, const Summary& summary, const SimaiWorkload& workload,
                Problems& problems) {
  const auto check = [&](std::string_view name, double printed, double sum, int rounded,
                         std::string_view of) {
    if (agree(printed, sum, rounded)) return;
    problems.add(lines.line(), fmt::format("{} is {}", name, printed),
                 fmt::format("{}, the sum of {}", sum, of));
  };
  check("total exposed comm", summary.exposed, summary.dp + summary.dp_ep + summary.tp + summary.ep,
        5, "DP, DP_EP, TP and EP comm");
  check("Total time", summary.total,
        summary.compute + summary.exposed + summary.bubble + summary.pp, 5,
        "total comp, total exposed comm, bubble time and PP comm");
  double compute = 0;
  for (const SimaiLayer& layer : workload.layers) {
    compute += layer.forward_us + layer.input_gradient_us + layer.weight_gradient_us;
  }
  check("total comp", summary.compute, compute, 1, "the workload file's times, in microseconds");
  if (summary.total <= 0) {
    problems.add(lines.line(), "has an iteration that takes no time", "a Total time above 0");
  }
}

Summary read_summary(SimaiLines& lines, const SimaiWorkload& workload, Problems& problems) {
  const Columns columns = read_columns(lines, "File name");
  std::array<std::size_t, kSummary.size()> at{};
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = require(lines, columns, kSummary[i].first);
  if (!lines.next()) {
    throw InputError(lines.line(), "ends before the values of the summary", std::string(kExpected));
  }
  const std::vector<SimaiCell> cells = cells_of(lines, columns);
  Summary summary;
  Problems wrong;  // sums of what is no number would only repeat it
  for (std::size_t i = 0; i < at.size(); ++i) {
    summary.*kSummary[i].second =
        lines.number(without_share(cells[at[i]]), kSummary[i].first, kMicroseconds, wrong);
  }
  wrong.throw_if_any();
  check_sums(lines, summary, workload, problems);
  return summary;
}

struct LayerColumns {
  std::size_t forward = 0, input_gradient = 0, weight_gradient = 0;
  std::vector<std::size_t> times;  // all that hold a time
};

LayerColumns find_layer_columns(const SimaiLines& lines, const Columns& columns) {
  if (columns.has("workload finished at")) {
    throw InputError(lines.line(), "is the table of SimAI-Simulation", std::string(kExpected));
  }
  LayerColumns found;
  found.forward = require(lines, columns, "fwd compute");
  found.input_gradient = require(lines, columns, "ig compute");
  found.weight_gradient = require(lines, columns, "wg compute");
  found.times = {found.forward, found.weight_gradient, found.input_gradient};
  for (const std::string_view pass : {"fwd", "wg", "ig"}) {
    found.times.push_back(require(lines, columns, fmt::format("{} exposed comm", pass)));
    found.times.push_back(require(lines, columns, fmt::format("{} total comm", pass)));
  }
  return found;
}

// Checks the current row against its layer of the workload.
void check_layer(const SimaiLines& lines, const Columns& columns, const LayerColumns& at,
                 const SimaiLayer& layer, Problems& problems) {
  const std::vector<SimaiCell> cells = cells_of(lines, columns);
  if (cells.front().text != layer.name) {
    problems.add(lines.line(), fmt::format("the layer is '{}'", cells.front().text),
                 fmt::format("'{}', as in the workload file", layer.name));
    return;
  }
  std::map<std::size_t, double> times;
  Problems wrong;
  for (const std::size_t column : at.times) {
    times[column] = lines.number(cells[column], columns.names[column], kMicroseconds, wrong);
  }
  wrong.throw_if_any();
  const auto check = [&](std::size_t column, double expected) {
    if (agree(times[column], expected, 1)) return;
    problems.add(lines.where(cells[column]),
                 fmt::format("{} is {}", columns.names[column], times[column]),
                 fmt::format("{}, as in the workload file", expected));
  };
  check(at.forward, layer.forward_us);
  check(at.input_gradient, layer.input_gradient_us);
  check(at.weight_gradient, layer.weight_gradient_us);
}

void check_layers(SimaiLines& lines, const SimaiWorkload& workload, Problems& problems) {
  const Columns columns = read_columns(lines, "layer_name");
  const LayerColumns at = find_layer_columns(lines, columns);
  const std::size_t count = workload.layers.size();
  std::size_t read = 0;
  for (; lines.next(); ++read) {
    if (read == count) {
      throw InputError(lines.line(), "is a line after the last layer",
                       fmt::format("{} layers, as in the workload file", count));
    }
    check_layer(lines, columns, at, workload.layers[read], problems);
  }
  if (read != count) {
    throw InputError(lines.line(), fmt::format("ends after {} layers", read),
                     fmt::format("{}, as in the workload file", count));
  }
}

JobProfile read_profile(const std::string& results_csv, const SimaiWorkload& workload) {
  SimaiLines lines(results_csv, kExpected);
  Problems problems;
  const Summary summary = read_summary(lines, workload, problems);
  check_layers(lines, workload, problems);
  problems.throw_if_any();
  JobProfile profile;
  // In the pipeline's bubble a rank waits and sends nothing, as when it computes.
  profile.compute_s = (summary.compute + summary.bubble) * kSecondsPerMicrosecond;
  profile.network_s = (summary.exposed + summary.pp) * kSecondsPerMicrosecond;
  profile.volume = workload.volume;
  return profile;
}

// A path of the index, from the folder of the index.
std::string beside(const std::string& index, std::string_view path) {
  if (path.starts_with(kBundledPrefix)) return std::string(path);
  return (std::filesystem::path(index).parent_path() / path).string();
}

}  // namespace

JobProfile read_simai(const std::string& results_csv, const std::string& workload) {
  return read_profile(results_csv, read_simai_workload(workload));
}

ProfileTable read_simai_table(const std::string& path, const ModelPool& pool) {
  CsvReader csv(path, "an index of SimAI results");
  const std::size_t model = csv.require({"model"});
  const std::size_t gpus = csv.require({"gpus"});
  const std::size_t results = csv.require({"results"});
  const std::size_t workload_file = csv.require({"workload"});
  std::map<ProfileTable::Key, JobProfile> profiles;
  Problems problems;
  while (csv.next()) {
    const double count = csv.number(gpus, {1, kMostGpus, true}, problems);
    const ProfileTable::Key key{pool.canonical(csv.field(model)),
                                static_cast<std::uint32_t>(count)};
    const std::string workload_path = beside(path, csv.field(workload_file));
    const SimaiWorkload workload = read_simai_workload(workload_path);
    if (workload.gpus != key.second) {
      problems.add(csv.where(gpus), fmt::format("gpus is {}", csv.field(gpus)),
                   fmt::format("{}, the all_gpus of {}", workload.gpus, workload_path));
    }
    const JobProfile profile = read_profile(beside(path, csv.field(results)), workload);
    if (!profiles.emplace(key, profile).second) {
      problems.add(csv.where(model),
                   fmt::format("'{}' on {} GPUs appears twice", key.first, key.second), "one row");
    }
  }
  problems.throw_if_any();
  return ProfileTable(std::move(profiles));
}

}  // namespace mosim
