// The policies that serve jobs by a rank.
#pragma once

#include "mosim/registry.hpp"

namespace mosim {

void add_priority_queues(PolicyRegistry& registry);

}  // namespace mosim
