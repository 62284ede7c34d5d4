// Placements that know more of a job than what it asks for: its model's skew, or what the
// contention model foresees.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mosim/placement.hpp"

namespace mosim {

// Tiresias (NSDI 2019), section 3.4: jobs whose model has a tensor with more than `threshold` of
// all parameters suffer most from being spread, so they run on as few servers as can hold them at
// all, or wait. All others go where the fewest GPUs are free.
class TiresiasPlacement : public Placement {
 public:
  explicit TiresiasPlacement(double threshold) : threshold_(threshold) {}
  [[nodiscard]] bool place(const ServerPool& servers, const PlacementQuery& query,
                           std::vector<WorkerGroup>& groups) const override;
  [[nodiscard]] std::uint32_t kind_of(const PlacementQuery& query) const override;

 private:
  double threshold_;
};

// Of several places, the one that slows all jobs together down least: those that other placements
// would choose, and the servers whose NICs are the least loaded. Of equal ones the first in that
// order; one that needs no network is never worse than one that does.
class MinContention : public Placement {
 public:
  MinContention();
  [[nodiscard]] bool place(const ServerPool& servers, const PlacementQuery& query,
                           std::vector<WorkerGroup>& groups) const override;

 private:
  std::vector<std::unique_ptr<Placement>> candidates_;
};

}  // namespace mosim
