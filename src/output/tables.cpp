#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

#include "base/csv.hpp"
#include "mosim/output.hpp"

namespace mosim {

std::string jobs_csv(const Run& run) {
  std::string out =
      "job_id,model,gpus,submit_s,start_s,end_s,wait_s,training_s,jct_s,compute_s,network_s,"
      "loading_s,iterations,mean_contention,servers\n";
  out.reserve(run.jobs.size() * 160);
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    const Job& job = run.jobs[i];
    const JobResult& result = run.result.jobs[i];
    append_csv_field(out, run.trace.jobs[i].id);
    out += ',';
    append_csv_field(out, run.trace.jobs[i].model);
    fmt::format_to(std::back_inserter(out), FMT_COMPILE(",{},{},{},{},{},{},{},{},{},{},{},{},"),
                   job.request.gpus(), job.submit_s, result.start_s, result.end_s,
                   result.start_s - job.submit_s, result.end_s - result.start_s,
                   result.end_s - job.submit_s, result.compute_s, result.network_s,
                   job.profile.loading_s, result.iterations, result.mean_contention);
    // server:workers of each server, separated by blanks
    bool first = true;
    for (const WorkerGroup& group : run.result.groups_of(result)) {
      fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}{}:{}"), first ? "" : " ",
                     index(group.server), group.workers);
      first = false;
    }
    out += '\n';
  }
  return out;
}

std::string timeline_csv(const Run& run) {
  std::string out = "time_s,running,waiting,gpus_used\n";
  out.reserve(run.result.timeline.size() * 32);
  for (const TimelinePoint& point : run.result.timeline) {
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{},{},{},{}\n"), point.time_s,
                   point.running, point.waiting, point.gpus_used);
  }
  return out;
}

}  // namespace mosim
