// Studies: several runs that answer one question: does MoSim reproduce its paper, what does each
// model compute and send, and how much do two jobs slow each other down?
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

// A job beside another one, both all the time.
struct PairedRun {
  double factor = 1;       // S; at phase resolution its mean over the networking
  double iteration_s = 0;  // the mean
};

// A model's job alone in the placement of the pairs, and beside every model's.
struct PairwiseRow {
  std::string model;
  JobProfile profile;
  PairedRun alone;                // not 1 and T_comp + T_net where a NIC is too slow for one job
  std::vector<PairedRun> beside;  // in the order of PairwiseMatrix::rows

  [[nodiscard]] double factor(std::size_t partner) const { return beside[partner].factor; }
  // What the partner changes: against the job alone in the same placement.
  [[nodiscard]] double factor_ratio(std::size_t partner) const {
    return beside[partner].factor / alone.factor;
  }
  [[nodiscard]] double iteration_ratio(std::size_t partner) const {
    return beside[partner].iteration_s / alone.iteration_s;
  }
  // What the placement and the partner change: against T_comp + T_net of the profile.
  [[nodiscard]] double profile_ratio(std::size_t partner) const {
    return beside[partner].iteration_s / profile.iteration_s();
  }
};

// The co-run matrix of the paper's section III-C: jobs of 8 GPUs, two at a time on two servers of
// 8, each with 4 GPUs on both.
struct PairwiseMatrix {
  ServerGroup servers;
  std::string contention;  // with its resolution, for people
  std::vector<PairwiseRow> rows;
  std::vector<std::string> refused;  // a line for each model without a profile
};

// Runs every ordered pair of `models` (empty: those that the pool draws from) with the scenario's
// backend and contention model, on servers like the first of its cluster. Throws InputError for a
// model that the pool does not know, and when no model has a profile.
[[nodiscard]] PairwiseMatrix pairwise(const Scenario& scenario,
                                      const std::vector<std::string>& models);

struct Range {
  double min = 0;
  double mean = 0;
  double max = 0;
};

using PairMeasure = double (PairwiseRow::*)(std::size_t partner) const;

// Over a row, and over all ordered pairs; a job beside its own kind counts too.
[[nodiscard]] Range range_over_partners(const PairwiseRow& row, PairMeasure measure);
[[nodiscard]] Range range_over_pairs(const PairwiseMatrix& matrix, PairMeasure measure);

// For a person, with the paper's mean and maximum; as JSON; a line for each pair.
[[nodiscard]] std::string pairwise_table(const PairwiseMatrix& matrix);
[[nodiscard]] std::string pairwise_json(const PairwiseMatrix& matrix);
[[nodiscard]] std::string pairwise_csv(const PairwiseMatrix& matrix);

}  // namespace mosim
