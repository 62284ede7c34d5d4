// What collectives cost: alpha-beta models, a delay per step and bytes over the bandwidth of the
// links that the group uses. Sources: Thakur et al., "Optimization of Collective Communication
// Operations in MPICH", IJHPCA 2005 (rings, all-to-all); Sanders et al., "Two-tree algorithms for
// full bandwidth broadcast, reduction and scan", Parallel Computing 2009 (trees).
#pragma once

#include "profile/layout.hpp"

namespace mosim {

struct CollectiveCost {
  double seconds = 0;
  double sent = 0;  // bytes that each rank sends
};

// `bytes`: of the whole vector that is reduced, gathered or scattered; for all-to-all what one rank
// holds for all ranks (itself included); for point-to-point what is sent. A group of one costs
// nothing. The algorithm matters to all-reduce only.
[[nodiscard]] CollectiveCost collective_cost(Collective collective, AllReduce algorithm,
                                             double bytes, const GroupSpan& span);

}  // namespace mosim
