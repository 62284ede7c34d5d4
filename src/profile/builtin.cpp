#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "mosim/characterize.hpp"
#include "profile/iteration.hpp"
#include "profile/stages.hpp"

namespace mosim {
namespace {

constexpr std::string_view kCollectiveNames[] = {"all-reduce", "all-gather", "reduce-scatter",
                                                 "all-to-all", "point-to-point"};
constexpr std::string_view kCommunicatorNames[] = {"data", "tensor", "pipeline", "expert",
                                                   "expert-data"};

AllReduce algorithm_of(const ModelConfig& model, const BuiltinOptions& options) {
  if (options.all_reduce) return *options.all_reduce;
  if (model.collective == "tree-all-reduce") return AllReduce::tree;
  if (model.collective == "hierarchical-all-reduce") return AllReduce::hierarchical;
  return AllReduce::ring;
}

// The stages on the slowest GPU type of the cluster.
std::vector<Stage> slowest_stages(const TrainingSetting& setting, const ClusterSpec& cluster) {
  const std::vector<Stage> divided = divide_into_stages(setting);
  std::vector<Stage> slowest;
  double slowest_s = -1;
  for (const std::string& gpu : cluster.gpu_types()) {
    std::vector<Stage> stages = divided;
    double total_s = 0;
    for (Stage& stage : stages) {
      time_stage(stage, setting, known_gpu(gpu));
      total_s += stage.forward_s() + stage.backward_s();
    }
    if (total_s <= slowest_s) continue;
    slowest_s = total_s;
    slowest = std::move(stages);
  }
  return slowest;
}

double most_memory(const std::vector<Stage>& stages, const TrainingSetting& setting) {
  double most = 0;
  for (const Stage& stage : stages) most = std::max(most, memory_of(stage, setting));
  return most;
}

double least_gpu_memory(const ClusterSpec& cluster) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::string& gpu : cluster.gpu_types()) {
    least = std::min(least, known_gpu(gpu).memory);
  }
  return least;
}

// One micro-batch of a stage, played twice: on its way, and as the last of the iteration.
struct PlayedStage {
  const Stage* stage = nullptr;
  Played step;
  Played last;
};

IterationPlan plan_stage(const Stage& stage, const TrainingSetting& setting,
                         const BuiltinOptions& options) {
  IterationPlan plan;
  plan.operators = stage.operators;
  plan.times = stage.times;
  plan.blocks = setting.model->graph.blocks;
  plan.samples = setting.samples;
  plan.width = bytes_of(setting.precision);
  plan.bucket = options.bucket;
  plan.overlap = options.overlap;
  plan.parallelism = setting.model->parallelism;
  plan.replicas = setting.replicas;
  plan.optimizer_s = stage.optimizer_s;
  return plan;
}

PlayedStage play_stage(const Stage& stage, const TrainingSetting& setting,
                       const PlaySetting& network, const BuiltinOptions& options) {
  IterationPlan plan = plan_stage(stage, setting, options);
  PlayedStage played{&stage, {}, play(build_iteration(plan), network)};
  plan.synchronize = false;
  played.step = play(build_iteration(plan), network);
  return played;
}

PlaySetting network_setting(const TrainingSetting& setting, const ClusterSpec& cluster,
                            const BuiltinOptions& options) {
  // Nobody spreads a tensor or expert group over servers that could hold it.
  const bool spreadable = setting.model->parallelism.whole_model_per_gpu();
  const RankLayout layout =
      lay_out(setting.gpus, cluster, spreadable ? options.layout : Layout::packed);
  PlaySetting network;
  network.algorithm = algorithm_of(*setting.model, options);
  for (std::size_t i = 0; i < kCommunicators; ++i) {
    network.spans[i] = span_of(
        group_of(static_cast<Communicator>(i), setting.gpus, setting.model->parallelism), layout);
  }
  return network;
}

void add_transfers(Characterization& result, const Played& played, double times) {
  for (Transfer transfer : played.transfers) {
    if (transfer.ranks < 2 || times <= 0) continue;
    transfer.times = times;
    result.network_total_s += (transfer.end_s - transfer.start_s) * times;
    result.volume += transfer.sent * times;
    result.transfers.push_back(std::move(transfer));
  }
}

// Activations forward and gradients back, once per micro-batch between neighbouring stages.
double add_stage_borders(Characterization& result, const TrainingSetting& setting,
                         const GroupSpan& span) {
  const Parallelism& parallelism = setting.model->parallelism;
  if (parallelism.pipeline < 2) return 0;
  Transfer transfer;
  transfer.name = "stage-border";
  transfer.collective = Collective::point_to_point;
  transfer.group = Communicator::pipeline;
  transfer.ranks = parallelism.pipeline;
  transfer.bytes = setting.model->graph.boundary * setting.samples * bytes_of(setting.precision);
  const CollectiveCost cost =
      collective_cost(Collective::point_to_point, AllReduce::ring, transfer.bytes, span);
  transfer.sent = cost.sent;
  transfer.end_s = cost.seconds;
  transfer.times = 2.0 * parallelism.micro_batches;
  result.network_total_s += cost.seconds * transfer.times;
  result.volume += transfer.sent * transfer.times;
  result.transfers.push_back(transfer);
  return 2 * cost.seconds;
}

