#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fit/measurements.hpp"
#include "kalaba/run.hpp"
#include "kalaba/starts.hpp"

namespace kalaba::fit {

/// A variable of a fit: "parameters.L", or "initial.x" of a coordinate or rate as it is given, before any projection.
struct FreeVariable {
  std::string name;
  std::string unit = {};
  double first = 0;  ///< of the first start
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool is_bounded() const;
  /// Returns the scale of changes of the variable: |value| if it is not zero, else from its bounds, else 1.
  double size(double value) const;
};

/// Bounds of one variable, as requested.
struct Bounds {
  std::string name;
  double low = 0;
  double high = 0;
};

/// Fit problem: the values of the free variables that minimise Σ ((motion − measured) / sigma)², searched from every
/// start; all starts are members of one ensemble. `source` must outlive it.
struct Problem {
  System system;                         ///< with the columns of the free variables
  const MemberSource* source = nullptr;  ///< its first member is the first start
  Options options;                       ///< of every run: it saves at the data's times and ends with the last of them
  std::vector<FreeVariable> free;
  Measurements data;
  long starts = 1;         ///< those after the first are drawn within the bounds, as a Latin hypercube
  std::uint64_t seed = 1;  ///< of these starts
  int most_iterations = 100;
};

/// Settings of a fit.
struct Request {
  std::vector<std::string> free = {};
  std::vector<Bounds> bounds = {};                          ///< each for a free variable
  std::vector<std::pair<std::string, double>> sigmas = {};  ///< for every column of the data, or for none
  long starts = 1;
  std::uint64_t seed = 1;
  int most_iterations = 100;
};

/// Throws Error(bad_input) with the faulty option at the beginning of the text: --free, --bounds, --sigma, --starts or
/// --data.
Problem make_problem(const System& system, const MemberSource& source, const Options& options, StartRule rule,
                     Measurements data, const Request& request);

/// Throws Error(bad_input) if the system has no such variables.
void check_free(const SystemInfo& system, const std::vector<std::string>& free);

/// Largest number of starts of a fit.
inline constexpr long most_starts = 1'000'000;

}  // namespace kalaba::fit
