// When jobs end under a queue discipline, on servers whose network does not matter.
#pragma once

#include <string>
#include <vector>

#include "sim/jobs.hpp"

namespace mosim::test {

// A job of `seconds` on that many GPUs.
inline Job plain_job(double submit_s, std::uint32_t gpus, double seconds) {
  return job({.submit_s = submit_s, .workers = gpus, .iterations = seconds});
}

inline std::vector<double> ends_of(const SimulationResult& result) {
  std::vector<double> ends;
  ends.reserve(result.jobs.size());
  for (const JobResult& one : result.jobs) ends.push_back(one.end_s);
  return ends;
}

inline std::vector<std::uint32_t> preemptions_of(const SimulationResult& result) {
  std::vector<std::uint32_t> counts;
  counts.reserve(result.jobs.size());
  for (const JobResult& one : result.jobs) counts.push_back(one.preemptions);
  return counts;
}

// On one server with that many GPUs.
inline SimulationResult run_plain(std::uint32_t gpus, const std::vector<Job>& jobs,
                                  const std::string& queue, const Preemption& preemption = {}) {
  SimulationOptions options;
  options.preemption = preemption;
  return run_on(cluster(1, gpus), jobs, options, queue, "bin-packing");
}

}  // namespace mosim::test
