#pragma once

#include <Eigen/Core>
#include <optional>

namespace kalaba::reference {

/// Nearest point to u with A u = a and N u >= n, by enumeration of the active sets of N in the order of their size.
/// None if no active set satisfies the optimality conditions. `rank_tolerance` is relative to the largest singular
/// value of the rows of unit length.
std::optional<Eigen::VectorXd> nearest_point(const Eigen::VectorXd& u, const Eigen::MatrixXd& equalities,
                                             const Eigen::VectorXd& equal, const Eigen::MatrixXd& inequalities,
                                             const Eigen::VectorXd& least, double rank_tolerance);

}  // namespace kalaba::reference
