#include <algorithm>

#include "mosim/contention.hpp"

namespace mosim {

double proportional_share(double demand, double capacity, double total) {
  return total > capacity ? demand * (capacity / total) : demand;
}

double contention_factor(double demand, double allocated, double min_bandwidth) {
  return demand / std::max(allocated, min_bandwidth);
}

double intra_demand(double demand, std::uint32_t workers, std::uint32_t inside) {
  if (workers < 2) return 0;
  // D is c when N_W = 2 and 2c otherwise; c is one worker's part.
  return (workers == 2 ? demand : demand / 2) * inside;
}

}  // namespace mosim
