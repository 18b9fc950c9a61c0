#pragma once

// Matrices with prescribed singular values, as in LAPACK's tests, and their exact results.

#include <Eigen/Core>
#include <random>
#include <string>
#include <vector>

namespace kalaba::test {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

Eigen::MatrixXd random_orthogonal(int size, std::mt19937& random);
/// Random m x n matrix with these singular values.
Eigen::MatrixXd with_spectrum(int m, int n, const Eigen::VectorXd& sigma, std::mt19937& random);

/// Singular value decomposition in long double, truncated to the `rank` largest values.
struct TruncatedSvd {
  LongMatrix u, v;
  LongVector sigma;

  TruncatedSvd(const Eigen::MatrixXd& matrix, int rank);
  LongVector min_norm(const Eigen::VectorXd& e) const;     ///< B+ e
  LongVector multipliers(const Eigen::VectorXd& e) const;  ///< (B B^T)+ e
  LongVector project(const Eigen::VectorXd& part) const;   ///< B+ B y
};

/// Range of spectra for a precision.
struct SpectrumRange {
  double graded;  ///< smallest value of a graded spectrum, whose largest is 1
  double tiny;
  double huge;
};
template <class T>
constexpr SpectrumRange spectrum_range = {1e-5, 1e-290, 1e290};
template <>
inline constexpr SpectrumRange spectrum_range<float> = {1e-2, 1e-30, 1e30};

extern const std::vector<std::string> spectrum_kinds;
/// `count` singular values of a kind, in descending order; the rank is the number of nonzero ones.
Eigen::VectorXd spectrum(const std::string& kind, int count, const SpectrumRange& range);

}  // namespace kalaba::test
