// Scheduling: which job runs when (policies), where (placements), and both by name (registry).
#pragma once

#include "mosim/placement.hpp"
#include "mosim/policy.hpp"
#include "mosim/registry.hpp"
