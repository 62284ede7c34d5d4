#include <algorithm>

#include "base/random.hpp"
#include "mosim/workload.hpp"

namespace mosim {

void augment(Trace& trace, const ModelPool& pool, std::uint64_t seed) {
  std::vector<const ModelConfig*> candidates;
  for (const ModelConfig& model : pool.models()) {
    if (model.in_pool) candidates.push_back(&model);
  }
  RandomStream random(seed, "workload");
  for (TraceJob& job : trace.jobs) {
    if (!job.model.empty()) {
      job.model = pool.canonical(job.model);
    } else if (candidates.empty()) {
      throw InputError({trace.file, job.position}, "names no model and the pool is empty",
                       "a model, or a pool to draw one from");
    } else {
      job.model = candidates[random.below(candidates.size())]->name;
    }
  }
}

}  // namespace mosim
