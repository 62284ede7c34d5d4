#include <algorithm>

#include "metrics/step_integral.hpp"
#include "mosim/metrics.hpp"

namespace mosim {
namespace {

double makespan(const Run& run) {
  double latest = 0;
  for (const JobResult& job : run.result.jobs) latest = std::max(latest, job.end_s);
  // Jobs are ordered by submission.
  return run.jobs.empty() ? 0 : latest - run.jobs.front().submit_s;
}

VirtualClusterSummary summarize(const Run& run, std::span<const JobMeasures> measures,
                                VirtualClusterId id) {
  VirtualClusterSummary summary;
  summary.name = run.cluster.virtual_clusters[index(id)].name;
  std::vector<double> jcts;
  std::vector<double> waits;
  std::vector<double> rhos;
  for (std::size_t job = 0; job < run.jobs.size(); ++job) {
    if (run.jobs[job].virtual_cluster != id) continue;
    const JobResult& result = run.result.jobs[job];
    jcts.push_back(result.end_s - run.jobs[job].submit_s);
    waits.push_back(wait_s(run, job));
    rhos.push_back(measures[job].rho);
    summary.gpu_hours += result.service / 3600;
    summary.preemptions += result.preemptions;
  }
  summary.jobs = jcts.size();
  summary.jct = describe(jcts);
  summary.wait = describe(waits);
  summary.avg_rho = mean(rhos);
  return summary;
}

// Of the GPUs that were free for jobs, over time, those on servers of which a part was in use.
double fragmentation(const Run& run, double makespan_s) {
  if (run.jobs.empty()) return 0;
  StepIntegral free;
  StepIntegral stranded;
  for (const TimelinePoint& point : run.result.timeline) {
    free.change(point.time_s, static_cast<double>(point.gpus_free));
    stranded.change(point.time_s, static_cast<double>(point.gpus_stranded));
  }
  const double from_s = run.jobs.front().submit_s;
  const double free_s = free.between(from_s, from_s + makespan_s);
  return free_s > 0 ? stranded.between(from_s, from_s + makespan_s) / free_s : 0;
}

void describe_waits(const Run& run, std::span<const JobMeasures> measures, Summary& summary) {
  std::vector<double> waits;
  std::vector<double> capacity;
  std::vector<double> placement;
  for (std::size_t job = 0; job < run.jobs.size(); ++job) {
    waits.push_back(wait_s(run, job));
    capacity.push_back(measures[job].capacity_wait_s);
    placement.push_back(measures[job].placement_wait_s);
  }
  summary.wait = describe(waits);
  summary.capacity_wait = describe(capacity);
  summary.placement_wait = describe(placement);
}

// What jobs held and did, over what the cluster has.
void add_up(const Run& run, Summary& summary) {
  double held_s = 0;
  double computing_s = 0;
  double network_s = 0;
  double network_alone_s = 0;
  for (const JobResult& result : run.result.jobs) {
    const double gpus = gpus_held(result);
    held_s += result.service;
    computing_s += result.compute_s * gpus;
    network_s += result.network_s;
    network_alone_s += result.network_alone_s;
    summary.restarts += result.restarts;
    summary.preemptions += result.preemptions;
    summary.moves += result.moves;
    summary.lost_gpu_s += result.lost_s * gpus;
    summary.restart_gpu_s += result.restart_s * gpus;
  }
  const double all_s = summary.makespan_s * static_cast<double>(summary.gpus);
  if (all_s > 0) {
    summary.gpu_utilization = held_s / all_s;
    summary.gpu_computing = computing_s / all_s;
  }
  if (network_alone_s > 0) summary.mean_contention = network_s / network_alone_s;
}

}  // namespace

double wait_s(const Run& run, std::size_t job) {
  const JobResult& result = run.result.jobs[job];
  return result.start_s - run.jobs[job].submit_s + result.requeued_s;
}

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

Summary summarize(const Run& run) { return summarize(run, measure_jobs(run)); }

Summary summarize(const Run& run, std::span<const JobMeasures> measures) {
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
  describe_waits(run, measures, summary);
  add_up(run, summary);
  summary.fragmentation = fragmentation(run, summary.makespan_s);
  summary.events = run.result.events;
  summary.schedule_digest = run.result.digest();
  for (std::uint32_t id = 0; id < run.cluster.virtual_clusters.size(); ++id) {
    summary.virtual_clusters.push_back(summarize(run, measures, VirtualClusterId{id}));
  }
  summary.fairness = fairness_of(run, measures);
  return summary;
}

}  // namespace mosim
