// Placement: on which GPUs a job's workers would run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mosim/cluster.hpp"

namespace mosim {

// What the contention model foresees for the job that is being placed.
class SlowdownForecast {
 public:
  virtual ~SlowdownForecast() = default;

  // By how much the contention factors S of all jobs would rise in sum if the job ran on `groups`
  // and everybody sent at once; its own rises from 1. Cost grows with the jobs on those servers.
  [[nodiscard]] virtual double added_slowdown(std::span<const WorkerGroup> groups) const = 0;

  // ContentionModel::nic_load: what is demanded of the server's NIC over what it can carry.
  [[nodiscard]] virtual double nic_load(ServerId server) const = 0;
};

// The job whose workers are placed.
struct PlacementQuery {
  ResourceRequest request;
  double skew = 0;                             // the largest tensor's share of its model
  const SlowdownForecast* forecast = nullptr;  // null: nothing is known of contention
};

// Decides on which servers a job's workers would run.
class Placement {
 public:
  virtual ~Placement() = default;

  // Fills `groups` with a place for every worker on `servers`, each server at most once, in the
  // placement's own order. False, with `groups` in any state, when the job does not fit now. What
  // does not fit must not fit either when less is free. Where the servers that a job may use are
  // several pools, the engine asks for one after the other. What it gives depends on these
  // arguments alone; for a placement that draws random numbers, also on its seed and on how many
  // places it has given, so each run needs one of its own.
  [[nodiscard]] virtual bool place(const ServerPool& servers, const PlacementQuery& query,
                                   std::vector<WorkerGroup>& groups) const = 0;

  // Jobs that ask for the same and are of one kind fit or do not fit together: 0 for all as a rule.
  [[nodiscard]] virtual std::uint32_t kind_of(const PlacementQuery& query) const {
    (void)query;
    return 0;
  }
};

// The most workers of `request`'s kind that the placement finds room for on `servers`, all of which
// are free.
[[nodiscard]] std::uint32_t largest_placement(const Placement& placement, const ServerPool& servers,
                                              PlacementQuery query);

}  // namespace mosim
