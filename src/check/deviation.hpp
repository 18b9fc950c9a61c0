#pragma once

#include <string>

#include "check/default_run.hpp"
#include "check/verdict.hpp"

namespace kalaba::check {

/// An error and its tolerance: one number at one time.
struct Deviation {
  double error = 0;
  double tolerance = 1;
  std::string name;
  double time = 0;
};

/// Keeps the larger of the two, relative to their tolerances.
void keep_worse(Deviation& worst, const Deviation& other);

/// "x1_dot at 2 s"
std::string place(const Deviation& deviation);

/// Returns "passed" if the error is within the tolerance; an error that is NaN is not.
Verdict judged(const DefaultRun& run, Kind kind, const Deviation& deviation, const std::string& detail);
Verdict judged(const DefaultRun& run, Kind kind, const Deviation& deviation);

Verdict not_run(const System& system, const Case& how, Kind kind, const std::string& why);

/// A fault that is not a number.
Verdict failed(const DefaultRun& run, Kind kind, const std::string& why);

}  // namespace kalaba::check
