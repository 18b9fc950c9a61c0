#pragma once

// Matrices with prescribed singular values, in LAPACK's manner.

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace kalaba::test {

inline Eigen::MatrixXd random_orthogonal(int size, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd matrix(size, size);
  for (auto& entry : matrix.reshaped()) entry = normal(random);
  return Eigen::HouseholderQR<Eigen::MatrixXd>(matrix).householderQ();
}

inline Eigen::MatrixXd with_spectrum(int m, int n, const Eigen::VectorXd& sigma, std::mt19937& random) {
  Eigen::MatrixXd middle = Eigen::MatrixXd::Zero(m, n);
  middle.diagonal() = sigma;
  return random_orthogonal(m, random) * middle * random_orthogonal(n, random).transpose();
}

/// How far the spectra go in a precision.
struct SpectrumRange {
  double graded;  ///< the smallest value of a graded spectrum, its largest being 1
  double tiny;
  double huge;
};
template <class T>
constexpr SpectrumRange spectrum_range = {1e-5, 1e-290, 1e290};
template <>
inline constexpr SpectrumRange spectrum_range<float> = {1e-2, 1e-30, 1e30};

inline const std::vector<std::string> spectrum_kinds = {"graded", "clustered", "equal", "deficient",
                                                        "zero",   "tiny",      "huge"};

/// `count` singular values of a kind, the largest first; the rank is how many are not zero.
inline Eigen::VectorXd spectrum(const std::string& kind, int count, const SpectrumRange& range) {
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
