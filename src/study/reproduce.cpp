#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "mosim/scenario.hpp"
#include "mosim/study.hpp"
#include "study/artifact.hpp"
#include "study/paper.hpp"

namespace mosim {
namespace {

namespace fs = std::filesystem;

enum class ProfileOf { measured, astra_sim, builtin };

// A simulator of the paper, as a profile and a contention model.
struct Method {
  const char* name;
  ProfileOf profile;
  const char* contention;
  const char* resolution;
};

constexpr std::array<Method, 5> kMethods{{
    {"Tiresias", ProfileOf::measured, "none", "event"},
    {"Pollux", ProfileOf::measured, "fixed", "event"},
    {"MoSim", ProfileOf::astra_sim, "mosim", "phase"},
    {"MoSim (event)", ProfileOf::astra_sim, "mosim", "event"},
    {"MoSim (built-in profile)", ProfileOf::builtin, "mosim", "phase"},
}};

// A measured run of the artifact.
struct MeasuredRun {
  std::string testbed;
  std::string placement;  // ours
  Outcome outcome;
};

// Our name of a placement of the artifact; empty when it is none of ours.
std::string our_placement(std::string_view name) {
  if (name == "k8s-bin-packing" || name == "k8sbp") return "bin-packing";
  if (name == "k8s-load-balancing" || name == "k8slb") return "load-balancing";
  if (name == "colocate" || name == "colo") return "consolidate";
  return {};
}

// 32gpu: a file per placement, which its name tells. 16gpu: a column tells the placement.
std::vector<MeasuredRun> find_measured(const fs::path& data, std::vector<std::string>& ignored) {
  std::vector<MeasuredRun> runs;
  for (const fs::path& file : csv_files(data / "testbed" / "32gpu")) {
    const std::string placement = our_placement(file.stem().string());
    if (placement.empty()) {
      ignored.push_back(file.filename().string());
    } else {
      runs.push_back({"32gpu", placement, read_outcome(file.string())});
    }
  }
  for (const fs::path& file : csv_files(data / "testbed" / "16gpu")) {
    if (!file.stem().string().ends_with("perjobresult")) continue;
    for (const std::string& name : placements_in(file.string())) {
      const std::string placement = our_placement(name);
      if (placement.empty()) {
        ignored.push_back(fmt::format("{} of {}", name, file.filename().string()));
      } else {
        runs.push_back({"16gpu", placement, read_outcome(file.string(), name)});
      }
    }
  }
  const auto key = [](const MeasuredRun& run) { return std::tie(run.testbed, run.placement); };
  std::sort(runs.begin(), runs.end(),
            [&](const MeasuredRun& a, const MeasuredRun& b) { return key(a) < key(b); });
  return runs;
}

// The paper's settings: 463 MB/s per NIC, loading added, iterations from the duration.
Scenario paper_scenario(const fs::path& data, const MeasuredRun& measured, const Method& method) {
  Scenario scenario;
  scenario.trace_file =
      (data / "trace" / fmt::format("testbed-trace-{}.csv", measured.testbed)).string();
  scenario.trace_format = "mosim";
  scenario.trace_iterations = "duration";
  if (method.profile != ProfileOf::builtin) {
    const fs::path profiles =
        data / (method.profile == ProfileOf::measured ? "profiling" : "single_job_simulation");
    scenario.profile_backend = "table";
    scenario.profile_table = artifact_file(profiles, "itertime");
    scenario.profile_network = artifact_file(profiles, "network");
  }
  ServerGroup server;
  server.count = measured.testbed == "16gpu" ? 2 : 4;
  server.nic = 463e6;
  server.intra = 16384e6;
  server.cpus = 256;
  scenario.servers = {server};
  scenario.queue = "fifo";
  scenario.placement = measured.placement;
  scenario.contention_model = method.contention;
  scenario.contention_resolution = method.resolution;
  scenario.fixed_ratio = 0.1;
  scenario.min_bandwidth = 10e6;
  scenario.loading = "added";
  return scenario;
}

}  // namespace

Reproduction reproduce_paper(const std::string& artifact) {
  const fs::path data = artifact_data(artifact);
  Reproduction reproduction;
  const std::vector<MeasuredRun> measured_runs = find_measured(data, reproduction.ignored);
  if (measured_runs.empty()) {
    throw InputError({artifact, {}}, "holds no measured run",
                     "data/testbed/32gpu/*.csv or data/testbed/16gpu/*perjobresult.csv");
  }
  for (const MeasuredRun& measured : measured_runs) {
    for (const Method& method : kMethods) {
      const Scenario scenario = paper_scenario(data, measured, method);
      const Run run = simulate(scenario, prepare(scenario));
      reproduction.rows.push_back({measured.testbed, measured.placement, method.name,
                                   compare(measured.outcome, outcome_of(run)),
                                   paper_row(measured.testbed, measured.placement, method.name),
                                   summarize(run)});
    }
  }
  return reproduction;
}

}  // namespace mosim
