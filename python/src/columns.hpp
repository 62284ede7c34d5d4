// Columns of tables for Python: numbers as numpy arrays, names as lists of str.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mosim::python {

// A member of every item of `items` as an array over the items themselves, which `owner` keeps
// alive. It cannot be written to: the items are the run's result.
template <typename Item, typename Value>
pybind11::array view_column(const std::vector<Item>& items, Value Item::* member,
                            const pybind11::handle& owner) {
  if (items.empty()) return pybind11::array_t<Value>(0);
  pybind11::array_t<Value> column({items.size()}, {sizeof(Item)}, &(items.front().*member), owner);
  column.attr("flags").attr("writeable") = false;
  return column;
}

// The array of value(0), value(1), ...
template <typename Value>
auto computed_column(std::size_t size, const Value& value) {
  pybind11::array_t<decltype(value(std::size_t{0}))> column(static_cast<pybind11::ssize_t>(size));
  auto out = column.template mutable_unchecked<1>();
  for (std::size_t i = 0; i < size; ++i) out(static_cast<pybind11::ssize_t>(i)) = value(i);
  return column;
}

// Bytes that are no UTF-8 become replacement characters, as in summary.json, or what else `errors`
// of Python's bytes.decode says.
inline pybind11::str to_str(std::string_view text, const char* errors = "replace") {
  PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), errors);
  if (made == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::str>(made);
}

// Names as str objects, one for all that are equal.
class Names {
 public:
  pybind11::str operator()(const std::string& text) {
    const auto found = known_.find(text);
    if (found != known_.end()) return found->second;
    return known_.emplace(text, to_str(text)).first->second;
  }

 private:
  std::unordered_map<std::string, pybind11::str> known_;
};

// The list of the names of value(0), value(1), ...
template <typename Value>
pybind11::list name_column(std::size_t size, const Value& value) {
  Names names;
  pybind11::list column(size);
  for (std::size_t i = 0; i < size; ++i) column[i] = names(value(i));
  return column;
}

}  // namespace mosim::python
