// Studies: several runs that answer one question. So far: does MoSim reproduce its paper?
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mosim/characterize.hpp"
#include "mosim/metrics.hpp"
#include "mosim/scenario.hpp"

namespace mosim {

// One row of Tables II-IV: a simulator against a measured run.
struct ReproducedRow {
  std::string testbed;    // "16gpu" or "32gpu"
  std::string placement;  // by our name
  std::string method;     // "Tiresias", "Pollux", "MoSim" or "MoSim (event)"
  Fidelity ours;
  std::optional<Fidelity> paper;  // what the paper prints; Table II has only four MAPEs
  Summary summary;
};

struct Reproduction {
  std::vector<ReproducedRow> rows;
  std::vector<std::string> ignored;  // measured runs under policies that we do not know
};

// Runs every simulator of the paper on every measured run found below `artifact`, a folder laid out
// as the authors' artifact (docs/reproduction.md). Throws InputError when there is none.
[[nodiscard]] Reproduction reproduce_paper(const std::string& artifact);

// The tables with the paper's value beside ours.
[[nodiscard]] std::string reproduction_tables(const Reproduction& reproduction);
[[nodiscard]] std::string reproduction_json(const Reproduction& reproduction);

// A model on a number of GPUs.
struct CharacterizedRow {
  std::string model;
  std::uint32_t gpus = 1;
  JobProfile profile;
  std::optional<Characterization> detail;  // of backend `builtin` only
};

// What was asked for, and what could not be had.
struct CharacterizedPool {
  std::vector<CharacterizedRow> rows;  // by model, then GPUs, as asked
  std::vector<std::string> refused;    // a line for each, with the reason
};

// What replaces a model's own for once.
struct TrainingChanges {
  std::optional<Parallelism> parallelism;
  std::optional<std::uint32_t> batch_per_gpu;
  std::optional<Precision> precision;
};

// Characterizes `models` (empty: those that the pool draws from) on each number of GPUs, with the
// scenario's backend and cluster. Throws InputError for a model that the pool does not know.
[[nodiscard]] CharacterizedPool characterize_pool(const Scenario& scenario,
                                                  const std::vector<std::string>& models,
                                                  const std::vector<std::uint32_t>& gpus,
                                                  const TrainingChanges& changes = {});

// For a person, as JSON, and as a profile table that backend `table` reads.
[[nodiscard]] std::string characterization_table(const CharacterizedPool& pool);
[[nodiscard]] std::string characterization_json(const CharacterizedPool& pool);
[[nodiscard]] std::string characterization_csv(const CharacterizedPool& pool);

// The operators of one row, and its collectives.
[[nodiscard]] std::string operator_table(const CharacterizedRow& row);

// What it costs to make the profiles of a pool: Table V of the paper.
struct CharacterizationCost {
  std::string method;
  double gpu_hours = 0;
  double cpu_hours = 0;
  double dollars = 0;
};

// Measures how long `make` keeps the processor busy, and sets it beside the two rows of the paper
// (profiling on GPUs, ASTRA-sim) at the scenario's prices.
[[nodiscard]] std::vector<CharacterizationCost> characterization_cost(
    const Scenario& scenario, const std::function<void()>& make);
[[nodiscard]] std::string cost_table(const std::vector<CharacterizationCost>& rows,
                                     const Scenario& scenario);

// The computing time of one model on one GPU: measured, by the authors' ASTRA-sim, and ours.
struct ComputeComparison {
  std::string model;
  double measured_s = 0;
  std::optional<double> astra_sim_s;
  double ours_s = 0;
};

// The volume that one worker sends, bytes.
struct VolumeComparison {
  std::string model;
  std::uint32_t gpus = 1;
  double artifact = 0;
  double ours = 0;
};

struct ArtifactComparison {
  std::vector<ComputeComparison> compute;
  std::vector<VolumeComparison> volume;
};

// Sets the builtin backend beside the measured single-GPU rows and the volumes of the authors'
// artifact. Throws InputError.
[[nodiscard]] ArtifactComparison compare_with_artifact(const std::string& artifact,
                                                       const Scenario& scenario);
[[nodiscard]] std::string comparison_table(const ArtifactComparison& comparison);

}  // namespace mosim
