#include <pybind11/stl.h>

#include "core.hpp"
#include "overrides.hpp"
#include "result.hpp"

namespace py = pybind11;

namespace mosim::python {
namespace {

// A CSV in memory: its name in messages, and its text.
using NamedText = std::pair<std::string, std::string>;

// What a run is made from: a file, or a text that stands for one, and what is in memory.
struct Request {
  std::string name;
  std::optional<std::string> text;
  std::vector<Override> overrides;
  std::optional<NamedText> trace;
  std::optional<NamedText> profiles;
};

Scenario scenario_of(Request& request) {
  // Not read: what is in memory takes their place.
  if (request.trace) request.overrides.push_back({"trace.file", "trace.csv", "trace", false});
  if (request.profiles) {
    request.overrides.push_back({"profile.backend", "table", "profiles", false});
    request.overrides.push_back({"profile.table", "profiles.csv", "profiles", false});
  }
  Scenario scenario = request.text ? parse_scenario(request.name, *request.text, request.overrides)
                                   : load_scenario(request.name, request.overrides);
  if (request.trace && scenario.trace_format != "auto") scenario.trace_format = "mosim";
  return scenario;
}

GivenInputs inputs_of(const Request& request, const Scenario& scenario) {
  GivenInputs given;
  if (request.trace) {
    TraceOptions options = trace_options(scenario);
    options.file = request.trace->first;
    given.trace = read_trace(options, request.trace->second);
  }
  if (request.profiles) {
    given.profiles = [&](const ModelPool& pool, const std::string& gpu) {
      return std::make_unique<ProfileTable>(
          parse_profile_table(request.profiles->first, request.profiles->second, pool, gpu));
    };
  }
  return given;
}

Result run_request(Request request, const std::function<void(const Progress&)>& progress) {
  Result result;
  result.scenario = scenario_of(request);
  PreparedRun prepared = prepare(result.scenario, inputs_of(request, result.scenario));
  result.scenario_digest = prepared.digest;
  result.warnings = prepared.warnings;
  for (const std::string& dropped : prepared.dropped) {
    result.warnings.push_back("dropped: " + dropped);
  }
  result.run = simulate(result.scenario, std::move(prepared), progress);
  result.summary = summarize(result.run);
  if (request.trace) result.trace = std::move(request.trace->second);
  if (request.profiles) result.profiles = std::move(request.profiles->second);
  return result;
}

// Ctrl-C ends the run here: Python's handler only notes the signal.
void call_python(const Progress& now, const py::object& callback) {
  const py::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (!callback.is_none()) callback(now.time_s, now.jobs_done, now.jobs, now.events);
}

std::unique_ptr<Result> run(std::string name, std::optional<std::string> text,
                            const PythonOverrides& overrides, std::optional<NamedText> trace,
                            std::optional<NamedText> profiles, const py::object& progress) {
  Request request{std::move(name), std::move(text), overrides_of(overrides), std::move(trace),
                  std::move(profiles)};
  const py::gil_scoped_release release;
  return std::make_unique<Result>(
      run_request(std::move(request), [&](const Progress& now) { call_python(now, progress); }));
}

}  // namespace

void bind_runs(py::module_& module) {
  module.def("run", &run, py::arg("name"), py::arg("text"), py::arg("overrides"), py::arg("trace"),
             py::arg("profiles"), py::arg("progress"));
}

}  // namespace mosim::python
