// Scheduling: which waiting job is tried next (queue discipline) and on which GPUs it would run
// (placement). Both are interfaces that users implement; names are registered in PolicyRegistry.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mosim/cluster.hpp"

namespace mosim {

// Decides on which servers a job's workers would run.
class Placement {
 public:
  virtual ~Placement() = default;

  // Fills `groups` with a place for every worker on `servers`, each server at most once, in the
  // placement's own order. False, with `groups` in any state, when the request does not fit now. A
  // request that does not fit must not fit either when less is free. Where the servers that a job
  // may use are several pools, the engine asks for one after the other. What it gives depends on
  // these arguments alone; for a placement that draws random numbers, also on its seed and on how
  // many places it has given, so each run needs one of its own.
  [[nodiscard]] virtual bool place(const ServerPool& servers, const ResourceRequest& request,
                                   std::vector<WorkerGroup>& groups) const = 0;
};

// What a queue discipline may do: try to start a job now.
class JobStarter {
 public:
  virtual ~JobStarter() = default;

  // Starts the job if its placement finds room; false when it does not.
  virtual bool try_start(JobIndex job) = 0;
};

struct WaitingJob {
  JobIndex job{};
  ResourceRequest request;
};

// Keeps the waiting jobs and decides in which order they are tried.
class QueueDiscipline {
 public:
  virtual ~QueueDiscipline() = default;

  // A job was submitted; jobs come in arrival order.
  virtual void enqueue(const WaitingJob& job) = 0;

  // A job that had started waits again: a server under it failed. Those that ship put it where it
  // was, in the order of arrival; as it stands here, it joins the end.
  virtual void requeue(const WaitingJob& job) { enqueue(job); }

  // Called after all events of one time: GPUs may have become free, jobs may have arrived.
  virtual void schedule(JobStarter& starter) = 0;
};

// What is known by name. Filled explicitly: `policies()` has the ones that ship.
class PolicyRegistry {
 public:
  template <typename Policy>
  struct Entry {
    std::string name;
    std::string summary;  // one line, with its source
    std::function<std::unique_ptr<Policy>()> make;
    // Instead of `make`, for a policy that draws random numbers.
    std::function<std::unique_ptr<Policy>(std::uint64_t seed)> make_seeded = {};
  };
  using QueueEntry = Entry<QueueDiscipline>;
  using PlacementEntry = Entry<Placement>;

  // Throws std::invalid_argument when the name is taken.
  void add_queue(QueueEntry entry);
  void add_placement(PlacementEntry entry);

  // In the order of registration.
  [[nodiscard]] const std::vector<QueueEntry>& queues() const { return queues_; }
  [[nodiscard]] const std::vector<PlacementEntry>& placements() const { return placements_; }

  // Throw std::invalid_argument when the name is not registered.
  [[nodiscard]] std::unique_ptr<QueueDiscipline> make_queue(std::string_view name,
                                                            std::uint64_t seed = 1) const;
  [[nodiscard]] std::unique_ptr<Placement> make_placement(std::string_view name,
                                                          std::uint64_t seed = 1) const;

 private:
  std::vector<QueueEntry> queues_;
  std::vector<PlacementEntry> placements_;
};

// The process's registry, with the policies that ship already in it. Add yours before a run starts.
[[nodiscard]] PolicyRegistry& policies();

// The most workers of `request`'s kind that the placement finds room for on `servers`, all of which
// are free.
[[nodiscard]] std::uint32_t largest_placement(const Placement& placement, const ServerPool& servers,
                                              ResourceRequest request);

}  // namespace mosim
