// A policy that is a Python object.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <span>
#include <vector>

#include "mosim/scenario.hpp"

namespace mosim::python {

// The policies of a run: `first`, an object of mosim.Policy, and when it is `per_virtual_cluster`
// one that `make` gives for each further virtual cluster. Call with the GIL.
[[nodiscard]] std::vector<ActivePolicy> python_policies(const pybind11::object& first,
                                                        const pybind11::object& make,
                                                        const PreparedRun& run);

}  // namespace mosim::python
