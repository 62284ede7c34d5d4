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

// All of a job's time in the queue.
double wait_s(const Run& run, std::size_t job) {
  const JobResult& result = run.result.jobs[job];
  return result.start_s - run.jobs[job].submit_s + result.requeued_s;
}

VirtualClusterSummary summarize(const Run& run, VirtualClusterId id) {
  VirtualClusterSummary summary{run.cluster.virtual_clusters[index(id)].name, {}, {}, {}};
  std::vector<double> jcts;
  std::vector<double> waits;
  for (std::size_t job = 0; job < run.jobs.size(); ++job) {
    if (run.jobs[job].virtual_cluster != id) continue;
    jcts.push_back(run.result.jobs[job].end_s - run.jobs[job].submit_s);
    waits.push_back(wait_s(run, job));
  }
  summary.jobs = jcts.size();
  summary.jct = describe(jcts);
  summary.wait = describe(waits);
  return summary;
}

}  // namespace

Outcome outcome_of(const Run& run) {
  Outcome outcome;
  for (std::size_t job = 0; job < run.jobs.size(); ++job) {
    const JobResult& result = run.result.jobs[job];
    outcome.training_s.push_back(result.training_s());
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
  summary.trace = run.trace.account;
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
    const double gpus = run.jobs[job].request.gpu_share();
    waits.push_back(wait_s(run, job));
    gpu_seconds += result.training_s() * gpus;
    network_s += result.network_s;
    network_alone_s += result.network_alone_s;
    summary.restarts += result.restarts;
    summary.lost_gpu_s += result.lost_s * gpus;
  }
  summary.wait = describe(waits);
  if (summary.makespan_s > 0) {
    summary.gpu_utilization =
        gpu_seconds / (summary.makespan_s * static_cast<double>(summary.gpus));
  }
  if (network_alone_s > 0) summary.mean_contention = network_s / network_alone_s;
  summary.events = run.result.events;
  summary.schedule_digest = run.result.digest();
  for (std::uint32_t id = 0; id < run.cluster.virtual_clusters.size(); ++id) {
    summary.virtual_clusters.push_back(summarize(run, VirtualClusterId{id}));
  }
  summary.fairness = fairness_of(run);
  return summary;
}

}  // namespace mosim
