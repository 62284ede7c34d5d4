#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

#include "mosim/output.hpp"

namespace mosim {
namespace {

// A field that holds a comma, a quote or a line break is quoted (RFC 4180).
void append_text(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

// That it ran in; without virtual clusters, what the trace says.
const std::string& virtual_cluster_of(const Run& run, std::size_t job) {
  if (run.cluster.virtual_clusters.empty()) return run.trace.jobs[job].virtual_cluster;
  return run.cluster.virtual_clusters[index(run.jobs[job].virtual_cluster)].name;
}

}  // namespace

std::string jobs_csv(const Run& run) {
  std::string out =
      "job_id,model,gpus,submit_s,start_s,end_s,wait_s,training_s,jct_s,compute_s,network_s,"
      "loading_s,iterations,mean_contention,servers,restarts,lost_s,gpu,virtual_cluster\n";
  const std::vector<std::string> gpu_types = run.cluster.gpu_types();
  out.reserve(run.jobs.size() * 190);
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    const Job& job = run.jobs[i];
    const JobResult& result = run.result.jobs[i];
    append_text(out, run.trace.jobs[i].id);
    out += ',';
    append_text(out, run.trace.jobs[i].model);
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
    fmt::format_to(std::back_inserter(out), FMT_COMPILE(",{},{},"), result.restarts, result.lost_s);
    append_text(out, gpu_types[index(result.gpu_type)]);
    out += ',';
    append_text(out, virtual_cluster_of(run, i));
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
