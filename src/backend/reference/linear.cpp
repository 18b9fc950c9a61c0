#include "backend/reference/linear.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

namespace kalaba::reference {
namespace {

int count_above(const Vector& values, double limit) {
  int count = 0;
  while (count < values.size() && values[count] > limit) ++count;
  return count;
}

/// Returns the number of decreasing values that count.
int rank_of(const Vector& values, const RankChoice& choice) {
  const double largest = values[0];
  const int above = count_above(values, choice.tolerance * largest);
  const int standing = count_above(values, choice.held * largest);
  return std::min(std::max(above, std::min(choice.least, standing)), choice.most);
}

/// S B with rows of unit length; a single row is not scaled, because its rank does not depend on its length. Rows that
/// consist of rounding errors are zero.
struct UnitRows {
  Vector scales;  ///< S
  Matrix rows;
  double shortest = 1;  ///< least ratio of a nonzero row to the others, see RankChoice
};

UnitRows unit_rows(const Matrix& B, double shortest_row) {
  if (B.rows() == 1) return {Vector::Ones(1), B};
  UnitRows unit = {B.rowwise().stableNorm(), B};
  for (double& each : unit.scales) each = each > 1e-70 && each < 1e70 ? 1 / each : 1;
  const Vector largest = B.cwiseAbs().colwise().maxCoeff();
  const Vector relative = relative_lengths(B);
  for (long r = 0; r < B.rows(); ++r) {
    const double ratio = relative[r];
    if (ratio == 0) continue;
    double compared = 0;
    for (long j = 0; j < B.cols(); ++j) {
      if (B(r, j) != 0) compared = std::hypot(compared, largest[j]);
    }
    if (ratio < near_value) unit.shortest = std::min(unit.shortest, ratio);
    if (ratio > shortest_row) continue;
    unit.rows.row(r).setZero();
    unit.scales[r] = 1 / compared;
  }
  unit.rows = unit.scales.asDiagonal() * unit.rows;
  return unit;
}

Vector pivots_of(const Matrix& B) {
  const Eigen::ColPivHouseholderQR<Matrix> decomposition(B.transpose());
  return decomposition.matrixQR().diagonal().cwiseAbs();
}

Vector inverse_where_normal(const Vector& values) {
  return values.unaryExpr([](double x) { return x > std::numeric_limits<double>::min() ? 1 / x : 0.0; });
}

/// Adds to the inertia of each light rate that of the other rates in its rows, if two rows join it to some.
Vector with_joined(const Vector& own, const Matrix& A) {
  Vector inertia = own;
  for (long i = 0; i < own.size(); ++i) {
    Matrix others = A.cwiseAbs2();
    others.col(i).setZero();
    Vector joined = A.col(i).cwiseAbs2().cwiseProduct(inverse_where_normal(others * inverse_where_normal(own)));
    if ((1e-4 * joined.array() > own[i]).count() > 1) inertia[i] += joined.sum();
  }
  return inertia;
}

}  // namespace

MetricRoot metric_root(const Matrix& metric) {
  // The Cholesky test does not depend on the scaling of the rates, unlike the smallest eigenvalue.
  if (!metric.allFinite() || metric.llt().info() != Eigen::Success) return {};
  const Vector units = metric.diagonal().unaryExpr([](double size) { return std::ldexp(1.0, std::ilogb(size) >> 1); });
  const auto U = units.asDiagonal();
  const Vector inverse_units = units.cwiseInverse();
  const auto inverse_U = inverse_units.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(inverse_U * metric * inverse_U);
  if (eigen.info() != Eigen::Success || eigen.eigenvalues().minCoeff() <= 0) return {};
  const Matrix& V = eigen.eigenvectors();
  const Vector lambda_inverse = eigen.eigenvalues().cwiseInverse();
  return {true, eigen.operatorSqrt() * U, inverse_U * eigen.operatorInverseSqrt(),
          inverse_U * V * lambda_inverse.asDiagonal() * V.transpose() * inverse_U};
}

Vector relative_lengths(const Matrix& rows) {
  Vector relative = Vector::Zero(rows.rows());
  for (long j = 0; j < rows.cols(); ++j) {
    const double largest = rows.col(j).cwiseAbs().maxCoeff();
    if (largest > 0) relative = relative.cwiseMax(rows.col(j).cwiseAbs() / largest);
  }
  return relative;
}

Completion::Completion(const Matrix& G, const Matrix& A)
    : of_rates(with_joined(G.diagonal(), A)), of_rows(Vector::Zero(A.rows())) {
  const Matrix squares = A.cwiseAbs2();
  while (of_rows.size() > 0 && of_rows.minCoeff() == 0) {
    const Vector of_each = inverse_where_normal(squares * inverse_where_normal(of_rates));
    const Vector before = of_rows;
    of_rows = (before.array() > 0).select(before, of_each);
    if (of_rows == before) *std::find(of_rows.begin(), of_rows.end(), 0.0) = 1;
    const Vector of_constraints = squares.transpose() * of_rows;
    of_rates = (of_rates.array() > 0).select(of_rates, of_constraints);
  }
}

Matrix Completion::metric(const Matrix& G, const Matrix& A) const {
  return G + A.transpose() * of_rows.asDiagonal() * A;
}

RankChoice RankChoice::at_step(const Method& method, int rank) {
  RankChoice choice = within_step(method, rank);
  choice.most = RankChoice{}.most;
  if (method.stabilization.kind != Stabilization::Kind::projection) choice.held = choice.tolerance;
  return choice;
}

RankChoice RankChoice::within_step(const Method& method, int rank) {
  const double tolerance = method.rank_tolerance;
  const double rounding = 1024 * std::numeric_limits<double>::epsilon();
  return {tolerance, std::min(tolerance, std::max(1e-6 * tolerance, rounding)), rank, rank};
}

PseudoInverse pseudo_inverse(const Matrix& B, kalaba::PseudoInverse method, const RankChoice& choice) {
  if (B.size() == 0) return {Matrix::Zero(B.cols(), B.rows()), 0, 0, 0, 0};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (!B.allFinite()) {
    return {Matrix::Constant(B.cols(), B.rows(), nan), 0, nan, nan, nan};
  }
  const auto [scales, unit, shortest] = unit_rows(B, choice.shortest_row);
  const Eigen::JacobiSVD<Matrix> svd(unit, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Vector& sigma = svd.singularValues();
  const Vector values = method == kalaba::PseudoInverse::qr ? pivots_of(unit) : sigma;
  const int rank = rank_of(values, choice);
  const Vector inverse_sigma = sigma.head(rank).cwiseInverse();
  PseudoInverse result;
  // Matrix of rank r to rounding error: S^-1 U_r Sigma_r V_r^T, whose pseudo-inverse is the product of those of its two
  // factors.
  const Matrix U = svd.matrixU().leftCols(rank);
  result.matrix = Matrix::Zero(B.cols(), B.rows());
  if (rank > 0) {
    const Matrix left = scales.cwiseInverse().asDiagonal() * U;
    const Matrix inverse_left = rank == B.rows() ? Matrix(U.transpose() * scales.asDiagonal())
                                                 : left.completeOrthogonalDecomposition().pseudoInverse();
    result.matrix = svd.matrixV().leftCols(rank) * inverse_sigma.asDiagonal() * inverse_left;
  }
  result.rank = rank;
  result.sigma_kept = rank > 0 ? values[rank - 1] : 0.0;
  result.sigma_dropped = rank < values.size() ? values[rank] : 0.0;
  result.least_value = rank > 0 ? std::min(sigma[rank - 1], shortest) : 0.0;
  return result;
}

double max_norm(const Vector& values) {
  return values.size() == 0 ? 0.0 : values.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}

}  // namespace kalaba::reference
