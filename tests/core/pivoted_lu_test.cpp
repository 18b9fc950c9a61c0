// Factorization with partial pivoting: the solution, units of rows, singular matrices, lanes.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kalaba/backend/pack.hpp"
#include "kalaba/core/base/pivoted_lu.hpp"

namespace kalaba {
namespace {

constexpr int size = 7;
using Numbers = Mat<double, size, size>;

Numbers random_matrix(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Numbers matrix;
  for (double& each : matrix.data) each = normal(random);
  return matrix;
}
Vec<double, size> solution() { return {1, -2, 3, 0.5, -0.25, 7, 1e-3}; }
Vec<double, size> times(const Numbers& a, const Vec<double, size>& x) {
  Vec<double, size> product;
  for (int i = 0; i < size; ++i) {
    product[i] = 0;
    for (int j = 0; j < size; ++j) product[i] += a(i, j) * x[j];
  }
  return product;
}

double error_of(const Numbers& a) {
  PivotedLu<double, size> lu;
  lu.a = a;
  if (!lu.factorize()) return INFINITY;
  Vec<double, size> x = times(a, solution());
  lu.solve(x);
  double error = 0;
  for (int i = 0; i < size; ++i) error = std::max(error, std::abs(x[i] - solution()[i]));
  return error;
}

TEST(PivotedLuTest, SolvesWithZeroAndTinyPivots) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Numbers a = random_matrix(seed);
    a(0, 0) = seed % 2 == 0 ? 0 : 1e-15;
    a(3, 3) = 0;
    EXPECT_LE(error_of(a), 1e-10) << seed;
  }
}

TEST(PivotedLuTest, ThePivotsDoNotDependOnTheUnitsOfTheRows) {
  Numbers a = random_matrix(3);
  a(0, 0) = 1e-14;
  PivotedLu<double, size> usual;
  usual.a = a;
  ASSERT_TRUE(usual.factorize());
  for (int j = 0; j < size; ++j) a(0, j) *= 0x1p40;  // the tiny pivot is now the largest entry of its column
  PivotedLu<double, size> scaled;
  scaled.a = a;
  ASSERT_TRUE(scaled.factorize());
  for (int i = 0; i < size; ++i) EXPECT_EQ(scaled.pivot_row[i], usual.pivot_row[i]) << i;
  EXPECT_LE(error_of(a), 1e-10);
}

TEST(PivotedLuTest, ReportsSingularMatrices) {
  Numbers zero_row = random_matrix(5);
  for (int j = 0; j < size; ++j) zero_row(2, j) = 0;
  Numbers twice = random_matrix(5);
  for (int j = 0; j < size; ++j) twice(6, j) = 0.1 * twice(2, j);
  Numbers nan = random_matrix(5);
  nan(4, 4) = NAN;
  for (const Numbers& a : {zero_row, twice, nan}) {
    PivotedLu<double, size> lu;
    lu.a = a;
    EXPECT_FALSE(lu.factorize());
    Vec<double, size> x = solution();
    lu.solve(x);  // has no meaning, and ends
  }
}

TEST(PivotedLuTest, ALaneHasTheBitsOfItsMatrixAlone) {
  using P = Pack<double>;
  PivotedLu<P, size> packed;
  Vec<P, size> x;
  for (int i = 0; i < size * size; ++i) {
    double numbers[P::lanes];
    for (int lane = 0; lane < P::lanes; ++lane) {  // lane 1 is singular
      numbers[lane] = lane == 1 ? 0 : random_matrix(static_cast<unsigned>(lane)).data[i];
    }
    packed.a.data[i] = P::load(numbers);
  }
  for (int i = 0; i < size; ++i) x[i] = P(solution()[i]);
  packed.factorize();
  packed.solve(x);
  for (int lane = 0; lane < P::lanes; ++lane) {
    if (lane == 1) continue;
    PivotedLu<double, size> lu;
    lu.a = random_matrix(static_cast<unsigned>(lane));
    ASSERT_TRUE(lu.factorize());
    Vec<double, size> alone = solution();
    lu.solve(alone);
    for (int i = 0; i < size; ++i) EXPECT_EQ(lane_of(x[i], lane), alone[i]) << lane << ' ' << i;
  }
}

}  // namespace
}  // namespace kalaba
