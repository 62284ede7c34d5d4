// What a run leaves behind: the files of its folder, and the table for a person.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mosim/metrics.hpp"

namespace mosim {

// jobs.csv: one row per job, by submission, with its `measure_jobs`. Columns: docs/outputs.md.
// Times in seconds.
[[nodiscard]] std::string jobs_csv(const Run& run, std::span<const JobMeasures> measures);

// attempts.csv: the times on servers that were not a job's last, in the order of their ends; empty
// when there are none.
[[nodiscard]] std::string attempts_csv(const Run& run);
// How such a time ended, as there.
[[nodiscard]] std::string_view name_of(AttemptEnd end);
// The GPUs that it had.
[[nodiscard]] std::uint64_t gpus_of(const Run& run, const EarlierAttempt& attempt);

// Where workers are, as in these files: server:workers of each server, separated by blanks.
void append_servers(std::string& out, std::span<const WorkerGroup> groups);

// timeline.csv: the cluster after each time at which a job arrived or ended.
[[nodiscard]] std::string timeline_csv(const Run& run);

// summary.json, ending in a line break. Numbers read back to the same doubles.
[[nodiscard]] std::string summary_json(const Summary& summary, const std::string& scenario_digest);

// The same for a person: a few lines with units.
[[nodiscard]] std::string summary_table(const Summary& summary);

// The measures of a comparison, as JSON and as a table with both runs' aggregates.
[[nodiscard]] std::string fidelity_json(const Fidelity& fidelity);
[[nodiscard]] std::string fidelity_table(const Outcome& measured, const Outcome& simulated,
                                         const Fidelity& fidelity);

// What a cluster is made of, as JSON and as a table. `notes` are what was said when it was read.
[[nodiscard]] std::string cluster_json(const ClusterSpec& cluster,
                                       const std::vector<std::string>& notes);
[[nodiscard]] std::string cluster_table(const ClusterSpec& cluster);

// Everything in the registry, one line each: kind, name, summary.
[[nodiscard]] std::string policies_text(const PolicyRegistry& registry);
// What the policy and the placement of this name say of themselves, with their parameters; empty
// when there is neither.
[[nodiscard]] std::string policy_text(const PolicyRegistry& registry, std::string_view name);
// Either as a JSON array: those of the name, or all.
[[nodiscard]] std::string policies_json(const PolicyRegistry& registry, std::string_view name = {});

// "2h 30m" and the like, for tables.
[[nodiscard]] std::string human_duration(double seconds);

// Makes the folder and makes sure that a run may be written there. Throws InputError when it holds
// a run already and `force` is not set, RunError when it cannot be made or written.
void claim_run_directory(const std::filesystem::path& dir, bool force);

// Writes the files of a run into a claimed folder, each whole or not at all, summary.json last.
// There is an attempts.csv only where there are such attempts. Throws RunError.
void write_run(const std::filesystem::path& dir, const Run& run,
               std::span<const JobMeasures> measures, const std::string& summary,
               const std::string& resolved_scenario);

}  // namespace mosim
