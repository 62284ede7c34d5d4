// Measures of a run, and of how near a simulated run is to a measured one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mosim/sim.hpp"

namespace mosim {

// The p-th percentile (0 to 100) of a sample that need not be sorted; between two values it
// interpolates linearly at (n - 1) p / 100. 0 for an empty sample.
[[nodiscard]] double percentile(std::vector<double> values, double p);
// The same of a sample in ascending order.
[[nodiscard]] double percentile_of_sorted(std::span<const double> values, double p);
[[nodiscard]] double mean(std::span<const double> values);

struct Distribution {
  double avg = 0;
  double median = 0;
  double p99 = 0;
};

[[nodiscard]] Distribution describe(const std::vector<double>& values);

// The jobs of one virtual cluster.
struct VirtualClusterSummary {
  std::string name;
  std::size_t jobs = 0;
  Distribution jct;
  Distribution wait;
  double gpu_hours = 0;  // held, loading included
  std::uint64_t preemptions = 0;
  double avg_rho = 0;
};

// What a job would have taken without a queue, a neighbour or a failure: its loading and its
// iterations at the speed of its profile, on the GPU type that it ran on last.
[[nodiscard]] double time_alone_s(const Job& job, const JobResult& result);

// JCT over the time alone, of which at least 10 s count, and at least 1 (Feitelson).
[[nodiscard]] double bounded_slowdown(double jct_s, double alone_s);

// The GPUs that a job held, on average over the time that it held any: all that it asked for,
// unless it was resized.
[[nodiscard]] double gpus_held(const JobResult& result);

// What the whole run says about one job.
struct JobMeasures {
  double capacity_wait_s = 0;   // in the queue, while fewer GPUs were free for it than it asks for
  double placement_wait_s = 0;  // in the queue, while enough were
  double rho = 1;               // finish-time fairness: JCT over its time on 1/n of the cluster
};

// All of a job's time in the queue.
[[nodiscard]] double wait_s(const Run& run, std::size_t job);

// Of each job of the run, in its order. Definitions: docs/outputs.md.
[[nodiscard]] std::vector<JobMeasures> measure_jobs(const Run& run);

// The two halves of it: the waits alone, and the rho of each job.
void split_waits(const Run& run, std::span<JobMeasures> measures);
[[nodiscard]] std::vector<double> finish_time_fairness(const Run& run);

// Jain's index of values >= 0: (sum)^2 / (n times the sum of squares), from 1/n (one has all) to 1
// (all have the same). 1 when there are none, or all are 0.
[[nodiscard]] double jain_index(std::span<const double> values);

// The jobs of one user.
struct UserSummary {
  std::string name;
  std::size_t jobs = 0;
  double avg_jct_s = 0;
  double avg_wait_s = 0;
  double gpu_hours = 0;  // held, loading included
  std::uint64_t preemptions = 0;
  double avg_rho = 0;
};

// Finish-time fairness of all jobs.
struct RhoSummary {
  Distribution jobs;
  double max = 0;
  double above_one = 0;  // the part of the jobs that would have been faster on their own share
};

// How evenly a run treated its jobs and users, and how much of what they held was of use.
// Definitions: docs/outputs.md.
struct Fairness {
  Distribution bounded_slowdown;
  double jain_jobs = 1;              // of 1 / bounded slowdown
  std::optional<double> jain_users;  // of each user's mean of it; nothing when no user is named
  RhoSummary rho;
  double goodput = 1;                       // GPU time of training that was kept over GPU time held
  std::size_t users = 0;                    // that the trace names
  std::vector<UserSummary> top_users = {};  // by GPU hours, then by name; at most 10
};

[[nodiscard]] Fairness fairness_of(const Run& run, std::span<const JobMeasures> measures);

// The headline numbers of a run, in seconds.
struct Summary {
  std::size_t submitted = 0;
  std::size_t finished = 0;
  std::size_t dropped = 0;
  std::uint64_t servers = 0;
  std::uint64_t gpus = 0;
  Distribution training;       // on GPUs, loading included: JCT - wait
  Distribution wait;           // in the queue
  Distribution capacity_wait;  // of it, while too few GPUs were free
  Distribution placement_wait;
  Distribution jct;            // end - submission
  double makespan_s = 0;       // from the earliest submission to the latest end
  double gpu_utilization = 0;  // GPU-seconds held over GPU-seconds of the makespan
  double gpu_computing = 0;    // GPU-seconds of computing over the same
  double fragmentation = 0;    // of the free GPUs over time, those on servers that are in use
  double mean_contention = 1;  // networking time of all jobs over what it would have been alone
  std::uint64_t events = 0;
  std::string schedule_digest;
  std::uint64_t restarts = 0;  // after failures of servers
  std::uint64_t preemptions = 0;
  std::uint64_t moves = 0;
  double lost_gpu_s = 0;     // training that failures and preemptions undid, times the job's GPUs
  double restart_gpu_s = 0;  // saving and restoring, likewise
  std::vector<VirtualClusterSummary> virtual_clusters = {};  // in their order
  TraceAccount trace = {};                                   // what became of the rows of the trace
  Fairness fairness = {};
};

[[nodiscard]] Summary summarize(const Run& run);
// The same where the run's `measure_jobs` are at hand.
[[nodiscard]] Summary summarize(const Run& run, std::span<const JobMeasures> measures);

// A run as far as fidelity is concerned, measured or simulated: a value per job, and the makespan.
struct Outcome {
  std::vector<double> training_s;
  std::vector<double> jct_s;
  double makespan_s = 0;
};

[[nodiscard]] Outcome outcome_of(const Run& run);

// Reads a per-job CSV: ours (jobs.csv), or one of the artifact's measured ones. Columns by name:
// training time (training_s, training_time), JCT (jct_s, jcts), submission (submit_s,
// arrival_times) and, where it is there, end (end_s, end_time_seconds; else submission + JCT).
// When the file has a column `placement`, only rows with that placement count: `placement` must
// then name one, unless all rows agree. Throws InputError.
[[nodiscard]] Outcome read_outcome(const std::string& path, const std::string& placement = {});

// The values of the column `placement` of a per-job CSV, each once; empty without that column.
[[nodiscard]] std::vector<std::string> placements_in(const std::string& path);

// How far a simulated run is from a measured one: the paper's measures (Tables II-IV).
struct Fidelity {
  // |simulated - measured| / measured of each aggregate, in %: what the paper calls MAPE.
  double avg_training_time = 0;
  double avg_jct = 0;
  double median_jct = 0;
  double p99_jct = 0;
  double makespan = 0;
  // Between the two samples of JCTs.
  double ks = 0;
  double wasserstein_s = 0;
};

[[nodiscard]] Fidelity compare(const Outcome& measured, const Outcome& simulated);

// The Kolmogorov-Smirnov distance: the largest gap between the two empirical CDFs.
[[nodiscard]] double ks_distance(std::vector<double> a, std::vector<double> b);

// The first Wasserstein distance: the area between the two empirical CDFs.
[[nodiscard]] double wasserstein_distance(std::vector<double> a, std::vector<double> b);

}  // namespace mosim
