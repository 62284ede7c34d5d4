#include "mosim/profile.hpp"

namespace mosim {

double volume_per_worker(double volume, std::uint32_t workers) {
  return volume / static_cast<double>(workers);
}

double nic_volume(double volume, std::uint32_t workers, std::uint32_t inside) {
  if (inside == 0 || inside == workers) return 0;
  const double share = volume_per_worker(volume, workers);
  return workers == 2 ? share : 2 * share;
}

}  // namespace mosim
