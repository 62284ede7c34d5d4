#include <fmt/format.h>

#include "cluster/formats.hpp"

namespace mosim {

void read_openb_cluster(ClusterInput& input) {
  constexpr NumberRange kCpus{1000, 1e9, true};
  constexpr NumberRange kMemory{1, 1e9, true};
  constexpr NumberRange kGpus{0, 1024, true};
  constexpr double kMiB = 1048576;
  constexpr std::uint32_t kMilli = 1000;
  CsvReader& csv = input.csv;
  const std::size_t cpus = csv.require({"cpu_milli"});
  const std::size_t memory = csv.require({"memory_mib"});
  const std::size_t gpus = csv.require({"gpu"});
  const std::size_t model = csv.require({"model"});
  std::uint64_t without_gpus = 0;
  while (csv.next()) {
    ServerGroup server = input.server;
    server.gpus = static_cast<std::uint32_t>(csv.number(gpus, kGpus, input.problems));
    server.cpus = static_cast<std::uint32_t>(csv.number(cpus, kCpus, input.problems)) / kMilli;
    server.memory = csv.number(memory, kMemory, input.problems) * kMiB;
    server.gpu = csv.field(model);
    if (server.gpus == 0) {
      ++without_gpus;
      continue;
    }
    if (server.gpu.empty()) {
      input.problems.add(csv.where(model), "model is empty", "the type of the node's GPUs");
    }
    input.cluster.spec.groups.push_back(std::move(server));
  }
  if (without_gpus == 0) return;
  input.cluster.notes.push_back(fmt::format("left out: {} nodes without GPUs", without_gpus));
}

}  // namespace mosim
