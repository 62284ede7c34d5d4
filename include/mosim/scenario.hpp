// A scenario describes one run: a YAML file, overridden key by key. Keys: docs/scenario.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mosim/characterize.hpp"
#include "mosim/sim.hpp"

namespace mosim {

// An item of availability.events as it is written; `availability_options` reads it.
struct ServerEventKeys {
  double time_s = 0;
  std::string server;   // "3"
  std::string servers;  // "0-7"; one of the two is set
  std::string what;     // add, drain, fail or repair
};

// Every key of a scenario, with its default. The option table (src/scenario/options.cpp) says what
// each means and accepts.
struct Scenario {
  std::string trace_file = "bundled:traces/demo.csv";
  std::string trace_format = "auto";
  std::string trace_iterations = "trace";
  bool trace_lenient = false;
  std::string on_failed = "keep";
  std::string on_cancelled = "keep";
  std::string on_unfinished = "drop";
  std::string on_never_started = "drop";
  std::string on_zero_gpus = "drop";
  std::string on_fractional_gpus = "keep";
  std::string on_missing_time = "drop";
  std::string on_negative_duration = "drop";
  std::string on_overlapping_attempts = "merge";
  double trace_from_s = 0;
  double trace_to_s = 0;
  std::uint64_t trace_min_gpus = 0;
  std::uint64_t trace_max_gpus = 0;
  std::string trace_statuses;
  std::string trace_virtual_clusters;
  double trace_sample = 1;
  std::uint64_t trace_sample_seed = 1;
  std::uint64_t trace_limit = 0;
  double trace_time_scale = 1;
  double trace_load_scale = 1;
  double trace_default_duration_s = 0;
  std::string trace_throughputs;
  std::string trace_throughputs_gpu = "v100";
  std::string trace_delimiter = ",";
  std::string trace_time_unit = "s";
  std::string trace_duration_unit = "s";
  std::string column_id, column_submit, column_start, column_end, column_duration, column_gpus,
      column_workers, column_gpus_per_worker, column_cpus, column_model, column_iterations,
      column_user, column_virtual_cluster, column_status, column_gpu_type;
  std::string trace_gpu_type = "ignore";
  std::string workloads_pool = "default";
  std::string workloads_rules;
  std::string on_unknown_model = "refuse";
  std::uint64_t workloads_seed = 1;
  std::string profile_backend = "builtin";
  std::string profile_table;
  std::string profile_network;
  std::string reference_gpu;
  std::string profile_layout = "spread";
  std::string profile_networking = "total";
  std::string profile_all_reduce = "model";
  double profile_bucket = 25 * 1024.0 * 1024.0;
  bool profile_overlap = true;
  std::string astra_sim_binary;
  bool astra_sim_congestion_aware = false;
  double astra_sim_time_limit_s = 60;
  std::string profile_cache = "default";
  double price_gpu_hour = 3.06;
  double price_cpu_hour = 0.04;
  std::string cluster_file;
  std::string cluster_format = "auto";
  std::string cluster_date;
  std::string cluster_gpu;
  std::uint64_t cluster_gpus_per_server = 0;
  double cluster_nic = 0;
  std::string cluster_gpu_types;
  std::vector<ServerGroup> servers = {ServerGroup{.count = 4}};
  std::vector<VirtualCluster> virtual_clusters = {};
  std::uint64_t fabric_rack_uplinks = 0;
  double fabric_rack_oversubscription = 1;
  std::uint64_t fabric_pod_racks = 0;
  std::uint64_t fabric_pod_uplinks = 0;
  double fabric_pod_oversubscription = 1;
  std::uint64_t fabric_ecmp_seed = 1;
  std::string unmapped = "refuse";
  std::vector<std::string> cluster_notes = {};  // what the cluster file's reader left out
  std::string queue = "fifo";
  std::string placement = "load-balancing";
  bool skip_unplaceable = false;
  bool mix_gpu_types = false;
  bool share_gpus = false;
  std::uint64_t scheduler_seed = 1;
  double estimate_factor = 1;
  double estimate_spread = 0;
  double deadline_factor = 0;
  double preemption_save_s = 0;
  double preemption_restore_s = 0;
  double preemption_storage = 0;
  double preemption_bytes_per_parameter = 12;
  double preemption_min_run_s = 0;
  std::vector<ServerEventKeys> availability_events = {};
  double mtbf_s = 0;
  double mttr_s = 3600;
  std::uint64_t availability_seed = 1;
  double checkpoint_interval_s = 3600;
  std::uint32_t max_restarts = 1000;
  std::string contention_model = "mosim";
  std::string contention_resolution = "event";
  double min_bandwidth = 10e6;
  double fixed_ratio = 0.1;
  std::string loading = "included";
  std::vector<std::string> plugins = {};
  std::string output_dir = "out";
};

// One key set from outside the file.
struct Override {
  std::string key;     // such as "contention.model" or "cluster.servers[0].nic"
  std::string value;   // YAML when `yaml`, else the text itself
  std::string source;  // where it came from, for messages: "--set", "--trace"
  bool yaml = false;
};

// Reads `key=value` of --set. Throws InputError when there is no key or no '='.
[[nodiscard]] Override parse_override(const std::string& text);

// Reads a scenario file (or the bundled default when `file` is empty) with overrides on top, and
// the cluster file when one is named. Relative paths in a file are relative to that file's folder.
// Throws InputError with every unknown key (and its nearest name) and every wrong value.
[[nodiscard]] Scenario load_scenario(const std::string& file,
                                     const std::vector<Override>& overrides);

// The same of a scenario's text; `name` stands for the file.
[[nodiscard]] Scenario parse_scenario(const std::string& name, const std::string& text,
                                      const std::vector<Override>& overrides);

// The scenario as YAML with every key written out: `mosim run` reads it back as the same run. The
// output folder is left out.
[[nodiscard]] std::string resolved_yaml(const Scenario& scenario);

// The cluster of the scenario.
[[nodiscard]] ClusterSpec cluster_of(const Scenario& scenario);

// The cluster as a cluster file in MoSim's own form, which reads back as the same cluster.
[[nodiscard]] std::string cluster_yaml(const ClusterSpec& cluster);

// A JSON Schema (draft 2020-12) of the scenario file, for editors.
[[nodiscard]] std::string scenario_schema();

// docs/scenario.md.
[[nodiscard]] std::string scenario_markdown();

// The keys with their defaults and meanings, for --help.
[[nodiscard]] std::string scenario_help();

// The backend of the scenario, for its cluster. Throws InputError.
[[nodiscard]] std::unique_ptr<ProfileSource> make_profiles(const Scenario& scenario,
                                                           const ModelPool& pool);

// A source for each GPU type of the cluster, and one for the reference type. Throws InputError.
[[nodiscard]] ClusterProfiles make_cluster_profiles(const Scenario& scenario,
                                                    const ModelPool& pool);

// What a caller has in memory already, in place of what the scenario names.
struct GivenInputs {
  std::optional<Trace> trace = {};  // its filter was its reader's affair: see `trace_options`
  // The profiles on a GPU type.
  std::function<std::unique_ptr<ProfileSource>(const ModelPool& pool, const std::string& gpu)>
      profiles = {};
};

// When its servers are there. Throws InputError.
[[nodiscard]] Availability availability_options(const Scenario& scenario);

// What backend `builtin` takes of the scenario.
[[nodiscard]] BuiltinOptions builtin_options(const Scenario& scenario);

// What reading its trace takes of it. Throws InputError.
[[nodiscard]] TraceOptions trace_options(const Scenario& scenario);

// What it costs to preempt jobs.
[[nodiscard]] Preemption preemption_options(const Scenario& scenario);

// What schedulers are told of jobs where the trace does not say it.
[[nodiscard]] FactOptions fact_options(const Scenario& scenario);

// What the contention model takes of it.
[[nodiscard]] ContentionOptions contention_options(const Scenario& scenario);

// Everything of a run but the simulation itself.
struct PreparedRun {
  ClusterSpec cluster;
  Trace trace;
  std::vector<Job> jobs;
  // Where the profiles of jobs that a policy resizes come from; null: no job can be.
  std::shared_ptr<const ClusterProfiles> profiles = nullptr;
  std::vector<std::string> dropped;   // a line for each job left out: it can never be placed, or
                                      // belongs to no virtual cluster
  std::vector<std::string> warnings;  // of profiles, such as of jobs that do not fit in memory
  std::string digest;                 // of everything that the run depends on
};

// Reads the trace, gives every job its model and profile, and makes sure that each can be placed.
// Throws InputError.
[[nodiscard]] PreparedRun prepare(const Scenario& scenario, GivenInputs given = {});

// The policies that the scenario names: one, or one for each virtual cluster.
[[nodiscard]] std::vector<ActivePolicy> active_policies(const Scenario& scenario);

// How the scenario's queue is written where the caller brings the policy: this and its name. Such a
// scenario is not read back: there is no policy of that name.
inline constexpr std::string_view kCallersPolicy = "python:";

// Simulates a prepared run.
[[nodiscard]] Run simulate(const Scenario& scenario, PreparedRun prepared,
                           std::function<void(const Progress&)> progress = {});

// The same with policies of the caller's in place of those that the scenario names.
[[nodiscard]] Run simulate(const Scenario& scenario, PreparedRun prepared,
                           std::span<const ActivePolicy> policies,
                           std::function<void(const Progress&)> progress = {});

}  // namespace mosim
