// The edges of rank: dropped singular values from rounding to beyond the tolerance, rows in any unit.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

#include "kalaba/core/jacobi_svd.hpp"
#include "kalaba/core/pivoted_qr.hpp"
#include "kalaba/core/unit_rows.hpp"

namespace kalaba {
namespace {

using Long = long double;
using Matrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;

class Edges : public testing::Test {
 protected:
  double number() { return normal_(random_); }
  Matrix orthogonal(int n) {
    const Matrix a = Matrix::NullaryExpr(n, n, [&] { return Long(number()); });
    return Eigen::HouseholderQR<Matrix>(a).householderQ();
  }
  /// M x N with singular values from 1 down to 0.05, and one more.
  template <int M, int N>
  Matrix with_last(double last) {
    constexpr int extent = std::min(M, N);
    Vector sigma(extent);
    for (int i = 0; i + 1 < extent; ++i) sigma[i] = std::pow(Long(0.05), Long(i) / std::max(1, extent - 2));
    sigma[extent - 1] = last;
    return orthogonal(M).leftCols(extent) * sigma.asDiagonal() * orthogonal(N).leftCols(extent).transpose();
  }

  /// The errors of x = B+ e and of the projection on the rows, against the truncated SVD in long double.
  template <int M, int N, template <class, int, int> class Inverse>
  void expect_truncated(double last) {
    constexpr int extent = std::min(M, N);
    Inverse<double, M, N> inverse;
    const Matrix wanted = with_last<M, N>(last);
    Matrix b(M, N);
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) b(i, j) = inverse.rows(i, j) = static_cast<double>(wanted(i, j));
    }
    const Eigen::JacobiSVD<Matrix> svd(b, Eigen::ComputeThinU | Eigen::ComputeThinV);
    EXPECT_TRUE(inverse.factorize(Solo{}, 1e-6, false));
    const int rank = last > 1e-6 ? extent : extent - 1;
    ASSERT_EQ(inverse.rank(), rank) << last;
    const Matrix v = svd.matrixV().leftCols(rank);
    const Vector inverse_sigma = svd.singularValues().head(rank).cwiseInverse();
    const Matrix pseudo = v * inverse_sigma.asDiagonal() * svd.matrixU().leftCols(rank).transpose();
    Vec<double, M> e;
    Vec<double, N> x;
    Vec<double, N> y;
    Vector exact_e(M);
    Vector exact_y(N);
    for (int i = 0; i < M; ++i) exact_e[i] = e[i] = number();
    for (int i = 0; i < N; ++i) exact_y[i] = y[i] = number();
    inverse.min_norm(Solo{}, e, x);
    inverse.project(Solo{}, y);
    Vector x_error = pseudo * exact_e;
    Vector y_error = v * (v.transpose() * exact_y);
    for (int i = 0; i < N; ++i) {
      x_error[i] -= x[i];
      y_error[i] -= y[i];
    }
    const double condition = last > 1e-6 ? 1 / last : 20;
    const double rounding = 1e-13 + 1e-16 * condition;
    EXPECT_LE(static_cast<double>(x_error.norm()), rounding * condition * static_cast<double>(exact_e.norm())) << last;
    EXPECT_LE(static_cast<double>(y_error.norm()), rounding * condition) << last;
  }

 private:
  std::mt19937 random_{7};
  std::normal_distribution<double> normal_;
};

constexpr double spectrum[] = {1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-5, 1e-4, 1e-3};

TEST_F(Edges, TheSvdTruncatesAsExactly) {
  for (const double last : spectrum) {
    for (int i = 0; i < 5; ++i) {
      expect_truncated<5, 7, JacobiSvd>(last);
      expect_truncated<7, 4, JacobiSvd>(last);
    }
  }
}

TEST_F(Edges, TheQrTruncatesAsTheSvdDoes) {
  for (const double last : spectrum) {
    for (int i = 0; i < 5; ++i) {
      expect_truncated<5, 7, PivotedQr>(last);
      expect_truncated<7, 4, PivotedQr>(last);
      expect_truncated<14, 15, PivotedQr>(last);
    }
  }
}

