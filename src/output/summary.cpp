#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mosim/output.hpp"

namespace mosim {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Distribution& distribution) {
  return {{"avg", distribution.avg}, {"median", distribution.median}, {"p99", distribution.p99}};
}

// What was found in the trace, and how much of it was left out; what was not found is not listed.
Json to_json(const TraceAccount& account) {
  Json json = {{"jobs_read", account.jobs_read}, {"filtered", account.filtered}};
  json["found"] = Json::object();
  json["dropped"] = Json::object();
  for (std::size_t finding = 0; finding < kFindings; ++finding) {
    const std::string name(finding_name(static_cast<Finding>(finding)));
    if (account.found[finding] > 0) json["found"][name] = account.found[finding];
    if (account.dropped[finding] > 0) json["dropped"][name] = account.dropped[finding];
  }
  return json;
}

Json to_json(const UserSummary& user) {
  return {{"user", user.name},           {"jobs", user.jobs},
          {"avg_jct_s", user.avg_jct_s}, {"avg_wait_s", user.avg_wait_s},
          {"gpu_hours", user.gpu_hours}, {"preemptions", user.preemptions},
          {"avg_rho", user.avg_rho}};
}

Json to_json(const RhoSummary& rho) {
  Json json = to_json(rho.jobs);
  json["max"] = rho.max;
  json["above_one"] = rho.above_one;
  return json;
}

Json to_json(const VirtualClusterSummary& part) {
  return {{"jobs", part.jobs},
          {"avg_jct_s", part.jct.avg},
          {"median_jct_s", part.jct.median},
          {"p99_jct_s", part.jct.p99},
          {"avg_wait_s", part.wait.avg},
          {"p99_wait_s", part.wait.p99},
          {"gpu_hours", part.gpu_hours},
          {"preemptions", part.preemptions},
          {"avg_rho", part.avg_rho}};
}

void add(Json& json, const Fairness& fairness) {
  json["bounded_slowdown"] = to_json(fairness.bounded_slowdown);
  json["jain_index"] = {{"jobs", fairness.jain_jobs}};
  json["rho"] = to_json(fairness.rho);
  json["goodput"] = fairness.goodput;
  if (fairness.users == 0) return;
  if (fairness.jain_users) json["jain_index"]["users"] = *fairness.jain_users;
  json["users"] = {{"count", fairness.users}, {"top", Json::array()}};
  for (const UserSummary& user : fairness.top_users) json["users"]["top"].push_back(to_json(user));
}

std::string row(std::string_view name, const Distribution& distribution) {
  return fmt::format("{:<15}{:>14}{:>14}{:>14}\n", name, human_duration(distribution.avg),
                     human_duration(distribution.median), human_duration(distribution.p99));
}

std::string virtual_cluster_table(const Summary& summary) {
  std::string out = fmt::format("\n{:<15}{:>14}{:>14}{:>14}{:>14}\n", "", "jobs", "average wait",
                                "average JCT", "P99 JCT");
  for (const VirtualClusterSummary& part : summary.virtual_clusters) {
    out += fmt::format("{:<15}{:>14}{:>14}{:>14}{:>14}\n", part.name, part.jobs,
                       human_duration(part.wait.avg), human_duration(part.jct.avg),
                       human_duration(part.jct.p99));
  }
  return out;
}

std::string interruptions(const Summary& summary) {
  std::string out;
  if (summary.restarts > 0) {
    out += fmt::format("{:<15}{:>14}  after failures\n", "restarts", summary.restarts);
  }
  if (summary.preemptions + summary.moves > 0) {
    out += fmt::format("{:<15}{:>14}  and {} moves\n", "preemptions", summary.preemptions,
                       summary.moves);
  }
  if (!out.empty()) {
    out += fmt::format("{:<15}{:>14.1f}  of training; {:.1f} saving and restoring\n",
                       "GPU hours lost", summary.lost_gpu_s / 3600, summary.restart_gpu_s / 3600);
  }
  return out;
}

}  // namespace

