// GPU-free characterization: what a model computes, sends and needs per iteration on a number of
// GPUs, from its operators, the GPU's figures and the links. The model in full:
// docs/characterization.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mosim/profile.hpp"

namespace mosim {

// Where the job's ranks sit while it is characterized.
enum class Layout {
  packed,  // on as few servers as hold it
  spread,  // on as many servers as there are, so that its ring crosses NICs; jobs that are more
           // than data-parallel are packed all the same
};

// What an iteration's networking time is.
enum class Networking {
  total,    // all of it; computing is then what goes on without it
  exposed,  // what the computation waits for; computing is then all of it (the paper's ASTRA-sim)
};

enum class AllReduce { ring, tree, hierarchical };

enum class Collective { all_reduce, all_gather, reduce_scatter, all_to_all, point_to_point };

// The ranks that join a collective together.
enum class Communicator { data, tensor, pipeline, expert, expert_data };

inline constexpr std::size_t kCommunicators = 5;

[[nodiscard]] std::string_view collective_name(Collective collective);
[[nodiscard]] std::string_view communicator_name(Communicator communicator);

struct BuiltinOptions {
  Layout layout = Layout::spread;
  Networking networking = Networking::total;
  double bucket = 25 * 1024.0 * 1024.0;  // bytes of gradients that are reduced together
  bool overlap = true;                   // reduce buckets during the backward pass
  std::optional<AllReduce> all_reduce;   // else the model's
};

// One collective of a rank. The job's V is the sum of `sent` x `times` over all ranks.
struct Transfer {
  std::string name;
  Collective collective{};
  Communicator group{};
  std::uint32_t ranks = 1;
  double bytes = 0;  // of the vector
  double sent = 0;   // by this rank
  double start_s = 0;
  double end_s = 0;
  double times = 1;  // per iteration, with micro-batches
};

// One operator, in all of an iteration's samples of one GPU.
struct OperatorCost {
  std::string name;
  OperatorKind kind{};
  double parameters = 0;
  double operations = 0;  // forward
  double bytes = 0;       // moved in the forward pass
  double forward_s = 0;
  double backward_input_s = 0;
  double backward_weight_s = 0;
};

struct Characterization {
  double forward_s = 0;
  double backward_s = 0;
  double optimizer_s = 0;
  double bubble_s = 0;   // a stage waits for others
  double compute_s = 0;  // all of the above
  double network_total_s = 0;
  double network_exposed_s = 0;
  double volume = 0;  // bytes that a rank sends per iteration
  double memory = 0;  // bytes needed on a GPU
  bool fits = true;   // in the GPU's memory
  std::vector<Transfer> transfers;
  std::vector<OperatorCost> operators;
  JobProfile profile;  // what a simulation takes

  [[nodiscard]] double iteration_s() const { return compute_s + network_exposed_s; }
  // D = V / T_net of the same transfers: bytes per second.
  [[nodiscard]] double demand() const { return network_total_s > 0 ? volume / network_total_s : 0; }
};

// Why a model cannot run on a number of GPUs or in a precision; nothing when it can.
[[nodiscard]] std::optional<std::string> unfit(const ModelConfig& model, std::uint32_t gpus,
                                               const ClusterSpec& cluster);

// The slowest GPU type and links of the cluster count. Throws InputError when `unfit`.
[[nodiscard]] Characterization characterize_model(const ModelConfig& model, std::uint32_t gpus,
                                                  const ClusterSpec& cluster,
                                                  const BuiltinOptions& options);

// Backend `builtin`.
class BuiltinProfiles : public ProfileSource {
 public:
  // Throws InputError when the cluster has a GPU that the catalogue does not know.
  BuiltinProfiles(ModelPool pool, ClusterSpec cluster, BuiltinOptions options = {});

  [[nodiscard]] std::optional<JobProfile> find(const std::string& model,
                                               std::uint32_t gpus) const override;
  [[nodiscard]] std::string expected(const std::string& model) const override;
  // When the job does not fit into a GPU's memory.
  [[nodiscard]] std::optional<std::string> warning(const std::string& model,
                                                   std::uint32_t gpus) const override;

 private:
  ModelPool pool_;
  ClusterSpec cluster_;
  BuiltinOptions options_;
};

// How to reach the user's own ASTRA-sim.
struct AstraSimBackend {
  std::string binary;             // AstraSim_Analytical_Congestion_Unaware or ..._Aware
  bool congestion_aware = false;  // which of the two it is
  double time_limit_s = 60;
  std::string cache_dir;  // empty: results are not kept
};

// Backend `astra-sim`: computing times as `builtin`, networking by the user's binary. For
// data-parallel models. `find` throws RunError when the binary fails or its result cannot be right.
[[nodiscard]] std::unique_ptr<ProfileSource> astra_sim_profiles(ModelPool pool, ClusterSpec cluster,
                                                                BuiltinOptions options,
                                                                AstraSimBackend backend);

// Backend `simai`: an index of results of SimAI-Analytical, a CSV file with the columns model,
// gpus, results and workload. See docs/simai.md. Throws InputError.
[[nodiscard]] ProfileTable read_simai_table(const std::string& path, const ModelPool& pool);

// Where results of backends that run a program are kept: $MOSIM_CACHE_DIR, else
// $XDG_CACHE_HOME/mosim, else $HOME/.cache/mosim, else an empty path.
[[nodiscard]] std::filesystem::path default_cache_dir();

}  // namespace mosim
