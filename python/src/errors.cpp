#include <fmt/format.h>

#include "columns.hpp"
#include "core.hpp"
#include "mosim/policy.hpp"

namespace py = pybind11;

namespace mosim::python {
namespace {

void raise(const char* name, const py::object& argument) {
  const py::object type = py::module_::import("mosim._errors").attr(name);
  PyErr_SetObject(type.ptr(), type(argument).ptr());
}

// Names in an input may be no UTF-8.
py::str text_of(const std::string& text) { return to_str(text, "backslashreplace"); }

// (file, line, column, message) of each thing that is wrong.
py::list diagnostics_of(const InputError& error) {
  py::list diagnostics;
  for (const Diagnostic& one : error.diagnostics()) {
    const auto& [file, position] = one.where;
    const std::string place = fmt::format("{}:{}:{}: ", file, position.line, position.column);
    diagnostics.append(py::make_tuple(text_of(file), position.line, position.column,
                                      text_of(one.text().substr(place.size()))));
  }
  return diagnostics;
}

}  // namespace

void bind_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      raise("InputError", diagnostics_of(error));
    } catch (const InvalidAction& error) {
      raise("InvalidAction", text_of(error.what()));
    } catch (const RunError& error) {
      raise("RunError", text_of(error.what()));
    }
  });
}

}  // namespace mosim::python
