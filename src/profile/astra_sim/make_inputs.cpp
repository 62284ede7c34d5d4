#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mosim/base.hpp"
#include "profile/astra_sim/inputs.hpp"

namespace mosim::astra_sim {
namespace {

// Beyond these a count of nanoseconds or bytes is no longer exact as a double, nor in the tool.
constexpr double kMostSeconds = 1e6;
constexpr double kMostBytes = 9007199254740992.0;  // 2^53

RunError bad(const std::string& what) { return RunError("astra-sim: " + what); }

// Also false for NaN.
bool within(double value, double most) { return value >= 0 && value <= most; }

void check_node(const TraceNode& node, std::size_t count) {
  const auto bad_node = [&](const std::string& what) {
    return bad(fmt::format("node '{}' of the iteration {}", node.name, what));
  };
  if (!within(node.compute_s, kMostSeconds)) {
    throw bad_node(
        fmt::format("computes for {} s; expected 0 to {}", node.compute_s, kMostSeconds));
  }
  if (!within(node.bytes, kMostBytes)) {
    throw bad_node(fmt::format("has {} bytes; expected 0 to 2^53", node.bytes));
  }
  if (node.collective && node.compute_s > 0) throw bad_node("both computes and communicates");
  if (!node.collective && node.bytes > 0) throw bad_node("has bytes but no collective");
  for (const std::uint32_t before : node.after) {
    if (before >= count) {
      throw bad_node(fmt::format("waits for node {}, which is not there", before));
    }
  }
}

// The order of the nodes; throws when a node waits for itself in the end.
std::vector<std::uint32_t> check_graph(const IterationTrace& trace) {
  std::vector<std::vector<std::uint32_t>> after;
  for (const TraceNode& node : trace.nodes) {
    check_node(node, trace.nodes.size());
    after.push_back(node.after);
  }
  std::vector<std::uint32_t> order = topological_order(after);
  if (order.size() == trace.nodes.size()) return order;
  std::vector<char> ordered(trace.nodes.size(), 0);
  for (const std::uint32_t at : order) ordered[at] = 1;
  const auto stuck = std::find(ordered.begin(), ordered.end(), 0) - ordered.begin();
  throw bad(fmt::format("the iteration has a dependency cycle: node '{}' would never run",
                        trace.nodes[static_cast<std::size_t>(stuck)].name));
}

// The tool takes whole microseconds. Each node gets what is missing to the rounded sum so far, so
// that the whole compute time is right to half a microsecond however many small nodes there are.
// (Giving operations and a peak speed instead would allow nanoseconds, but then the tool's own
// roofline model has a say, and stalls without a word on a node that it has no tensor size for.)
std::vector<std::uint64_t> whole_microseconds(const std::vector<TraceNode>& nodes) {
  std::vector<std::uint64_t> durations;
  double total_s = 0;
  std::uint64_t given_us = 0;
  for (const TraceNode& node : nodes) {
    total_s += node.compute_s;
    const auto until_us = static_cast<std::uint64_t>(std::llround(total_s * 1e6));
    durations.push_back(until_us - given_us);
    given_us = until_us;
  }
  return durations;
}

// Each chunk's messages must be whole bytes, or the tool sends one chunk more: S is rounded up to a
// multiple of splits x N. An all-gather is given as the part that each rank brings.
std::uint64_t padded_size(const TraceNode& node, const Inputs& inputs) {
  const auto unit = static_cast<std::uint64_t>(inputs.dataset_splits) * inputs.ranks;
  const auto units = static_cast<std::uint64_t>(std::ceil(node.bytes / static_cast<double>(unit)));
  return node.collective == Collective::all_gather ? units * inputs.dataset_splits : units * unit;
}

// To the picosecond: 500e-9 s are 500 ns, not 499.99999999999994, which the tool would round down.
double latency_ns(double latency_s) { return std::round(latency_s * 1e12) / 1e3; }

// A name that cannot be taken for anything else in a log.
std::string plain_name(std::string name) {
  for (char& c : name) {
    if (c < ' ' || c > '~') c = '_';
  }
  return name;
}

void append_new(std::vector<std::uint32_t>& list, const std::vector<std::uint32_t>& more) {
  for (const std::uint32_t id : more) {
    if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
  }
}

// Nodes that take no time would run a cycle in the tool: they are left out, and who waits for one
// waits for what it waited for.
void add_nodes(Inputs& inputs, const IterationTrace& trace) {
  const std::vector<std::uint32_t> order = check_graph(trace);
  const std::vector<std::uint64_t> durations = whole_microseconds(trace.nodes);
  std::vector<std::int64_t> ids(trace.nodes.size(), -1);
  for (std::size_t at = 0; at < trace.nodes.size(); ++at) {
    const TraceNode& from = trace.nodes[at];
    if (durations[at] == 0 && from.bytes <= 0) continue;
    Node& node = inputs.nodes.emplace_back();
    node.id = static_cast<std::uint32_t>(inputs.nodes.size() - 1);
    ids[at] = node.id;
    node.name = plain_name(from.name);
    node.duration_us = durations[at];
    node.collective = from.collective;
    if (from.collective) node.comm_size = padded_size(from, inputs);
  }
  std::vector<std::vector<std::uint32_t>> stands_for(trace.nodes.size());
  for (const std::uint32_t at : order) {
    std::vector<std::uint32_t> after;
    for (const std::uint32_t before : trace.nodes[at].after) append_new(after, stands_for[before]);
    if (ids[at] < 0) {
      stands_for[at] = std::move(after);
      continue;
    }
    const auto id = static_cast<std::uint32_t>(ids[at]);
    stands_for[at] = {id};
    inputs.nodes[id].after = std::move(after);
  }
}

}  // namespace

std::vector<std::uint32_t> topological_order(const std::vector<std::vector<std::uint32_t>>& after) {
  std::vector<std::size_t> waiting(after.size());
  std::vector<std::vector<std::uint32_t>> followers(after.size());
  for (std::uint32_t at = 0; at < after.size(); ++at) {
    waiting[at] = after[at].size();
    for (const std::uint32_t before : after[at]) followers[before].push_back(at);
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t at = 0; at < after.size(); ++at) {
    if (waiting[at] == 0) order.push_back(at);
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const std::uint32_t follower : followers[order[next]]) {
      if (--waiting[follower] == 0) order.push_back(follower);
    }
  }
  return order;
}

