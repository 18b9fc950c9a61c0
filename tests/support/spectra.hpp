#pragma once

// Matrices with prescribed singular values, in LAPACK's manner, and what is exact of them.

#include <Eigen/Core>
#include <random>
#include <string>
#include <vector>

namespace kalaba::test {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

Eigen::MatrixXd random_orthogonal(int size, std::mt19937& random);
/// m x n, with those singular values.
Eigen::MatrixXd with_spectrum(int m, int n, const Eigen::VectorXd& sigma, std::mt19937& random);

/// The singular value decomposition in long double, of the `rank` largest values.
struct TruncatedSvd {
  LongMatrix u, v;
  LongVector sigma;

  TruncatedSvd(const Eigen::MatrixXd& matrix, int rank);
  LongVector min_norm(const Eigen::VectorXd& e) const;     ///< B+ e
  LongVector multipliers(const Eigen::VectorXd& e) const;  ///< (B B^T)+ e
  LongVector project(const Eigen::VectorXd& part) const;   ///< B+ B y
};

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

extern const std::vector<std::string> spectrum_kinds;
/// `count` singular values of a kind, the largest first; the rank is how many are not zero.
Eigen::VectorXd spectrum(const std::string& kind, int count, const SpectrumRange& range);

}  // namespace kalaba::test
