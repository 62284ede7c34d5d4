#include <fmt/format.h>

#include <algorithm>

#include "base/random.hpp"
#include "mosim/workload.hpp"

namespace mosim {
namespace {

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

const std::vector<ModelWeight>& weights_for(const TraceJob& job, const DrawRules& rules) {
  for (const DrawRule& rule : rules.rules) {
    if (rule.when.holds_for(job)) return rule.draw;
  }
  return rules.weights;
}

const std::string& draw(const std::vector<ModelWeight>& weights, RandomStream random) {
  constexpr std::uint64_t kSteps = 1ULL << 53;  // the numbers from 0 to 1 that a double tells apart
  double total = 0;
  for (const ModelWeight& candidate : weights) total += candidate.weight;
  double at = static_cast<double>(random.below(kSteps)) / static_cast<double>(kSteps) * total;
  const ModelWeight* last = nullptr;
  for (const ModelWeight& candidate : weights) {
    if (candidate.weight <= 0) continue;
    last = &candidate;
    if (at < candidate.weight) break;
    at -= candidate.weight;
  }
  if (last == nullptr) throw std::logic_error("there is no model to draw");
  return last->model;
}

}  // namespace

bool JobCondition::holds_for(const TraceJob& job) const {
  if (job.gpus() < min_gpus || (max_gpus > 0 && job.gpus() > max_gpus)) return false;
  const bool limits_duration = min_duration_s > 0 || max_duration_s > 0;
  if (limits_duration && !job.duration_known) return false;
  if (job.duration_s < min_duration_s) return false;
  if (max_duration_s > 0 && job.duration_s > max_duration_s) return false;
  return is_among(job.virtual_cluster, virtual_clusters) && is_among(job.user, users) &&
         is_among(job.gpu_type, gpu_types);
}

DrawRules default_draw(const ModelPool& pool) {
  DrawRules rules;
  for (const ModelConfig& model : pool.models()) {
    if (model.in_pool) rules.weights.push_back({model.name});
  }
  return rules;
}

void augment(Trace& trace, const ModelPool& pool, const DrawRules& rules,
             const AugmentOptions& options) {
  for (TraceJob& job : trace.jobs) {
    if (!job.model.empty()) {
      const bool known = pool.find(job.model) != nullptr;
      job.model = pool.canonical(job.model);
      if (known || options.unknown == UnknownModel::pass_on) continue;
    }
    const std::vector<ModelWeight>& weights = weights_for(job, rules);
    if (weights.empty()) {
      throw InputError({trace.file, job.position}, "needs a model and the pool has none to draw",
                       "a model, or a pool to draw one from");
    }
    job.model = draw(weights, RandomStream(options.seed, "workload/" + job.id));
  }
}

}  // namespace mosim
