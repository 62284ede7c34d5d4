#include <fmt/format.h>

#include <algorithm>

#include "base/bundled.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "mosim/cluster.hpp"

namespace mosim {
namespace {

constexpr NumberRange kFraction{0.01, 1};
constexpr NumberRange kWinograd{0.01, 4};  // F(4x4, 3x3) saves a factor of 4

AchievedFractions read_fractions(const YamlNode& node, Problems& problems) {
  YamlMap map(node, "achieved fractions", problems);
  AchievedFractions achieved;
  achieved.convolution = map.number("convolution", kFraction);
  achieved.winograd = map.number("winograd", kWinograd);
  achieved.linear = map.number("linear", kFraction);
  achieved.attention = map.number("attention", kFraction);
  map.finish();
  return achieved;
}

// The precisions under `peak`, and for each its fractions under `achieved`.
void read_speeds(const YamlNode& peak, const YamlNode& achieved, GpuSpec& gpu, Problems& problems) {
  YamlMap peaks(peak, "peak rates", problems);
  YamlMap fractions(achieved, "achieved fractions", problems);
  gpu.achieved_memory = fractions.number("memory", kFraction);
  for (std::size_t i = 0; i < kPrecisions; ++i) {
    const std::string_view name = precision_name(static_cast<Precision>(i));
    if (peaks.any(name, false) == nullptr) continue;
    gpu.speeds[i].peak = peaks.quantity(name, Dimension::compute_speed);
    if (const YamlNode* node = fractions.any(name, true)) {
      gpu.speeds[i].achieved = read_fractions(*node, problems);
    }
  }
  peaks.finish();
  fractions.finish();
}

GpuSpec read_gpu(const YamlNode& node, Problems& problems) {
  YamlMap map(node, "a GPU", problems);
  GpuSpec gpu;
  gpu.name = map.text("name");
  gpu.aliases = map.texts("aliases");
  map.text("vendor");
  gpu.memory = map.quantity("memory", Dimension::volume);
  gpu.memory_bandwidth = map.quantity("memory_bandwidth", Dimension::bandwidth);
  gpu.multiprocessors = static_cast<std::uint32_t>(map.number("multiprocessors", {1, 1e6, true}));
  gpu.intra_bandwidth = map.quantity("intra_bandwidth", Dimension::bandwidth);
  gpu.intra_latency_s = map.quantity("intra_latency", Dimension::duration);
  gpu.launch_overhead_s = map.quantity("launch_overhead", Dimension::duration);
  const YamlNode* peak = map.any("peak", true);
  const YamlNode* achieved = map.any("achieved", true);
  if (peak != nullptr && achieved != nullptr) read_speeds(*peak, *achieved, gpu, problems);
  map.any("sources", true);
  map.finish();
  return gpu;
}

}  // namespace

const std::vector<GpuSpec>& gpu_catalogue() {
  static const std::vector<GpuSpec> catalogue = [] {
    std::vector<GpuSpec> gpus;
    Problems problems;
    for (const BundledFile& file : bundled_below("gpus/")) {
      const std::string path = std::string(kBundledPrefix) + std::string(file.path);
      gpus.push_back(read_gpu(parse_yaml(path, std::string(file.text)), problems));
    }
    problems.throw_if_any();
    return gpus;
  }();
  return catalogue;
}

const GpuSpec* find_gpu(std::string_view name) {
  for (const GpuSpec& gpu : gpu_catalogue()) {
    if (gpu.name == name) return &gpu;
    if (std::find(gpu.aliases.begin(), gpu.aliases.end(), name) != gpu.aliases.end()) return &gpu;
  }
  return nullptr;
}

std::string canonical_gpu(const std::string& name) {
  const GpuSpec* gpu = find_gpu(name);
  return gpu == nullptr ? name : gpu->name;
}

const GpuSpec& known_gpu(std::string_view name) {
  if (const GpuSpec* gpu = find_gpu(name)) return *gpu;
  std::vector<std::string> names;
  for (const GpuSpec& gpu : gpu_catalogue()) names.push_back(gpu.name);
  throw InputError(
      {"cluster", {}}, fmt::format("GPU '{}' is not in the catalogue", name),
      fmt::format("a name of data/gpus/, {}; or, for the name in a cluster file, --set "
                  "cluster.gpu_types={}=NAME with one of them",
                  one_of(name, names), name));
}

}  // namespace mosim
