// Written with the C API: the end of an iteration costs no exception of C++, and policies walk jobs
// in every decision.
#include "desk.hpp"

namespace py = pybind11;

namespace mosim::python {
namespace {

struct JobIterator {
  PyObject ob_base;
  PyObject* jobs;  // the object that is walked
  const JobsHandle* handle;
  std::size_t at;  // the next job is here or later
};

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(reinterpret_cast<JobIterator*>(self)->jobs);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* next(PyObject* self) {
  auto* iterator = reinterpret_cast<JobIterator*>(self);
  const JobsHandle& handle = *iterator->handle;
  try {
    static_cast<void>(handle.desk->view());
    const std::size_t job = handle.set().next(iterator->at);
    if (job == JobSet::kNone) return nullptr;
    iterator->at = job + 1;
    return py::object(handle.desk->job(JobIndex{static_cast<std::uint32_t>(job)})).release().ptr();
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

PyTypeObject* make_type() {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&destroy)},
                                {Py_tp_iter, reinterpret_cast<void*>(&PyObject_SelfIter)},
                                {Py_tp_iternext, reinterpret_cast<void*>(&next)},
                                {0, nullptr}};
  static PyType_Spec spec{"mosim._core.JobIterator", sizeof(JobIterator), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (type == nullptr) throw py::error_already_set();
  return type;
}

}  // namespace

py::object iterate(const py::object& jobs) {
  static PyTypeObject* const type = make_type();
  auto* iterator = PyObject_New(JobIterator, type);
  if (iterator == nullptr) throw py::error_already_set();
  iterator->jobs = py::object(jobs).release().ptr();
  iterator->handle = jobs.cast<const JobsHandle*>();
  iterator->at = 0;
  return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(iterator));
}

}  // namespace mosim::python
