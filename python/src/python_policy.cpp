#include "python_policy.hpp"

#include <fmt/format.h>

#include "desk.hpp"

namespace py = pybind11;

namespace mosim::python {
namespace {

// The method of the policy, or nothing where it is the base class's that does nothing.
py::object method_of(const py::object& policy, const char* name) {
  const py::object base = py::module_::import("mosim._policy").attr("Policy");
  const py::object type = py::type::of(policy);
  if (type.attr(name).is(base.attr(name))) return {};
  return policy.attr(name);
}

class PythonPolicy : public Policy {
 public:
  // With the GIL.
  PythonPolicy(const py::object& policy, std::string name, const PreparedRun& run)
      : name_(std::move(name)),
        desk_(std::make_shared<ActionDesk>(run)),
        scheduler_(py::cast(desk_)),
        decide_(policy.attr("decide")),
        on_submit_(method_of(policy, "on_submit")),
        on_requeue_(method_of(policy, "on_requeue")),
        on_end_(method_of(policy, "on_end")) {
    if (!on_requeue_) on_requeue_ = on_submit_;
    // Attributes of the object, as they are read faster than properties.
    scheduler_.attr("waiting") = py::cast(JobsHandle{desk_, JobStage::waiting});
    scheduler_.attr("running") = py::cast(JobsHandle{desk_, JobStage::running});
  }

  PythonPolicy(const PythonPolicy&) = delete;
  PythonPolicy& operator=(const PythonPolicy&) = delete;

  ~PythonPolicy() override {
    const py::gil_scoped_acquire acquire;
    desk_->close();
    for (py::object* held : {&scheduler_, &decide_, &on_submit_, &on_requeue_, &on_end_}) {
      *held = py::object();
    }
  }

  void on_submit(const SchedulerView& view, JobIndex job) override {
    desk_->waiting.insert(job);
    tell(on_submit_, view, job);
  }

  void on_requeue(const SchedulerView& view, JobIndex job) override {
    desk_->running.erase(job);
    desk_->waiting.insert(job);
    tell(on_requeue_, view, job);
  }

  void on_end(const SchedulerView& view, JobIndex job) override {
    desk_->running.erase(job);
    tell(on_end_, view, job);
  }

  void decide(Scheduler& scheduler) override {
    call(scheduler, &scheduler,
         [&] { return PyObject_CallOneArg(decide_.ptr(), scheduler_.ptr()); });
  }

 private:
  void tell(const py::object& method, const SchedulerView& view, JobIndex job) {
    if (!method) return;
    call(view, nullptr, [&] {
      return PyObject_CallFunctionObjArgs(method.ptr(), scheduler_.ptr(), desk_->job(job).ptr(),
                                          nullptr);
    });
  }

  template <typename Call>
  void call(const SchedulerView& view, Scheduler* scheduler, const Call& python) {
    const py::gil_scoped_acquire acquire;
    desk_->open(&view, scheduler);
    PyObject* result = python();
    desk_->open(nullptr, nullptr);
    if (result == nullptr) fail(view.now_s());
    Py_DECREF(result);
  }

  // The exception comes out of the run as it is, with a note that says where it was raised.
  [[noreturn]] void fail(double now_s) const {
    py::error_already_set error;
    if (py::hasattr(error.value(), "add_note")) {
      error.value().attr("add_note")(fmt::format("in policy '{}' at {} s", name_, now_s));
    }
    throw std::move(error);
  }

  std::string name_;
  std::shared_ptr<ActionDesk> desk_;
  py::object scheduler_;
  py::object decide_, on_submit_, on_requeue_, on_end_;  // bound methods; null: nothing to call
};

PolicyNeeds needs_of(const py::object& policy) {
  PolicyNeeds needs;
  for (const py::handle one : policy.attr("needs")) {
    const auto name = py::str(one).cast<std::string>();
    if (name == "remaining_time") {
      needs.remaining_time = true;
    } else if (name == "estimates") {
      needs.estimates = true;
    } else if (name == "deadlines") {
      needs.deadlines = true;
    } else {
      throw py::value_error(
          fmt::format("needs has '{}'; expected remaining_time, estimates or deadlines", name));
    }
  }
  return needs;
}

ActivePolicy active(const py::object& policy, const PreparedRun& run) {
  ActivePolicy active;
  active.name = policy.attr("name").cast<std::string>();
  active.needs = needs_of(policy);
  active.spans_virtual_clusters = !policy.attr("per_virtual_cluster").cast<bool>();
  active.policy = std::make_shared<PythonPolicy>(policy, active.name, run);
  return active;
}

}  // namespace

std::vector<ActivePolicy> python_policies(const py::object& first, const py::object& make,
                                          const PreparedRun& run) {
  std::vector<ActivePolicy> policies;
  policies.push_back(active(first, run));
  if (policies.front().spans_virtual_clusters) return policies;
  while (policies.size() < run.cluster.virtual_clusters.size()) {
    policies.push_back(active(make(), run));
  }
  return policies;
}

}  // namespace mosim::python
