#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/text.hpp"
#include "mosim/schedule.hpp"
#include "schedule/backfilling.hpp"
#include "schedule/fair.hpp"
#include "schedule/fragmentation_placement.hpp"
#include "schedule/parameters.hpp"
#include "schedule/placements.hpp"
#include "schedule/priority_queues.hpp"
#include "schedule/queues.hpp"
#include "schedule/sensitive_placements.hpp"

namespace mosim {
namespace {

// A name is one word of a call such as "las(promote=8)".
void check_name(const std::string& name) {
  if (!name.empty() && name.find_first_of(" \t\n(),=") == std::string::npos) return;
  throw std::invalid_argument(fmt::format("'{}' is no name of a policy", name));
}

template <typename Entry>
void add(std::vector<Entry>& entries, Entry entry) {
  check_name(entry.info.name);
  const auto same = [&](const Entry& other) { return other.info.name == entry.info.name; };
  if (std::any_of(entries.begin(), entries.end(), same)) {
    throw std::invalid_argument(fmt::format("policy '{}' is registered already", entry.info.name));
  }
  static_cast<void>(read_parameters(entry.info, {}));  // the defaults have to be right
  entries.push_back(std::move(entry));
}

template <typename Entry>
const Entry& find(const std::vector<Entry>& entries, std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.info.name == name) return entry;
    names.push_back(entry.info.name);
  }
  throw std::invalid_argument(
      fmt::format("policy '{}' is not registered; expected {}", name, one_of(name, names)));
}

// The policy that `text` names, with its parameters.
template <typename Made>
auto make(const PolicyRegistry::Entry<Made>& entry, const PolicyCall& call, std::uint64_t seed) {
  const Parameters parameters = read_parameters(entry.info, call.arguments);
  return entry.make({parameters, seed});
}

template <typename Made, typename Base>
std::unique_ptr<Base> create(const PolicySetup&) {
  return std::make_unique<Made>();
}

constexpr const char* kKubernetes = "Kubernetes, NodeResourcesFit";

void add_shipped_queues(PolicyRegistry& registry) {
  registry.add_queue({{.name = "fifo",
                       .summary = "strict FIFO: the head of the queue blocks all behind it",
                       .source = "the artifact of Yoo et al., MASCOTS 2026"},
                      create<Fifo, Policy>});
  registry.add_queue({{.name = "fifo-skip",
                       .summary = "every job that fits, in the order of arrival",
                       .source = "the text of Yoo et al., MASCOTS 2026"},
                      create<FifoSkip, Policy>});
}

template <typename Made>
void add_placement(PolicyRegistry& registry, const std::string& name, const std::string& summary,
                   const std::string& source) {
  registry.add_placement(
      {{.name = name, .summary = summary, .source = source}, create<Made, Placement>});
}

void add_shipped_placements(PolicyRegistry& registry) {
  add_placement<BinPacking>(registry, "bin-packing",
                            "fills the servers with the fewest free GPUs first",
                            "Yoo et al., MASCOTS 2026; its artifact's bin_packing");
  add_placement<LoadBalancing>(registry, "load-balancing",
                               "deals workers in turn to the servers, most free GPUs first",
                               "Yoo et al., MASCOTS 2026; its artifact's load_balancing");
  add_placement<Consolidate>(registry, "consolidate",
                             "takes one server that holds the whole job, or waits",
                             "the artifact of Yoo et al., MASCOTS 2026: colocate");
  add_placement<ConsolidateRelaxed>(
      registry, "consolidate-relaxed",
      "the fewest servers that hold the job, the last of them the tightest",
      "Gu et al., Tiresias, NSDI 2019");
  add_placement<Topology>(registry, "topology", "the fewest racks, then the fewest servers",
                          "locality as in Jeon et al., Philly, USENIX ATC 2019");
  add_placement<MostAllocated>(registry, "most-allocated",
                               "each worker to the server with the largest part in use",
                               kKubernetes);
  add_placement<LeastAllocated>(registry, "least-allocated",
                                "each worker to the server with the largest part free",
                                kKubernetes);
  add_placement<FragmentationPlacement>(
      registry, "fragmentation", "each worker where what is free fragments the least for the mix",
      "Weng et al., FGD, USENIX ATC 2023");
  registry.add_placement(
      {{.name = "tiresias",
        .summary = "few servers, or waiting, for models with one large tensor; else bin packing",
        .source = "Gu et al., Tiresias, NSDI 2019",
        .parameters = {{.name = "threshold",
                        .kind = ParameterKind::number,
                        .fallback = "0.5",
                        .help =
                            "the largest tensor's share of the parameters, above which it counts",
                        .minimum = 0,
                        .maximum = 1}}},
       [](const PolicySetup& setup) {
         return std::make_unique<TiresiasPlacement>(setup.parameters.number("threshold"));
       }});
  add_placement<MinContention>(
      registry, "min-contention",
      "of several places, the one where the contention model foresees the least slowdown",
      "MoSim; docs/model.md");
  registry.add_placement(
      {{.name = "random",
        .summary = "each worker to any server with room, by scheduler.seed",
        .source = "the baseline of Rajasekaran et al., CASSINI, NSDI 2024"},
       [](const PolicySetup& setup) { return std::make_unique<RandomPlacement>(setup.seed); }});
}

}  // namespace

void PolicyRegistry::add_queue(QueueEntry entry) { add(queues_, std::move(entry)); }

void PolicyRegistry::add_placement(PlacementEntry entry) { add(placements_, std::move(entry)); }

ActivePolicy PolicyRegistry::make_queue(std::string_view text, std::uint64_t seed) const {
  const PolicyCall call = parse_policy_call(text);
  const QueueEntry& entry = find(queues_, call.name);
  return {entry.info.name, entry.info.needs, entry.info.spans_virtual_clusters,
          make<Policy>(entry, call, seed)};
}

std::unique_ptr<Placement> PolicyRegistry::make_placement(std::string_view text,
                                                          std::uint64_t seed) const {
  const PolicyCall call = parse_policy_call(text);
  return make<Placement>(find(placements_, call.name), call, seed);
}

PolicyRegistry& policies() {
  static PolicyRegistry registry = [] {
    PolicyRegistry shipped;
    add_shipped_queues(shipped);
    add_priority_queues(shipped);
    add_backfilling(shipped);
    add_fair_queues(shipped);
    add_shipped_placements(shipped);
    return shipped;
  }();
  return registry;
}

std::uint32_t largest_placement(const Placement& placement, const ServerPool& servers,
                                PlacementQuery query) {
  std::vector<WorkerGroup> groups;
  const auto fits = [&](std::uint32_t workers) {
    query.request.workers = workers;
    return placement.place(servers, query, groups);
  };
  // Fitting is monotone in the number of workers. Invariant: `low` fits or is 0, `high` does not.
  std::uint32_t low = 0;
  auto high = static_cast<std::uint32_t>(std::min<std::uint64_t>(
                  servers.total_free_gpus() / query.request.gpus_per_worker, 0x7fffffff)) +
              1;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace mosim
