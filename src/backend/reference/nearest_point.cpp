#include "backend/reference/nearest_point.hpp"

#include <algorithm>
#include <bit>

#include "backend/reference/linear.hpp"

namespace kalaba::reference {

std::optional<Eigen::VectorXd> nearest_point(const Eigen::VectorXd& u, const Eigen::MatrixXd& equalities,
                                             const Eigen::VectorXd& equal, const Eigen::MatrixXd& inequalities,
                                             const Eigen::VectorXd& least, double rank_tolerance) {
  constexpr double rounding = 1e-11;
  const auto fixed = equalities.rows();
  const auto m = static_cast<unsigned>(inequalities.rows());
  const Eigen::VectorXd lengths = inequalities.rowwise().norm();
  for (unsigned size = 0; size <= m; ++size) {
    for (unsigned set = 0; set < (1U << m); ++set) {
      if (static_cast<unsigned>(std::popcount(set)) != size) continue;
      Eigen::MatrixXd rows(fixed + size, u.size());
      Eigen::VectorXd defect(fixed + size);
      rows.topRows(fixed) = equalities;
      defect.head(fixed) = equal - equalities * u;
      Eigen::Index next = fixed;
      for (unsigned r = 0; r < m; ++r) {
        if ((set >> r & 1U) == 0) continue;
        rows.row(next) = inequalities.row(r);
        defect[next++] = least[r] - inequalities.row(r).dot(u);
      }
      const Matrix inverse =
          pseudo_inverse(rows, kalaba::PseudoInverse::svd, {.tolerance = rank_tolerance, .held = rank_tolerance})
              .matrix;
      const Eigen::VectorXd shift = inverse * defect;
      const Eigen::VectorXd multipliers = inverse.transpose() * shift;
      const Eigen::VectorXd moved = u + shift;
      const double largest = std::max(u.norm(), moved.norm());
      const Eigen::VectorXd slack = inequalities * moved - least + rounding * (lengths * largest + least.cwiseAbs());
      const double scale = shift.norm();
      bool pushes = true;
      next = fixed;
      for (unsigned r = 0; r < m; ++r) {
        if ((set >> r & 1U) == 0) continue;
        pushes = pushes && multipliers[next++] * lengths[r] >= -rounding * scale;
      }
      const bool solved = (rows * shift - defect).norm() <= rank_tolerance * (1 + defect.norm());
      if (pushes && solved && (m == 0 || slack.minCoeff() >= 0)) return moved;
    }
  }
  return std::nullopt;
}

}  // namespace kalaba::reference
