// Finish-time fairness: Mahajan et al., Themis, NSDI 2020.
#include <algorithm>

#include "metrics/step_integral.hpp"
#include "mosim/metrics.hpp"

namespace mosim {
namespace {

// How many jobs are there, submitted and not ended, over time.
StepIntegral jobs_present(const Run& run) {
  std::vector<double> ends;
  ends.reserve(run.result.jobs.size());
  for (const JobResult& job : run.result.jobs) ends.push_back(job.end_s);
  std::sort(ends.begin(), ends.end());
  StepIntegral present;
  std::size_t arrived = 0;
  std::size_t ended = 0;
  while (ended < ends.size()) {
    const double end_s = ends[ended];
    const double now_s =
        arrived < run.jobs.size() ? std::min(run.jobs[arrived].submit_s, end_s) : end_s;
    while (arrived < run.jobs.size() && run.jobs[arrived].submit_s <= now_s) ++arrived;
    while (ended < ends.size() && ends[ended] <= now_s) ++ended;
    present.change(now_s, static_cast<double>(arrived) - static_cast<double>(ended));
  }
  return present;
}

}  // namespace

std::vector<double> finish_time_fairness(const Run& run) {
  const StepIntegral present = jobs_present(run);
  const auto gpus = static_cast<double>(run.cluster.gpus());
  std::vector<double> rhos;
  rhos.reserve(run.jobs.size());
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    const Job& job = run.jobs[i];
    const JobResult& result = run.result.jobs[i];
    const double jct_s = result.end_s - job.submit_s;
    const double alone_s = time_alone_s(job, result);
    if (jct_s <= 0 || alone_s <= 0) {
      rhos.push_back(1);  // it had nothing to do
      continue;
    }
    const double share = gpus / (present.between(job.submit_s, result.end_s) / jct_s);
    const double asked = static_cast<double>(job.request.gpus());
    rhos.push_back(jct_s / (alone_s * std::max(1.0, asked / share)));
  }
  return rhos;
}

std::vector<JobMeasures> measure_jobs(const Run& run) {
  std::vector<JobMeasures> measures(run.jobs.size());
  split_waits(run, measures);
  const std::vector<double> rhos = finish_time_fairness(run);
  for (std::size_t i = 0; i < rhos.size(); ++i) measures[i].rho = rhos[i];
  return measures;
}

}  // namespace mosim
