#include <algorithm>

#include "mosim/metrics.hpp"

namespace mosim {
namespace {

double makespan(const Run& run) {
  double latest = 0;
  for (const JobResult& job : run.result.jobs) latest = std::max(latest, job.end_s);
  // Jobs are ordered by submission.
  return run.jobs.empty() ? 0 : latest - run.jobs.front().submit_s;
}

}  // namespace

Outcome outcome_of(const Run& run) {
  Outcome outcome;
  for (std::size_t job = 0; job < run.jobs.size(); ++job) {
    const JobResult& result = run.result.jobs[job];
    outcome.training_s.push_back(result.end_s - result.start_s);
    outcome.jct_s.push_back(result.end_s - run.jobs[job].submit_s);
  }
  outcome.makespan_s = makespan(run);
  return outcome;
}

Summary summarize(const Run& run) {
  Summary summary;
  summary.submitted = run.jobs.size() + run.dropped;
  summary.finished = run.jobs.size();
  summary.dropped = run.dropped;
  summary.servers = run.cluster.servers();
  summary.gpus = run.cluster.gpus();
  const Outcome outcome = outcome_of(run);
  summary.training = describe(outcome.training_s);
  summary.jct = describe(outcome.jct_s);
  summary.makespan_s = outcome.makespan_s;
  std::vector<double> waits;
  double gpu_seconds = 0;
  double network_s = 0;
  double network_alone_s = 0;
  for (std::size_t job = 0; job < run.jobs.size(); ++job) {
    const JobResult& result = run.result.jobs[job];
    waits.push_back(result.start_s - run.jobs[job].submit_s);
    gpu_seconds +=
        (result.end_s - result.start_s) * static_cast<double>(run.jobs[job].request.gpus());
    network_s += result.network_s;
    network_alone_s += result.iterations * run.jobs[job].profile.network_s;
  }
  summary.wait = describe(waits);
  if (summary.makespan_s > 0) {
    summary.gpu_utilization =
        gpu_seconds / (summary.makespan_s * static_cast<double>(summary.gpus));
  }
  if (network_alone_s > 0) summary.mean_contention = network_s / network_alone_s;
  summary.events = run.result.events;
  summary.schedule_digest = run.result.digest();
  return summary;
}

}  // namespace mosim
