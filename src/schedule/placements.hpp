// The placements that ship. Ties keep the server order.
#pragma once

#include "mosim/schedule.hpp"

namespace mosim {

// Fills the servers with the fewest free GPUs first.
class BinPacking : public Placement {
 public:
  [[nodiscard]] bool place(const ServerPool& servers, const ResourceRequest& request,
                           std::vector<WorkerGroup>& groups) const override;
};

// Sorts the servers by free GPUs, most first, once; then deals workers to them in turn, round after
// round.
class LoadBalancing : public Placement {
 public:
  [[nodiscard]] bool place(const ServerPool& servers, const ResourceRequest& request,
                           std::vector<WorkerGroup>& groups) const override;
};

// One server for the whole job, the one with the most free GPUs that takes it; or the job waits.
class Consolidate : public Placement {
 public:
  [[nodiscard]] bool place(const ServerPool& servers, const ResourceRequest& request,
                           std::vector<WorkerGroup>& groups) const override;
};

}  // namespace mosim
