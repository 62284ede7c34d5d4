// Runs side by side, for people and for programs.
#include <fmt/format.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/csv.hpp"
#include "mosim/compare.hpp"
#include "mosim/output.hpp"
#include "output/text_table.hpp"

namespace mosim {
namespace {

using Json = nlohmann::ordered_json;

const TextTable::Column kName{"", TextTable::Align::left};

std::string change_text(const std::optional<double>& change) {
  return change ? fmt::format("{:+.1f} %", *change * 100) : "-";
}

std::string signed_duration(double seconds) {
  return fmt::format("{}{}", seconds < 0 ? "-" : "+", human_duration(std::abs(seconds)));
}

bool is_time(const std::string& name) { return name.substr(0, name.find('.')).ends_with("_s"); }

std::string value_text(const ComparedMetric& metric, std::size_t run) {
  const auto& value = metric.values[run];
  if (!value) return "-";
  return is_time(metric.name) ? human_duration(*value) : fmt::format("{:.6g}", *value);
}

TextTable metrics_table(const RunComparison& comparison) {
  TextTable table{
      fmt::format("Against {}", comparison.labels.front()), {{"measure", kName.align}}, {}};
  for (std::size_t run = 0; run < comparison.labels.size(); ++run) {
    table.columns.push_back({comparison.labels[run]});
    if (run > 0) table.columns.push_back({"change"});
  }
  for (const ComparedMetric& metric : comparison.metrics) {
    TextTable::Row row{metric.name};
    for (std::size_t run = 0; run < metric.values.size(); ++run) {
      row.push_back(value_text(metric, run));
      if (run > 0) row.push_back(change_text(metric.change(run)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable jobs_table(const RunComparison& comparison) {
  TextTable table{
      fmt::format("JCT job by job, against {}", comparison.labels.front()),
      {{"run", kName.align}, {"common jobs"}, {"gained"}, {"lost"}, {"same"}, {"median change"}},
      {}};
  for (std::size_t i = 0; i < comparison.jobs.size(); ++i) {
    const JobComparison& jobs = comparison.jobs[i];
    table.rows.push_back({comparison.labels[i + 1], fmt::to_string(jobs.common),
                          fmt::to_string(jobs.gained), fmt::to_string(jobs.lost),
                          fmt::to_string(jobs.same), signed_duration(jobs.median_change_s)});
  }
  return table;
}

TextTable extremes_table(const RunComparison& comparison, std::size_t run) {
  const JobComparison& jobs = comparison.jobs[run - 1];
  TextTable table{fmt::format("Jobs of {} that gained and lost most", comparison.labels[run]),
                  {{"", kName.align},
                   {"job", kName.align},
                   {comparison.labels.front()},
                   {comparison.labels[run]},
                   {"change"}},
                  {}};
  const auto add = [&](const char* what, const std::vector<JctChange>& changes) {
    for (const JctChange& job : changes) {
      table.rows.push_back({what, job.job_id, human_duration(job.first_s),
                            human_duration(job.other_s), signed_duration(job.change_s())});
    }
  };
  add("gained", jobs.most_gained);
  add("lost", jobs.most_lost);
  return table;
}

std::string tables(const RunComparison& comparison, std::string (*text)(const TextTable&)) {
  std::string out = text(metrics_table(comparison));
  out += '\n';
  out += text(jobs_table(comparison));
  for (std::size_t run = 1; run < comparison.labels.size(); ++run) {
    const TextTable extremes = extremes_table(comparison, run);
    if (extremes.rows.empty()) continue;
    out += '\n';
    out += text(extremes);
  }
  return out;
}

Json to_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json to_json(const std::vector<JctChange>& changes) {
  Json json = Json::array();
  for (const JctChange& job : changes) {
    json.push_back({{"job_id", job.job_id},
                    {"first_s", job.first_s},
                    {"other_s", job.other_s},
                    {"change_s", job.change_s()}});
  }
  return json;
}

Json to_json(const ComparedMetric& metric) {
  Json json = {{"name", metric.name}, {"values", Json::array()}, {"changes", Json::array()}};
  for (std::size_t run = 0; run < metric.values.size(); ++run) {
    json["values"].push_back(to_json(metric.values[run]));
    json["changes"].push_back(to_json(metric.change(run)));
  }
  return json;
}

Json to_json(const std::string& label, const JobComparison& jobs) {
  return {{"run", label},
          {"common", jobs.common},
          {"gained", jobs.gained},
          {"lost", jobs.lost},
          {"same", jobs.same},
          {"median_change_s", jobs.median_change_s},
          {"most_gained", to_json(jobs.most_gained)},
          {"most_lost", to_json(jobs.most_lost)}};
}

// A line of the CSV; `change` is relative.
void append_line(std::string& out, std::string_view section, std::string_view run,
                 std::string_view name, const std::optional<double>& value,
                 const std::optional<double>& change) {
  const auto number = [](const std::optional<double>& one) {
    return one ? fmt::to_string(*one) : std::string();
  };
  out += fmt::format("{},", section);
  append_csv_field(out, run);
  out += ',';
  append_csv_field(out, name);
  out += fmt::format(",{},{}\n", number(value), number(change));
}

void append_jobs(std::string& out, const std::string& label, const JobComparison& jobs) {
  const auto count = [&](std::string_view name, std::size_t value) {
    append_line(out, "jobs", label, name, static_cast<double>(value), {});
  };
  count("common", jobs.common);
  count("gained", jobs.gained);
  count("lost", jobs.lost);
  count("same", jobs.same);
  append_line(out, "jobs", label, "median_change_s", jobs.median_change_s, {});
  const auto changes = [&](std::string_view section, const std::vector<JctChange>& all) {
    for (const JctChange& job : all) {
      std::optional<double> relative;
      if (job.first_s > 0) relative = job.change_s() / job.first_s;
      append_line(out, section, label, job.job_id, job.change_s(), relative);
    }
  };
  changes("most_gained", jobs.most_gained);
  changes("most_lost", jobs.most_lost);
}

}  // namespace

std::string comparison_table(const RunComparison& comparison) {
  return tables(comparison, aligned_text);
}

std::string comparison_markdown(const RunComparison& comparison) {
  return tables(comparison, markdown_text);
}

std::string comparison_json(const RunComparison& comparison) {
  Json json;
  json["schema_version"] = 1;
  json["runs"] = Json::array();
  for (std::size_t run = 0; run < comparison.labels.size(); ++run) {
    json["runs"].push_back(
        {{"label", comparison.labels[run]}, {"folder", comparison.folders[run]}});
  }
  json["metrics"] = Json::array();
  for (const ComparedMetric& metric : comparison.metrics) {
    json["metrics"].push_back(to_json(metric));
  }
  json["jobs"] = Json::array();
  for (std::size_t i = 0; i < comparison.jobs.size(); ++i) {
    json["jobs"].push_back(to_json(comparison.labels[i + 1], comparison.jobs[i]));
  }
  json["warnings"] = comparison.warnings;
  // A trace may hold ids that are no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string comparison_csv(const RunComparison& comparison) {
  std::string out = "section,run,name,value,change\n";
  for (const ComparedMetric& metric : comparison.metrics) {
    for (std::size_t run = 0; run < metric.values.size(); ++run) {
      append_line(out, "metrics", comparison.labels[run], metric.name, metric.values[run],
                  metric.change(run));
    }
  }
  for (std::size_t i = 0; i < comparison.jobs.size(); ++i) {
    append_jobs(out, comparison.labels[i + 1], comparison.jobs[i]);
  }
  return out;
}

}  // namespace mosim
