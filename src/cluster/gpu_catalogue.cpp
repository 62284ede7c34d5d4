#include <algorithm>

#include "base/bundled.hpp"
#include "base/yaml_map.hpp"
#include "mosim/cluster.hpp"

namespace mosim {
namespace {

GpuSpec read_gpu(const YamlNode& node, Problems& problems) {
  YamlMap map(node, "a GPU", problems);
  GpuSpec gpu;
  gpu.name = map.text("name");
  gpu.aliases = map.texts("aliases");
  map.text("vendor");
  gpu.fp32 = map.quantity("fp32", Dimension::compute_speed);
  gpu.memory = map.quantity("memory", Dimension::volume);
  gpu.memory_bandwidth = map.quantity("memory_bandwidth", Dimension::bandwidth);
  gpu.intra_bandwidth = map.quantity("intra_bandwidth", Dimension::bandwidth);
  gpu.achieved_fraction = map.number("achieved_fraction", {0.01, 1});
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

}  // namespace mosim
