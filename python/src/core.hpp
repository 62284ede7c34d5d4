// The parts of the extension module `mosim._core`, which the Python files of the package wrap.
#pragma once

#include <pybind11/pybind11.h>

namespace mosim::python {

// C++ exceptions as those of mosim/_errors.py.
void bind_errors();

// `run`, from a scenario to a `Result`.
void bind_runs(pybind11::module_& module);

// `Result`: tables, summary, files.
void bind_results(pybind11::module_& module);

// Traces in memory.
void bind_traces(pybind11::module_& module);

}  // namespace mosim::python
