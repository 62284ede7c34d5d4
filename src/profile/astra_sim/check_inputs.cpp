// Faults that the tool answers with a bare abort, or worse with a wrong result, named beforehand.
#include <fmt/format.h>

#include <cmath>

#include "mosim/base.hpp"
#include "profile/astra_sim/inputs.hpp"

namespace mosim::astra_sim {
namespace {

RunError bad(const std::string& what) { return RunError("astra-sim: " + what); }

bool positive(double value) { return std::isfinite(value) && value > 0; }

void check_dimension(const NetworkDimension& dimension, std::size_t number) {
  const auto bad_dimension = [&](const std::string& what) {
    return bad(fmt::format("dimension {} of the network {}", number, what));
  };
  if (dimension.npus < 2) {
    throw bad_dimension(fmt::format("has {} GPUs; expected 2 or more", dimension.npus));
  }
  if (!positive(dimension.bandwidth_gib)) {
    throw bad_dimension(
        fmt::format("has a bandwidth of {} GiB/s; expected more than 0", dimension.bandwidth_gib));
  }
  if (!std::isfinite(dimension.latency_ns) || dimension.latency_ns < 0) {
    throw bad_dimension(
        fmt::format("has a latency of {} ns; expected 0 or more", dimension.latency_ns));
  }
}

void check_network(const Inputs& inputs) {
  double npus = 1;
  for (std::size_t d = 0; d < inputs.dimensions.size(); ++d) {
    check_dimension(inputs.dimensions[d], d + 1);
    npus *= inputs.dimensions[d].npus;
  }
  // More ranks than GPUs would be ignored without a word.
  if (inputs.dimensions.empty() || npus != inputs.ranks) {
    throw bad(fmt::format("{} ranks, but the network has {} GPUs", inputs.ranks,
                          inputs.dimensions.empty() ? 0 : npus));
  }
  if (inputs.congestion_aware && inputs.dimensions.size() > 1) {
    throw bad(fmt::format("{} network dimensions; the congestion-aware binary takes one",
                          inputs.dimensions.size()));
  }
}

void check_system(const Inputs& inputs) {
  // A dimension without an implementation would be skipped without a word.
  if (inputs.implementation.size() != inputs.dimensions.size()) {
    throw bad(fmt::format("{} network dimensions but {} collective implementations",
                          inputs.dimensions.size(), inputs.implementation.size()));
  }
  for (const std::string& name : inputs.implementation) {
    if (name != "ring") throw bad(fmt::format("collective implementation '{}', not ring", name));
  }
  if (inputs.dataset_splits == 0) throw bad("0 dataset splits; expected 1 or more");
  if (inputs.active_chunks == 0) throw bad("0 active chunks; expected 1 or more");
  // Without congestion each chunk would have the whole bandwidth for itself.
  if (!inputs.congestion_aware && inputs.active_chunks > 1) {
    throw bad(fmt::format("{} active chunks; the congestion-unaware binary takes one",
                          inputs.active_chunks));
  }
  if (!positive(inputs.local_mem_gb)) {
    throw bad(fmt::format("a local memory bandwidth of {} GB/s; expected more than 0",
                          inputs.local_mem_gb));
  }
}

std::string name_of(const Node& node) { return fmt::format("node {} ('{}')", node.id, node.name); }

void check_collective(const Node& node, const Inputs& inputs) {
  const bool gathers = node.collective == Collective::all_gather;
  const std::uint64_t unit =
      static_cast<std::uint64_t>(inputs.dataset_splits) * (gathers ? 1 : inputs.ranks);
  if (node.comm_size == 0) throw bad(name_of(node) + " is a collective of 0 bytes");
  if (node.comm_size % unit != 0) {
    throw bad(fmt::format(
        "{} is a collective of {} bytes, not a multiple of {} (dataset splits{}); messages would "
        "not be whole",
        name_of(node), node.comm_size, unit, gathers ? "" : " x ranks"));
  }
  if (node.duration_us != 0) throw bad(name_of(node) + " both computes and communicates");
}

void check_nodes(const Inputs& inputs) {
  std::vector<std::vector<std::uint32_t>> after;
  for (const Node& node : inputs.nodes) {
    if (node.id != after.size()) throw bad(name_of(node) + " is out of order; ids count from 0");
    if (node.collective) {
      check_collective(node, inputs);
    } else if (node.duration_us == 0) {
      throw bad(name_of(node) + " has a duration of 0, which would run for a cycle");
    }
    for (const std::uint32_t id : node.after) {
      if (id >= inputs.nodes.size()) {
        throw bad(fmt::format("{} waits for node {}, which is not there", name_of(node), id));
      }
    }
    after.push_back(node.after);
  }
  std::vector<char> runs(inputs.nodes.size(), 0);
  for (const std::uint32_t at : topological_order(after)) runs[at] = 1;
  for (const Node& node : inputs.nodes) {
    if (runs[node.id] == 0) {
      throw bad(name_of(node) + " would never run: a dependency cycle");
    }
  }
}

}  // namespace

void check_inputs(const Inputs& inputs) {
  check_network(inputs);
  check_system(inputs);
  check_nodes(inputs);
}

}  // namespace mosim::astra_sim