// 1F1B: with m micro-batches and p stages, the slowest stage works m times and waits p - 1 times
// (Narayanan et al., SC 2021).
void add_times(Characterization& result, const PlayedStage& slowest, const Parallelism& parallelism,
               double border_s) {
  const double batches = parallelism.micro_batches;
  const double step_s = slowest.step.makespan_s + border_s;
  result.forward_s = slowest.stage->forward_s() * batches;
  result.optimizer_s = slowest.stage->optimizer_s;
  result.bubble_s = (parallelism.pipeline - 1.0) * step_s;
  const double busy_s = slowest.step.compute_s * (batches - 1) + slowest.last.compute_s;
  result.backward_s = busy_s - result.forward_s - result.optimizer_s;
  result.compute_s = busy_s + result.bubble_s;
  const double iteration_s =
      result.bubble_s + step_s * (batches - 1) + slowest.last.makespan_s + border_s;
  result.network_exposed_s = std::max(0.0, iteration_s - result.compute_s);
}

void add_operators(Characterization& result, const std::vector<Stage>& stages,
                   const TrainingSetting& setting) {
  const double batches = setting.model->parallelism.micro_batches;
  const double samples = setting.samples * batches;
  for (const Stage& stage : stages) {
    for (std::size_t i = 0; i < stage.operators.size(); ++i) {
      const Operator& op = stage.operators[i];
      const OperatorTime& time = stage.times[i];
      result.operators.push_back(
          {op.name, op.kind, op.parameters, op.forward.operations * samples,
           (op.forward.elements * samples + op.parameters * batches) * bytes_of(setting.precision),
           time.forward_s * batches, time.backward_input_s * batches,
           time.backward_weight_s * batches});
    }
  }
}

TrafficPattern pattern_of(const Transfer& transfer, AllReduce algorithm) {
  switch (transfer.collective) {
    case Collective::all_to_all:
      return TrafficPattern::all_to_all;
    case Collective::point_to_point:
      return TrafficPattern::chain;
    case Collective::all_reduce:
      return algorithm == AllReduce::ring ? TrafficPattern::ring : TrafficPattern::tree;
    default:
      return TrafficPattern::ring;
  }
}

// One ring over all ranks needs no more than v (Eq. 7); anything else is kept by group.
std::shared_ptr<const std::vector<GroupTraffic>> traffic_of(const Characterization& result,
                                                            const TrainingSetting& setting,
                                                            AllReduce algorithm) {
  const auto whole_ring = [&](const Transfer& transfer) {
    return transfer.ranks == setting.gpus &&
           pattern_of(transfer, algorithm) == TrafficPattern::ring;
  };
  if (std::all_of(result.transfers.begin(), result.transfers.end(), whole_ring)) return nullptr;
  std::vector<GroupTraffic> traffic;
  for (const Transfer& transfer : result.transfers) {
    GroupTraffic part;
    part.group = group_of(transfer.group, setting.gpus, setting.model->parallelism);
    part.pattern = pattern_of(transfer, algorithm);
    const double each = part.pattern == TrafficPattern::tree ? transfer.bytes : transfer.sent;
    // A chain sends to both sides in turn: forward once and back once per micro-batch.
    part.bytes = each * transfer.times / (part.pattern == TrafficPattern::chain ? 2 : 1);
    const auto same = std::find_if(traffic.begin(), traffic.end(), [&](const GroupTraffic& other) {
      return other.pattern == part.pattern && other.group.size == part.group.size &&
             other.group.stride == part.group.stride;
    });
    if (same == traffic.end()) {
      traffic.push_back(part);
    } else {
      same->bytes += part.bytes;
    }
  }
  return std::make_shared<const std::vector<GroupTraffic>>(std::move(traffic));
}

JobProfile profile_of(const Characterization& result, const TrainingSetting& setting,
                      const BuiltinOptions& options) {
  JobProfile profile;
  const bool total = options.networking == Networking::total;
  profile.network_s = total ? result.network_total_s : result.network_exposed_s;
  // Networking that computation hides is in one of the two only.
  profile.compute_s = std::max(0.0, result.iteration_s() - profile.network_s);
  profile.volume = result.volume;
  profile.traffic = traffic_of(result, setting, algorithm_of(*setting.model, options));
  return profile;
}

}  // namespace

std::string_view collective_name(Collective collective) {
  return kCollectiveNames[static_cast<std::size_t>(collective)];
}

std::string_view communicator_name(Communicator communicator) {
  return kCommunicatorNames[static_cast<std::size_t>(communicator)];
}

