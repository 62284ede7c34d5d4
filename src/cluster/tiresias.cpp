#include "cluster/formats.hpp"

namespace mosim {

void read_tiresias_cluster(ClusterInput& input) {
  constexpr NumberRange kServers{1, 1000, true};
  constexpr NumberRange kGpus{1, 1024, true};
  constexpr NumberRange kCpus{0, 1e6, true};
  constexpr NumberRange kMemory{0, 1e6};
  constexpr double kGB = 1e9;
  CsvReader& csv = input.csv;
  const std::size_t switches = csv.require({"num_switch"});
  const std::size_t nodes = csv.require({"num_node_p_switch"});
  const std::size_t gpus = csv.require({"num_gpu_p_node"});
  const std::size_t cpus = csv.require({"num_cpu_p_node"});
  const std::size_t memory = csv.require({"mem_p_node"});
  while (csv.next()) {
    const auto integer = [&](std::size_t column, const NumberRange& range) {
      return static_cast<std::uint32_t>(csv.number(column, range, input.problems));
    };
    ServerGroup servers = input.server;
    servers.servers_per_rack = integer(nodes, kServers);
    servers.count = integer(switches, kServers) * servers.servers_per_rack;
    servers.gpus = integer(gpus, kGpus);
    servers.cpus = integer(cpus, kCpus);
    servers.memory = csv.number(memory, kMemory, input.problems) * kGB;
    input.cluster.spec.groups.push_back(std::move(servers));
  }
}

}  // namespace mosim
