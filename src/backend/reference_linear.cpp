#include "backend/reference_linear.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <limits>

namespace kalaba::reference {
namespace {

PseudoInverse by_svd(const Matrix& B, double rank_tolerance) {
  const Eigen::JacobiSVD<Matrix> svd(B, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Vector& sigma = svd.singularValues();
  int rank = 0;
  while (rank < sigma.size() && sigma[rank] > rank_tolerance * sigma[0]) ++rank;
  const Vector inverse_sigma = sigma.head(rank).cwiseInverse();
  return {svd.matrixV().leftCols(rank) * inverse_sigma.asDiagonal() * svd.matrixU().leftCols(rank).transpose(), rank,
          rank > 0 ? sigma[rank - 1] : 0.0, rank < sigma.size() ? sigma[rank] : 0.0};
}

PseudoInverse by_qr(const Matrix& B, double rank_tolerance) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
  decomposition.setThreshold(rank_tolerance);
  decomposition.compute(B);
  const Vector pivots = decomposition.matrixQTZ().diagonal().cwiseAbs();
  const auto rank = decomposition.rank();
  return {decomposition.pseudoInverse(), static_cast<int>(rank), rank > 0 ? pivots[rank - 1] : 0.0,
          rank < pivots.size() ? pivots[rank] : 0.0};
}

}  // namespace

MetricRoot metric_root(const Matrix& metric) {
  // The Cholesky test does not depend on how the rates are scaled; the smallest eigenvalue alone would.
  if (!metric.allFinite() || metric.llt().info() != Eigen::Success) return {};
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(metric);
  if (eigen.info() != Eigen::Success || eigen.eigenvalues().minCoeff() <= 0) return {};
  const Matrix& V = eigen.eigenvectors();
  const Vector lambda_inverse = eigen.eigenvalues().cwiseInverse();
  return {true, eigen.operatorSqrt(), eigen.operatorInverseSqrt(), V * lambda_inverse.asDiagonal() * V.transpose()};
}

PseudoInverse pseudo_inverse(const Matrix& B, kalaba::PseudoInverse method, double rank_tolerance) {
  if (B.size() == 0) return {Matrix::Zero(B.cols(), B.rows()), 0, 0, 0};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (!B.allFinite()) return {Matrix::Constant(B.cols(), B.rows(), nan), 0, nan, nan};
  return method == kalaba::PseudoInverse::svd ? by_svd(B, rank_tolerance) : by_qr(B, rank_tolerance);
}

double max_norm(const Vector& values) {
  return values.size() == 0 ? 0.0 : values.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}

}  // namespace kalaba::reference
