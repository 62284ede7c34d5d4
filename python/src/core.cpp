#include "core.hpp"

#include <pybind11/stl.h>

#include "mosim/schedule.hpp"

namespace py = pybind11;

namespace mosim::python {
namespace {

// (kind, name, summary) of each that is registered.
std::vector<std::tuple<std::string, std::string, std::string>> list_policies() {
  std::vector<std::tuple<std::string, std::string, std::string>> all;
  for (const auto& entry : policies().queues())
    all.emplace_back("queue", entry.name, entry.summary);
  for (const auto& entry : policies().placements()) {
    all.emplace_back("placement", entry.name, entry.summary);
  }
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
  bind_results(module);
  bind_runs(module);
}
