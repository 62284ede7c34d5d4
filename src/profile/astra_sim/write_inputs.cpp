#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/output_file.hpp"
#include "base/text.hpp"
#include "mosim/base.hpp"
#include "profile/astra_sim/inputs.hpp"

namespace mosim::astra_sim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTraceFolder = "et";
constexpr std::string_view kTracePrefix = "et/dp";
constexpr std::string_view kSystem = "system.json";
constexpr std::string_view kMemory = "memory.json";
constexpr std::string_view kNetwork = "network.yml";

}  // namespace

std::string system_json(const Inputs& inputs) {
  nlohmann::ordered_json system;
  system["scheduling-policy"] = "LIFO";
  system["endpoint-delay"] = inputs.endpoint_delay_ns;
  system["active-chunks-per-dimension"] = inputs.active_chunks;
  system["preferred-dataset-splits"] = inputs.dataset_splits;
  for (const char* collective : {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"}) {
    system[fmt::format("{}-implementation", collective)] = inputs.implementation;
  }
  system["collective-optimization"] = "localBWAware";
  system["local-mem-bw"] = inputs.local_mem_gb;
  system["boost-mode"] = 0;
  system["roofline-enabled"] = 0;
  system["trace-enabled"] = inputs.log_nodes ? 1 : 0;
  return system.dump(2) + "\n";
}

std::string network_yml(const Inputs& inputs) {
  std::vector<std::string> topology;
  std::vector<std::string> npus;
  std::vector<std::string> bandwidth;
  std::vector<std::string> latency;
  for (const NetworkDimension& dimension : inputs.dimensions) {
    topology.emplace_back("Switch");
    npus.push_back(fmt::format("{}", dimension.npus));
    bandwidth.push_back(fmt::format("{}", dimension.bandwidth_gib));
    latency.push_back(fmt::format("{}", dimension.latency_ns));
  }
  return fmt::format(
      "topology: [ {} ]\n"
      "npus_count: [ {} ]\n"
      "bandwidth: [ {} ]  # 2^30 B/s\n"
      "latency: [ {} ]  # ns\n",
      join(topology, ", "), join(npus, ", "), join(bandwidth, ", "), join(latency, ", "));
}

void write_inputs(const Inputs& inputs, const fs::path& folder) {
  std::error_code error;
  fs::create_directory(folder / kTraceFolder, error);
  if (error) {
    throw RunError(
        fmt::format("{}: cannot be made ({})", (folder / kTraceFolder).string(), error.message()));
  }
  const std::string trace = chakra_file(inputs.nodes);
  for (std::uint32_t rank = 0; rank < inputs.ranks; ++rank) {
    write_file(folder / fmt::format("{}.{}.et", kTracePrefix, rank), trace);
  }
  write_file(folder / kSystem, system_json(inputs));
  write_file(folder / kMemory, "{ \"memory-type\": \"NO_MEMORY_EXPANSION\" }\n");
  write_file(folder / kNetwork, network_yml(inputs));
}

std::vector<std::string> arguments() {
  return {fmt::format("--workload-configuration={}", kTracePrefix),
          fmt::format("--system-configuration={}", kSystem),
          fmt::format("--remote-memory-configuration={}", kMemory),
          fmt::format("--network-configuration={}", kNetwork)};
}

}  // namespace mosim::astra_sim
