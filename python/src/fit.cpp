// Fits: without the GIL, stopped by Ctrl-C between their runs.

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stop_token>
#include <tuple>
#include <utility>

#include "backend/interruption.hpp"
#include "bindings.hpp"
#include "cli/fit_table.hpp"
#include "cli/fit_task.hpp"
#include "fit/json.hpp"

namespace kalaba::python {
namespace {

/// Result of a fit for Python.
struct PythonFit {
  std::string text;
  std::string json;
  std::vector<std::string> complaints;
  bool has_estimate = false;
  std::vector<double> times;  ///< of the numbers
  std::vector<std::size_t> columns;
  std::vector<double> residuals;
};

/// Measured numbers in memory; or in the file `path`.
struct PythonData {
  std::string path;
  std::vector<std::string> columns;
  std::vector<double> times;
  std::vector<std::vector<double>> numbers;
};

fit::Measurements measurements_of(const PythonData& data, const SystemInfo& system) {
  if (!data.path.empty()) return fit::read_measurements(data.path, system, data.columns);
  return fit::measurements_of("data", system, data.times, data.columns, data.numbers);
}

PythonFit result_of(const fit::Problem& problem, const fit::Fit& found) {
  PythonFit result;
  result.complaints = fit_complaints(problem, found);
  result.has_estimate = found.has_estimate();
  result.json = fit::fit_json(problem, found, result.complaints.empty() ? 0 : 1, result.complaints);
  if (!result.has_estimate) return result;
  result.text = fit_text(problem, found);
  result.residuals = found.estimate.residuals;
  for (const fit::Reading& each : problem.data.readings) {
    result.times.push_back(problem.data.times[each.time]);
    result.columns.push_back(each.column);
  }
  return result;
}

PythonFit fit_scenario(const std::string& text, const std::string& name, const Columns& columns, const PythonData& data,
                       const std::vector<std::string>& free,
                       const std::vector<std::tuple<std::string, double, double>>& bounds,
                       const std::vector<std::pair<std::string, double>>& sigmas, long starts, int most_iterations,
                       nb::object report) {
  fit::Request request;
  request.free = free;
  for (const auto& [variable, low, high] : bounds) request.bounds.push_back({variable, low, high});
  request.sigmas = sigmas;
  request.starts = starts;
  request.most_iterations = most_iterations;
  std::stop_source stop;
  std::optional<nb::python_error> thrown;
  const auto with_python = [&](const auto& work) {
    const nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      work();
    } catch (nb::python_error& error) {
      thrown.emplace(std::move(error));
      stop.request_stop();
    }
  };
  const auto look = [&](const fit::FitProgress& progress) {
    with_python([&] {
      if (!report.is_none()) report(progress.iteration, progress.searching, progress.least_cost);
    });
  };
  const Interruptible interruptible([&] {  // while a model is compiled
    if (!stop.stop_requested()) with_python([] {});
    return stop.stop_requested();
  });
  const auto work = [&] {
    const nb::gil_scoped_release no_gil;
    Scenario scenario = load_given_scenario(text, name, spans_of(columns));
    fit::check_free(scenario.system->info, free);
    fit::Measurements measured = measurements_of(data, scenario.system->info);
    const FitTask task = prepare_fit(std::move(scenario), std::move(measured), request);
    return result_of(task.problem, fit::fit(task.problem, look, stop.get_token()));
  };
  try {
    return work();
  } catch (const Error&) {
    if (thrown) throw std::move(*thrown);
    throw;
  }
}

}  // namespace

void bind_fit(nb::module_& module) {
  nb::class_<PythonFit>(module, "Fit")
      .def_ro("text", &PythonFit::text)
      .def_ro("json", &PythonFit::json)
      .def_ro("complaints", &PythonFit::complaints)
      .def_ro("has_estimate", &PythonFit::has_estimate)
      .def_ro("times", &PythonFit::times)
      .def_ro("columns", &PythonFit::columns)
      .def_ro("residuals", &PythonFit::residuals);
  nb::class_<PythonData>(module, "FitData")
      .def("__init__", [](PythonData* data, std::string path, std::vector<std::string> columns,
                          std::vector<double> times, std::vector<std::vector<double>> numbers) {
        new (data) PythonData{std::move(path), std::move(columns), std::move(times), std::move(numbers)};
      });
  module.def("fit", fit_scenario, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace kalaba::python
