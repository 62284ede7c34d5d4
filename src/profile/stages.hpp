// A model on one rank: its pipeline stage, how long its operators take, and what it keeps in
// memory.
#pragma once

#include <vector>

#include "mosim/characterize.hpp"
#include "profile/roofline.hpp"

namespace mosim {

// A model that is trained on a number of GPUs.
struct TrainingSetting {
  const ModelConfig* model = nullptr;
  std::uint32_t gpus = 1;
  std::uint32_t replicas = 1;  // data-parallel ranks
  double samples = 1;          // of a replica's micro-batch
  Precision precision = Precision::fp32;
  Optimizer optimizer = Optimizer::momentum;
};

[[nodiscard]] TrainingSetting training_setting(const ModelConfig& model, std::uint32_t gpus);

// The operators of one pipeline stage, and each one's times on one rank for one micro-batch.
struct Stage {
  std::uint32_t number = 0;
  std::vector<Operator> operators;
  std::vector<OperatorTime> times;
  double optimizer_s = 0;

  [[nodiscard]] double forward_s() const;
  [[nodiscard]] double backward_s() const;
};

// Blocks are divided evenly; what comes before the first belongs to the first stage, what comes
// after the last to the last. No times yet.
[[nodiscard]] std::vector<Stage> divide_into_stages(const TrainingSetting& setting);

// Fills in the times.
void time_stage(Stage& stage, const TrainingSetting& setting, const GpuSpec& gpu);

// Bytes that a GPU of the stage needs: weights, gradients, optimiser state, what is kept for the
// backward pass of every micro-batch on its way (1F1B), the largest gradient of activations and
// what the framework itself takes. An estimate.
[[nodiscard]] double memory_of(const Stage& stage, const TrainingSetting& setting);

}  // namespace mosim
