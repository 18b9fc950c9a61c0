#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "fit/problem.hpp"

namespace kalaba::fit {

/// A change of the free variables that changes no residual, to first order.
struct Direction {
  std::vector<double> change;  ///< [free variable]; the variable that changes most changes by 1 % of its size
};

/// Relative to the motion: a variable whose change by its whole size has no larger effect is not determined.
inline constexpr double nothing = 1e-9;

/// Information of the data on the free variables, linearized at the solution of the fit.
struct Estimate {
  std::vector<double> values;
  std::vector<double> errors;      ///< standard errors; NaN if there are none
  std::vector<double> low, high;   ///< ends of the 95 % intervals, likewise
  std::vector<bool> at_bound;      ///< held by a bound: the others are estimated as if its value were exact
  std::vector<bool> identifiable;  ///< not part of any direction
  std::vector<Direction> directions;
  std::vector<std::vector<double>> correlation;  ///< NaN if there is none
  std::vector<double> singular_values;    ///< of J with columns of unit length, without the columns that a bound holds
  double cost = 0;                        ///< Σ r²
  long freedom = 0;                       ///< number of readings minus number of variables that they determine
  double deviation = 0;                   ///< standard deviation of a reading: 1 in units of a known sigma
  std::vector<double> residuals;          ///< motion − measured, [reading]
  std::vector<double> root_mean_squares;  ///< of the residuals, [column]; NaN if there are none
};

/// Computes the estimate. Known sigmas are the errors of the data; else the errors follow from the residuals and the
/// degrees of freedom.
Estimate estimate_at(const Problem& problem, const std::vector<double>& values);

/// Computes the estimate from a Jacobian and residuals, both divided by sigma. `motion`: 2-norm of the compared motion,
/// divided by sigma: a column that is negligible relative to it determines nothing.
void analyse(const Problem& problem, const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& residuals, double motion,
             Estimate& estimate);

/// Returns the 97.5 % quantile of Student's distribution; infinitely many degrees of freedom if `freedom` is 0.
double student_quantile(long freedom);

}  // namespace kalaba::fit
