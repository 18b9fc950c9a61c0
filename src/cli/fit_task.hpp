#pragma once

#include <string>
#include <vector>

#include "fit/problem.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {

/// Arguments of the command line for a fit.
struct FitWords {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string data;                  ///< a CSV file
  std::vector<std::string> columns;  ///< of the file; empty: all
  std::vector<std::string> free;
  std::vector<std::string> bounds;  ///< "parameters.L=0.5:2"
  std::vector<std::string> sigmas;  ///< "x=0.01"
  long starts = 1;
  int most_iterations = 100;
};

/// A scenario and its fit problem.
struct FitTask {
  Scenario scenario;
  fit::Problem problem;
};

/// Throws Error before any integration.
FitTask prepare_fit(const FitWords& words);
/// As above, for a scenario and data in memory.
FitTask prepare_fit(Scenario scenario, fit::Measurements data, const fit::Request& request);

}  // namespace kalaba
