// What a trace is like, for programs: JSON, and the same as CSV.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/calendar.hpp"
#include "base/csv.hpp"
#include "mosim/trace_stats.hpp"

namespace mosim {
namespace {

using Json = nlohmann::ordered_json;

Json sample_json(const SampleStats& sample) {
  return {{"count", sample.count},   {"min", sample.min}, {"p5", sample.p5},    {"p25", sample.p25},
          {"median", sample.median}, {"p75", sample.p75}, {"p90", sample.p90},  {"p95", sample.p95},
          {"p99", sample.p99},       {"max", sample.max}, {"mean", sample.mean}};
}

Json times_json(const TimeStats& times) {
  Json json = sample_json(times.sample);
  json["histogram"] = Json::array();
  for (const TimeBin& bin : times.histogram) {
    Json item = {{"from_s", bin.from_s}, {"to_s", nullptr}, {"jobs", bin.jobs}};
    if (bin.to_s) item["to_s"] = *bin.to_s;
    json["histogram"].push_back(std::move(item));
  }
  return json;
}

Json group_json(const JobGroup& group) {
  return {{"name", group.name},
          {"jobs", group.jobs},
          {"job_share", group.job_share},
          {"gpu_hours", group.gpu_hours},
          {"gpu_hour_share", group.gpu_hour_share}};
}

Json groups_json(const std::vector<JobGroup>& groups) {
  Json json = Json::array();
  for (const JobGroup& group : groups) json.push_back(group_json(group));
  return json;
}

Json gpu_counts_json(const std::vector<GpuCountGroup>& counts) {
  Json json = Json::array();
  for (const GpuCountGroup& count : counts) {
    Json item = group_json(count.group);
    item["fewest"] = count.fewest;
    item["most"] = count.most;
    json.push_back(std::move(item));
  }
  return json;
}

Json rate_json(std::string name, const ArrivalRate& rate) {
  return {{"name", std::move(name)},
          {"jobs", rate.jobs},
          {"hours", rate.hours},
          {"per_hour", rate.per_hour()}};
}

Json arrivals_json(const ArrivalStats& arrivals) {
  Json json = {{"per_hour", arrivals.per_hour},
               {"mean_gap_s", arrivals.mean_gap_s},
               {"gap_variation", arrivals.gap_variation},
               {"clock", arrivals.calendar ? "calendar" : "from-time-0"}};
  json["by_hour"] = Json::array();
  for (std::size_t hour = 0; hour < arrivals.by_hour.size(); ++hour) {
    json["by_hour"].push_back(rate_json(fmt::format("{:02}", hour), arrivals.by_hour[hour]));
  }
  json["by_weekday"] = Json::array();
  for (std::size_t day = 0; day < arrivals.by_weekday.size(); ++day) {
    json["by_weekday"].push_back(rate_json(arrivals.day_name(day), arrivals.by_weekday[day]));
  }
  return json;
}

Json span_json(const TraceStats& stats) {
  Json json;
  const auto add = [&](const std::string& name, double time_s) {
    json[name + "_s"] = time_s;
    if (stats.epoch_s) json[name] = format_calendar_time(*stats.epoch_s + time_s);
  };
  add("first_submission", stats.first_submit_s);
  add("last_submission", stats.last_submit_s);
  add("last_end", stats.last_end_s);
  if (stats.epoch_s) json["epoch_s"] = *stats.epoch_s;
  return json;
}

Json demand_json(const TraceStats& stats) {
  Json json = {{"peak_gpus", stats.peak_gpus}, {"peak_at_s", stats.peak_at_s}};
  if (!stats.load) return json;
  json["cluster_servers"] = stats.load->servers;
  json["cluster_gpus"] = stats.load->gpus;
  json["load"] = stats.load->load ? Json(*stats.load->load) : Json(nullptr);
  json["peak_over_cluster"] = stats.load->peak;
  return json;
}

Json account_json(const TraceAccount& account, const TraceOptions& options) {
  Json json = {{"jobs_read", account.jobs_read}, {"filtered", account.filtered}};
  json["found"] = Json::array();
  for (std::size_t finding = 0; finding < kFindings; ++finding) {
    if (account.found[finding] == 0) continue;
    json["found"].push_back({{"name", finding_name(static_cast<Finding>(finding))},
                             {"jobs", account.found[finding]},
                             {"treatment", treatment_name(options.treatments[finding])},
                             {"dropped", account.dropped[finding]}});
  }
  json["bad_rows"] = Json::array();
  for (const Diagnostic& bad : account.bad_rows) json["bad_rows"].push_back(bad.text());
  return json;
}

Json stats_json(const TraceStats& stats, const TraceOptions& options) {
  Json json;
  json["schema_version"] = 1;
  json["trace"] = {{"file", stats.file}, {"format", stats.format}};
  json["totals"] = {{"jobs", stats.jobs},
                    {"gpus", stats.gpus},
                    {"gpu_hours", stats.gpu_hours},
                    {"jobs_of_unknown_duration", stats.unknown_duration},
                    {"share_of_jobs_up_to_8_gpus", stats.share_up_to_8_gpus},
                    {"users", stats.users}};
  json["span"] = span_json(stats);
  json["arrivals"] = arrivals_json(stats.arrivals);
  json["gpus_per_job"] = sample_json(stats.job_gpus);
  json["gpu_counts"] = gpu_counts_json(stats.gpu_counts);
  json["duration_s"] = times_json(stats.duration);
  json["queueing_delay_s"] = times_json(stats.queueing_delay);
  json["statuses"] = groups_json(stats.statuses);
  json["virtual_clusters"] = groups_json(stats.virtual_clusters);
  json["models"] = groups_json(stats.models);
  json["top_users"] = groups_json(stats.top_users);
  json["demand"] = demand_json(stats);
  json["account"] = account_json(stats.account, options);
  return json;
}

// "statuses", "failed.jobs" for the number of failed jobs: an item goes by its name where it has
// one, and else by its place.
void append_rows(std::string& out, const std::string& section, const std::string& key,
                 const Json& value) {
  if (value.is_structured()) {
    for (const auto& [place, item] : value.items()) {
      const bool named = value.is_array() && item.is_object() && item.contains("name");
      const std::string step = named ? item["name"].get<std::string>() : place;
      append_rows(out, section, key.empty() ? step : fmt::format("{}.{}", key, step), item);
    }
    return;
  }
  append_csv_field(out, section);
  out += ',';
  append_csv_field(out, key);
  out += ',';
  append_csv_field(out, value.is_string() ? value.get<std::string>()
                        : value.is_null() ? std::string()
                                          : value.dump());
  out += '\n';
}

}  // namespace

std::string trace_stats_json(const TraceStats& stats, const TraceOptions& options) {
  // A trace may hold text that is no UTF-8.
  return stats_json(stats, options).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string trace_stats_csv(const TraceStats& stats, const TraceOptions& options) {
  std::string out = "section,key,value\n";
  const Json json = stats_json(stats, options);
  for (const auto& [section, value] : json.items()) append_rows(out, section, "", value);
  return out;
}

}  // namespace mosim
