#include "place.hpp"

namespace py = pybind11;

namespace mosim::python {
namespace {

std::uint32_t number(const py::handle& value) {
  try {
    return value.cast<std::uint32_t>();
  } catch (const py::cast_error&) {
    throw py::value_error("a place has " + py::repr(value).cast<std::string>() +
                          "; expected workers by server, both of them integers from 0");
  }
}

// Of the place: kWholeGpus when it says nothing.
std::uint32_t gpu_of(const py::dict& place) {
  const py::object gpu = py::getattr(place, "gpu", py::none());
  return gpu.is_none() ? kWholeGpus : number(gpu);
}

}  // namespace

py::object place_of(const Desk& desk, std::span<const WorkerGroup> groups) {
  py::object place = desk.new_place();
  for (const WorkerGroup& group : groups) {
    place[py::int_(index(group.server))] = group.workers;
    if (group.gpu != kWholeGpus) place.attr("gpu") = group.gpu;
  }
  return place;
}

std::vector<WorkerGroup> groups_of(const Desk& desk, JobIndex job, const py::dict& place) {
  const ClusterState& cluster = desk.view().cluster();
  const ResourceRequest& request = desk.view().job(job).request();
  const std::uint32_t gpu = gpu_of(place);
  std::vector<WorkerGroup> groups;
  groups.reserve(place.size());
  for (const auto& [server, workers] : place) {
    WorkerGroup group{ServerId{number(server)}, number(workers), gpu};
    const bool is_there = index(group.server) < cluster.servers();
    if (request.shares_gpu() && gpu == kWholeGpus && is_there) {
      group.gpu = cluster.choose_gpu(group.server, request);
    }
    groups.push_back(group);
  }
  return groups;
}

}  // namespace mosim::python