std::optional<std::string> unfit(const ModelConfig& model, std::uint32_t gpus,
                                 const ClusterSpec& cluster) {
  const Parallelism& parallelism = model.parallelism;
  const std::uint32_t stages = parallelism.pipeline;
  if (gpus == 0 || gpus % (parallelism.tensor * stages) != 0) {
    return fmt::format("a multiple of {} GPUs (tensor {} x pipeline {})",
                       parallelism.tensor * stages, parallelism.tensor, stages);
  }
  const auto blocks = static_cast<std::uint32_t>(std::max(model.graph.blocks, 0));
  if (stages > 1 && stages > blocks) {
    return fmt::format("at most {} pipeline stages, one per transformer block", blocks);
  }
  if (parallelism.tensor > 1 && blocks == 0) return "tensor parallelism 1: it has no transformer";
  const std::uint32_t replicas = gpus / (parallelism.tensor * stages);
  if (parallelism.expert > 1 &&
      (replicas % parallelism.expert != 0 || model.graph.experts % parallelism.expert != 0)) {
    return fmt::format("expert parallelism that divides {} replicas and {} experts", replicas,
                       model.graph.experts);
  }
  for (const ServerGroup& group : cluster.groups) {
    const GpuSpec& gpu = known_gpu(group.gpu);
    if (gpu.speed(parse_precision(model.precision)).peak <= 0) {
      return fmt::format("a GPU that computes in {}, which {} does not", model.precision, gpu.name);
    }
  }
  return std::nullopt;
}

Characterization characterize_model(const ModelConfig& model, std::uint32_t gpus,
                                    const ClusterSpec& cluster, const BuiltinOptions& options) {
  if (const auto expected = unfit(model, gpus, cluster)) {
    throw InputError({model.name, {}}, fmt::format("'{}' cannot run on {} GPUs", model.name, gpus),
                     *expected);
  }
  const TrainingSetting setting = training_setting(model, gpus);
  const std::vector<Stage> stages = slowest_stages(setting, cluster);
  const PlaySetting network = network_setting(setting, cluster, options);
  PlayedStage slowest;
  for (const Stage& stage : stages) {
    PlayedStage played = play_stage(stage, setting, network, options);
    if (slowest.stage == nullptr || played.step.makespan_s > slowest.step.makespan_s) {
      slowest = std::move(played);
    }
  }
  Characterization result;
  add_transfers(result, slowest.step, model.parallelism.micro_batches - 1.0);
  add_transfers(result, slowest.last, 1);
  const double border_s = add_stage_borders(
      result, setting, network.spans[static_cast<std::size_t>(Communicator::pipeline)]);
  add_times(result, slowest, model.parallelism, border_s);
  add_operators(result, stages, setting);
  result.memory = most_memory(stages, setting);
  result.fits = result.memory <= least_gpu_memory(cluster);
  result.profile = profile_of(result, setting, options);
  return result;
}

IterationTrace data_parallel_iteration(const ModelConfig& model, std::uint32_t gpus,
                                       const ClusterSpec& cluster, const BuiltinOptions& options) {
  const TrainingSetting setting = training_setting(model, gpus);
  const std::vector<Stage> stages = slowest_stages(setting, cluster);
  return build_iteration(plan_stage(stages.front(), setting, options));
}

std::optional<std::string> BuiltinProfiles::warning(const std::string& model,
                                                    std::uint32_t gpus) const {
  const ModelConfig* config = pool_.find(model);
  if (config == nullptr || unfit(*config, gpus, cluster_)) return std::nullopt;
  const TrainingSetting setting = training_setting(*config, gpus);
  const double needed = most_memory(divide_into_stages(setting), setting);
  const double memory = least_gpu_memory(cluster_);
  if (needed <= memory) return std::nullopt;
  return fmt::format("{} on {} GPUs needs about {:.1f} GB on each, of {:.0f} GB", config->name,
                     gpus, needed / 1e9, memory / 1e9);
}

BuiltinProfiles::BuiltinProfiles(ModelPool pool, ClusterSpec cluster, BuiltinOptions options)
    : pool_(std::move(pool)), cluster_(std::move(cluster)), options_(options) {
  for (const ServerGroup& group : cluster_.groups) (void)known_gpu(group.gpu);
}

std::optional<JobProfile> BuiltinProfiles::find(const std::string& model,
                                                std::uint32_t gpus) const {
  const ModelConfig* config = pool_.find(model);
  if (config == nullptr || unfit(*config, gpus, cluster_)) return std::nullopt;
  return characterize_model(*config, gpus, cluster_, options_).profile;
}

std::string BuiltinProfiles::expected(const std::string& model) const {
  if (const ModelConfig* config = pool_.find(model)) {
    // Found, so it is the number of GPUs or their kind that does not go.
    const Parallelism& parallelism = config->parallelism;
    const std::uint32_t least = parallelism.tensor * parallelism.pipeline * parallelism.expert;
    if (const auto expected = unfit(*config, least, cluster_)) return *expected;
    return unfit(*config, least + 1, cluster_).value_or(fmt::format("a multiple of {}", least));
  }
  std::vector<std::string> names;
  for (const ModelConfig& config : pool_.models()) names.push_back(config.name);
  return "a model of the pool: " + one_of(model, names);
}

}  // namespace mosim
