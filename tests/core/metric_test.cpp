// Factor F of the metric, G = F F^T: its solve and multiply functions are inverses of each other.

#include "kalaba/core/inverse/metric.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "kalaba/core/inverse/sparse_metric.hpp"

namespace kalaba {
namespace {

template <int N>
Eigen::Matrix<double, N, N> random_definite(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Eigen::Matrix<double, N, N> a;
  for (double& x : a.reshaped()) x = normal(random);
  return a * a.transpose() + 0.1 * Eigen::Matrix<double, N, N>::Identity();
}

template <class Factor, int N>
Eigen::Matrix<double, N, N> as_matrix(const Factor& factor, void (Factor::*apply)(double*) const) {
  Eigen::Matrix<double, N, N> columns = Eigen::Matrix<double, N, N>::Identity();
  for (int j = 0; j < N; ++j) (factor.*apply)(columns.col(j).data());
  return columns;
}

template <class Factor, int N>
void check_laws(const Factor& factor, const Eigen::Matrix<double, N, N>& g) {
  const auto identity = Eigen::Matrix<double, N, N>::Identity();
  const double small = 1e-12 * g.norm() * g.inverse().norm();
  const auto f = as_matrix<Factor, N>(factor, &Factor::multiply);
  const auto ft = as_matrix<Factor, N>(factor, &Factor::multiply_transposed);
  EXPECT_LE((f * f.transpose() - g).norm(), 1e-13 * g.norm());
  EXPECT_LE((ft - f.transpose()).norm(), 1e-15 * f.norm());
  EXPECT_LE((as_matrix<Factor, N>(factor, &Factor::solve) * f - identity).norm(), small);
  EXPECT_LE((as_matrix<Factor, N>(factor, &Factor::solve_transposed) * ft - identity).norm(), small);
}

template <int N>
void check_cholesky() {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const auto g = random_definite<N>(seed);
    Symmetric<double, N> metric;
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j <= i; ++j) metric.entry(i, j) = g(i, j);
    }
    CholeskyFactor<double, N> factor;
    EXPECT_TRUE(factor.factorize(Solo{}, metric));
    check_laws<CholeskyFactor<double, N>, N>(factor, g);
  }
}

TEST(CholeskyFactorTest, SolvesWhatItMultiplies) {
  check_cholesky<1>();
  check_cholesky<3>();
  check_cholesky<8>();
}

/// A body (0) that carries two branches: 1, 2, 3 and 4, 5; and a row of its own, 6.
struct TreePattern {
  static constexpr bool dense = false;
  static constexpr int rows = 7;
  static constexpr int cols = 7;
  static constexpr int count = 9;
  static int begin(int i) {
    constexpr int table[] = {0, 5, 7, 8, 8, 9, 9, 9};
    return table[i];
  }
  static int column(int k) {
    constexpr int table[] = {1, 2, 3, 4, 5, 2, 3, 3, 5};
    return table[k];
  }
};

TEST(SparseCholeskyTest, SolvesWhatItMultiplies) {
  constexpr int n = TreePattern::rows;
  using Full = Eigen::Matrix<double, n, n>;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Full drawn = random_definite<n>(seed);
    Full upper = Full::Zero();
    for (int i = 0; i < n; ++i) {
      upper(i, i) = 1 + std::abs(drawn(i, i));
      for (int k = TreePattern::begin(i); k < TreePattern::begin(i + 1); ++k) {
        upper(i, TreePattern::column(k)) = drawn(i, TreePattern::column(k));
      }
    }
    const Full g = upper * upper.transpose();
    SparseSymmetric<double, TreePattern> metric;
    for (int i = 0; i < n; ++i) {
      metric.entry.diagonal[i] = g(i, i);
      for (int k = TreePattern::begin(i); k < TreePattern::begin(i + 1); ++k) {
        metric.entry.upper[k] = g(i, TreePattern::column(k));
      }
    }
    using Factor = SparseCholesky<double, TreePattern>;
    Factor factor;
    EXPECT_TRUE(factor.factorize(Solo{}, metric));
    check_laws<Factor, n>(factor, g);
    EXPECT_LE((as_matrix<Factor, n>(factor, &Factor::multiply) - upper).norm(), 1e-12 * upper.norm());
    metric.entry.diagonal[3] = -1;
    EXPECT_FALSE(factor.factorize(Solo{}, metric));
  }
}

TEST(DiagonalFactorTest, SolvesWhatItMultiplies) {
  DiagonalFactor<double, 3> factor;
  EXPECT_TRUE(factor.factorize(Solo{}, Diagonal<double, 3>{{2.0, 0.5, 1e6}}));
  check_laws<DiagonalFactor<double, 3>, 3>(factor, Eigen::Vector3d(2.0, 0.5, 1e6).asDiagonal().toDenseMatrix());
}

TEST(FactorsTest, TellAMetricThatIsNotDefinite) {
  DiagonalFactor<double, 2> diagonal;
  EXPECT_FALSE(diagonal.factorize(Solo{}, Diagonal<double, 2>{{1.0, 0.0}}));
  EXPECT_FALSE(diagonal.factorize(Solo{}, Diagonal<double, 2>{{1.0, -1.0}}));
  CholeskyFactor<double, 2> cholesky;
  for (const double corner : {1.0, 0.5}) {  // rank 1, and indefinite
    Symmetric<double, 2> metric;
    metric.entry(0, 0) = 1;
    metric.entry(1, 0) = 1;
    metric.entry(1, 1) = corner;
    EXPECT_FALSE(cholesky.factorize(Solo{}, metric)) << corner;
  }
}

}  // namespace
}  // namespace kalaba
