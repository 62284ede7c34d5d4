// The placements that ship. Ties keep the server order. All but `Consolidate` place whatever fits
// at all.
#pragma once

#include "base/random.hpp"
#include "mosim/schedule.hpp"

namespace mosim {

// Fills the servers with the fewest free GPUs first.
class BinPacking : public Placement {
 public:
  [[nodiscard]] bool place(const ServerPool& servers, const PlacementQuery& query,
                           std::vector<WorkerGroup>& groups) const override;
};

// Sorts the servers by free GPUs, most first, once; then deals workers to them in turn, round after
// round.
class LoadBalancing : public Placement {
 public:
  [[nodiscard]] bool place(const ServerPool& servers, const PlacementQuery& query,
                           std::vector<WorkerGroup>& groups) const override;
};

// One server for the whole job, the one with the most free GPUs that takes it; or the job waits.
class Consolidate : public Placement {
 public:
  [[nodiscard]] bool place(const ServerPool& servers, const PlacementQuery& query,
                           std::vector<WorkerGroup>& groups) const override;
};

// As few servers as hold the job: the one with the fewest free GPUs that takes all of it; else
// those that take the most workers, each filled, until one holds what is left.
class ConsolidateRelaxed : public Placement {
 public:
  [[nodiscard]] bool place(const ServerPool& servers, const PlacementQuery& query,
                           std::vector<WorkerGroup>& groups) const override;
};

// As few racks as hold the job, in each as few servers as possible: the racks that take the most
// workers, each filled, until one holds what is left; of those that do, one where it needs the
// fewest servers.
class Topology : public Placement {
 public:
  [[nodiscard]] bool place(const ServerPool& servers, const PlacementQuery& query,
                           std::vector<WorkerGroup>& groups) const override;
};

// Each worker to the server of which the largest part is in use once it is there: the mean over
// GPUs and, where the server limits them, CPU cores.
class MostAllocated : public Placement {
 public:
  [[nodiscard]] bool place(const ServerPool& servers, const PlacementQuery& query,
                           std::vector<WorkerGroup>& groups) const override;
};

// The same with the largest part free.
class LeastAllocated : public Placement {
 public:
  [[nodiscard]] bool place(const ServerPool& servers, const PlacementQuery& query,
                           std::vector<WorkerGroup>& groups) const override;
};

// Each worker to a server drawn from those that have room for one more. Place k that it gives draws
// from stream k of the seed, so jobs that do not fit change nothing, however often they are tried.
class RandomPlacement : public Placement {
 public:
  explicit RandomPlacement(std::uint64_t seed) : streams_(seed, "placement") {}
  [[nodiscard]] bool place(const ServerPool& servers, const PlacementQuery& query,
                           std::vector<WorkerGroup>& groups) const override;

 private:
  RandomStreams streams_;
  mutable std::uint64_t given_ = 0;
};

}  // namespace mosim
