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

}  // namespace

std::string jobs_csv(const Run& run) {
  std::string out =
      "job_id,model,gpus,submit_s,start_s,end_s,wait_s,training_s,jct_s,compute_s,network_s,"
      "loading_s,iterations,mean_contention,servers,restarts,lost_s,gpu,virtual_cluster\n";
  const std::vector<std::string> gpu_types = as_fields(run.cluster.gpu_types());
  const std::vector<std::string> owners = as_fields(names_of(run.cluster.virtual_clusters));
  out.reserve(run.jobs.size() * 190);
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    const Job& job = run.jobs[i];
    const JobResult& result = run.result.jobs[i];
    append_csv_field(out, run.trace.jobs[i].id);
    out += ',';
    append_csv_field(out, run.trace.jobs[i].model);
    fmt::format_to(std::back_inserter(out), FMT_COMPILE(",{},{},{},{},{},{},{},{},{},{},{},{},"),
                   job.request.gpus(), job.submit_s, result.start_s, result.end_s,
                   result.start_s - job.submit_s + result.requeued_s, result.training_s(),
                   result.end_s - job.submit_s, result.compute_s, result.network_s,
                   result.loading_s, result.iterations, result.mean_contention);
    // server:workers of each server, separated by blanks
    bool first = true;
    for (const WorkerGroup& group : run.result.groups_of(result)) {
      fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}{}:{}"), first ? "" : " ",
                     index(group.server), group.workers);
      first = false;
    }
    if (result.restarts == 0) {
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
    out += '\n';
  }
  return out;
}

std::string timeline_csv(const Run& run) {
  std::string out = "time_s,running,waiting,gpus_used,gpus_up\n";
  out.reserve(run.result.timeline.size() * 32);
  for (const TimelinePoint& point : run.result.timeline) {
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{},{},{},{},{}\n"), point.time_s,
                   point.running, point.waiting, point.gpus_used, point.gpus_up);
  }
  return out;
}

}  // namespace mosim
