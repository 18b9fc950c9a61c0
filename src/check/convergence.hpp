#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba::check {

/// A problem to integrate repeatedly with finer steps.
struct ConvergencePlan {
  const System* system = nullptr;
  const MemberSource* source = nullptr;
  Options options;
  long members = 100;  ///< at most, evenly chosen from the source's members
  int levels = 3;  ///< 3 or more: dt, dt/2, dt/4, ...; for adaptive steps both tolerances, a tenth, a hundredth, ...
  double requested = 1e-6;  ///< requested error, as a share of each quantity's size
};

/// Convergence of one saved quantity. Errors are differences from the Richardson limit of the two finest levels, over
/// the members that fail at no level, at all saved times until an event stops one of the levels.
struct QuantityConvergence {
  std::string name;
  std::string unit;
  double size = 0;              ///< largest magnitude in all runs
  std::vector<double> worst;    ///< [level], estimated
  std::vector<double> typical;  ///< [level]: the root mean square
  double order = 0;             ///< of the finest levels; NaN if the differences are rounding errors
  double rounding = 0;          ///< differences below this are rounding errors
  bool is_hidden = false;       ///< the requested error is below that, so that no step can be shown to suffice
  /// dt (s) or relative tolerance, at most 4 times the coarsest level's; NaN if it cannot be determined.
  double sufficient = 0;

  bool is_rounding() const { return !(worst.front() > rounding); }
};

struct Convergence {
  bool adaptive = false;
  std::vector<double> steps;  ///< [level]: dt, s; for adaptive steps the relative tolerance
  double least = 0;           ///< for adaptive steps, the least allowed relative tolerance
  double requested = 0;
  long members = 0;   ///< integrated at every level
  long compared = 0;  ///< of them those that fail at no level, on which the figures are based
  long changed = 0;   ///< members with another status at another level
  double seconds = 0;
  std::vector<QuantityConvergence> quantities;
  /// Smallest of the quantities' `sufficient`; NaN if one of them is NaN.
  double sufficient = 0;
};

/// Integrates the sample at every level. Throws as `run` does, and if a level's tolerance is below the least. The
/// second argument is called before every level.
Convergence converge(const ConvergencePlan& plan, const std::function<void(int level)>& report = {});

/// Returns the time grid and tolerances of a level: equal saved times, finer steps.
Options finer(const Options& options, int level);

}  // namespace kalaba::check
