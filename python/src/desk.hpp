// What a policy in Python works at: the view and the actions of its run, while they are there.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "job_set.hpp"
#include "mosim/policy.hpp"
#include "mosim/scenario.hpp"

namespace mosim::python {

class Desk;

// A job of a run, as Python holds it.
struct JobHandle {
  std::shared_ptr<Desk> desk;
  JobIndex index{};

  [[nodiscard]] JobView view() const;
  // What the trace says of it.
  [[nodiscard]] const TraceJob& traced() const;
};

// The waiting or the running jobs. Walking them sees changes: a job that left is not reached, and
// no list is made.
struct JobsHandle {
  std::shared_ptr<Desk> desk;
  JobStage stage{};

  [[nodiscard]] const JobSet& set() const;
};

class Desk : public std::enable_shared_from_this<Desk> {
 public:
  // With the GIL.
  explicit Desk(const PreparedRun& run);

  virtual ~Desk() = default;
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  // Throw RuntimeError of Python outside of the policy's own calls, and for actions outside of
  // `decide`.
  [[nodiscard]] const SchedulerView& view() const;
  [[nodiscard]] Scheduler& scheduler() const;

  // The one Python object of a job.
  [[nodiscard]] const pybind11::object& job(JobIndex index);
  // The job of an argument, which must be of this run.
  [[nodiscard]] JobIndex own(const JobHandle& job) const;

  [[nodiscard]] std::span<const TraceJob> trace() const { return trace_; }
  [[nodiscard]] const std::vector<std::string>& gpu_types() const { return gpu_types_; }
  // An empty mosim.Place.
  [[nodiscard]] pybind11::object new_place() const { return place_type_(); }

  // The call at hand; null pointers when there is none.
  void open(const SchedulerView* view, Scheduler* scheduler) {
    view_ = view;
    scheduler_ = scheduler;
  }
  // The run is over: objects of jobs that Python still holds stay, and know nothing any more.
  void close();

  JobSet waiting;
  JobSet running;

 private:
  const SchedulerView* view_ = nullptr;
  Scheduler* scheduler_ = nullptr;
  std::span<const TraceJob> trace_;
  std::vector<std::string> gpu_types_;
  pybind11::object place_type_;
  std::vector<pybind11::object> jobs_;  // made when they are asked for
};

// The desk with what `decide` may do.
class ActionDesk : public Desk {
 public:
  using Desk::Desk;
};

// `Job` and `Jobs` of Python, and its `SchedulerView` and `Scheduler`.
void bind_job(pybind11::module_& module);
void bind_scheduler(pybind11::module_& module);
// The iterator over `Jobs`.
pybind11::object iterate(const pybind11::object& jobs);

}  // namespace mosim::python
