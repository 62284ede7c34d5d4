#include "core.hpp"

#include "desk.hpp"
#include "mosim/registry.hpp"

namespace py = pybind11;

namespace mosim::python {
namespace {

// (kind, name, summary, source) of each that is registered.
py::list list_policies() {
  py::list all;
  const auto add = [&](const char* kind, const auto& entries) {
    for (const auto& entry : entries) {
      all.append(py::make_tuple(kind, entry.info.name, entry.info.summary, entry.info.source));
    }
  };
  add("queue", policies().queues());
  add("placement", policies().placements());
  return all;
}

}  // namespace
}  // namespace mosim::python

PYBIND11_MODULE(_core, module) {
  using namespace mosim::python;
  module.doc() = "The C++ part of mosim. Use the package `mosim` instead.";
  module.attr("version") = std::string(mosim::version());
  module.def("policies", &list_policies);
  bind_errors();
  bind_traces(module);
  bind_job(module);
  bind_scheduler(module);
  bind_results(module);
  bind_runs(module);
}
