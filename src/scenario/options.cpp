#include "scenario/options.hpp"

#include <algorithm>
#include <array>

#include "cluster/read_cluster.hpp"

namespace mosim {
namespace {

std::vector<std::string> trace_format_names() {
  std::vector<std::string> names{"auto"};
  for (const TraceFormat& format : trace_formats()) names.emplace_back(format.name);
  return names;
}

std::vector<std::string> queue_names() {
  std::vector<std::string> names;
  for (const auto& entry : policies().queues()) names.push_back(entry.info.name);
  return names;
}

std::vector<std::string> placement_names() {
  std::vector<std::string> names;
  for (const auto& entry : policies().placements()) names.push_back(entry.info.name);
  return names;
}

template <Finding kFinding>
std::vector<std::string> treatment_names() {
  std::vector<std::string> names;
  for (const Treatment treatment : treatments_of(kFinding)) {
    names.emplace_back(treatment_name(treatment));
  }
  return names;
}

constexpr double kMostServers = 1e6;
constexpr double kMostUplinks = 1024;
constexpr double kLeastOversubscription = 0.01;
constexpr double kMostOversubscription = 10000;
constexpr double kMostSeed = 9007199254740992.0;  // 2^53: exact as a number in JSON and YAML

const Option<Scenario> kScenarioOptions[] = {
    {"trace.file", ValueKind::path, &Scenario::trace_file,
     "trace to replay: a path (plain, gz or zst), - for standard input, or bundled:NAME"},
    {"trace.format", ValueKind::choice, &Scenario::trace_format,
     "format of the trace; auto tells by its content", 0, 0, trace_format_names},
    {"trace.iterations", ValueKind::choice, &Scenario::trace_iterations,
     "iterations of a job: the trace's number where it has one, or always from the duration", 0, 0,
     [] { return std::vector<std::string>{"trace", "duration"}; }},
    {"trace.gpu_type", ValueKind::choice, &Scenario::trace_gpu_type,
     "a GPU type that the trace names for a job: ignore (it runs on any), match (it runs there if "
     "the cluster has it), or require (a type that the cluster lacks is refused)",
     0, 0, [] { return std::vector<std::string>{"ignore", "match", "require"}; }},
    {"trace.lenient", ValueKind::boolean, &Scenario::trace_lenient,
     "leave out rows that are wrong and count them, instead of refusing the trace"},
    {"trace.on_failed", ValueKind::choice, &Scenario::on_failed,
     "jobs that failed, ran into a time limit or died with their server; as-ended: as if they had "
     "completed when they ended",
     0, 0, treatment_names<Finding::failed>},
    {"trace.on_cancelled", ValueKind::choice, &Scenario::on_cancelled,
     "jobs that were cancelled while they ran", 0, 0, treatment_names<Finding::cancelled>},
    {"trace.on_unfinished", ValueKind::choice, &Scenario::on_unfinished,
     "jobs still running when the trace ends; as-ended: they end with the trace", 0, 0,
     treatment_names<Finding::unfinished>},
    {"trace.on_never_started", ValueKind::choice, &Scenario::on_never_started,
     "jobs that never started", 0, 0, treatment_names<Finding::never_started>},
    {"trace.on_zero_gpus", ValueKind::choice, &Scenario::on_zero_gpus,
     "jobs of CPUs only; one-gpu: they take one", 0, 0, treatment_names<Finding::zero_gpus>},
    {"trace.on_fractional_gpus", ValueKind::choice, &Scenario::on_fractional_gpus,
     "jobs that ask for a part of a GPU; kept, they take a whole one, or as scheduler.share_gpus "
     "says",
     0, 0, treatment_names<Finding::fractional_gpus>},
    {"trace.on_missing_time", ValueKind::choice, &Scenario::on_missing_time,
     "jobs without a time that they must have", 0, 0, treatment_names<Finding::missing_time>},
    {"trace.on_negative_duration", ValueKind::choice, &Scenario::on_negative_duration,
     "jobs that end before they start; zero: they take no time", 0, 0,
     treatment_names<Finding::negative_duration>},
    {"trace.on_overlapping_attempts", ValueKind::choice, &Scenario::on_overlapping_attempts,
     "jobs with an attempt that starts before the last one ended; merge: time in two attempts "
     "counts once",
     0, 0, treatment_names<Finding::overlapping_attempts>},
    {"trace.from", ValueKind::duration, &Scenario::trace_from_s,
     "keep jobs submitted from here on, after the trace's time 0"},
    {"trace.to", ValueKind::duration, &Scenario::trace_to_s,
     "keep jobs submitted before; 0 s sets no end"},
    {"trace.min_gpus", ValueKind::integer, &Scenario::trace_min_gpus,
     "keep jobs of at least so many GPUs", 0, kMostGpus},
    {"trace.max_gpus", ValueKind::integer, &Scenario::trace_max_gpus,
     "keep jobs of at most so many GPUs; 0 sets no limit", 0, kMostGpus},
    {"trace.statuses", ValueKind::text, &Scenario::trace_statuses,
     "keep jobs that ended so, comma-separated: unknown, completed, failed, cancelled, timed-out, "
     "node-failed, unfinished; empty keeps all"},
    {"trace.virtual_clusters", ValueKind::text, &Scenario::trace_virtual_clusters,
     "keep the jobs of these virtual clusters of the trace, comma-separated; empty keeps all"},
    {"trace.sample", ValueKind::number, &Scenario::trace_sample,
     "the fraction of the jobs to keep, each by its id and the seed", 0, 1},
    {"trace.sample_seed", ValueKind::integer, &Scenario::trace_sample_seed, "seed of the sample", 0,
     kMostSeed},
    {"trace.limit", ValueKind::integer, &Scenario::trace_limit,
     "of what is left, keep only the first jobs by submission; 0 keeps all", 0, 1e9},
    {"trace.time_scale", ValueKind::number, &Scenario::trace_time_scale,
     "multiplies all times, durations and iterations", 1e-6, 1e6},
    {"trace.load_scale", ValueKind::number, &Scenario::trace_load_scale,
     "jobs are submitted that much faster; durations stay", 1e-6, 1e6},
    {"trace.default_duration", ValueKind::duration, &Scenario::trace_default_duration_s,
     "how long jobs ran where the trace does not say (pollux, gavel); 0 s: then they need "
     "iterations"},
    {"trace.throughputs", ValueKind::path, &Scenario::trace_throughputs,
     "of format gavel: the JSON file of measured steps per second, which gives jobs a duration"},
    {"trace.throughputs_gpu", ValueKind::text, &Scenario::trace_throughputs_gpu,
     "of format gavel: the GPU type of that file whose steps count"},
    {"trace.delimiter", ValueKind::text, &Scenario::trace_delimiter,
     "of format generic: what separates fields, one character or tab"},
    {"trace.time_unit", ValueKind::choice, &Scenario::trace_time_unit,
     "of format generic: the unit of times; calendar is 2017-10-09 07:01:55", 0, 0,
     [] { return std::vector<std::string>{"s", "ms", "us", "min", "h", "calendar"}; }},
    {"trace.duration_unit", ValueKind::choice, &Scenario::trace_duration_unit,
     "of format generic: the unit of durations", 0, 0,
     [] { return std::vector<std::string>{"s", "ms", "us", "min", "h"}; }},
    {"trace.columns.id", ValueKind::text, &Scenario::column_id,
     "of format generic: the column of job ids; empty: rows are numbered"},
    {"trace.columns.submit", ValueKind::text, &Scenario::column_submit,
     "of format generic: the column of submission times"},
    {"trace.columns.start", ValueKind::text, &Scenario::column_start,
     "of format generic: the column of start times"},
    {"trace.columns.end", ValueKind::text, &Scenario::column_end,
     "of format generic: the column of end times"},
    {"trace.columns.duration", ValueKind::text, &Scenario::column_duration,
     "of format generic: the column of durations; empty: from start to end"},
    {"trace.columns.gpus", ValueKind::text, &Scenario::column_gpus,
     "of format generic: the column of GPUs of the whole job"},
    {"trace.columns.workers", ValueKind::text, &Scenario::column_workers,
     "of format generic: the column of workers"},
    {"trace.columns.gpus_per_worker", ValueKind::text, &Scenario::column_gpus_per_worker,
     "of format generic: the column of GPUs per worker"},
    {"trace.columns.cpus", ValueKind::text, &Scenario::column_cpus,
     "of format generic: the column of CPU cores per worker"},
    {"trace.columns.model", ValueKind::text, &Scenario::column_model,
     "of format generic: the column of models"},
    {"trace.columns.iterations", ValueKind::text, &Scenario::column_iterations,
     "of format generic: the column of iterations"},
    {"trace.columns.user", ValueKind::text, &Scenario::column_user,
     "of format generic: the column of users"},
    {"trace.columns.virtual_cluster", ValueKind::text, &Scenario::column_virtual_cluster,
     "of format generic: the column of virtual clusters"},
    {"trace.columns.status", ValueKind::text, &Scenario::column_status,
     "of format generic: the column of how jobs ended"},
    {"trace.columns.gpu_type", ValueKind::text, &Scenario::column_gpu_type,
     "of format generic: the column of GPU types"},
    {"workloads.pool", ValueKind::paths, &Scenario::workloads_pool,
     "job configurations to draw from: default, a folder of model files, or several of them, "
     "comma-separated, later ones replacing models of the earlier by name"},
    {"workloads.rules", ValueKind::path, &Scenario::workloads_rules,
     "file that says how often each model is drawn, and for which jobs; without it the models of "
     "the pool are drawn equally often"},
    {"workloads.seed", ValueKind::integer, &Scenario::workloads_seed,
     "seed of the draw of models for jobs that name none", 0, kMostSeed},
    {"workloads.on_unknown_model", ValueKind::choice, &Scenario::on_unknown_model,
     "jobs whose model the pool does not have: refuse, unless a table of profiles has it, or draw "
     "another",
     0, 0, [] { return std::vector<std::string>{"refuse", "draw"}; }},
    {"profile.backend", ValueKind::choice, &Scenario::profile_backend,
     "where profiles come from: builtin computes them, table reads them, astra-sim has the user's "
     "own binary time the networking, simai reads results of SimAI",
     0, 0, [] { return std::vector<std::string>{"builtin", "table", "astra-sim", "simai"}; }},
    {"profile.table", ValueKind::path, &Scenario::profile_table,
     "of backend table: our CSV or YAML table, or the artifact's iteration times; of backend "
     "simai: "
     "the index of its results"},
    {"profile.network", ValueKind::path, &Scenario::profile_network,
     "of backend table: the artifact's network profile, beside its iteration times"},
    {"profile.reference_gpu", ValueKind::text, &Scenario::reference_gpu,
     "GPU type that the trace's durations are from, for iterations; empty: that of the first group "
     "of servers"},
    {"profile.layout", ValueKind::choice, &Scenario::profile_layout,
     "of backends builtin and astra-sim: a data-parallel job is timed spread over the servers, or "
     "packed on as few as hold it",
     0, 0, [] { return std::vector<std::string>{"spread", "packed"}; }},
    {"profile.networking", ValueKind::choice, &Scenario::profile_networking,
     "of backends builtin and astra-sim: an iteration's networking time is the total, or what is "
     "exposed",
     0, 0, [] { return std::vector<std::string>{"total", "exposed"}; }},
    {"profile.all_reduce", ValueKind::choice, &Scenario::profile_all_reduce,
     "of backend builtin: the all-reduce algorithm; model takes each model's own", 0, 0,
     [] { return std::vector<std::string>{"model", "ring", "tree", "hierarchical"}; }},
    {"profile.bucket", ValueKind::volume, &Scenario::profile_bucket,
     "of backend builtin: gradients that are reduced together"},
    {"profile.overlap", ValueKind::boolean, &Scenario::profile_overlap,
     "of backend builtin: gradients are reduced during the backward pass"},
    {"profile.astra_sim.binary", ValueKind::path, &Scenario::astra_sim_binary,
     "of backend astra-sim: path of the analytical binary"},
    {"profile.astra_sim.congestion_aware", ValueKind::boolean,
     &Scenario::astra_sim_congestion_aware,
     "of backend astra-sim: the binary is the congestion-aware one"},
    {"profile.astra_sim.time_limit", ValueKind::duration, &Scenario::astra_sim_time_limit_s,
     "of backend astra-sim: for one run of the binary"},
    {"profile.cache", ValueKind::text, &Scenario::profile_cache,
     "of backend astra-sim: folder where results are kept between runs; default is the user's "
     "cache "
     "folder, none keeps nothing"},
    {"cost.gpu_hour", ValueKind::number, &Scenario::price_gpu_hour,
     "dollars for an hour of a GPU, for characterize --cost", 0, 1e6},
    {"cost.cpu_hour", ValueKind::number, &Scenario::price_cpu_hour,
     "dollars for an hour of a CPU core, for characterize --cost", 0, 1e6},
    {"cluster.file", ValueKind::path, &Scenario::cluster_file,
     "file with the cluster, instead of writing it here"},
    {"cluster.format", ValueKind::choice, &Scenario::cluster_format,
     "format of the cluster file; auto tells by its content", 0, 0, cluster_format_names},
    {"cluster.date", ValueKind::text, &Scenario::cluster_date,
     "of format helios: the day; empty takes the last"},
    {"cluster.gpu", ValueKind::text, &Scenario::cluster_gpu,
     "of formats that do not say: the GPU type; empty takes that of cluster.servers[]"},
    {"cluster.gpus_per_server", ValueKind::integer, &Scenario::cluster_gpus_per_server,
     "of formats that do not say: GPUs per server; 0 takes that of cluster.servers[]", 0, 1024},
    {"cluster.nic", ValueKind::bandwidth, &Scenario::cluster_nic,
     "of formats but mosim: bandwidth of a server's NIC; 0 B/s takes that of cluster.servers[]"},
    {"cluster.gpu_types", ValueKind::text, &Scenario::cluster_gpu_types,
     "GPU types of the cluster file and what they are called here, such as G2=A10,G3=T4"},
    {"cluster.fabric.rack.uplinks", ValueKind::integer, &Scenario::fabric_rack_uplinks,
     "uplinks of each rack's switch, to as many spines or aggregation switches; 0: racks do not "
     "limit",
     0, kMostUplinks},
    {"cluster.fabric.rack.oversubscription", ValueKind::number,
     &Scenario::fabric_rack_oversubscription,
     "bandwidth of a rack's NICs over that of its uplinks, so 8 is 8:1", kLeastOversubscription,
     kMostOversubscription},
    {"cluster.fabric.pod.racks", ValueKind::integer, &Scenario::fabric_pod_racks,
     "racks that follow each other and make a pod; 0: all are one, or the pods are those of "
     "cluster.servers[].pod",
     0, kMostServers},
    {"cluster.fabric.pod.uplinks", ValueKind::integer, &Scenario::fabric_pod_uplinks,
     "uplinks of each aggregation switch of a pod, to as many cores; 0: pods do not limit", 0,
     kMostUplinks},
    {"cluster.fabric.pod.oversubscription", ValueKind::number,
     &Scenario::fabric_pod_oversubscription,
     "bandwidth of the uplinks of a pod's racks over that of the pod's own", kLeastOversubscription,
     kMostOversubscription},
    {"cluster.fabric.ecmp_seed", ValueKind::integer, &Scenario::fabric_ecmp_seed,
     "seed of the hash by which flows take their uplinks", 0, kMostSeed},
    {"cluster.unmapped", ValueKind::text, &Scenario::unmapped,
     "jobs that no virtual cluster takes: refuse, drop, or the name of the one that gets them"},
    {"scheduler.queue", ValueKind::queue, &Scenario::queue,
     "policy: which job runs when; `mosim policies show NAME` has its parameters, which follow the "
     "name as in `las(thresholds=3250 7200)`",
     0, 0, queue_names},
    {"scheduler.placement", ValueKind::placement, &Scenario::placement,
     "placement: on which servers a job runs", 0, 0, placement_names},
    {"scheduler.skip_unplaceable", ValueKind::boolean, &Scenario::skip_unplaceable,
     "drop and count jobs that the cluster can never hold, instead of refusing the run"},
    {"scheduler.mix_gpu_types", ValueKind::boolean, &Scenario::mix_gpu_types,
     "a job may run on several GPU types at once, at the pace of the slowest"},
    {"scheduler.share_gpus", ValueKind::boolean, &Scenario::share_gpus,
     "a job of the trace on a part of one GPU shares it with others, instead of taking it whole"},
    {"scheduler.seed", ValueKind::integer, &Scenario::scheduler_seed,
     "seed of policies that draw random numbers, such as placement random", 0, kMostSeed},
    {"scheduler.estimate_factor", ValueKind::number, &Scenario::estimate_factor,
     "where the trace has no estimate_s, users expect a job to take its run time alone times this",
     0, 1e6},
    {"scheduler.estimate_spread", ValueKind::number, &Scenario::estimate_spread,
     "and times exp(spread x a standard normal deviate), drawn for each job by scheduler.seed", 0,
     10},
    {"scheduler.deadline_factor", ValueKind::number, &Scenario::deadline_factor,
     "where the trace has no deadline, a job's is its submission plus its run time alone times "
     "this; 0: none",
     0, 1e6},
    {"preemption.save", ValueKind::duration, &Scenario::preemption_save_s,
     "writing a checkpoint of a job that a policy preempts, moves or resizes; paid when it starts "
     "again"},
    {"preemption.restore", ValueKind::duration, &Scenario::preemption_restore_s,
     "reading a checkpoint, before a job goes on; after a failure too"},
    {"preemption.storage", ValueKind::bandwidth, &Scenario::preemption_storage,
     "bandwidth of the storage of checkpoints: saving and restoring each take a checkpoint's bytes "
     "/ bandwidth more; 0 B/s: no time"},
    {"preemption.bytes_per_parameter", ValueKind::number, &Scenario::preemption_bytes_per_parameter,
     "size of a checkpoint; 12: fp32 weights and the two moments of Adam", 0, 1000},
    {"preemption.min_run", ValueKind::duration, &Scenario::preemption_min_run_s,
     "a job may not be preempted, moved or resized before it has had its GPUs for so long"},
    {"availability.mtbf", ValueKind::duration, &Scenario::mtbf_s,
     "mean time between random failures of a server (exponential), at least 1 min; 0 s: none"},
    {"availability.mttr", ValueKind::duration, &Scenario::mttr_s,
     "mean time until a random failure is repaired (exponential)"},
    {"availability.seed", ValueKind::integer, &Scenario::availability_seed,
     "seed of the random failures", 0, kMostSeed},
    {"availability.checkpoint_interval", ValueKind::duration, &Scenario::checkpoint_interval_s,
     "a job that fails goes on from its last checkpoint, written this often from the (re)start of "
     "its training; 0 s: from its beginning"},
    {"availability.max_restarts", ValueKind::integer, &Scenario::max_restarts,
     "restarts of one job after failures; more end the run with an error", 0, 1e9},
    {"contention.model", ValueKind::choice, &Scenario::contention_model,
     "how jobs that share a server slow each other down: none, fixed (1 + ratio), mosim "
     "(proportional share of each link) or fair (max-min fair share of all links)",
     0, 0, [] { return std::vector<std::string>{"none", "fixed", "mosim", "fair"}; }},
    {"contention.resolution", ValueKind::choice, &Scenario::contention_resolution,
     "of mosim and fair: a running job demands bandwidth always (event), or only in the "
     "communication "
     "phase of each iteration (phase)",
     0, 0, [] { return std::vector<std::string>{"event", "phase"}; }},
    {"contention.min_bandwidth", ValueKind::bandwidth, &Scenario::min_bandwidth,
     "of mosim and fair: MIN_BW, what a job gets of a link at least"},
    {"contention.ratio", ValueKind::number, &Scenario::fixed_ratio,
     "of fixed: the penalty on networking time while a job shares a server", 0, 1000},
    {"loading", ValueKind::choice, &Scenario::loading,
     "the loading time is included in a trace's duration, added to it, or none", 0, 0,
     [] { return std::vector<std::string>{"included", "added", "none"}; }},
    {"plugins", ValueKind::path_list, &Scenario::plugins,
     "shared objects with policies and placements, loaded first (docs/policies.md)"},
    {"output.dir", ValueKind::text, &Scenario::output_dir, "folder for the run's files"},
};

const Option<ServerGroup> kServerOptions[] = {
    {"count", ValueKind::integer, &ServerGroup::count, "number of such servers", 1, kMostServers},
    {"gpus", ValueKind::integer, &ServerGroup::gpus, "GPUs per server", 1, 1024},
    {"gpu", ValueKind::text, &ServerGroup::gpu, "GPU type, a name of data/gpus/"},
    {"nic", ValueKind::bandwidth, &ServerGroup::nic, "bandwidth of one NIC, each way"},
    {"latency", ValueKind::duration, &ServerGroup::latency_s,
     "delay of a message between servers, for computed profiles"},
    {"intra", ValueKind::bandwidth, &ServerGroup::intra,
     "what the GPUs of a server can exchange in all; 0 B/s sets no limit"},
    {"cpus", ValueKind::integer, &ServerGroup::cpus, "CPU cores per server; 0 sets no limit", 0,
     1e6},
    {"nics", ValueKind::integer, &ServerGroup::nics,
     "NICs per server; a job's traffic is divided among them", 1, 1024},
    {"memory", ValueKind::volume, &ServerGroup::memory,
     "memory of a server for jobs; 0 B sets no limit"},
    {"servers_per_rack", ValueKind::integer, &ServerGroup::servers_per_rack,
     "servers in a rack; 0: the group is one rack. Groups share no rack", 0, kMostServers},
    {"pod", ValueKind::text, &ServerGroup::pod,
     "pod that its racks are in, where pods are not alike; empty: cluster.fabric.pod.racks says"},
    {"virtual_cluster", ValueKind::text, &ServerGroup::virtual_cluster,
     "virtual cluster whose jobs alone run here; empty: everyone's"},
};

const Option<VirtualCluster> kVirtualClusterOptions[] = {
    {"name", ValueKind::text, &VirtualCluster::name, "its name, which must be given"},
    {"jobs", ValueKind::texts, &VirtualCluster::jobs,
     "what the trace calls it: jobs of these virtual clusters go here; empty: its own name"},
    {"quota", ValueKind::integer, &VirtualCluster::quota,
     "GPUs that its jobs may hold at once; 0 sets no limit", 0, 1e9},
    {"queue", ValueKind::queue, &VirtualCluster::queue, "its policy; without it, scheduler.queue",
     0, 0, queue_names},
};

const Option<ServerEventKeys> kServerEventOptions[] = {
    {"time", ValueKind::duration, &ServerEventKeys::time_s, "on the clock of the submissions"},
    {"server", ValueKind::text, &ServerEventKeys::server,
     "a server, from 0 in the order of the groups"},
    {"servers", ValueKind::text, &ServerEventKeys::servers,
     "instead of server: first and last, such as 0-7"},
    {"what", ValueKind::choice, &ServerEventKeys::what,
     "drain: takes no new jobs; fail: its jobs stop too; repair, add: takes jobs (again). A server "
     "whose first event is add is absent until then",
     0, 0, [] { return std::vector<std::string>{"add", "drain", "fail", "repair"}; }},
};

const ListOption<ServerGroup> kServersList{
    "cluster.servers",    "groups of like servers; each has the keys below",
    "a group of servers", &Scenario::servers,
    kServerOptions,       false};
const ListOption<VirtualCluster> kVirtualClustersList{
    "cluster.virtual_clusters",
    "virtual clusters, each with its own queue, visited in this order; none: one queue for all "
    "jobs",
    "a virtual cluster", &Scenario::virtual_clusters, kVirtualClusterOptions};
const ListOption<ServerEventKeys> kServerEventsList{
    "availability.events", "servers that come and go; at one time in this order",
    "an event of servers", &Scenario::availability_events, kServerEventOptions};

}  // namespace

std::span<const Option<Scenario>> scenario_options() { return kScenarioOptions; }
const ListOption<ServerGroup>& servers_list() { return kServersList; }
const ListOption<VirtualCluster>& virtual_clusters_list() { return kVirtualClustersList; }
const ListOption<ServerEventKeys>& server_events_list() { return kServerEventsList; }

bool is_of_cluster_file(std::string_view key) {
  constexpr std::array<std::string_view, 7> kKeys{
      "cluster.file", "cluster.format",   "cluster.date", "cluster.gpu", "cluster.gpus_per_server",
      "cluster.nic",  "cluster.gpu_types"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

}  // namespace mosim
