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

/// What a fit may change: "parameters.L", or "initial.x" of a coordinate or rate as it is given, before any projection.
struct FreeVariable {
  std::string name;
  std::string unit = {};
  double first = 0;  ///< of the first start
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool is_bounded() const;
  /// What a change of it from `value` is small or large against: that, else its bounds, else 1.
  double size(double value) const;
};

/// Bounds of one variable, as they were asked for.
struct Bounds {
  std::string name;
  double low = 0;
  double high = 0;
};

/// What to fit: of all values of the free variables those with the least Σ ((motion − measured) / sigma)², sought from
/// every start, all of them members of one ensemble. `source` must outlive it.
struct Problem {
  System system;                         ///< with the columns of the free variables
  const MemberSource* source = nullptr;  ///< of its members the first one is the first start
  Options options;                       ///< of every run: it saves the data's times, and ends with the last of them
  std::vector<FreeVariable> free;
  Measurements data;
  long starts = 1;         ///< those behind the first are drawn within the bounds, as a Latin hypercube
  std::uint64_t seed = 1;  ///< of them
  int most_iterations = 100;
};

/// What is asked of a fit.
struct Wanted {
  std::vector<std::string> free = {};
  std::vector<Bounds> bounds = {};                          ///< each of a free variable
  std::vector<std::pair<std::string, double>> sigmas = {};  ///< of every column of the data, or of none
  long starts = 1;
  std::uint64_t seed = 1;
  int most_iterations = 100;
};

/// Throws Error(bad_input), whose text begins with what is at fault: --free, --bounds, --sigma, --starts or --data.
Problem make_problem(const System& system, const MemberSource& source, const Options& options, StartRule rule,
                     Measurements data, const Wanted& wanted);

/// Throws Error(bad_input) where the system has no such variables.
void check_free(const SystemInfo& system, const std::vector<std::string>& free);

/// The most starts of a fit.
inline constexpr long most_starts = 1'000'000;

}  // namespace kalaba::fit
