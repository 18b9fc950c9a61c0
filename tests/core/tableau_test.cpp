// Order conditions of the embedded Runge-Kutta methods and of the Rosenbrock method.

#include <gtest/gtest.h>

#include <cmath>

#include "kalaba/core/methods/dop853.hpp"
#include "kalaba/core/methods/dopri5.hpp"
#include "kalaba/core/methods/rodas5p.hpp"
#include "kalaba/core/model/method.hpp"
#include "support/rosenbrock_order.hpp"

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

/// Coefficients of k_i from those of sum_j gamma_ij k_j, which the core uses.
struct OfRodas5p {
  static constexpr int stages = Rodas5pTableau::stages;
  using Weights = std::vector<long double>;
  test::RosenbrockCoefficients of;
  Weights step, embedded;

  OfRodas5p() {
    const Weights zeros(stages, 0);
    of.alpha = of.gamma = std::vector<Weights>(stages, zeros);
    constexpr long double gamma = Rodas5pTableau::gamma;
    for (int j = 0; j < stages; ++j) {  // (1/gamma - c)^-1
      for (int i = j; i < stages; ++i) {
        long double sum = i == j ? 1 : 0;
        for (int k = j; k < i; ++k) sum += Rodas5pTableau::c(i, k) * of.gamma[k][j];
        of.gamma[i][j] = gamma * sum;
      }
    }
    for (int i = 0; i < stages; ++i) of.alpha[i] = times_gamma([&](int j) { return Rodas5pTableau::a(i, j); });
    embedded = times_gamma([](int j) { return Rodas5pTableau::a(stages - 1, j); });
    step = times_gamma([](int j) { return Rodas5pTableau::a(stages, j); });
  }
  template <class Row>
  Weights times_gamma(const Row& row) const {
    Weights result(stages, 0);
    for (int j = 0; j < stages; ++j) {
      for (int k = 0; k < stages; ++k) result[j] += row(k) * of.gamma[k][j];
    }
    return result;
  }
};

TEST(Rodas5pTest, HasOrderFiveAndAnEstimateOfOrderFour) {
  const OfRodas5p rodas;
  for (int order = 1; order <= 5; ++order) EXPECT_LE(rodas.of.defect(rodas.step, order), 3e-14L) << order;
  EXPECT_GE(rodas.of.defect(rodas.step, 6), 1e-5L);
  for (int order = 1; order <= 4; ++order) EXPECT_LE(rodas.of.defect(rodas.embedded, order), 3e-14L) << order;
  EXPECT_GE(rodas.of.defect(rodas.embedded, 5), 1e-5L);
}

TEST(Rodas5pTest, ExtendsAStepWithOrderFour) {
  const OfRodas5p rodas;
  for (const long double s : {0.1L, 0.37L, 0.5L, 0.83L}) {
    OfRodas5p::Weights weights = rodas.step;
    for (long double& each : weights) each *= s;
    long double power = s * (1 - s);
    for (int row = 0; row < Rodas5pTableau::extension_rows; ++row, power *= s) {
      const auto more = rodas.times_gamma([&](int j) { return Rodas5pTableau::extension(row, j); });
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += power * more[i];
    }
    for (int order = 1; order <= 4; ++order) EXPECT_LE(rodas.of.defect(weights, order, s), 3e-13L) << order;
    EXPECT_GE(rodas.of.defect(weights, 5, s), 1e-6L);
  }
}

TEST(Rodas5pTest, IsStifflyAccurateAndNotAutonomousOnly) {
  const OfRodas5p rodas;
  constexpr int last = OfRodas5p::stages - 1;
  for (int j = 0; j <= last; ++j) {
    EXPECT_NEAR(static_cast<double>(rodas.of.alpha[last][j] + rodas.of.gamma[last][j] - rodas.step[j]), 0, 1e-14) << j;
  }
  for (int i = 0; i <= last; ++i) {
    long double node = 0;
    long double of_time = 0;
    for (int j = 0; j <= last; ++j) {
      node += rodas.of.alpha[i][j];
      of_time += rodas.of.gamma[i][j];
    }
    EXPECT_NEAR(static_cast<double>(node), Rodas5pTableau::node(i), 1e-14) << i;
    EXPECT_NEAR(static_cast<double>(of_time), Rodas5pTableau::of_time(i), 1e-14) << i;
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
