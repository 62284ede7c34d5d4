// What is handed over to ASTRA-sim: the plan of its input files, checked before they are written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profile/astra_sim/astra_sim.hpp"

namespace mosim::astra_sim {

// A node of an execution trace: compute of `duration_us`, or a collective of `comm_size` bytes.
struct Node {
  std::uint32_t id = 0;
  std::string name;
  std::vector<std::uint32_t> after;  // ids
  std::uint64_t duration_us = 0;
  std::optional<Collective> collective;
  std::uint64_t comm_size = 0;
};

// A line of each list in network.yml, in the units of that file.
struct NetworkDimension {
  std::uint32_t npus = 0;
  double bandwidth_gib = 0;  // 2^30 bytes per second
  double latency_ns = 0;
};

struct Inputs {
  std::vector<Node> nodes;  // the same on every rank
  std::uint32_t ranks = 0;
  bool congestion_aware = false;
  std::vector<NetworkDimension> dimensions;
  std::vector<std::string> implementation;  // of every collective, one for each dimension
  std::uint32_t active_chunks = 1;
  std::uint32_t dataset_splits = 1;
  std::uint64_t endpoint_delay_ns = 0;
  double local_mem_gb = 0;  // 10^9 bytes per second
  bool log_nodes = false;   // a line in log/log.log for each start and end of a node
};

// The tool's inputs for an iteration: compute in whole microseconds, collectives padded, nodes that
// take no time left out. Throws RunError when the iteration or the options make no sense.
[[nodiscard]] Inputs make_inputs(const IterationTrace& trace, const AstraSimOptions& options);

// Throws RunError for inputs that the tool would refuse, or would answer wrongly without a word.
void check_inputs(const Inputs& inputs);

// Positions of the nodes, each after those that it waits for; `after` gives positions. Shorter than
// `after` when there is a cycle: the nodes on and behind it are missing.
[[nodiscard]] std::vector<std::uint32_t> topological_order(
    const std::vector<std::vector<std::uint32_t>>& after);

// The file of one rank: a Chakra execution trace, schema 0.0.4.
[[nodiscard]] std::string chakra_file(const std::vector<Node>& nodes);

[[nodiscard]] std::string system_json(const Inputs& inputs);
[[nodiscard]] std::string network_yml(const Inputs& inputs);

// Writes all files into `folder` under the names that the command line of `arguments` gives.
void write_inputs(const Inputs& inputs, const std::filesystem::path& folder);

// The command line, the binary left out; relative to the folder of `write_inputs`.
[[nodiscard]] std::vector<std::string> arguments();

}  // namespace mosim::astra_sim
