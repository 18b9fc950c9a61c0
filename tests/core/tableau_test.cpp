// Order conditions of the embedded Runge-Kutta methods.

#include <gtest/gtest.h>

#include <cmath>

#include "kalaba/core/dop853.hpp"
#include "kalaba/core/dopri5.hpp"
#include "kalaba/core/method.hpp"

namespace kalaba {
namespace {

struct OfDopri5 : Dopri5Tableau {
  static constexpr Integrator number = Integrator::dopri5;
  static constexpr int error_orders[] = {4};
  static constexpr int dense_order = 4;
};
struct OfDop853 : Dop853Tableau {
  static constexpr Integrator number = Integrator::dop853;
  static constexpr int error_orders[] = {5, 3};
  static constexpr int dense_order = 7;
};

template <class T>
constexpr int all_stages = T::stages + T::dense_stages;

/// sum_j coefficient(row, j) f(c_j).
template <class T, class F>
double sum(int row, const F& f) {
  double result = 0;
  for (int j = 0; j < all_stages<T>; ++j) result += T::coefficient(row, j) * f(T::node(j));
  return result;
}
auto power(int k) {
  return [k](double c) { return std::pow(c, k); };
}

template <class T>
class ATableau : public testing::Test {};
using Tableaus = testing::Types<OfDopri5, OfDop853>;
TYPED_TEST_SUITE(ATableau, Tableaus);

TYPED_TEST(ATableau, HasTheFactsOfItsIntegrator) {
  constexpr IntegratorFacts facts = facts_of(TypeParam::number);
  EXPECT_EQ(facts.dense_rows, TypeParam::dense_rows);
  EXPECT_EQ(facts.stages, TypeParam::stages - 1) << "the last one is the first of the next step";
}

TYPED_TEST(ATableau, IsExplicitAndItsRowsSumToTheNodes) {
  for (int row = 1; row < all_stages<TypeParam>; ++row) {
    EXPECT_NEAR(sum<TypeParam>(row, power(0)), TypeParam::node(row), 2e-14) << row;
    for (int j = row; j < all_stages<TypeParam>; ++j) EXPECT_EQ(TypeParam::coefficient(row, j), 0) << row << ' ' << j;
  }
  EXPECT_EQ(TypeParam::node(TypeParam::stages - 1), 1);
}

TYPED_TEST(ATableau, IntegratesPolynomialsOfItsOrderAndNoHigherOnes) {
  constexpr int step = TypeParam::stages - 1;
  const int order = facts_of(TypeParam::number).order;
  for (int k = 0; k < order; ++k) EXPECT_NEAR(sum<TypeParam>(step, power(k)), 1.0 / (k + 1), 5e-15) << k;
  EXPECT_GT(std::abs(sum<TypeParam>(step, power(order)) - 1.0 / (order + 1)), 1e-6);
}

TYPED_TEST(ATableau, EstimatesNoErrorOfPolynomialsOfTheEmbeddedOrder) {
  for (int estimate = 0; estimate < TypeParam::error_rows; ++estimate) {
    const int row = all_stages<TypeParam> + estimate;
    const int order = TypeParam::error_orders[estimate];
    for (int k = 0; k < order; ++k) EXPECT_NEAR(sum<TypeParam>(row, power(k)), 0, 2e-15) << estimate << ' ' << k;
    EXPECT_GT(std::abs(sum<TypeParam>(row, power(order))), 1e-6) << estimate;
  }
}

/// y' = t^k from t = 0 to 1, at s: the cubic through both ends plus s^2 (1 - s)^2 times the remainder.
TYPED_TEST(ATableau, ExtendsPolynomialsToAllTimes) {
  for (int k = 0; k < TypeParam::dense_order; ++k) {
    const double y = 1.0 / (k + 1);
    const double slope = k == 0 ? 1 : 0;
    for (const double s : {0.1, 0.37, 0.5, 0.83}) {
      const double r = 1 - s;
      double bulge = 0;
      for (int d = TypeParam::dense_rows - 1; d >= 0; --d) {
        const int row = all_stages<TypeParam> + TypeParam::error_rows + d;
        bulge = sum<TypeParam>(row, power(k)) + (d % 2 == 0 ? s : r) * bulge;
      }
      const double cubic = s * s * (3 - 2 * s) * y + s * r * r * slope - s * s * r;
      EXPECT_NEAR(cubic + s * s * r * r * bulge, std::pow(s, k + 1) / (k + 1), 2e-13) << k << ' ' << s;
    }
  }
}

TEST(Dop853Test, TrustsTheEstimateOfOrderFiveAsFarAsThatOfOrderThreeAllows) {
  const auto error = [](double fifth, double third) {
    const double rms[] = {fifth, third};
    return Dop853Tableau::error(rms);
  };
  EXPECT_EQ(error(0, 0), 0);
  EXPECT_EQ(error(0.5, 0), 0.5);
  EXPECT_NEAR(error(0.3, 4), 0.09 / 0.5, 1e-15);
  EXPECT_TRUE(std::isnan(error(NAN, 1)));
}

}  // namespace
}  // namespace kalaba
