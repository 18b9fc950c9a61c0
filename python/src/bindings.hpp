#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "output/netcdf/array_dataset.hpp"
#include "scenario/document/given_arrays.hpp"

namespace kalaba::python {

namespace nb = nanobind;

/// A column of numbers that Python owns: one a member.
using Column = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Columns = std::map<std::string, Column>;

inline GivenArrays spans_of(const Columns& columns) {
  GivenArrays arrays;
  for (const auto& [name, column] : columns) arrays[name] = {column.data(), column.size()};
  return arrays;
}

/// Guards the netCDF library, which is not thread-safe. Never locked while the GIL is held.
std::mutex& netcdf_mutex();

/// Numbers as a NumPy array that frees them: [rows] or [rows][columns].
nb::object numpy_of(std::vector<double> numbers, std::vector<std::size_t> shape);

// Parts of the module.
void bind_dataset(nb::module_& module);
void bind_scenario(nb::module_& module);
void bind_run(nb::module_& module);
void bind_fit(nb::module_& module);

}  // namespace kalaba::python
