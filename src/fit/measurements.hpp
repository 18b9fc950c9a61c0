#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kalaba/system.hpp"

namespace kalaba::fit {

/// One measured number.
struct Reading {
  std::size_t time = 0;    ///< into Measurements::times
  std::size_t column = 0;  ///< into Measurements::columns
  double value = 0;
};

/// Coordinates and rates of one motion, measured at some times. A number that is missing is no reading.
struct Measurements {
  std::vector<double> times;         ///< s, ascending, each once
  std::vector<std::string> columns;  ///< coordinates, rates, energy and invariants by name
  std::vector<double> sigmas;        ///< standard deviation of each column; none: unknown, the same for all numbers
  std::vector<Reading> readings;     ///< in order of time
  std::vector<std::string> notes;    ///< what to know of them, a line each
};

/// Reads a CSV table: a first line of names, a column `t` or `time` (s), in any order, and coordinates and rates by
/// their names; a cell that is empty or nan is missing. `wanted`: of the columns those that are read; none: all.
/// Throws Error naming the file and the line.
Measurements read_measurements(const std::string& path, const SystemInfo& system,
                               const std::vector<std::string>& wanted);

/// Likewise from columns in memory, NaN where a number is missing. `name`: how messages call them.
Measurements measurements_of(const std::string& name, const SystemInfo& system, const std::vector<double>& times,
                             const std::vector<std::string>& columns, const std::vector<std::vector<double>>& numbers);

}  // namespace kalaba::fit
