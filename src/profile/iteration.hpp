// One iteration of a rank: its graph of computations and collectives, and when each happens.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "profile/collectives.hpp"
#include "profile/roofline.hpp"

namespace mosim {

// A micro-batch through the operators of one pipeline stage.
struct IterationPlan {
  std::span<const Operator> operators;
  std::span<const OperatorTime> times;  // of each operator, on one rank
  std::int32_t blocks = 0;              // of the model: those are what is recomputed
  double samples = 1;                   // in the micro-batch
  double width = 4;                     // bytes of an element
  double bucket = 25 * 1024.0 * 1024.0;
  Parallelism parallelism;
  std::uint32_t replicas = 1;  // data-parallel ranks
  double optimizer_s = 0;
  bool overlap = true;      // of gradients' collectives with the backward pass
  bool synchronize = true;  // the last micro-batch: gradients are reduced, the weights updated
};

// Gradients fill buckets in the order of the backward pass, and a bucket's all-reduce starts when
// it is full, beside the rest of the backward pass (Li et al., "PyTorch Distributed", VLDB 2020).
// ZeRO 1 and 2 reduce-scatter gradients and gather weights after the update, ZeRO 3 (FSDP) gathers
// the weights of one block ahead of the pass that needs them (Rajbhandari et al., SC 2020; Zhao et
// al., VLDB 2023). Tensor and expert parallelism exchange activations and wait for them (Shoeybi et
// al., Megatron-LM, 2019; Lepikhin et al., GShard, ICLR 2021).
[[nodiscard]] IterationTrace build_iteration(const IterationPlan& plan);

// The iteration of a model that is data-parallel only, on the slowest GPU type of the cluster.
[[nodiscard]] IterationTrace data_parallel_iteration(const ModelConfig& model, std::uint32_t gpus,
                                                     const ClusterSpec& cluster,
                                                     const BuiltinOptions& options);

// What `play` needs to know of the network.
struct PlaySetting {
  std::array<GroupSpan, kCommunicators> spans;  // by Communicator
  AllReduce algorithm = AllReduce::ring;
};

struct Played {
  double makespan_s = 0;
  double compute_s = 0;  // sum of the computations
  double network_s = 0;  // sum of the collectives
  std::vector<Transfer> transfers;

  [[nodiscard]] double exposed_s() const { return makespan_s - compute_s; }
};

// Plays a trace on two streams, one that computes and one that communicates, each in the order of
// the nodes.
[[nodiscard]] Played play(const IterationTrace& trace, const PlaySetting& setting);

}  // namespace mosim
