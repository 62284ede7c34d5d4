// Characterization: what a job computes and sends per iteration when it runs alone.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mosim/cluster.hpp"
#include "mosim/workload.hpp"

namespace mosim {

// Which ranks of a job exchange, for jobs that are more than one ring: `size` ranks that are
// `stride` apart, and so on until every rank is in a group.
struct RankGroup {
  std::uint32_t size = 1;
  std::uint32_t stride = 1;
};

enum class TrafficPattern {
  ring,  // each rank sends `bytes` to the next, the last to the first
  tree,  // all-reduce of `bytes` between the servers of the group, however many ranks each has
  all_to_all,  // each rank sends `bytes` in equal parts to the others
  chain,       // each rank sends `bytes` to the next and as much to the one before
};

// What ranks send in an iteration.
struct GroupTraffic {
  RankGroup group;
  TrafficPattern pattern{};
  double bytes = 0;
};

// The bytes that leave or enter each server per iteration, whichever is more: Eq. 7 of the paper
// for any pattern, as its footnote foresees. `ranks_by_server[s]`: how many of the job's ranks
// server s holds, in the order of the ranks.
[[nodiscard]] std::vector<double> nic_volumes(std::span<const GroupTraffic> traffic,
                                              std::span<const std::uint32_t> ranks_by_server);

// <T_comp, T_net, V> of the paper, and the loading time.
struct JobProfile {
  double compute_s = 0;  // T_comp: per iteration
  double network_s = 0;  // T_net: per iteration, alone
  double volume = 0;     // v: bytes that a worker sends per iteration, 2(N-1)/N of its gradients
  double loading_s = 0;  // start-up before the first iteration
  // What each group of ranks sends; null: one ring over all workers, Eq. 7.
  std::shared_ptr<const std::vector<GroupTraffic>> traffic = nullptr;

  [[nodiscard]] double iteration_s() const { return compute_s + network_s; }

  // D = v / T_net: bytes per second on each NIC that the job's ring crosses, each direction.
  [[nodiscard]] double demand() const { return network_s > 0 ? volume / network_s : 0; }
};

// Eq. 6: c = V / N_W, the share of one worker in the job's total `volume` of N_W workers.
[[nodiscard]] double volume_per_worker(double volume, std::uint32_t workers);

// Eq. 7: what a job of `workers`, of which `inside` sit on a server, puts on that server's NIC: 0
// when all or none of them do, c when N_W = 2, else 2c. `volume` may be a rate: so is the result.
[[nodiscard]] double nic_volume(double volume, std::uint32_t workers, std::uint32_t inside);

// What a job with `traffic` demands of the NIC of each of its servers, bytes per second; empty for
// one that is a plain ring, which demands D of each.
[[nodiscard]] std::vector<double> nic_demands(const JobProfile& profile,
                                              std::span<const WorkerGroup> groups,
                                              std::uint32_t gpus_per_worker);

// A way to characterize jobs.
class ProfileSource {
 public:
  virtual ~ProfileSource() = default;

  // The profile of a model on a number of GPUs; nothing when the source has none.
  [[nodiscard]] virtual std::optional<JobProfile> find(const std::string& model,
                                                       std::uint32_t gpus) const = 0;

  // What would have been found, for the message when `find` gives nothing.
  [[nodiscard]] virtual std::string expected(const std::string& model) const = 0;

  // What a user should know of a profile that was found; nothing as a rule.
  [[nodiscard]] virtual std::optional<std::string> warning(const std::string& model,
                                                           std::uint32_t gpus) const {
    (void)model;
    (void)gpus;
    return std::nullopt;
  }
};

// Backend `table`: profiles by (model, GPUs), read from files.
class ProfileTable : public ProfileSource {
 public:
  using Key = std::pair<std::string, std::uint32_t>;

  explicit ProfileTable(std::map<Key, JobProfile> profiles) : profiles_(std::move(profiles)) {}

  [[nodiscard]] std::optional<JobProfile> find(const std::string& model,
                                               std::uint32_t gpus) const override;
  [[nodiscard]] std::string expected(const std::string& model) const override;
  [[nodiscard]] const std::map<Key, JobProfile>& profiles() const { return profiles_; }

