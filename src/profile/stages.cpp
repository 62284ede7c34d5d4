#include "profile/stages.hpp"

#include <algorithm>

namespace mosim {
namespace {

// CUDA context, cuDNN and NCCL buffers; of the order of what nvidia-smi shows for an idle job.
constexpr double kFrameworkMemory = 0.75 * 1024 * 1024 * 1024;

// The data-parallel ranks that hold the same weights, and divide them with ZeRO.
double sharers(const Operator& op, const TrainingSetting& setting) {
  const double replicas = setting.replicas;
  return op.expert ? replicas / setting.model->parallelism.expert : replicas;
}

double saved_on_rank(const Operator& op, const Parallelism& parallelism) {
  return op.tensor_parallel ? op.saved / parallelism.tensor : op.saved;
}

std::uint32_t stage_of(const Operator& op, const ModelConfig& model) {
  const std::uint32_t stages = model.parallelism.pipeline;
  if (op.block < 0 || model.graph.blocks == 0) return 0;
  const auto block = static_cast<std::uint64_t>(std::min(op.block, model.graph.blocks - 1));
  return static_cast<std::uint32_t>(block * stages /
                                    static_cast<std::uint64_t>(model.graph.blocks));
}

Optimizer parse_optimizer(std::string_view name) {
  if (name == "sgd") return Optimizer::sgd;
  return name == "adam" ? Optimizer::adam : Optimizer::momentum;
}

// Elements kept for one micro-batch of one sample: all, or the inputs of the blocks and one block.
double saved_elements(const Stage& stage, const TrainingSetting& setting) {
  const Parallelism& parallelism = setting.model->parallelism;
  double all = 0;
  double outside = 0;  // of any block
  double block = 0;
  double largest_block = 0;
  double blocks = 0;
  for (std::size_t i = 0; i < stage.operators.size(); ++i) {
    const Operator& op = stage.operators[i];
    const double saved = saved_on_rank(op, parallelism);
    all += saved;
    const bool inside = op.block >= 0 && op.block < setting.model->graph.blocks;
    if (!inside) {
      outside += saved;
      continue;
    }
    if (i == 0 || stage.operators[i - 1].block != op.block) {
      block = 0;
      blocks += 1;
    }
    block += saved;
    largest_block = std::max(largest_block, block);
  }
  if (!parallelism.recompute || blocks == 0) return all;
  return outside + largest_block + blocks * setting.model->graph.boundary;
}

}  // namespace

TrainingSetting training_setting(const ModelConfig& model, std::uint32_t gpus) {
  TrainingSetting setting;
  setting.model = &model;
  setting.gpus = gpus;
  setting.replicas = gpus / (model.parallelism.tensor * model.parallelism.pipeline);
  const Parallelism& parallelism = model.parallelism;
  setting.samples = static_cast<double>(model.batch_per_gpu) * parallelism.tensor *
                    parallelism.pipeline / parallelism.micro_batches;
  setting.precision = parse_precision(model.precision);
  setting.optimizer = parse_optimizer(model.optimizer);
  return setting;
}

double Stage::forward_s() const {
  double sum = 0;
  for (const OperatorTime& time : times) sum += time.forward_s;
  return sum;
}

double Stage::backward_s() const {
  double sum = 0;
  for (const OperatorTime& time : times) sum += time.backward_s();
  return sum;
}

std::vector<Stage> divide_into_stages(const TrainingSetting& setting) {
  std::vector<Stage> stages(setting.model->parallelism.pipeline);
  for (std::uint32_t number = 0; number < stages.size(); ++number) stages[number].number = number;
  for (const Operator& op : setting.model->graph.operators) {
    stages[stage_of(op, *setting.model)].operators.push_back(op);
  }
  return stages;
}

void time_stage(Stage& stage, const TrainingSetting& setting, const GpuSpec& gpu) {
  const Parallelism& parallelism = setting.model->parallelism;
  const RooflineSetting roofline{&gpu, setting.precision, setting.samples, parallelism};
  double parameters = 0;
  double tensors = 0;
  stage.times.clear();
  for (const Operator& op : stage.operators) {
    stage.times.push_back(time_operator(op, roofline));
    // Optimiser state that data-parallel ranks divide is updated by each for its part.
    double owned = parameters_on_rank(op, parallelism);
    if (parallelism.zero > 0) owned /= sharers(op, setting);
    parameters += owned;
    if (op.parameters > 0) tensors += 1;
  }
  stage.optimizer_s = optimizer_s(gpu, setting.optimizer, setting.precision, parameters, tensors);
}

double memory_of(const Stage& stage, const TrainingSetting& setting) {
  const Parallelism& parallelism = setting.model->parallelism;
  const double width = bytes_of(setting.precision);
  const double state = optimizer_state(setting.optimizer, setting.precision);
  double weights = 0;
  double largest = 0;
  for (const Operator& op : stage.operators) {
    const auto part = [&](std::uint32_t from) {
      return parallelism.zero >= from ? 1 / sharers(op, setting) : 1.0;
    };
    weights +=
        parameters_on_rank(op, parallelism) * (width * part(3) + width * part(2) + state * part(1));
    largest = std::max(largest, op.forward.elements);
  }
  const double samples = setting.samples;
  const double in_flight = std::min(parallelism.micro_batches, parallelism.pipeline - stage.number);
  const double kept = saved_elements(stage, setting) * samples * width * in_flight;
  return weights + kept + largest * samples * width + kFrameworkMemory;
}

}  // namespace mosim
