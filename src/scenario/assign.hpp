// Where the jobs of a trace belong on the cluster of a scenario.
#pragma once

#include <string>
#include <vector>

#include "mosim/scenario.hpp"

namespace mosim {

struct Assignment {
  std::vector<JobHome> homes;        // of the jobs that are left, in the trace's order
  std::vector<std::string> dropped;  // a line for each job that was taken out
};

// Gives every job its virtual cluster and, as `trace.gpu_type` says, its GPU type. Takes out of
// the trace what the scenario drops. Throws InputError with the place of a job that belongs
// nowhere.
[[nodiscard]] Assignment assign_jobs(const Scenario& scenario, Trace& trace);

}  // namespace mosim
