#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "columns.hpp"
#include "desk.hpp"

namespace py = pybind11;

namespace mosim::python {
namespace {

// Workers by server, in the order of the job's ranks.
py::dict place_of(std::span<const WorkerGroup> groups) {
  py::dict place;
  for (const WorkerGroup& group : groups) place[py::int_(index(group.server))] = group.workers;
  return place;
}

std::vector<WorkerGroup> groups_of(const py::dict& place) {
  std::vector<WorkerGroup> groups;
  groups.reserve(place.size());
  for (const auto& [server, workers] : place) {
    groups.push_back({ServerId{server.cast<std::uint32_t>()}, workers.cast<std::uint32_t>()});
  }
  return groups;
}

std::string_view stage_name(JobStage stage) {
  switch (stage) {
    case JobStage::coming:
      return "coming";
    case JobStage::waiting:
      return "waiting";
    case JobStage::running:
      return "running";
    case JobStage::done:
      return "done";
  }
  return "";
}

template <typename Value>
py::array by_server(const Desk& desk, const Value& value) {
  const ClusterState& cluster = desk.view().cluster();
  return computed_column(cluster.servers(), [&](std::size_t server) {
    return static_cast<std::int64_t>(
        value(cluster, ServerId{static_cast<std::uint32_t>(server)}));
  });
}

std::uint32_t free_gpus(const ClusterState& cluster, ServerId server) {
  return cluster.accepting(server) ? cluster.free_gpus(server) : 0;
}

py::object find_place(const Desk& desk, const JobHandle& job, std::uint32_t workers) {
  std::vector<WorkerGroup> groups;
  if (!desk.view().find_place(desk.own(job), groups, workers)) return py::none();
  return place_of(groups);
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
  desk.scheduler().start(job, groups_of(place));
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

void bind_view(py::class_<Desk, std::shared_ptr<Desk>>& type) {
  type.def_property_readonly("now", [](const Desk& desk) { return desk.view().now_s(); })
      .def_property_readonly("free_gpus",
                             [](const Desk& desk) {
                               const ClusterState& cluster = desk.view().cluster();
                               return cluster.gpus_up() - cluster.used_gpus();
                             })
      .def_property_readonly("free_gpus_per_server",
                             [](const Desk& desk) { return by_server(desk, free_gpus); })
      .def_property_readonly(
          "gpus_per_server",
          [](const Desk& desk) {
            return by_server(desk, [](const auto& cluster, auto id) { return cluster.gpus(id); });
          })
      .def_property_readonly(
          "rack_per_server",
          [](const Desk& desk) {
            return by_server(desk, [](const auto& cluster, auto id) { return cluster.rack(id); });
          })
      .def_property_readonly("jobs", [](const Desk& desk) { return desk.view().jobs(); })
      .def("job",
           [](Desk& desk, std::uint32_t job) {
             static_cast<void>(desk.view());
             return desk.job(JobIndex{job});
           })
      .def("find_place", &find_place, py::arg("job"), py::arg("workers") = 0)
      .def("added_slowdown",
           [](const Desk& desk, const JobHandle& job, const py::dict& place) {
             return desk.view().added_slowdown(desk.own(job), groups_of(place));
           })
      .def("quota_left", [](const Desk& desk,
                            const JobHandle& job) { return desk.view().quota_left(desk.own(job)); })
      .def("fit_class", [](const Desk& desk,
                           const JobHandle& job) { return desk.view().fit_class(desk.own(job)); })
      .def("may_preempt", [](const Desk& desk, const JobHandle& job) {
        return desk.view().may_preempt(desk.own(job));
      })
      .def("may_resize", [](const Desk& desk, const JobHandle& job, std::uint32_t workers) {
        return desk.view().may_resize(desk.own(job), workers);
      });
}

void bind_actions(py::class_<ActionDesk, Desk, std::shared_ptr<ActionDesk>>& type) {
  type.def("try_start", &try_start, py::arg("job"), py::arg("workers") = 0)
      .def("start", &start, py::arg("job"), py::arg("place"))
      .def("preempt", &preempt, py::arg("job"))
      .def("try_resume", &try_resume, py::arg("job"))
      .def("migrate",
           [](ActionDesk& desk, const JobHandle& job, const py::dict& place) {
             desk.scheduler().migrate(desk.own(job), groups_of(place));
           },
           py::arg("job"), py::arg("place"))
      .def("resize",
           [](ActionDesk& desk, const JobHandle& job, const py::dict& place) {
             desk.scheduler().resize(desk.own(job), groups_of(place));
           },
           py::arg("job"), py::arg("place"))
      .def("wake_at", [](ActionDesk& desk, double at_s) { desk.scheduler().wake_at(at_s); },
           py::arg("time_s"));
}

void bind_jobs(py::module_& module) {
  py::class_<JobsHandle>(module, "Jobs")
      .def("__iter__", &iterate)
      .def("__len__",
           [](const JobsHandle& jobs) {
             const SchedulerView& view = jobs.desk->view();
             return jobs.stage == JobStage::waiting ? view.waiting_count() : view.running_count();
           })
      .def("__contains__", [](const JobsHandle& jobs, const JobHandle& job) {
        return jobs.set().contains(jobs.desk->own(job));
      });
}

// What a job asks for and is; it does not change.
void bind_facts(py::class_<JobHandle>& type) {
  const auto fact = [&](const char* name, auto get) {
    type.def_property_readonly(name, [get](const JobHandle& job) { return get(job.view()); });
  };
  fact("submit_s", [](const JobView& job) { return job.submit_s(); });
  fact("gpus", [](const JobView& job) { return job.gpus(); });
  fact("workers", [](const JobView& job) { return job.request().workers; });
  fact("gpus_per_worker", [](const JobView& job) { return job.request().gpus_per_worker; });
  fact("priority", [](const JobView& job) { return job.facts().priority; });
  fact("deadline_s", [](const JobView& job) { return job.facts().deadline_s; });
  fact("estimate_s", [](const JobView& job) { return job.facts().estimate_s; });
  fact("skew", [](const JobView& job) { return job.facts().skew; });
  const auto text = [&](const char* name, std::string TraceJob::*member) {
    type.def_property_readonly(name, [member](const JobHandle& job) {
      return Names()(job.desk->traced(job.index).*member);
    });
  };
  text("id", &TraceJob::id);
  text("model", &TraceJob::model);
  text("user", &TraceJob::user);
  text("virtual_cluster", &TraceJob::virtual_cluster);
}

void bind_state(py::class_<JobHandle>& type) {
  const auto state = [&](const char* name, auto get) {
    type.def_property_readonly(name, [get](const JobHandle& job) { return get(job.view()); });
  };
  state("stage", [](const JobView& job) { return stage_name(job.stage()); });
  state("held_gpus", [](const JobView& job) { return job.held_gpus(); });
  state("elapsed_s", [](const JobView& job) { return job.elapsed_s(); });
  state("stage_s", [](const JobView& job) { return job.stage_s(); });
  state("served_s", [](const JobView& job) { return job.served_s(); });
  state("attained_service", [](const JobView& job) { return job.attained_service(); });
  state("estimate_left_s", [](const JobView& job) { return job.estimate_left_s(); });
  state("preemptions", [](const JobView& job) { return job.preemptions(); });
  type.def_property_readonly("place",
                             [](const JobHandle& job) {
                               return place_of(job.desk->view().groups_of(job.index));
                             })
      .def_property_readonly("contention",
                             [](const JobHandle& job) {
                               return job.desk->view().contention_factor(job.index);
                             })
      .def_property_readonly("remaining_s", [](const JobHandle& job) {
        return job.desk->view().remaining_s(job.index);
      });
}

}  // namespace

void bind_desk(py::module_& module) {
  py::class_<JobHandle> job(module, "Job");
  job.def_property_readonly("index", [](const JobHandle& one) { return index(one.index); });
  bind_facts(job);
  bind_state(job);
  bind_jobs(module);
  py::class_<Desk, std::shared_ptr<Desk>> view(module, "SchedulerView", py::dynamic_attr());
  bind_view(view);
  py::class_<ActionDesk, Desk, std::shared_ptr<ActionDesk>> scheduler(module, "Scheduler");
  bind_actions(scheduler);
}

}  // namespace mosim::python
