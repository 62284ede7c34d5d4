#include <stdexcept>

#include "contention/fair.hpp"
#include "contention/models.hpp"

namespace mosim {

std::unique_ptr<ContentionModel> make_contention(const ContentionOptions& options,
                                                 const ClusterSpec& cluster,
                                                 const ContentionSetting& setting) {
  switch (options.kind) {
    case ContentionKind::none:
      return std::make_unique<NoContention>();
    case ContentionKind::fixed:
      return std::make_unique<FixedContention>(cluster, setting.jobs, options.ratio);
    case ContentionKind::mosim:
      return std::make_unique<ProportionalSharing>(cluster, setting, options.min_bandwidth);
    case ContentionKind::fair:
      return std::make_unique<FairSharing>(cluster, setting, options.min_bandwidth);
  }
  throw std::logic_error("unknown contention model");
}

}  // namespace mosim
