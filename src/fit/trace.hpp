#pragma once

#include <stop_token>
#include <vector>

#include "fit/problem.hpp"

namespace kalaba::fit {

/// The measured columns of one motion, and their derivatives, at some times.
struct Trace {
  std::vector<double> times;
  std::vector<std::vector<double>> values;                    ///< [column][time]
  std::vector<std::vector<std::vector<double>>> derivatives;  ///< [column][free variable][time]
  Status status = Status::ok;
};

/// Computes the trace of these values of the free variables; `times`: ascending, within the span of the problem's runs.
Trace trace(const Problem& problem, const std::vector<double>& values, const std::vector<double>& times);

}  // namespace kalaba::fit
