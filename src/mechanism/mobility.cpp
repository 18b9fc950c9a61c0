#include "mechanism/mobility.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "formula/graph/program.hpp"

namespace kalaba::mechanism {
namespace {

constexpr int most_steps = 100;
constexpr double closed = 1e-10;      ///< gap of a row relative to its largest slope, or to the first such gap
constexpr double dependent = 1e-7;    ///< share of the largest pivot below which a row counts as dependent
constexpr double rounding = 2e-13;    ///< largest share of its columns in a row that consists of rounding errors
constexpr double largest_turn = 0.3;  ///< in one step

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows A = R^-1 S C^-1 with diagonal R and C: the entries of S do not depend on the units of lengths.
struct Balanced {
  Eigen::MatrixXd rows;  ///< S
  Eigen::VectorXd of_row, of_column;
};

Balanced balanced(const RowMajor& A) {
  Balanced result = {A, Eigen::VectorXd::Ones(A.rows()), Eigen::VectorXd::Ones(A.cols())};
  if (A.rows() == 0) return result;
  Eigen::MatrixXd& rows = result.rows;
  const Eigen::VectorXd largest = rows.cwiseAbs().colwise().maxCoeff();
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    if ((rows.row(r).cwiseAbs().transpose().array() <= rounding * largest.array()).all()) rows.row(r).setZero();
  }
  constexpr int passes = 8;
  for (int pass = 0; pass < passes; ++pass) {
    const Eigen::VectorXd of_row = rows.rowwise().lpNorm<Eigen::Infinity>();
    const Eigen::VectorXd of_column = rows.colwise().lpNorm<Eigen::Infinity>().transpose();
    const auto scale = [](double size) { return size > 0 ? 1 / std::sqrt(size) : 1.0; };
    const Eigen::VectorXd by_row = of_row.unaryExpr(scale);
    const Eigen::VectorXd by_column = of_column.unaryExpr(scale);
    rows = by_row.asDiagonal() * rows * by_column.asDiagonal();
    result.of_row.array() *= by_row.array();
    result.of_column.array() *= by_column.array();
  }
  return result;
}

}  // namespace

std::optional<Mobility> mobility(const formula::Graph& graph, const formula::Terms& terms,
                                 const formula::TypicalValues& start) {
  const auto nw = static_cast<Eigen::Index>(terms.force.size());
  const auto nq = static_cast<Eigen::Index>(terms.velocity.size());
  const auto holonomic = static_cast<Eigen::Index>(terms.phi.size());
  std::vector<double> q = start.coordinates;
  const std::vector<double> w(static_cast<std::size_t>(nw), 0.0);
  const double time = 0;
  const formula::Program phi(graph, terms.phi);
  const formula::Program rows(graph, terms.A.entries);
  const formula::Program moves(graph, terms.velocity_jacobian.entries);
  double first = 0;
  for (int i = 0; i < most_steps; ++i) {
    const formula::Inputs inputs{start.parameters.data(), q.data(), w.data(), nullptr, &time, 1};
    const std::vector<double> gaps = phi(inputs);
    const std::vector<double> entries = rows(inputs);
    const std::vector<double> jacobian = moves(inputs);
    const RowMajor A = Eigen::Map<const RowMajor>(entries.data(), terms.A.rows, nw);
    const Eigen::VectorXd gap = Eigen::Map<const Eigen::VectorXd>(gaps.data(), holonomic);
    if (!A.allFinite() || !gap.allFinite()) return std::nullopt;
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor;
    factor.setThreshold(dependent);
    if (A.rows() == 0) return Mobility{static_cast<int>(nw), 0};
    const Balanced positions = balanced(A.topRows(holonomic));
    const Eigen::VectorXd scaled = positions.of_row.cwiseProduct(gap);
    const double off = holonomic > 0 ? scaled.lpNorm<Eigen::Infinity>() : 0;
    if (i == 0) first = off;
    if (off <= closed * std::max(1.0, first)) {
      const Eigen::MatrixXd all = balanced(A).rows;
      factor.compute(all);
      const auto used = static_cast<Eigen::Index>((all.rowwise().lpNorm<Eigen::Infinity>().array() > 0).count());
      return Mobility{static_cast<int>(nw - factor.rank()), static_cast<int>(used - factor.rank())};
    }
    factor.compute(positions.rows);
    const Eigen::VectorXd turn = factor.solve(scaled);
    const double limit = largest_turn * std::max(1.0, first);
    const double size = turn.lpNorm<Eigen::Infinity>();
    const Eigen::VectorXd step = positions.of_column.cwiseProduct(turn) * (size > limit ? limit / size : 1);
    const Eigen::VectorXd dq = Eigen::Map<const RowMajor>(jacobian.data(), nq, nw) * step;
    for (Eigen::Index k = 0; k < nq; ++k) q[static_cast<std::size_t>(k)] -= dq[k];
  }
  return std::nullopt;
}

}  // namespace kalaba::mechanism
