#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "mosim/schedule.hpp"
#include "schedule/placements.hpp"
#include "schedule/queues.hpp"

namespace mosim {
namespace {

template <typename Entry>
void add(std::vector<Entry>& entries, Entry entry) {
  const auto same = [&](const Entry& other) { return other.name == entry.name; };
  if (std::any_of(entries.begin(), entries.end(), same)) {
    throw std::invalid_argument(fmt::format("policy '{}' is registered already", entry.name));
  }
  entries.push_back(std::move(entry));
}

template <typename Entry>
auto make(const std::vector<Entry>& entries, std::string_view name, std::uint64_t seed) {
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.make_seeded ? entry.make_seeded(seed) : entry.make();
  }
  throw std::invalid_argument(fmt::format("policy '{}' is not registered", name));
}

template <typename Policy, typename Base>
std::unique_ptr<Base> create() {
  return std::make_unique<Policy>();
}

void add_shipped_policies(PolicyRegistry& registry) {
  registry.add_queue(
      {"fifo", "strict FIFO: the head of the queue blocks all behind it (the authors' artifact)",
       create<Fifo, QueueDiscipline>});
  registry.add_queue(
      {"fifo-skip",
       "visits the whole queue in arrival order and starts every job that fits (the paper's text)",
       create<FifoSkip, QueueDiscipline>});
  registry.add_placement(
      {"bin-packing",
       "fills the servers with the fewest free GPUs first (Kubernetes MostAllocated)",
       create<BinPacking, Placement>});
  registry.add_placement(
      {"load-balancing",
       "deals workers in turn to the servers, most free GPUs first (Kubernetes LeastAllocated)",
       create<LoadBalancing, Placement>});
  registry.add_placement(
      {"consolidate",
       "takes one server that holds the whole job, or waits (the artifact's colocate)",
       create<Consolidate, Placement>});
  registry.add_placement(
      {"consolidate-relaxed",
       "the fewest servers that hold the job, the last of them the tightest (Tiresias, NSDI 2019)",
       create<ConsolidateRelaxed, Placement>});
  registry.add_placement(
      {"topology",
       "the fewest racks, then the fewest servers (locality as in Philly, USENIX ATC 2019)",
       create<Topology, Placement>});
  registry.add_placement(
      {"most-allocated",
       "each worker to the server with the largest part in use (Kubernetes NodeResourcesFit)",
       create<MostAllocated, Placement>});
  registry.add_placement(
      {"least-allocated",
       "each worker to the server with the largest part free (Kubernetes NodeResourcesFit)",
       create<LeastAllocated, Placement>});
  registry.add_placement(
      {"random",
       "each worker to any server with room, by scheduler.seed (the baseline of CASSINI, NSDI "
       "2024)",
       {},
       [](std::uint64_t seed) { return std::make_unique<RandomPlacement>(seed); }});
}

}  // namespace

void PolicyRegistry::add_queue(QueueEntry entry) { add(queues_, std::move(entry)); }

void PolicyRegistry::add_placement(PlacementEntry entry) { add(placements_, std::move(entry)); }

std::unique_ptr<QueueDiscipline> PolicyRegistry::make_queue(std::string_view name,
                                                            std::uint64_t seed) const {
  return make(queues_, name, seed);
}

std::unique_ptr<Placement> PolicyRegistry::make_placement(std::string_view name,
                                                          std::uint64_t seed) const {
  return make(placements_, name, seed);
}

PolicyRegistry& policies() {
  static PolicyRegistry registry = [] {
    PolicyRegistry shipped;
    add_shipped_policies(shipped);
    return shipped;
  }();
  return registry;
}

std::uint32_t largest_placement(const Placement& placement, const ServerPool& servers,
                                ResourceRequest request) {
  std::vector<WorkerGroup> groups;
  const auto fits = [&](std::uint32_t workers) {
    request.workers = workers;
    return placement.place(servers, request, groups);
  };
  // Fitting is monotone in the number of workers. Invariant: `low` fits or is 0, `high` does not.
  std::uint32_t low = 0;
  auto high = static_cast<std::uint32_t>(std::min<std::uint64_t>(
                  servers.total_free_gpus() / request.gpus_per_worker, 0x7fffffff)) +
              1;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace mosim