std::string summary_json(const Summary& summary, const std::string& scenario_digest) {
  Json json;
  json["schema_version"] = 1;
  json["mosim_version"] = version();
  json["scenario_digest"] = scenario_digest;
  json["schedule_digest"] = summary.schedule_digest;
  json["jobs"] = {{"submitted", summary.submitted},
                  {"finished", summary.finished},
                  {"dropped_unplaceable", summary.dropped}};
  json["trace"] = to_json(summary.trace);
  json["cluster"] = {{"servers", summary.servers}, {"gpus", summary.gpus}};
  json["training_s"] = to_json(summary.training);
  json["wait_s"] = to_json(summary.wait);
  json["capacity_wait_s"] = to_json(summary.capacity_wait);
  json["placement_wait_s"] = to_json(summary.placement_wait);
  json["jct_s"] = to_json(summary.jct);
  json["makespan_s"] = summary.makespan_s;
  json["gpu_utilization"] = summary.gpu_utilization;
  json["gpu_computing"] = summary.gpu_computing;
  json["fragmentation"] = summary.fragmentation;
  json["mean_contention"] = summary.mean_contention;
  json["events"] = summary.events;
  json["restarts"] = summary.restarts;
  json["preemptions"] = summary.preemptions;
  json["moves"] = summary.moves;
  json["lost_gpu_s"] = summary.lost_gpu_s;
  json["restart_gpu_s"] = summary.restart_gpu_s;
  for (const VirtualClusterSummary& part : summary.virtual_clusters) {
    json["virtual_clusters"][part.name] = to_json(part);
  }
  add(json, summary.fairness);
  // A trace may hold names that are no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string summary_table(const Summary& summary) {
  std::string out = fmt::format("{} jobs on {} GPUs of {} servers", summary.finished, summary.gpus,
                                summary.servers);
  if (summary.dropped > 0) out += fmt::format(", {} more dropped as unplaceable", summary.dropped);
  out += fmt::format("\n\n{:<15}{:>14}{:>14}{:>14}\n", "", "average", "median", "P99");
  out += row("training time", summary.training);
  out += row("waiting time", summary.wait);
  out += row("  for GPUs", summary.capacity_wait);
  out += row("  for a place", summary.placement_wait);
  out += row("JCT", summary.jct);
  out += fmt::format("\n{:<15}{:>14}\n", "makespan", human_duration(summary.makespan_s));
  out += fmt::format("{:<15}{:>13.1f}%  {:.1f} % computing\n", "GPU use",
                     summary.gpu_utilization * 100, summary.gpu_computing * 100);
  out += fmt::format("{:<15}{:>13.1f}%  of the free GPUs are on servers in use\n", "fragmentation",
                     summary.fragmentation * 100);
  out += fmt::format("{:<15}{:>13.2f}x  networking time against running alone\n", "contention",
                     summary.mean_contention);
  const RhoSummary& rho = summary.fairness.rho;
  out += fmt::format("{:<15}{:>14.2f}  at most {:.2f}; {:.1f} % of the jobs above 1\n",
                     "fairness rho", rho.jobs.avg, rho.max, rho.above_one * 100);
  out += fmt::format("{:<15}{:>14}\n", "events", summary.events);
  out += interruptions(summary);
  if (!summary.virtual_clusters.empty()) out += virtual_cluster_table(summary);
  return out;
}

std::string human_duration(double seconds) {
  if (seconds < 600) return fmt::format("{:.1f} s", seconds);
  const auto minutes = static_cast<std::uint64_t>(std::llround(seconds / 60));
  constexpr std::uint64_t kDay = 24 * 60ULL;
  if (minutes < kDay) return fmt::format("{}h {:02}m", minutes / 60, minutes % 60);
  return fmt::format("{}d {:02}h", minutes / kDay, minutes % kDay / 60);
}

}  // namespace mosim
