// What a policy in Python works at: the view and the actions of its run, while they are there.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "job_set.hpp"
#include "mosim/policy.hpp"
#include "mosim/trace.hpp"

namespace mosim::python {

class Desk;

// A job of a run, as Python holds it.
struct JobHandle {
  std::shared_ptr<Desk> desk;
  JobIndex index{};

  [[nodiscard]] JobView view() const;
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
  Desk(std::size_t jobs, std::span<const TraceJob> trace)
      : waiting(jobs), running(jobs), trace_(trace), jobs_(jobs) {}

  virtual ~Desk() = default;
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  // Throw RuntimeError of Python outside of the policy's own calls, and for actions outside of
  // `decide`.
  [[nodiscard]] const SchedulerView& view() const;
  [[nodiscard]] Scheduler& scheduler() const;

  // The one Python object of a job.
  [[nodiscard]] const pybind11::object& job(JobIndex index);
  // What the trace says of it.
  [[nodiscard]] const TraceJob& traced(JobIndex index) const;
  // The job of an argument, which must be of this run.
  [[nodiscard]] JobIndex own(const JobHandle& job) const;

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
  std::vector<pybind11::object> jobs_;  // made when they are asked for
};

// The desk with what `decide` may do.
class ActionDesk : public Desk {
 public:
  using Desk::Desk;
};

// `Scheduler`, `SchedulerView`, `Job` and `Jobs` of Python.
void bind_desk(pybind11::module_& module);
// The iterator over `Jobs`.
pybind11::object iterate(const pybind11::object& jobs);

}  // namespace mosim::python
