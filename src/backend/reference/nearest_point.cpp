#include "backend/reference/nearest_point.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <bit>
#include <cstdint>

#include "backend/reference/linear.hpp"

namespace kalaba::reference {
namespace {

Matrix inverse_of(const Matrix& rows, double rank_tolerance) {
  const RankChoice choice = {.tolerance = rank_tolerance, .held = rank_tolerance};
  return pseudo_inverse(rows, kalaba::PseudoInverse::svd, choice).matrix;
}

/// |row| size + |bound|, the terms of each row at points of this size.
Vector terms_of(const BoundedRows& rows, double size) {
  return rows.rows.rowwise().norm() * size + rows.bounds.cwiseAbs();
}

/// Inequalities that hold as equations, as indices.
std::vector<int> members_of(std::uint32_t set) {
  std::vector<int> members;
  for (int r = 0; set != 0; ++r, set >>= 1U) {
    if ((set & 1U) != 0) members.push_back(r);
  }
  return members;
}

/// All subsets of m rows, by their size and then by their first rows.
std::vector<std::uint32_t> subsets(int m) {
  std::vector<std::uint32_t> sets(std::size_t{1} << static_cast<unsigned>(m));
  for (std::size_t i = 0; i < sets.size(); ++i) sets[i] = static_cast<std::uint32_t>(i);
  std::ranges::sort(sets, [](std::uint32_t a, std::uint32_t b) {
    const int more = std::popcount(a) - std::popcount(b);
    return more != 0 ? more < 0 : members_of(a) < members_of(b);
  });
  return sets;
}

/// Rows that are active in the least y with rows y >= bounds, which are near 1 or less, as Lawson and Hanson find them
/// ("Solving Least Squares Problems", LDP by NNLS): of the x >= 0 with the least |E x - f|, E = [rows^T; bounds^T], f =
/// (0, ..., 0, 1), those with x > 0. Rows of unit length, or zero.
std::uint32_t active_rows(const Matrix& rows, const Vector& bounds) {
  const auto m = static_cast<int>(rows.rows());
  Matrix E(rows.cols() + 1, m);
  E << rows.transpose(), bounds.transpose();
  const Vector f = Vector::Unit(E.rows(), E.rows() - 1);
  std::uint32_t set = 0;
  Vector x = Vector::Zero(m);
  for (int step = 0; step < 4 * m; ++step) {
    const Vector gradient = E.transpose() * (f - E * x);
    int entering = -1;
    for (int r = 0; r < m; ++r) {
      const double least = entering < 0 ? row_rounding : gradient[entering];
      if ((set >> static_cast<unsigned>(r) & 1U) == 0 && gradient[r] > least) entering = r;
    }
    if (entering < 0) break;
    set |= 1U << static_cast<unsigned>(entering);
    for (int removals = 0; removals <= m; ++removals) {
      const std::vector<int> members = members_of(set);
      const Matrix own = E(Eigen::all, members);
      const Vector best = own.completeOrthogonalDecomposition().solve(f);
      if (members.empty() || best.minCoeff() > 0) {
        x.setZero();
        x(members) = best;
        break;
      }
      double part = 1;  // of the way to `best` on which every x stays positive
      for (std::size_t i = 0; i < members.size(); ++i) {
        const double to = best[static_cast<Eigen::Index>(i)];
        if (to <= 0) part = std::min(part, x[members[i]] / (x[members[i]] - to));
      }
      for (std::size_t i = 0; i < members.size(); ++i) {
        const int r = members[i];
        const double to = best[static_cast<Eigen::Index>(i)];
        x[r] += part * (to - x[r]);
        if (to <= 0 && x[r] <= row_rounding * std::abs(to)) {
          x[r] = 0;
          set &= ~(1U << static_cast<unsigned>(r));
        }
      }
    }
  }
  return set;
}

}  // namespace

Matrix null_space(const Matrix& A, double rank_tolerance) {
  const auto n = A.cols();
  if (A.rows() == 0) return Matrix::Identity(n, n);
  const Matrix onto_rows = inverse_of(A, rank_tolerance) * A;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(0.5 * (onto_rows + onto_rows.transpose()));
  const auto rank = (eigen.eigenvalues().array() > 0.5).count();  // eigenvalues ascend: 0, ..., 0, 1, ..., 1
  return eigen.eigenvectors().leftCols(n - rank);
}

NearestPoint nearest_point(const Vector& u_0, const BoundedRows& equations, const BoundedRows& inequalities,
                           double rank_tolerance, int most_enumerated) {
  const Matrix& A = equations.rows;
  const auto m = static_cast<int>(inequalities.rows.rows());
  const Vector on_equations = u_0 + inverse_of(A, rank_tolerance) * (equations.bounds - A * u_0);
  const double size = std::max(u_0.norm(), on_equations.norm());
  const Vector left = (A * on_equations - equations.bounds).cwiseAbs();
  if (((left - rank_tolerance * terms_of(equations, size)).array() > 0).any()) return {};
  const Matrix Z = null_space(A, rank_tolerance);
  const Vector lengths = inequalities.rows.rowwise().norm();
  Matrix reduced = inequalities.rows * Z;
  for (int r = 0; r < m; ++r) {
    if (reduced.row(r).norm() <= rank_tolerance * lengths[r]) reduced.row(r).setZero();
  }
  const Vector missing = inequalities.bounds - inequalities.rows * on_equations;
  // The nearest point with these rows as equations; it exists only if the other rows hold and these push.
  const auto point_with = [&](std::uint32_t set) -> NearestPoint {
    const std::vector<int> members = members_of(set);
    const Matrix rows = reduced(members, Eigen::all);
    const Matrix inverse = inverse_of(rows, rank_tolerance);
    Vector shift = inverse * missing(members);
    shift += inverse * (missing(members) - rows * shift);  // an explicit inverse leaves a larger residual
    const Vector multipliers = inverse.transpose() * shift;
    NearestPoint point = {true, on_equations + Z * shift, Vector::Zero(m),
                          std::vector<bool>(static_cast<std::size_t>(m), false)};
    const double largest = std::max(size, point.u.norm());
    const Vector terms = terms_of(inequalities, largest);
    const Vector slack = inequalities.rows * point.u - inequalities.bounds + row_rounding * terms;
    point.exists = (slack.array() >= 0).all();
    for (std::size_t i = 0; i < members.size(); ++i) {
      const int r = members[i];
      const double own = multipliers[static_cast<Eigen::Index>(i)];
      const bool is_met = slack[r] <= 2 * row_rounding * terms[r];
      point.exists = point.exists && is_met && own * lengths[r] >= -row_rounding * largest;
      point.multipliers[r] = std::max(own, 0.0);
      point.active[static_cast<std::size_t>(r)] = true;
    }
    return point;
  };
  if (m > most_enumerated) {
    const Vector own = reduced.rowwise().norm();
    const Vector scales = own.unaryExpr([](double length) { return length > 0 ? 1 / length : 0; });
    const double largest = missing.cwiseProduct(scales).cwiseAbs().maxCoeff();
    const double unit = largest > 0 ? 1 / largest : 0;
    return point_with(active_rows(scales.asDiagonal() * reduced, unit * missing.cwiseProduct(scales)));
  }
  for (const std::uint32_t set : subsets(m)) {
    NearestPoint point = point_with(set);
    if (point.exists) return point;
  }
  return {};
}

}  // namespace kalaba::reference
