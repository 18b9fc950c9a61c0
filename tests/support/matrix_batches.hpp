#pragma once

// Tests of kalaba/pseudo_inverse.hpp for any memory: one implementation for the CPU and for devices.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kalaba/pseudo_inverse.hpp"
#include "support/spectra.hpp"

namespace kalaba::test {

/// Calls `factorize` on arrays in host memory.
template <class T>
using Factorize = std::function<void(const MatrixBatch&, const PseudoInverseArrays<T>&, const PseudoInverseOptions&)>;

template <class T>
constexpr double clear_tolerance = 1e-9;  // between the zero and the other singular values of every spectrum
template <>
inline constexpr double clear_tolerance<float> = 1e-4;

/// Batch of matrices and all its results, initialized with poison values.
template <class T>
struct MatrixCase {
  static constexpr long pad = 3;
  MatrixBatch batch;
  std::vector<T> b, e, x, inverse, values;
  std::vector<int> rank;
  std::vector<Status> status;

  MatrixCase(int m, int n, long count) : batch{m, n, count, count + pad} {
    const auto lines = [&](int number) { return static_cast<std::size_t>(number * batch.stride); };
    const T nan = std::numeric_limits<T>::quiet_NaN();
    b.assign(lines(m * n), nan);
    e.assign(lines(m), nan);
    x.assign(lines(n), nan);
    inverse.assign(lines(n * m), nan);
    values.assign(lines(std::min(m, n)), nan);
    rank.assign(lines(1), -7);
    status.assign(lines(1), Status::stopped);
  }

  std::size_t at(int line, long k) const { return static_cast<std::size_t>(line * batch.stride + k); }
  void set(long k, const Eigen::MatrixXd& matrix) {
    for (int i = 0; i < batch.rows; ++i) {
      for (int j = 0; j < batch.columns; ++j) b[at(i * batch.columns + j, k)] = static_cast<T>(matrix(i, j));
      e[at(i, k)] = static_cast<T>(std::cos(1.0 + i + static_cast<double>(k)));
    }
  }
  /// Matrix k of a batch array, with its first rows and columns.
  template <class From>
  Eigen::MatrixXd get(const From& from, int rows, int columns, long k) const {
    Eigen::MatrixXd matrix(rows, columns);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) matrix(i, j) = static_cast<double>(from[at(i * columns + j, k)]);
    }
    return matrix;
  }

  PseudoInverseArrays<T> arrays(PseudoInverse method) {
    const bool svd = method == PseudoInverse::svd;
    return {b.data(), e.data(), x.data(), inverse.data(), svd ? values.data() : nullptr, rank.data(), status.data()};
  }
};

/// Checks that |error| in units of scale epsilon max(m, n) kappa stays below the threshold; 0/0 is 0.
template <class T>
void expect_small(const Eigen::MatrixXd& error, double scale, double kappa, const MatrixBatch& batch,
                  const std::string& what) {
  constexpr double threshold = 50;
  const double size = error.size() == 0 ? 0 : error.cwiseAbs().maxCoeff();
  const double unit = scale * std::numeric_limits<T>::epsilon() * std::max(batch.rows, batch.columns) * kappa;
  EXPECT_LE(size, threshold * unit) << what << ": " << size / unit;
}

/// Checks one matrix of a case against its spectrum, the Penrose conditions and Eigen.
template <class T>
void check_matrix(const MatrixCase<T>& made, long k, const Eigen::VectorXd& sigma, bool svd) {
  const auto& batch = made.batch;
  const int m = batch.rows;
  const int n = batch.columns;
  const double largest = sigma[0] > 0 ? sigma[0] : 1;
  const auto rank = (sigma.array() > 0).count();
  const double kappa = rank == 0 ? 1 : largest / sigma[rank - 1];
  EXPECT_EQ(made.status[made.at(0, k)], Status::ok);
  EXPECT_EQ(made.rank[made.at(0, k)], rank);
  // In units of the largest singular value, so that products stay in range for tiny and huge matrices.
  const Eigen::MatrixXd b = made.get(made.b, m, n, k) / largest;
  const Eigen::MatrixXd x = made.get(made.inverse, n, m, k) * largest;
  expect_small<T>(b * x * b - b, 1, kappa, batch, "BXB = B");
  expect_small<T>(x * b * x - x, kappa, kappa, batch, "XBX = X");
  expect_small<T>((b * x).transpose() - b * x, 1, kappa, batch, "BX symmetric");
  expect_small<T>((x * b).transpose() - x * b, 1, kappa, batch, "XB symmetric");
  const TruncatedSvd exact(b, static_cast<int>(rank));
  const Eigen::MatrixXd e = made.get(made.e, m, 1, k);
  const Eigen::MatrixXd solution = made.get(made.x, n, 1, k) * largest;
  expect_small<T>(solution - exact.min_norm(e).cast<double>(), kappa * std::sqrt(m), kappa, batch,
                  "x = B+ e, against Eigen");
  if (!svd) return;
  const Eigen::MatrixXd values = made.get(made.values, std::min(m, n), 1, k) / largest;
  const Eigen::VectorXd all = TruncatedSvd(b, std::min(m, n)).sigma.cast<double>();
  expect_small<T>(values - all, 1, 1, batch, "singular values");
}

/// Checks that the padding is unchanged.
template <class T>
void check_padding(const MatrixCase<T>& made) {
  const auto lines = [&](const auto& values) { return static_cast<int>(values.size()) / made.batch.stride; };
  for (long k = made.batch.count; k < made.batch.stride; ++k) {
    for (const auto* values : {&made.x, &made.inverse, &made.values}) {
      for (int line = 0; line < lines(*values); ++line) EXPECT_TRUE(std::isnan((*values)[made.at(line, k)]));
    }
    EXPECT_EQ(made.rank[made.at(0, k)], -7);
    EXPECT_EQ(made.status[made.at(0, k)], Status::stopped);
  }
}

/// Checks a batch with every kind of spectrum, `of_each` matrices of each.
template <class T>
void check_shape(const Factorize<T>& factorize, PseudoInverse method, int m, int n, int of_each) {
  const auto kinds = static_cast<long>(spectrum_kinds.size());
  MatrixCase<T> made(m, n, kinds * of_each);
  std::mt19937 random(static_cast<unsigned>(100 * m + n));
  const auto sigma = [&](long k) {
    const std::string& kind = spectrum_kinds[static_cast<std::size_t>(k % kinds)];
    return spectrum(kind, std::min(m, n), spectrum_range<T>);
  };
  for (long k = 0; k < made.batch.count; ++k) made.set(k, with_spectrum(m, n, sigma(k), random));
  factorize(made.batch, made.arrays(method), {method, clear_tolerance<T>});
  for (long k = 0; k < made.batch.count; ++k) {
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + " matrix " + std::to_string(k) + ", " +
                 spectrum_kinds[static_cast<std::size_t>(k % kinds)]);
    check_matrix(made, k, sigma(k), method == PseudoInverse::svd);
  }
  check_padding(made);
}

}  // namespace kalaba::test
