#include "support/spectra.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>

namespace kalaba::test {

Eigen::MatrixXd random_orthogonal(int size, std::mt19937& random) {
  std::normal_distribution<double> normal;
  LongMatrix matrix(size, size);
  for (auto& entry : matrix.reshaped()) entry = normal(random);
  const LongMatrix orthogonal = Eigen::HouseholderQR<LongMatrix>(matrix).householderQ();
  return orthogonal.cast<double>();
}

Eigen::MatrixXd with_spectrum(int m, int n, const Eigen::VectorXd& sigma, std::mt19937& random) {
  Eigen::MatrixXd middle = Eigen::MatrixXd::Zero(m, n);
  middle.diagonal() = sigma;
  return random_orthogonal(m, random) * middle * random_orthogonal(n, random).transpose();
}

TruncatedSvd::TruncatedSvd(const Eigen::MatrixXd& matrix, int rank) {
  // Eigen's other preconditioners take longer to compile.
  const Eigen::JacobiSVD<LongMatrix, Eigen::HouseholderQRPreconditioner> svd(matrix.cast<long double>(),
                                                                             Eigen::ComputeThinU | Eigen::ComputeThinV);
  u = svd.matrixU().leftCols(rank);
  v = svd.matrixV().leftCols(rank);
  sigma = svd.singularValues().head(rank);
}

LongVector TruncatedSvd::min_norm(const Eigen::VectorXd& e) const {
  const LongVector along = (u.transpose() * e.cast<long double>()).cwiseQuotient(sigma);
  return v * along;
}

LongVector TruncatedSvd::multipliers(const Eigen::VectorXd& e) const {
  const LongVector along = (u.transpose() * e.cast<long double>()).cwiseQuotient(sigma).cwiseQuotient(sigma);
  return u * along;
}

LongVector TruncatedSvd::project(const Eigen::VectorXd& part) const {
  const LongVector along = v.transpose() * part.cast<long double>();
  return v * along;
}

const std::vector<std::string> spectrum_kinds = {"graded", "clustered", "equal", "deficient", "zero", "tiny", "huge"};

Eigen::VectorXd spectrum(const std::string& kind, int count, const SpectrumRange& range) {
  Eigen::VectorXd sigma = Eigen::VectorXd::Ones(count);
  for (int i = 0; i < count; ++i) {
    const double place = count > 1 ? static_cast<double>(i) / (count - 1) : 0;
    if (kind == "graded") sigma[i] = std::pow(range.graded, place);
    if (kind == "clustered") sigma[i] = i == 0 ? 1 : 1e-3 * (1 - 1e-9 * i);
    if (kind == "equal") sigma[i] = 3;
    if (kind == "deficient") sigma[i] = i < (count + 1) / 2 ? 2 - place : 0;
    if (kind == "zero") sigma[i] = 0;
    if (kind == "tiny") sigma[i] = range.tiny * (2 - place);
    if (kind == "huge") sigma[i] = range.huge * (2 - place);
  }
  return sigma;
}

}  // namespace kalaba::test
