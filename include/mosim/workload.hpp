// Workloads: the pool of job configurations, and giving one to every job of a trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mosim/model.hpp"
#include "mosim/trace.hpp"

namespace mosim {

// How a job divides its model and its batch among its GPUs. What the product of `tensor` and
// `pipeline` leaves of them is data-parallel.
struct Parallelism {
  std::uint32_t tensor = 1;         // GPUs that share every layer of a stage
  std::uint32_t pipeline = 1;       // stages of the blocks
  std::uint32_t micro_batches = 1;  // a replica's batch goes through the pipeline in as many parts
  std::uint32_t expert = 1;         // data-parallel ranks that the experts are divided among
  std::uint32_t zero = 0;           // what data-parallel ranks divide: 1 optimizer state, 2 also
                                    // gradients, 3 also parameters
  bool recompute = false;           // activations again in the backward pass, not kept

  // Whether every GPU has the whole model.
  [[nodiscard]] bool whole_model_per_gpu() const { return tensor * pipeline * expert == 1; }
};

// Reads "tensor=8,pipeline=4,micro_batches=16,expert=1,zero=1,recompute=true", each optional.
// Throws InputError.
[[nodiscard]] Parallelism parse_parallelism(const std::string& text);

// A job configuration: a model and how it is trained. Sources of the figures: data/models/.
struct ModelConfig {
  std::string name;
  std::vector<std::string> aliases;  // other names in traces and profiles
  bool in_pool = false;              // sampled for jobs that name no model
  ModelGraph graph;
  double parameters = 0;            // trainable; of the graph
  double forward_operations = 0;    // floating-point, of one sample's forward pass; of the graph
  std::uint32_t batch_per_gpu = 0;  // samples per GPU and iteration
  std::string precision = "fp32";   // of the matrix products: fp32, tf32, fp16, bf16
  std::string optimizer;            // sgd, momentum, adam
  Parallelism parallelism;
  std::string data_set;
  std::string framework;
  std::string collective;  // ring-all-reduce, tree-all-reduce, hierarchical-all-reduce
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
// files of that form. Of several, separated by commas, later ones add to the earlier and replace
// their models by name. Throws InputError.
[[nodiscard]] ModelPool read_pool(const std::string& pool);

// A model that may be drawn, and how often in comparison with the others.
struct ModelWeight {
  std::string model;  // the pool's own name
  double weight = 1;
};

// Which jobs a rule is for; limits include their ends, and what is empty or 0 limits nothing.
struct JobCondition {
  std::uint64_t min_gpus = 0;
  std::uint64_t max_gpus = 0;
  double min_duration_s = 0;
  double max_duration_s = 0;
  std::vector<std::string> virtual_clusters = {};  // any of them; so are those below
  std::vector<std::string> users = {};
  std::vector<std::string> gpu_types = {};

  [[nodiscard]] bool holds_for(const TraceJob& job) const;
};

struct DrawRule {
  JobCondition when;
  std::vector<ModelWeight> draw;
};

// What models are drawn from: by the first rule that is for the job, else by `weights`.
struct DrawRules {
  std::vector<DrawRule> rules = {};
  std::vector<ModelWeight> weights = {};
};

// The models of the pool that are drawn by default, equally often.
[[nodiscard]] DrawRules default_draw(const ModelPool& pool);

// Reads a file of rules and weights; docs/formats.md has its keys. Throws InputError, also for a
// model that the pool does not have.
[[nodiscard]] DrawRules read_draw_rules(const std::string& file, const ModelPool& pool);

// What to do with a model that the pool does not have.
enum class UnknownModel {
  pass_on,  // the source of profiles decides whether it knows the name
  draw,     // as if the trace named none
};

struct AugmentOptions {
  std::uint64_t seed = 1;
  UnknownModel unknown = UnknownModel::pass_on;
};

// The paper's augmentation (+ m): every job's model by the pool's own name; jobs that name none
// draw one. A draw depends on the seed, the rules and the job alone, not on the other jobs of the
// trace. Throws InputError when there is nothing to draw from.
void augment(Trace& trace, const ModelPool& pool, const DrawRules& rules,
             const AugmentOptions& options);

}  // namespace mosim
