#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

#include "base/csv.hpp"
#include "mosim/output.hpp"

namespace mosim {
namespace {

// Ready to be written, as there are few of them and many jobs.
std::vector<std::string> as_fields(const std::vector<std::string>& texts) {
  std::vector<std::string> fields(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) append_csv_field(fields[i], texts[i]);
  return fields;
}

std::vector<std::string> names_of(const std::vector<VirtualCluster>& virtual_clusters) {
  std::vector<std::string> names;
  names.reserve(virtual_clusters.size());
  for (const VirtualCluster& one : virtual_clusters) names.push_back(one.name);
  return names;
}

// What most jobs have none of is written in a faster way.
void append_interruptions(std::string& out, const JobResult& result, const JobMeasures& measures) {
  if (result.preemptions + result.moves == 0 && result.restart_s == 0) {
    out += ",0,0,0";
  } else {
    fmt::format_to(std::back_inserter(out), FMT_COMPILE(",{},{},{}"), result.preemptions,
                   result.moves, result.restart_s);
  }
  fmt::format_to(std::back_inserter(out), FMT_COMPILE(",{},{},{},{}\n"), measures.capacity_wait_s,
                 measures.placement_wait_s, measures.rho, result.workers);
}

}  // namespace

std::string_view name_of(AttemptEnd end) {
  switch (end) {
    case AttemptEnd::failed:
      return "failed";
    case AttemptEnd::preempted:
      return "preempted";
    case AttemptEnd::moved:
      return "moved";
  }
  return "";
}

std::uint64_t gpus_of(const Run& run, const EarlierAttempt& attempt) {
  std::uint64_t workers = 0;
  for (const WorkerGroup& group : run.result.groups_of(attempt)) workers += group.workers;
  return workers * run.jobs[index(attempt.job)].request.gpus_per_worker;
}

void append_servers(std::string& out, std::span<const WorkerGroup> groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}{}:{}"), i == 0 ? "" : " ",
                   index(groups[i].server), groups[i].workers);
  }
}

std::string jobs_csv(const Run& run, std::span<const JobMeasures> measures) {
  std::string out =
      "job_id,model,gpus,submit_s,start_s,end_s,wait_s,training_s,jct_s,compute_s,network_s,"
      "loading_s,iterations,mean_contention,servers,restarts,lost_s,gpu,virtual_cluster,"
      "preemptions,moves,restart_s,capacity_wait_s,placement_wait_s,rho,workers\n";
  const std::vector<std::string> gpu_types = as_fields(run.cluster.gpu_types());
  const std::vector<std::string> owners = as_fields(names_of(run.cluster.virtual_clusters));
  out.reserve(run.jobs.size() * 240);
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    const Job& job = run.jobs[i];
    const JobResult& result = run.result.jobs[i];
    append_csv_field(out, run.trace.jobs[i].id);
    out += ',';
    append_csv_field(out, run.trace.jobs[i].model);
    fmt::format_to(std::back_inserter(out), FMT_COMPILE(",{},{},{},{},{},{},{},{},{},{},{},{},"),
                   job.request.gpus(), job.submit_s, result.start_s, result.end_s, wait_s(run, i),
                   result.training_s(), result.end_s - job.submit_s, result.compute_s,
                   result.network_s, result.loading_s, result.iterations, result.mean_contention);
    append_servers(out, run.result.groups_of(result));
    if (result.restarts == 0 && result.lost_s == 0) {
      out += ",0,0,";
    } else {
      fmt::format_to(std::back_inserter(out), FMT_COMPILE(",{},{},"), result.restarts,
                     result.lost_s);
    }
    out += gpu_types[index(result.gpu_type)];
    out += ',';
    if (owners.empty()) {
      append_csv_field(out, run.trace.jobs[i].virtual_cluster);
    } else {
      out += owners[index(job.virtual_cluster)];
    }
    append_interruptions(out, result, measures[i]);
  }
  return out;
}

std::string attempts_csv(const Run& run) {
  if (run.result.earlier_attempts.empty()) return {};
  std::string out = "job_id,start_s,end_s,how,gpus,servers\n";
  for (const EarlierAttempt& attempt : run.result.earlier_attempts) {
    append_csv_field(out, run.trace.jobs[index(attempt.job)].id);
    fmt::format_to(std::back_inserter(out), FMT_COMPILE(",{},{},{},{},"), attempt.start_s,
                   attempt.end_s, name_of(attempt.end), gpus_of(run, attempt));
    append_servers(out, run.result.groups_of(attempt));
    out += '\n';
  }
  return out;
}

std::string timeline_csv(const Run& run) {
  std::string out = "time_s,running,waiting,gpus_used,gpus_up,gpus_free,gpus_stranded\n";
  out.reserve(run.result.timeline.size() * 40);
  for (const TimelinePoint& point : run.result.timeline) {
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{},{},{},{},{},{},{}\n"), point.time_s,
                   point.running, point.waiting, point.gpus_used, point.gpus_up, point.gpus_free,
                   point.gpus_stranded);
  }
  return out;
}

}  // namespace mosim
