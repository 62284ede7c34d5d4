// Microsoft's philly-traces: a list of jobs with their attempts.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/calendar.hpp"
#include "trace/writers.hpp"

namespace mosim {
namespace {

// The traced cluster has servers of up to 8 GPUs.
constexpr std::uint64_t kServer = 8;

std::string_view philly_status(JobStatus status) {
  if (status == JobStatus::failed) return "Failed";
  return status == JobStatus::cancelled ? "Killed" : "Pass";
}

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

// Which servers ran the job is not known; the format tells its GPUs by naming them.
void append_servers(std::string& out, std::uint64_t gpus) {
  for (std::uint64_t server = 0; server * kServer < gpus; ++server) {
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}{{\"ip\":\"m{}\",\"gpus\":["),
                   server == 0 ? "" : ",", server);
    const std::uint64_t here = std::min(kServer, gpus - server * kServer);
    for (std::uint64_t gpu = 0; gpu < here; ++gpu) {
      fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}\"gpu{}\""), gpu == 0 ? "" : ",", gpu);
    }
    out += "]}";
  }
}

}  // namespace

AppendRow begin_philly(const Trace& trace, std::string& out) {
  out += "[";
  const auto time = [zero = trace.epoch_s.value_or(0)](double seconds) {
    return format_calendar_time(std::round(zero + seconds));
  };
  return [time, first = true](std::string& row, const TraceJob& job) mutable {
    const double start = job.start_s.value_or(job.submit_s);
    fmt::format_to(std::back_inserter(row),
                   FMT_COMPILE("{}{{\"status\":\"{}\",\"vc\":{},\"jobid\":{},\"attempts\":[{{"
                               "\"start_time\":\"{}\",\"end_time\":\"{}\",\"detail\":["),
                   first ? "\n" : ",\n", philly_status(job.status), quoted(job.virtual_cluster),
                   quoted(job.id), time(start), time(start + job.duration_s));
    append_servers(row, job.gpus());
    fmt::format_to(std::back_inserter(row),
                   FMT_COMPILE("]}}],\"submitted_time\":\"{}\",\"user\":{}}}"), time(job.submit_s),
                   quoted(job.user));
    first = false;
  };
}

}  // namespace mosim
