// Workloads: the pool of job configurations, and giving one to every job of a trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mosim/trace.hpp"

namespace mosim {

// A job configuration: a model and how it is trained. Sources of the figures: data/models/.
struct ModelConfig {
  std::string name;
  std::vector<std::string> aliases;  // other names in traces and profiles
  bool in_pool = false;              // sampled for jobs that name no model
  double parameters = 0;             // trainable
  double forward_operations = 0;     // floating-point operations of one sample's forward pass
  std::uint32_t batch_per_gpu = 0;   // samples per GPU and iteration
  std::string data_set;
  std::string framework;
  std::string collective;
};

// The models of a pool, in the order of their names.
class ModelPool {
 public:
  explicit ModelPool(std::vector<ModelConfig> models);

  [[nodiscard]] const std::vector<ModelConfig>& models() const { return models_; }

  // The model with this name or alias; nothing when there is none.
  [[nodiscard]] const ModelConfig* find(std::string_view name) const;

  // The model's own name for a name or alias; the name itself when the pool does not know it.
  [[nodiscard]] std::string canonical(std::string_view name) const;

 private:
  std::vector<ModelConfig> models_;
};

// Reads a pool: `default` is data/models/ (Table I of the paper), anything else a folder of YAML
// files of that form. Throws InputError.
[[nodiscard]] ModelPool read_pool(const std::string& pool);

// The paper's augmentation (+ m): every job's model by the pool's own name; jobs that name none get
// one of the pool, drawn uniformly with the seed in the trace's order. Throws InputError when a
// model is needed and the pool is empty.
void augment(Trace& trace, const ModelPool& pool, std::uint64_t seed);

}  // namespace mosim
