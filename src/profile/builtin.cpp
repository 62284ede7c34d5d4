#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "mosim/profile.hpp"

namespace mosim {
namespace {

constexpr double kBytesPerParameter = 4;   // fp32 gradients
constexpr double kPassesPerIteration = 3;  // forward, and backward at twice its cost

const GpuSpec& gpu_of(const ServerGroup& group) {
  if (const GpuSpec* gpu = find_gpu(group.gpu)) return *gpu;
  std::vector<std::string> names;
  for (const GpuSpec& gpu : gpu_catalogue()) names.push_back(gpu.name);
  throw InputError({"cluster", {}}, fmt::format("GPU '{}' is not in the catalogue", group.gpu),
                   one_of(group.gpu, names));
}

}  // namespace

BuiltinProfiles::BuiltinProfiles(ModelPool pool, const ClusterSpec& cluster)
    : pool_(std::move(pool)),
      operations_per_s_(std::numeric_limits<double>::infinity()),
      slowest_link_(std::numeric_limits<double>::infinity()) {
  for (const ServerGroup& group : cluster.groups) {
    const GpuSpec& gpu = gpu_of(group);
    operations_per_s_ = std::min(operations_per_s_, gpu.fp32 * gpu.achieved_fraction);
    slowest_link_ = std::min(slowest_link_, gpu.intra_bandwidth);
    if (cluster.servers() > 1) slowest_link_ = std::min(slowest_link_, group.nic);
  }
}

std::optional<JobProfile> BuiltinProfiles::find(const std::string& model,
                                                std::uint32_t gpus) const {
  const ModelConfig* config = pool_.find(model);
  if (config == nullptr) return std::nullopt;
  JobProfile profile;
  profile.compute_s =
      kPassesPerIteration * config->forward_operations * config->batch_per_gpu / operations_per_s_;
  const double workers = gpus;
  profile.volume = 2 * (workers - 1) / workers * kBytesPerParameter * config->parameters;
  profile.network_s = profile.volume / slowest_link_;
  return profile;
}

std::string BuiltinProfiles::expected(const std::string& model) const {
  std::vector<std::string> names;
  for (const ModelConfig& config : pool_.models()) names.push_back(config.name);
  return "a model of the pool: " + one_of(model, names);
}

}  // namespace mosim