 private:
  std::map<Key, JobProfile> profiles_;
};

// Reads our own form: one CSV or YAML file with columns model, gpus, compute_<unit>,
// network_<unit>, volume_<unit> and optionally loading_<unit> and gpu. Takes the rows for GPU type
// `gpu`, and those of every type where there is none for it. See docs/formats.md.
[[nodiscard]] ProfileTable read_profile_table(const std::string& path, const ModelPool& pool,
                                              const std::string& gpu = {});

// The same of a CSV that is in memory; `name` stands for it in messages.
[[nodiscard]] ProfileTable parse_profile_table(const std::string& name, std::string_view csv,
                                               const ModelPool& pool, const std::string& gpu = {});

// Reads the authors' pair of CSV files: times per iteration, and the total TX+RX rates from which
// Eq. 6-7 give each NIC's demand.
[[nodiscard]] ProfileTable read_artifact_profile(const std::string& times_path,
                                                 const std::string& network_path,
                                                 const ModelPool& pool);

// What to make of the loading time when a trace gives durations. Measured durations contain it.
enum class LoadingMode {
  included,  // d = L + W x iteration: it is a part of the duration
  added,     // d = W x iteration, and L comes on top (the authors' artifact)
  none,      // jobs load in no time
};

// Where a job's iterations come from.
enum class IterationsFrom {
  trace,     // the trace's number where it has one, else the duration
  duration,  // always the duration
};

struct CharacterizeOptions {
  LoadingMode loading = LoadingMode::included;
  IterationsFrom iterations = IterationsFrom::trace;
  bool share_gpus = false;  // a job on a part of one GPU gets that part, not a whole one
};

// What a scheduler may be told of a job beside what it asks for.
struct JobFacts {
  std::uint32_t user = 0;   // numbers from 0, in the order of the trace's jobs
  std::uint32_t group = 0;  // the trace's virtual cluster
  std::uint32_t model = 0;
  double priority = 0;                                          // larger goes first
  double deadline_s = std::numeric_limits<double>::infinity();  // on the clock of submit_s
  double estimate_s = std::numeric_limits<double>::infinity();  // the user's, of its run time
  double skew = 0;              // the largest tensor's share of its model's parameters
  double checkpoint_bytes = 0;  // what it saves when it is preempted
};

// Where a trace does not say it: a job's run time alone, loading included, is T.
struct FactOptions {
  double estimate_factor = 1;  // estimate = T x factor x exp(spread x standard normal)
  double estimate_spread = 0;
  double deadline_factor = 0;  // deadline = submission + T x factor; 0: none
  std::uint64_t seed = 1;      // of the estimates
  // A checkpoint's weights and optimizer state: for Adam in mixed precision an fp32 copy of the
  // weights and two moments (Rajbhandari et al., ZeRO, SC 2020, section 3.1).
  double bytes_per_parameter = 12;
};

// A job that is ready to be simulated: <a, g, W, T_comp, T_net, V> of the paper.
struct Job {
  double submit_s = 0;
  ResourceRequest request;
  VirtualClusterId virtual_cluster{};
  double iterations = 0;  // W >= 0
  JobProfile profile;     // on the reference type; on every type when `by_gpu` is null
  // On each GPU type of the cluster, by GpuTypeId; jobs that are alike share it.
  std::shared_ptr<const std::vector<JobProfile>> by_gpu = nullptr;
  double longest_loading_s = std::numeric_limits<double>::infinity();  // bounds those of `by_gpu`
  JobFacts facts = {};

  [[nodiscard]] const JobProfile& profile_on(GpuTypeId gpu) const {
    return by_gpu == nullptr ? profile : (*by_gpu)[index(gpu)];
  }
  [[nodiscard]] double loading_s(const JobProfile& of) const {
    return of.loading_s < longest_loading_s ? of.loading_s : longest_loading_s;
  }
};

// Fills in the facts of jobs that were characterized, in the order of `trace`. An estimate depends
// on the seed and the job alone. The skew is 0 for a model that the pool has no layers of; its
// parameters are then the gradients that its jobs send, 4 bytes each. Returns the models whose
// checkpoints nothing tells the size of.
std::vector<std::string> add_facts(std::span<Job> jobs, const Trace& trace, const ModelPool& pool,
                                   const FactOptions& options);

// The paper's characterization (+ T_comp, T_net, W, V): a profile for every job of an augmented
// trace, in its order. W = d / (T_comp + T_net) unless the trace gives it (Eq. 1). Throws
// InputError with the place of every job that the source has no profile for.
[[nodiscard]] std::vector<Job> characterize(const Trace& trace, const ProfileSource& source,
                                            const CharacterizeOptions& options);

// The profiles of a cluster with several GPU types.
struct ClusterProfiles {
  std::vector<std::string> gpu_types;                        // ClusterSpec::gpu_types()
  std::vector<std::shared_ptr<const ProfileSource>> by_gpu;  // on servers of each type
  std::string reference_gpu;                                 // whose iteration time gives W
  std::shared_ptr<const ProfileSource> reference;            // null: that of the first type
};

// The GPU types of the groups that a job with this home may use, by GpuTypeId.
[[nodiscard]] std::vector<bool> reachable_types(const ClusterSpec& cluster, const JobHome& home);

// The same for a cluster of several GPU types or virtual clusters: `homes` says where each job
// belongs. A job needs a profile on every type that it may run on, and for W on the reference type.
[[nodiscard]] std::vector<Job> characterize(const Trace& trace, const ClusterSpec& cluster,
                                            const ClusterProfiles& profiles,
                                            std::span<const JobHome> homes,
                                            const CharacterizeOptions& options);

}  // namespace mosim
