#include "desk.hpp"

namespace py = pybind11;

namespace mosim::python {

JobView JobHandle::view() const { return desk->view().job(index); }

const TraceJob& JobHandle::traced() const {
  static_cast<void>(view());  // the trace is there as long as it is
  return desk->trace()[mosim::index(index)];
}

Desk::Desk(const PreparedRun& run)
    : waiting(run.jobs.size()),
      running(run.jobs.size()),
      trace_(run.trace.jobs),
      gpu_types_(run.cluster.gpu_types()),
      place_type_(py::module_::import("mosim._place").attr("Place")),
      jobs_(run.jobs.size()) {}

const JobSet& JobsHandle::set() const {
  return stage == JobStage::waiting ? desk->waiting : desk->running;
}

const SchedulerView& Desk::view() const {
  if (view_ != nullptr) return *view_;
  throw std::runtime_error("a scheduler and its jobs can be used only in the calls of the policy");
}

Scheduler& Desk::scheduler() const {
  if (scheduler_ != nullptr) return *scheduler_;
  static_cast<void>(view());
  throw std::runtime_error("actions belong into decide()");
}

const py::object& Desk::job(JobIndex job) {
  if (index(job) >= jobs_.size()) throw py::index_error("there is no such job");
  py::object& object = jobs_[index(job)];
  if (!object) object = py::cast(JobHandle{shared_from_this(), job});
  return object;
}

JobIndex Desk::own(const JobHandle& job) const {
  if (job.desk.get() != this) throw py::value_error("the job is of another run");
  return job.index;
}

void Desk::close() {
  open(nullptr, nullptr);
  std::vector<py::object>().swap(jobs_);
  place_type_ = py::object();
}

}  // namespace mosim::python
