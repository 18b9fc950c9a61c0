// Rank decisions near the threshold: dropped singular values from rounding to above the tolerance, rows in any unit.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>

#include "core/any_inverse.hpp"
#include "kalaba/core/inverse/jacobi_svd.hpp"
#include "kalaba/core/inverse/pivoted_qr.hpp"
#include "kalaba/core/inverse/unit_rows.hpp"
#include "support/spectra.hpp"

namespace kalaba {
namespace {

class Edges : public testing::Test {
 protected:
  double number() { return normal_(random_); }
  /// m x n matrix with singular values from 1 down to 0.05, and one more.
  Eigen::MatrixXd with_last(int m, int n, double last) {
    const int extent = std::min(m, n);
    Eigen::VectorXd sigma(extent);
    for (int i = 0; i + 1 < extent; ++i) sigma[i] = std::pow(0.05, static_cast<double>(i) / std::max(1, extent - 2));
    sigma[extent - 1] = last;
    return test::with_spectrum(m, n, sigma, random_);
  }
  Eigen::VectorXd numbers(int count) {
    return Eigen::VectorXd::NullaryExpr(count, [&] { return number(); });
  }

  /// Errors of x = B+ e and of the projection on the rows, compared with the truncated SVD in long double.
  void expect_truncated(test::AnyInverse& inverse, double last) {
    const int extent = std::min(inverse.rows(), inverse.columns());
    const Eigen::MatrixXd b = with_last(inverse.rows(), inverse.columns(), last);
    EXPECT_TRUE(inverse.factorize(b, 1e-6, false));
    const int rank = last > 1e-6 ? extent : extent - 1;
    ASSERT_EQ(inverse.rank(), rank) << last;
    const test::TruncatedSvd exact(b, rank);
    const Eigen::VectorXd e = numbers(inverse.rows());
    const Eigen::VectorXd y = numbers(inverse.columns());
    const test::LongVector x_error = exact.min_norm(e) - inverse.min_norm(e).cast<long double>();
    const test::LongVector y_error = exact.project(y) - inverse.project(y).cast<long double>();
    const double condition = last > 1e-6 ? 1 / last : 20;
    const double rounding = 1e-13 + 1e-16 * condition;
    EXPECT_LE(static_cast<double>(x_error.norm()), rounding * condition * e.norm()) << last;
    EXPECT_LE(static_cast<double>(y_error.norm()), rounding * condition) << last;
  }
  template <template <class, int, int> class Inverse, int M, int N>
  void expect_truncated(double last) {
    test::InverseOf<Inverse, M, N> inverse;
    expect_truncated(inverse, last);
  }

  std::mt19937 random_{7};

 private:
  std::normal_distribution<double> normal_;
};

constexpr double last_values[] = {1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-5, 1e-4, 1e-3};

TEST_F(Edges, TheSvdTruncatesAsExactly) {
  for (const double last : last_values) {
    for (int i = 0; i < 5; ++i) {
      expect_truncated<JacobiSvd, 5, 7>(last);
      expect_truncated<JacobiSvd, 7, 4>(last);
    }
  }
}

TEST_F(Edges, TheQrTruncatesAsTheSvdDoes) {
  for (const double last : last_values) {
    for (int i = 0; i < 5; ++i) {
      expect_truncated<PivotedQr, 5, 7>(last);
      expect_truncated<PivotedQr, 7, 4>(last);
      expect_truncated<PivotedQr, 14, 15>(last);
    }
  }
}

/// Half of the values lie around the tolerance, without a gap. Any truncation of them is acceptable, but a second
/// correction must leave nothing: x = B+ e, then B+ (e - B x) = 0.
TEST_F(Edges, WithoutAGapTheQrStillCorrectsOnce) {
  constexpr int M = 12;
  constexpr int N = 15;
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::VectorXd sigma(M);
    for (int i = 0; i < M; ++i) sigma[i] = i < 6 ? 1.0 : 1.6e-3 * (1 - 0.15 * (i - 6));
    const Eigen::MatrixXd b = test::with_spectrum(M, N, sigma, random_);
    PivotedQr<double, M, N> inverse;
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) inverse.rows(i, j) = b(i, j);
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
      for (int j = 0; j < N; ++j) e[i] -= b(i, j) * x[j];
    }
    inverse.min_norm(Solo{}, e, again);
    EXPECT_LE(std::sqrt(dot(again, again)), 1e-9 * std::sqrt(dot(x, x))) << trial;
  }
}

/// Both find the same smallest singular value above the threshold, even if many are close to it.
TEST_F(Edges, TheLeastValueIsTheSameByBoth) {
  constexpr int M = 62;
  constexpr int N = 63;
  for (const double last : {1e-6, 1e-4, 1e-2, 0.05}) {
    Eigen::VectorXd sigma(M);
    for (int i = 0; i < M; ++i) sigma[i] = i < 52 ? 1 - 0.015 * i : last * (1 + 0.1 * (M - 1 - i));
    const Eigen::MatrixXd b = test::with_spectrum(M, N, sigma, random_);
    PivotedQr<double, M, N> inverse;
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) inverse.rows(i, j) = b(i, j);
    }
    inverse.factorize(Solo{}, 1e-8, false);
    EXPECT_NEAR(inverse.least_value(1), last, 2e-3 * last);
  }
}

template <template <class, int, int> class Inverse>
void expect_units_do_not_matter() {
  // Two rows and a third that is nearly their sum; and orthogonal rows of very different lengths.
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
    // Multipliers of least norm in the units of the rows: B^T lambda = x.
    Vec<double, 3> lambda;
    inverse.multipliers(Solo{}, e, lambda);
    const double a[3] = {1, 0, 1};
    const double b[3] = {0, scale, 1};
    Eigen::MatrixXd transposed(2, 3);
    for (int i = 0; i < 3; ++i) transposed.col(i) << a[i], b[i];
    const test::LongVector least = test::TruncatedSvd(transposed, 2).min_norm(Eigen::Vector2d(2, 3));
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(lambda[i], static_cast<double>(least[i]), 1e-8 * static_cast<double>(least.norm())) << scale;
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
  EXPECT_EQ(RankRule<double>::at_step(method, 4).rank_of<false>(values, 1.0), 3);  // rounding
  EXPECT_EQ(RankRule<double>::within_step(method, 1).rank_of<false>(values, 1.0), 1);
}

}  // namespace
}  // namespace kalaba