Inputs make_inputs(const IterationTrace& trace, const AstraSimOptions& options) {
  if (trace.ranks == 0) throw bad("the iteration has no ranks");
  if (options.dataset_splits == 0) throw bad("0 dataset splits; expected 1 or more");
  // The tool keeps it as an integer.
  if (!within(options.endpoint_delay_ns, 1e9) ||
      options.endpoint_delay_ns != std::floor(options.endpoint_delay_ns)) {
    throw bad(fmt::format("an endpoint delay of {} ns; expected whole nanoseconds up to 1 s",
                          options.endpoint_delay_ns));
  }
  Inputs inputs;
  inputs.ranks = trace.ranks;
  inputs.congestion_aware = options.congestion_aware;
  for (const AstraSimOptions::Dimension& dimension : options.dimensions) {
    if (dimension.npus == 1) continue;  // nothing to exchange there, and the tool refuses it
    inputs.dimensions.push_back(
        {dimension.npus, dimension.bandwidth / 1073741824.0, latency_ns(dimension.latency_s)});
  }
  inputs.implementation.assign(inputs.dimensions.size(), "ring");
  inputs.active_chunks = options.active_chunks;
  inputs.dataset_splits = options.dataset_splits;
  inputs.endpoint_delay_ns = static_cast<std::uint64_t>(options.endpoint_delay_ns);
  inputs.local_mem_gb = options.local_mem_bw / 1e9;
  inputs.log_nodes = options.keep_files;
  add_nodes(inputs, trace);
  return inputs;
}

}  // namespace mosim::astra_sim
