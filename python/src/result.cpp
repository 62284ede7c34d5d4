#include "result.hpp"

#include <pybind11/stl.h>

#include "base/output_file.hpp"
#include "columns.hpp"
#include "core.hpp"
#include "mosim/output.hpp"

namespace py = pybind11;

namespace mosim::python {
namespace {

std::string servers_text(std::span<const WorkerGroup> groups) {
  std::string text;
  append_servers(text, groups);
  return text;
}

std::string owner_of(const Run& run, std::size_t job) {
  const auto& virtual_clusters = run.cluster.virtual_clusters;
  if (virtual_clusters.empty()) return run.trace.jobs[job].virtual_cluster;
  return virtual_clusters[index(run.jobs[job].virtual_cluster)].name;
}

}  // namespace

// The columns of jobs.csv (src/output/tables.cpp), in its order.
py::dict job_columns(const py::object& self) {
  const Run& run = self.cast<const Result&>().run;
  const auto& measures = self.cast<const Result&>().measures;
  const auto& jobs = run.jobs;
  const auto& results = run.result.jobs;
  const std::size_t size = jobs.size();
  const auto viewed = [&](auto JobResult::* member) { return view_column(results, member, self); };
  const auto gpu_types = run.cluster.gpu_types();
  py::dict columns;
  columns["job_id"] = name_column(size, [&](std::size_t i) { return run.trace.jobs[i].id; });
  columns["model"] = name_column(size, [&](std::size_t i) { return run.trace.jobs[i].model; });
  columns["gpus"] = computed_column(
      size, [&](std::size_t i) { return static_cast<std::int64_t>(jobs[i].request.gpus()); });
  columns["submit_s"] = view_column(jobs, &Job::submit_s, self);
  columns["start_s"] = viewed(&JobResult::start_s);
  columns["end_s"] = viewed(&JobResult::end_s);
  columns["wait_s"] = computed_column(size, [&](std::size_t i) { return wait_s(run, i); });
  columns["training_s"] =
      computed_column(size, [&](std::size_t i) { return results[i].training_s(); });
  columns["jct_s"] =
      computed_column(size, [&](std::size_t i) { return results[i].end_s - jobs[i].submit_s; });
  columns["compute_s"] = viewed(&JobResult::compute_s);
  columns["network_s"] = viewed(&JobResult::network_s);
  columns["loading_s"] = viewed(&JobResult::loading_s);
  columns["iterations"] = viewed(&JobResult::iterations);
  columns["mean_contention"] = viewed(&JobResult::mean_contention);
  columns["servers"] = name_column(
      size, [&](std::size_t i) { return servers_text(run.result.groups_of(results[i])); });
  columns["restarts"] = viewed(&JobResult::restarts);
  columns["lost_s"] = viewed(&JobResult::lost_s);
  columns["gpu"] =
      name_column(size, [&](std::size_t i) { return gpu_types[index(results[i].gpu_type)]; });
  columns["virtual_cluster"] = name_column(size, [&](std::size_t i) { return owner_of(run, i); });
  columns["preemptions"] = viewed(&JobResult::preemptions);
  columns["moves"] = viewed(&JobResult::moves);
  columns["restart_s"] = viewed(&JobResult::restart_s);
  columns["capacity_wait_s"] = view_column(measures, &JobMeasures::capacity_wait_s, self);
  columns["placement_wait_s"] = view_column(measures, &JobMeasures::placement_wait_s, self);
  columns["rho"] = view_column(measures, &JobMeasures::rho, self);
  columns["workers"] = viewed(&JobResult::workers);
  return columns;
}

// Those of attempts.csv.
py::dict attempt_columns(const py::object& self) {
  const Run& run = self.cast<const Result&>().run;
  const auto& attempts = run.result.earlier_attempts;
  const std::size_t size = attempts.size();
  const auto names = [&](auto name) {
    return name_column(size, [&](std::size_t i) { return std::string(name(attempts[i])); });
  };
  py::dict columns;
  columns["job_id"] =
      names([&](const EarlierAttempt& one) { return run.trace.jobs[index(one.job)].id; });
  columns["start_s"] = view_column(attempts, &EarlierAttempt::start_s, self);
  columns["end_s"] = view_column(attempts, &EarlierAttempt::end_s, self);
  columns["how"] = names([](const EarlierAttempt& one) { return name_of(one.end); });
  columns["gpus"] = computed_column(
      size, [&](std::size_t i) { return static_cast<std::int64_t>(gpus_of(run, attempts[i])); });
  columns["servers"] =
      names([&](const EarlierAttempt& one) { return servers_text(run.result.groups_of(one)); });
  return columns;
}

// Those of timeline.csv.
py::dict timeline_columns(const py::object& self) {
  const auto& points = self.cast<const Result&>().run.result.timeline;
  py::dict columns;
  columns["time_s"] = view_column(points, &TimelinePoint::time_s, self);
  columns["running"] = view_column(points, &TimelinePoint::running, self);
  columns["waiting"] = view_column(points, &TimelinePoint::waiting, self);
  columns["gpus_used"] = view_column(points, &TimelinePoint::gpus_used, self);
  columns["gpus_up"] = view_column(points, &TimelinePoint::gpus_up, self);
  columns["gpus_free"] = view_column(points, &TimelinePoint::gpus_free, self);
  columns["gpus_stranded"] = view_column(points, &TimelinePoint::gpus_stranded, self);
  return columns;
}

std::string json_of(const Result& result) {
  return summary_json(result.summary, result.scenario_digest);
}

void save(const Result& result, const std::filesystem::path& dir) {
  Scenario scenario = result.scenario;
  if (result.trace) {
    scenario.trace_file = "trace.csv";
    write_file(dir / scenario.trace_file, *result.trace);
  }
  if (result.profiles) {
    scenario.profile_table = "profiles.csv";
    write_file(dir / scenario.profile_table, *result.profiles);
  }
  write_run(dir, result.run, result.measures, json_of(result), resolved_yaml(scenario));
}

void bind_results(py::module_& module) {
  py::class_<Result>(module, "Result")
      .def("job_columns", &job_columns)
      .def("attempt_columns", &attempt_columns)
      .def("timeline_columns", &timeline_columns)
      .def_property_readonly("json", &json_of)
      .def_property_readonly("table",
                             [](const Result& result) { return summary_table(result.summary); })
      .def_property_readonly("schedule_digest",
                             [](const Result& result) { return result.summary.schedule_digest; })
      .def_readonly("scenario_digest", &Result::scenario_digest)
      .def_readonly("warnings", &Result::warnings)
      .def("save", [](const Result& result, const std::string& dir) {
        const py::gil_scoped_release release;
        save(result, dir);
      });
  module.def("claim", [](const std::string& dir, bool force) { claim_run_directory(dir, force); });
}

}  // namespace mosim::python
