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

/// Coordinates and rates of one motion, measured at some times. A missing number has no reading.
struct Measurements {
  std::vector<double> times;         ///< s, ascending, without duplicates
  std::vector<std::string> columns;  ///< coordinates, rates, energy and invariants by name
  std::vector<double> sigmas;        ///< standard deviation of each column; empty: unknown, equal for all numbers
  std::vector<Reading> readings;     ///< in order of time
  std::vector<std::string> notes;    ///< notes for the user, one per line
};

/// Reads a CSV table: a first line of names, a column `t` or `time` (s), in any order, and coordinates and rates by
/// their names; a cell that is empty or nan is missing. The last argument selects columns; if it is empty, all are
/// read. Throws Error with the file and the line.
Measurements read_measurements(const std::string& path, const SystemInfo& system,
                               const std::vector<std::string>& requested);

/// As above, from columns in memory; NaN if a number is missing. `name`: name of the data in messages.
Measurements measurements_of(const std::string& name, const SystemInfo& system, const std::vector<double>& times,
                             const std::vector<std::string>& columns, const std::vector<std::vector<double>>& numbers);

}  // namespace kalaba::fit