/// Half of the values lie around the tolerance, without a gap anywhere. Which of them are cut is a matter of taste, but
/// a second correction must find nothing left: x = B+ e, then B+ (e - B x) = 0.
TEST_F(Edges, WithoutAGapTheQrStillCorrectsOnce) {
  constexpr int M = 12;
  constexpr int N = 15;
  for (int trial = 0; trial < 20; ++trial) {
    Vector sigma(M);
    for (int i = 0; i < M; ++i) sigma[i] = i < 6 ? 1.0L : 1.6e-3L * (1 - 0.15L * (i - 6));
    const Matrix b = orthogonal(M) * sigma.asDiagonal() * orthogonal(N).leftCols(M).transpose();
    PivotedQr<double, M, N> inverse;
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) inverse.rows(i, j) = static_cast<double>(b(i, j));
    }
    inverse.factorize(Solo{}, 1e-3, false);
    ASSERT_LT(inverse.rank(), M);
    ASSERT_GT(inverse.rank(), 6);
    Vec<double, M> e;
    Vec<double, N> x;
    Vec<double, N> again;
    for (int i = 0; i < M; ++i) e[i] = number();
    inverse.min_norm(Solo{}, e, x);
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) e[i] -= static_cast<double>(b(i, j)) * x[j];
    }
    inverse.min_norm(Solo{}, e, again);
    EXPECT_LE(std::sqrt(dot(again, again)), 1e-9 * std::sqrt(dot(x, x))) << trial;
  }
}

/// What both know of the smallest value that counts, however many are nearly as small.
TEST_F(Edges, TheLeastValueIsTheSameByBoth) {
  constexpr int M = 62;
  constexpr int N = 63;
  for (const double last : {1e-6, 1e-4, 1e-2, 0.05}) {
    Vector sigma(M);
    for (int i = 0; i < M; ++i) sigma[i] = i < 52 ? 1 - 0.015L * i : Long(last) * (1 + 0.1L * (M - 1 - i));
    const Matrix b = orthogonal(M) * sigma.asDiagonal() * orthogonal(N).leftCols(M).transpose();
    PivotedQr<double, M, N> inverse;
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) inverse.rows(i, j) = static_cast<double>(b(i, j));
    }
    inverse.factorize(Solo{}, 1e-8, false);
    EXPECT_NEAR(inverse.least_value(1), last, 2e-3 * last);
  }
}

template <template <class, int, int> class Inverse>
void expect_units_do_not_matter() {
  // Two rows and a third that is nearly their sum; and rows at right angles of very different lengths.
  const double unit[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 1e-9, 0}};
  for (const double scale : {1e-8, 1.0, 1e8}) {
    UnitRows<double, 3, 4, Inverse> inverse;
    Vec<double, 3> e;
    for (int i = 0; i < 3; ++i) {
      const double length = i == 1 ? scale : 1;
      for (int j = 0; j < 4; ++j) inverse.rows(i, j) = length * unit[i][j];
      e[i] = length * (i == 2 ? 5 : 2 + i);  // consistent
    }
    inverse.factorize(Solo{}, RankRule<double>(1e-6), false);
    EXPECT_EQ(inverse.rank(), 2) << scale;
    Vec<double, 4> x;
    inverse.min_norm(Solo{}, e, x);
    EXPECT_NEAR(x[0], 2, 1e-9);
    EXPECT_NEAR(x[1], 3, 1e-9);
    // The least multipliers in the units of the rows: B^T lambda = x.
    Vec<double, 3> lambda;
    inverse.multipliers(Solo{}, e, lambda);
    const double a[3] = {1, 0, 1};
    const double b[3] = {0, scale, 1};
    Eigen::Matrix<double, 2, 3> transposed;
    for (int i = 0; i < 3; ++i) transposed.col(i) << a[i], b[i];
    const Eigen::Vector3d least = transposed.completeOrthogonalDecomposition().solve(Eigen::Vector2d(2, 3));
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(lambda[i], least[i], 1e-8 * least.norm()) << scale;
  }
}

TEST(UnitRowsTest, UnitsDoNotMatterToTheSvd) { expect_units_do_not_matter<JacobiSvd>(); }
TEST(UnitRowsTest, UnitsDoNotMatterToTheQr) { expect_units_do_not_matter<PivotedQr>(); }

TEST(RankRuleTest, HoldsWhatCountedAndStaysWithinAStep) {
  const Vec<double, 4> values{1.0, 1e-3, 1e-8, 1e-15};
  const Method method;
  EXPECT_EQ(RankRule<double>(1e-6).rank_of<false>(values, 1.0), 2);
  EXPECT_EQ(RankRule<double>::at_step(method, -1).rank_of<false>(values, 1.0), 2);
  EXPECT_EQ(RankRule<double>::at_step(method, 3).rank_of<false>(values, 1.0), 3);
  EXPECT_EQ(RankRule<double>::at_step(method, 4).rank_of<false>(values, 1.0), 3);  // that is rounding
  EXPECT_EQ(RankRule<double>::within_step(method, 1).rank_of<false>(values, 1.0), 1);
}

}  // namespace
}  // namespace kalaba
