#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "fit/estimate.hpp"
#include "fit/levenberg_marquardt.hpp"
#include "fit/problem.hpp"

namespace kalaba::fit {

/// Result of the search from one start.
struct Start {
  std::vector<double> first;   ///< [free variable]
  std::vector<double> values;  ///< at the end of the search
  double cost = 0;             ///< Σ ((motion − measured) / sigma)² there; infinite if it failed
  int iterations = 0;
  Outcome outcome = Outcome::searching;
  Status status = Status::ok;  ///< of the last unusable motion; ok if derivatives or a finite cost were missing
  bool overflows = false;      ///< the cost of that motion is not finite
};

/// Starts that converged to the same values.
struct Minimum {
  std::size_t best = 0;  ///< index of a start
  long starts = 0;
};

struct Fit {
  std::vector<Start> starts;
  std::vector<Minimum> minima;  ///< the one of the least cost first; empty if no start converged
  std::size_t best = 0;         ///< start with the least cost, among the converged ones if there are any
  Estimate estimate;            ///< at the best start
  long runs = 0;
  double member_steps = 0;
  double seconds = 0;  ///< wall time
  std::string device;
  std::vector<std::string> notes;

  long count(Outcome outcome) const;
  bool has_converged() const { return !minima.empty(); }
  /// Returns true if there is an estimate: the motion of some start could be integrated.
  bool has_estimate() const { return starts[best].outcome != Outcome::failed; }
};

/// Progress of a fit.
struct FitProgress {
  int iteration = 0;
  long searching = 0;  ///< number of starts
  double least_cost = 0;
};

/// Computes the fit. Throws as `run` does; Error(interrupted) if it was stopped.
Fit fit(const Problem& problem, const std::function<void(const FitProgress&)>& progress = {},
        std::stop_token stop = {});

/// Returns the starts: the scenario's own values, and a Latin hypercube within the bounds.
std::vector<std::vector<double>> first_values(const Problem& problem);

}  // namespace kalaba::fit
