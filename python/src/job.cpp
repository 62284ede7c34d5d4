// `Job` and `Jobs` of Python.
#include "columns.hpp"
#include "desk.hpp"
#include "place.hpp"

namespace py = pybind11;

namespace mosim::python {
namespace {

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

template <typename Get>
void read(py::class_<JobHandle>& type, const char* name, Get get) {
  type.def_property_readonly(name, [get](const JobHandle& job) { return get(job.view()); });
}

// What a job asks for; it does not change.
void bind_request(py::class_<JobHandle>& type) {
  read(type, "submit_s", [](const JobView& job) { return job.submit_s(); });
  read(type, "gpus", [](const JobView& job) { return job.gpus(); });
  read(type, "workers", [](const JobView& job) { return job.request().workers; });
  read(type, "gpus_per_worker", [](const JobView& job) { return job.request().gpus_per_worker; });
  read(type, "cpus_per_worker", [](const JobView& job) { return job.request().cpus_per_worker; });
  read(type, "memory_mb_per_worker",
       [](const JobView& job) { return job.request().memory_mb_per_worker; });
  read(type, "gpu_milli", [](const JobView& job) { return job.request().gpu_milli; });
  type.def_property_readonly("gpu_type", [](const JobHandle& job) -> py::object {
    const GpuTypeId gpu = job.view().request().gpu_type;
    if (gpu == kAnyGpuType) return py::none();
    return to_str(job.desk->gpu_types().at(index(gpu)));
  });
}

void bind_facts(py::class_<JobHandle>& type) {
  read(type, "priority", [](const JobView& job) { return job.facts().priority; });
  read(type, "deadline_s", [](const JobView& job) { return job.facts().deadline_s; });
  read(type, "estimate_s", [](const JobView& job) { return job.facts().estimate_s; });
  read(type, "skew", [](const JobView& job) { return job.facts().skew; });
  read(type, "checkpoint_bytes", [](const JobView& job) { return job.facts().checkpoint_bytes; });
  const auto text = [&](const char* name, std::string TraceJob::* member) {
    type.def_property_readonly(
        name, [member](const JobHandle& job) { return to_str(job.traced().*member); });
  };
  text("id", &TraceJob::id);
  text("model", &TraceJob::model);
  text("user", &TraceJob::user);
  text("virtual_cluster", &TraceJob::virtual_cluster);
}

void bind_state(py::class_<JobHandle>& type) {
  read(type, "stage", [](const JobView& job) { return stage_name(job.stage()); });
  read(type, "held_gpus", [](const JobView& job) { return job.held_gpus(); });
  read(type, "elapsed_s", [](const JobView& job) { return job.elapsed_s(); });
  read(type, "stage_s", [](const JobView& job) { return job.stage_s(); });
  read(type, "served_s", [](const JobView& job) { return job.served_s(); });
  read(type, "attained_service", [](const JobView& job) { return job.attained_service(); });
  read(type, "estimate_left_s", [](const JobView& job) { return job.estimate_left_s(); });
  read(type, "preemptions", [](const JobView& job) { return job.preemptions(); });
  const auto ask = [&](const char* name, auto of) {
    type.def_property_readonly(
        name, [of](const JobHandle& job) { return of(job.desk->view(), job.index); });
  };
  using View = const SchedulerView&;
  ask("contention", [](View view, JobIndex job) { return view.contention_factor(job); });
  ask("preemptible_at_s", [](View view, JobIndex job) { return view.preemptible_at_s(job); });
  ask("remaining_s", [](View view, JobIndex job) { return view.remaining_s(job); });
  type.def_property_readonly("place", [](const JobHandle& job) {
    return place_of(*job.desk, job.desk->view().groups_of(job.index));
  });
}

std::size_t count(const JobsHandle& jobs) {
  const SchedulerView& view = jobs.desk->view();
  return jobs.stage == JobStage::waiting ? view.waiting_count() : view.running_count();
}

bool contains(const JobsHandle& jobs, const py::object& job) {
  return py::isinstance<JobHandle>(job) &&
         jobs.set().contains(jobs.desk->own(job.cast<const JobHandle&>()));
}

}  // namespace

void bind_job(py::module_& module) {
  py::class_<JobHandle> job(module, "Job");
  job.def_property_readonly("index", [](const JobHandle& one) { return index(one.index); })
      .def("__repr__", [](const JobHandle& one) {
        return "<mosim.Job " + std::to_string(index(one.index)) + ">";
      });
  bind_request(job);
  bind_facts(job);
  bind_state(job);
  py::class_<JobsHandle>(module, "Jobs")
      .def("__iter__", &iterate)
      .def("__len__", &count)
      .def("__contains__", &contains);
}

}  // namespace mosim::python
