#include <pybind11/stl.h>

#include "core.hpp"
#include "python_policy.hpp"
#include "result.hpp"

namespace py = pybind11;

namespace mosim::python {
namespace {

// (key, value, source, whether the value is YAML), as in `Override`.
using PythonOverrides = std::vector<std::tuple<std::string, std::string, std::string, bool>>;

std::vector<Override> overrides_of(const PythonOverrides& given) {
  std::vector<Override> overrides;
  overrides.reserve(given.size());
  for (const auto& [key, value, source, yaml] : given) {
    overrides.push_back({key, value, source, yaml});
  }
  return overrides;
}

// A CSV in memory: its name in messages, and its text.
using NamedText = std::pair<std::string, std::string>;

// What a run is made from: a file, or a text that stands for one, and what is in memory.
struct Request {
  std::string name;
  std::optional<std::string> text;
  std::vector<Override> overrides;
  std::optional<NamedText> trace;
  std::optional<NamedText> profiles;
  std::optional<std::string> policy;  // the name of one in Python
};

Scenario scenario_of(Request& request) {
  // Not read: what is in memory takes their place.
  if (request.trace) request.overrides.push_back({"trace.file", "trace.csv", "trace", false});
  if (request.profiles) {
    request.overrides.push_back({"profile.backend", "table", "profiles", false});
    request.overrides.push_back({"profile.table", "profiles.csv", "profiles", false});
  }
  // In place of one that the scenario may name, which need not be registered any more.
  if (request.policy) request.overrides.push_back({"scheduler.queue", "fifo", "policy", false});
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

// Policies in Python: the first, and what gives another for each further virtual cluster.
struct Policies {
  py::object first;  // None: those that the scenario names
  py::object make;
};

// The policies that a run was given, or those that its scenario names.
std::vector<ActivePolicy> policies_of(const Policies& given, const Result& result,
                                      const PreparedRun& prepared) {
  const py::gil_scoped_acquire acquire;
  if (given.first.is_none()) return active_policies(result.scenario);
  return python_policies(given.first, given.make, prepared);
}

// What a policy in Python raised comes out as it is.
void rethrow_python(const RunError& error) {
  try {
    std::rethrow_if_nested(error);
  } catch (const py::error_already_set&) {
    throw;
  } catch (const std::exception&) {
    return;
  }
}

Run simulate_with(const Policies& given, const Result& result, PreparedRun prepared,
                  const std::function<void(const Progress&)>& progress) {
  const std::vector<ActivePolicy> policies = policies_of(given, result, prepared);
  try {
    return simulate(result.scenario, std::move(prepared), policies, progress);
  } catch (const RunError& error) {
    rethrow_python(error);
    throw;
  }
}

Result run_request(Request request, const Policies& policies,
                   const std::function<void(const Progress&)>& progress) {
  Result result;
  result.scenario = scenario_of(request);
  if (request.policy) result.scenario.queue = std::string(kCallersPolicy) + *request.policy;
  PreparedRun prepared = prepare(result.scenario, inputs_of(request, result.scenario));
  result.scenario_digest = prepared.digest;
  result.warnings = prepared.warnings;
  for (const std::string& dropped : prepared.dropped) {
    result.warnings.push_back("dropped: " + dropped);
  }
  result.run = simulate_with(policies, result, std::move(prepared), progress);
  result.measures = measure_jobs(result.run);
  result.summary = summarize(result.run, result.measures);
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
                            std::optional<NamedText> profiles, const py::object& policy,
                            const py::object& make_policy, const py::object& progress) {
  Request request{std::move(name),  std::move(text),     overrides_of(overrides),
                  std::move(trace), std::move(profiles), {}};
  const Policies policies{policy, make_policy};
  if (!policy.is_none()) request.policy = policy.attr("name").cast<std::string>();
  const py::gil_scoped_release release;
  return std::make_unique<Result>(run_request(
      std::move(request), policies, [&](const Progress& now) { call_python(now, progress); }));
}

}  // namespace

void bind_runs(py::module_& module) {
  module.def("run", &run, py::arg("name"), py::arg("text"), py::arg("overrides"), py::arg("trace"),
             py::arg("profiles"), py::arg("policy"), py::arg("make_policy"), py::arg("progress"));
}

}  // namespace mosim::python
