// Places in Python (mosim/_place.py) and the engine's groups of workers.
#pragma once

#include <pybind11/pybind11.h>

#include <span>
#include <vector>

#include "desk.hpp"

namespace mosim::python {

[[nodiscard]] pybind11::object place_of(const Desk& desk, std::span<const WorkerGroup> groups);

// Chooses the GPU of a job that shares one when the place has none. Throws ValueError of Python
// when it is no place; whether the job can be there is the engine's to say.
[[nodiscard]] std::vector<WorkerGroup> groups_of(const Desk& desk, JobIndex job,
                                                 const pybind11::dict& place);

}  // namespace mosim::python
