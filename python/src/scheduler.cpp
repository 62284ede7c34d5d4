// `SchedulerView` and `Scheduler` of Python.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "columns.hpp"
#include "desk.hpp"
#include "place.hpp"

namespace py = pybind11;

namespace mosim::python {
namespace {

using View = py::class_<Desk, std::shared_ptr<Desk>>;
using Actions = py::class_<ActionDesk, Desk, std::shared_ptr<ActionDesk>>;

std::uint32_t free_gpus(const ClusterState& cluster, ServerId server) {
  return cluster.accepting(server) ? cluster.free_gpus(server) : 0;
}

std::uint32_t free_cpus(const ClusterState& cluster, ServerId server) {
  const bool limited = cluster.accepting(server) && cluster.cpus(server) > 0;
  return limited ? cluster.free_cpus(server) : 0;
}

std::uint64_t all_free_gpus(const Desk& desk) {
  const ClusterState& cluster = desk.view().cluster();
  std::uint64_t free = 0;
  for (std::uint32_t i = 0; i < cluster.servers(); ++i) free += free_gpus(cluster, ServerId{i});
  return free;
}

// A property that is an array with value(cluster, server) of each server.
template <typename Value>
void by_server(View& type, const char* name, Value value) {
  type.def_property_readonly(name, [value](const Desk& desk) {
    const ClusterState& cluster = desk.view().cluster();
    return computed_column(cluster.servers(), [&](std::size_t i) {
      return static_cast<std::int64_t>(value(cluster, ServerId{static_cast<std::uint32_t>(i)}));
    });
  });
}

void bind_cluster(View& type) {
  using Cluster = const ClusterState&;
  by_server(type, "free_gpus_per_server", &free_gpus);
  by_server(type, "free_cpus_per_server", &free_cpus);
  by_server(type, "gpus_per_server", [](Cluster of, ServerId id) { return of.gpus(id); });
  by_server(type, "cpus_per_server", [](Cluster of, ServerId id) { return of.cpus(id); });
  by_server(type, "rack_per_server", [](Cluster of, ServerId id) { return of.rack(id); });
  by_server(type, "gpu_type_per_server",
            [](Cluster of, ServerId id) { return index(of.gpu_type(id)); });
  type.def_property_readonly("free_gpus", &all_free_gpus)
      .def_property_readonly("gpu_types", &Desk::gpu_types);
}

// The servers of each pool that the job may use.
py::list pools_of(const Desk& desk, const JobHandle& job) {
  const ClusterState& cluster = desk.view().cluster();
  py::list pools;
  for (const PoolId pool : desk.view().pools_of(desk.own(job))) {
    std::vector<std::int64_t> servers;
    for (std::uint32_t i = 0; i < cluster.servers(); ++i) {
      if (cluster.in_pool(ServerId{i}, pool)) servers.push_back(i);
    }
    pools.append(computed_column(servers.size(), [&](std::size_t i) { return servers[i]; }));
  }
  return pools;
}

py::array gpu_rooms(const Desk& desk, std::uint32_t server) {
  const ClusterState& cluster = desk.view().cluster();
  if (server >= cluster.servers()) throw py::index_error("there is no such server");
  const auto rooms = cluster.gpu_rooms(ServerId{server});
  return computed_column(rooms.size(), [&](std::size_t i) { return std::int64_t{rooms[i]}; });
}

py::object find_place(const Desk& desk, const JobHandle& job, std::uint32_t workers) {
  std::vector<WorkerGroup> groups;
  if (!desk.view().find_place(desk.own(job), groups, workers)) return py::none();
  return place_of(desk, groups);
}

double added_slowdown(const Desk& desk, const JobHandle& handle, const py::dict& place) {
  const JobIndex job = desk.own(handle);
  return desk.view().added_slowdown(job, groups_of(desk, job, place));
}

void bind_questions(View& type) {
  const auto ask = [&](const char* name, auto of) {
    type.def(
        name,
        [of](const Desk& desk, const JobHandle& job) { return of(desk.view(), desk.own(job)); },
        py::arg("job"));
  };
  using Seen = const SchedulerView&;
  ask("quota_left", [](Seen view, JobIndex job) { return view.quota_left(job); });
  ask("fit_class", [](Seen view, JobIndex job) { return view.fit_class(job); });
  ask("may_preempt", [](Seen view, JobIndex job) { return view.may_preempt(job); });
  type.def(
          "may_resize",
          [](const Desk& desk, const JobHandle& job, std::uint32_t workers) {
            return desk.view().may_resize(desk.own(job), workers);
          },
          py::arg("job"), py::arg("workers"))
      .def("find_place", &find_place, py::arg("job"), py::arg("workers") = 0)
      .def("added_slowdown", &added_slowdown, py::arg("job"), py::arg("place"))
      .def("pools_of", &pools_of, py::arg("job"))
      .def("gpu_rooms", &gpu_rooms, py::arg("server"));
}

py::object job_at(Desk& desk, std::uint32_t job) {
  static_cast<void>(desk.view());
  return desk.job(JobIndex{job});
}

void started(Desk& desk, JobIndex job) {
  desk.waiting.erase(job);
  desk.running.insert(job);
}

bool try_start(ActionDesk& desk, const JobHandle& handle, std::uint32_t workers) {
  const JobIndex job = desk.own(handle);
  if (!desk.scheduler().try_start(job, workers)) return false;
  started(desk, job);
  return true;
}

void start(ActionDesk& desk, const JobHandle& handle, const py::dict& place) {
  const JobIndex job = desk.own(handle);
  desk.scheduler().start(job, groups_of(desk, job, place));
  started(desk, job);
}

void preempt(ActionDesk& desk, const JobHandle& handle) {
  const JobIndex job = desk.own(handle);
  desk.scheduler().preempt(job);
  desk.running.erase(job);
  desk.waiting.insert(job);
}

bool try_resume(ActionDesk& desk, const JobHandle& handle) {
  const JobIndex job = desk.own(handle);
  if (!desk.scheduler().try_resume(job)) return false;
  started(desk, job);
  return true;
}

void migrate(ActionDesk& desk, const JobHandle& handle, const py::dict& place) {
  const JobIndex job = desk.own(handle);
  desk.scheduler().migrate(job, groups_of(desk, job, place));
}

void resize(ActionDesk& desk, const JobHandle& handle, const py::dict& place) {
  const JobIndex job = desk.own(handle);
  desk.scheduler().resize(job, groups_of(desk, job, place));
}

void wake_at(ActionDesk& desk, double time_s) { desk.scheduler().wake_at(time_s); }

}  // namespace

void bind_scheduler(py::module_& module) {
  View view(module, "SchedulerView", py::dynamic_attr());
  view.def_property_readonly("now", [](const Desk& desk) { return desk.view().now_s(); })
      .def_property_readonly("jobs", [](const Desk& desk) { return desk.view().jobs(); })
      .def("job", &job_at, py::arg("index"));
  bind_cluster(view);
  bind_questions(view);
  Actions(module, "Scheduler")
      .def("try_start", &try_start, py::arg("job"), py::arg("workers") = 0)
      .def("start", &start, py::arg("job"), py::arg("place"))
      .def("preempt", &preempt, py::arg("job"))
      .def("try_resume", &try_resume, py::arg("job"))
      .def("migrate", &migrate, py::arg("job"), py::arg("place"))
      .def("resize", &resize, py::arg("job"), py::arg("place"))
      .def("wake_at", &wake_at, py::arg("time_s"));
}

}  // namespace mosim::python
