// The Python module kalaba._kalaba: what the package's Python stands on.

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "backend/compiled/host_compiler.hpp"
#include "bindings.hpp"
#include "cli/build_info.hpp"
#include "cli/cli.hpp"
#include "formula/graph/functions.hpp"
#include "kalaba/error.hpp"
#include "output/netcdf/netcdf_file.hpp"

namespace kalaba::python {
namespace {

/// Every Error as _kalaba.Error(code, message), which the package raises as one of its own exceptions.
void translate(const std::exception_ptr& thrown, void* type) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::object arguments = nb::make_tuple(static_cast<int>(error.code()), std::string(error.what()));
    PyErr_SetObject(static_cast<PyObject*>(type), arguments.ptr());
  }
}

int command_line(const std::vector<std::string>& words) {
  std::vector<const char*> arguments;
  for (const std::string& each : words) arguments.push_back(each.c_str());
  const nb::gil_scoped_release no_gil;
  return run_cli(static_cast<int>(arguments.size()), arguments.data());
}

/// Sets the command of the compiler for machines without one, and the advice to users if that is missing too.
void set_spare(const std::vector<std::string>& words, const std::string& advice) {
  set_spare_compiler({words, advice});
}

/// Elementary functions of expressions: name, name in Python, name in NumPy, least and greatest number of arguments,
/// meaning.
std::vector<std::tuple<std::string, std::string, std::string, int, int, std::string>> functions() {
  std::vector<std::tuple<std::string, std::string, std::string, int, int, std::string>> all;
  for (const formula::Function* each : formula::all_functions()) {
    if (each->compose != nullptr) continue;
    const std::string_view python = each->python.empty() ? each->name : each->python;
    const std::string_view numpy = each->numpy.empty() ? python : each->numpy;
    all.emplace_back(each->name, python, numpy, each->least, each->most, each->meaning);
  }
  return all;
}

}  // namespace
}  // namespace kalaba::python

NB_MODULE(_kalaba, module) {
  using namespace kalaba::python;
  nb::set_leak_warnings(false);  // objects of modules that outlive the interpreter are no fault of ours
  PyObject* const error = PyErr_NewException("kalaba._kalaba.Error", nullptr, nullptr);
  module.attr("Error") = nb::borrow(error);
  nb::register_exception_translator(translate, error);
  module.attr("version") = kalaba::build_info.version;
  module.attr("commit") = kalaba::build_info.commit;
  module.attr("arch") = kalaba::build_info.arch;
  module.def("command_line", command_line);
  module.def("functions", functions);
  module.def("set_spare_compiler", set_spare);
  bind_dataset(module);
  bind_scenario(module);
  bind_run(module);
  bind_fit(module);
}
