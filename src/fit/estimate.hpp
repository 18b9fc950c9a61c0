#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "fit/problem.hpp"

namespace kalaba::fit {

/// A change of the free variables that changes no residual, to first order.
struct Direction {
  std::vector<double> change;  ///< [free variable]; of the one that changes most by 1 % of its size
};

/// Of the motion: a variable that changes no more of it by its whole size is not determined.
inline constexpr double nothing = 1e-9;

/// What the data say of the free variables, linearized where the fit came to.
struct Estimate {
  std::vector<double> values;
  std::vector<double> errors;      ///< standard errors; NaN where there are none
  std::vector<double> low, high;   ///< ends of the 95 % intervals, likewise
  std::vector<bool> at_bound;      ///< held by one: the others are told as if it were known
  std::vector<bool> identifiable;  ///< not part of any direction
  std::vector<Direction> directions;
  std::vector<std::vector<double>> correlation;  ///< NaN where there is none
  std::vector<double> singular_values;           ///< of J with columns of unit length, those that no bound holds
  double cost = 0;                               ///< Σ r²
  long freedom = 0;                              ///< numbers less variables that are determined by them
  double deviation = 0;                   ///< standard deviation of a number: 1 in units of a sigma that is known
  std::vector<double> residuals;          ///< motion − measured, [reading]
  std::vector<double> root_mean_squares;  ///< of them, [column]; NaN where there are none
};

/// With sigmas known they are the errors of the data; else the residuals say, over the degrees of freedom.
Estimate estimate_at(const Problem& problem, const std::vector<double>& values);

/// Of a Jacobian and residuals, both over sigma. `motion`: the 2-norm of what was compared, over sigma: a column that
/// is nothing beside it determines nothing.
void analyse(const Problem& problem, const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& residuals, double motion,
             Estimate& estimate);

/// Below which a share of 97.5 % of Student's distribution lies; of infinitely many degrees with 0.
double student_quantile(long freedom);

}  // namespace kalaba::fit
