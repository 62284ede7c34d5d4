#include <pybind11/stl.h>

#include "core.hpp"
#include "mosim/scenario.hpp"

namespace py = pybind11;

namespace mosim::python {
namespace {

// Reads a trace in the mosim CSV format for what is wrong with it; every job counts, however it
// ended. Returns how many there are.
std::size_t check_trace(const std::string& name, const std::string& csv) {
  const py::gil_scoped_release release;
  TraceOptions options{.file = name, .format = "mosim"};
  const auto treat = [&](Finding finding, Treatment treatment) {
    options.treatments[static_cast<std::size_t>(finding)] = treatment;
  };
  treat(Finding::unfinished, Treatment::as_ended);
  treat(Finding::zero_gpus, Treatment::one_gpu);
  treat(Finding::negative_duration, Treatment::zero);
  return read_trace(options, csv).jobs.size();
}

// The trace that a scenario names, in the mosim CSV format, what was said of it, and its jobs.
std::tuple<std::string, std::string, std::size_t> read_as_csv(const std::string& name,
                                                              const std::string& text) {
  const py::gil_scoped_release release;
  const Scenario scenario = parse_scenario(name, text, {});
  const TraceOptions options = trace_options(scenario);
  const Trace trace = read_trace(options);
  std::string csv;
  write_trace(trace, "mosim", [&](std::string_view part) { csv += part; });
  return {std::move(csv), describe_account(trace, options), trace.jobs.size()};
}

}  // namespace

void bind_traces(py::module_& module) {
  module.def("check_trace", &check_trace, py::arg("name"), py::arg("csv"));
  module.def("read_as_csv", &read_as_csv, py::arg("name"), py::arg("text"));
}

}  // namespace mosim::python
