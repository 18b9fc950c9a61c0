#include "report/data/sobol_indices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "scenario/sampling/unit_design.hpp"

namespace kalaba {
namespace {

struct Known {
  std::vector<double> first;
  std::vector<double> total;
};

/// Function on the unit cube with known indices.
struct Case {
  std::size_t inputs;
  std::function<double(const std::vector<double>&)> value;
  Known known;
};

/// Ishigami and Homma 1990 with a = 7, b = 0.1.
Case ishigami() {
  constexpr double pi = std::numbers::pi, a = 7, b = 0.1;
  const double of_1 = (1 + b * std::pow(pi, 4) / 5) * (1 + b * std::pow(pi, 4) / 5) / 2;
  const double of_2 = a * a / 8;
  const double of_1_and_3 = b * b * std::pow(pi, 8) * 8 / 225;
  const double all = of_1 + of_2 + of_1_and_3;
  return {3,
          [](const std::vector<double>& u) {
            const auto x = [&](std::size_t i) { return pi * (2 * u[i] - 1); };
            return std::sin(x(0)) * (1 + b * std::pow(x(2), 4)) + a * std::sin(x(1)) * std::sin(x(1));
          },
          {{of_1 / all, of_2 / all, 0}, {(of_1 + of_1_and_3) / all, of_2 / all, of_1_and_3 / all}}};
}

/// Sobol' 1993: the product of (|4 u - 2| + a)/(1 + a), whose factors have the mean 1 and the variance 1/(3 (1 + a)^2).
Case product() {
  const std::vector<double> a = {0, 1, 4.5, 9, 99};
  double all = 1;
  for (const double each : a) all *= 1 + 1 / (3 * (1 + each) * (1 + each));
  Known known;
  for (const double each : a) {
    const double own = 1 / (3 * (1 + each) * (1 + each));
    known.first.push_back(own / (all - 1));
    known.total.push_back(own * all / (1 + own) / (all - 1));
  }
  return {a.size(),
          [a](const std::vector<double>& u) {
            double value = 1;
            for (std::size_t i = 0; i < a.size(); ++i) value *= (std::abs(4 * u[i] - 2) + a[i]) / (1 + a[i]);
            return value;
          },
          known};
}

/// The function at the members of the design; of `independent` its points are drawn as that design draws them.
std::vector<double> values_of(const Case& of, long points, std::uint64_t seed, bool independent = false) {
  const int inputs = static_cast<int>(of.inputs);
  const long together = saltelli_members(inputs);
  const UnitCube saltelli = {SamplingDesign::saltelli, seed, points * together, inputs};
  const UnitCube alone = {SamplingDesign::independent, seed, points};
  std::vector<double> values;
  for (long member = 0; member < points * together; ++member) {
    std::vector<double> u;
    for (int i = 0; i < inputs; ++i) {
      const long place = member % together;
      const auto half = static_cast<std::uint32_t>(place == 1 || place == i + 2 ? inputs + i : i);
      u.push_back(independent ? alone.at(member / together, half, 0)
                              : saltelli.at(member, static_cast<std::uint32_t>(i), i));
    }
    values.push_back(of.value(u));
  }
  return values;
}

class SobolIndicesOf : public testing::TestWithParam<Case (*)()> {};

TEST_P(SobolIndicesOf, AFunctionOfKnownOnes) {
  const Case of = GetParam()();
  const SobolIndices found = sobol_indices(values_of(of, 1L << 14, 1), of.inputs);
  EXPECT_EQ(found.points, 1L << 14);
  EXPECT_EQ(found.left_out, 0);
  ASSERT_EQ(found.first.size(), of.inputs);
  for (std::size_t i = 0; i < of.inputs; ++i) {
    EXPECT_NEAR(found.first[i].share, of.known.first[i], 2e-3) << i;
    EXPECT_NEAR(found.total[i].share, of.known.total[i], 2e-3) << i;
  }
}

/// For independent points, the intervals contain the exact values in 95 of 100 cases.
TEST_P(SobolIndicesOf, IntervalsHoldTheKnownOnesAsOftenAsTheySay) {
  const Case of = GetParam()();
  constexpr int runs = 400;
  std::vector<int> first(of.inputs), total(of.inputs);
  for (int run = 0; run < runs; ++run) {
    const auto seed = static_cast<std::uint64_t>(run) + 1;
    const SobolIndices found = sobol_indices(values_of(of, 500, seed, true), of.inputs);
    const auto holds = [](const SobolIndex& index, double known) {
      return std::abs(index.share - known) <= index.reach() ? 1 : 0;
    };
    for (std::size_t i = 0; i < of.inputs; ++i) {
      first[i] += holds(found.first[i], of.known.first[i]);
      total[i] += holds(found.total[i], of.known.total[i]);
    }
  }
  for (std::size_t i = 0; i < of.inputs; ++i) {
    EXPECT_NEAR(first[i], 0.95 * runs, 0.04 * runs) << i;  // 3.7 standard deviations
    EXPECT_NEAR(total[i], 0.95 * runs, 0.06 * runs) << i;  // squares are skew
  }
}

/// Points of a Sobol' sequence are as accurate as many more independent points.
TEST_P(SobolIndicesOf, SobolPointsAreNearerThanTheIntervalsSay) {
  const Case of = GetParam()();
  double off = 0;
  double said = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SobolIndices found = sobol_indices(values_of(of, 1024, seed), of.inputs);
    for (std::size_t i = 0; i < of.inputs; ++i) {
      off +=
          std::pow(found.first[i].share - of.known.first[i], 2) + std::pow(found.total[i].share - of.known.total[i], 2);
      said += std::pow(found.first[i].error, 2) + std::pow(found.total[i].error, 2);
    }
  }
  EXPECT_LT(off, said / 4);
}

INSTANTIATE_TEST_SUITE_P(Functions, SobolIndicesOf, testing::Values(&ishigami, &product),
                         [](const auto& each) { return each.index == 0 ? "Ishigami" : "Product"; });

TEST(SobolIndices, APointWithAMemberThatHasNoValueIsLeftOutWhole) {
  std::vector<double> values = values_of(ishigami(), 64, 3);
  std::vector<double> kept(values.begin() + 5, values.end());
  kept.erase(kept.begin() + 5 * 9, kept.begin() + 5 * 10);  // point 10 of all
  values[3] = std::numeric_limits<double>::quiet_NaN();
  values[5 * 10] = std::numeric_limits<double>::infinity();
  const SobolIndices found = sobol_indices(values, 3);
  EXPECT_EQ(found.points, 62);
  EXPECT_EQ(found.left_out, 2);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found.first[i].share, sobol_indices(kept, 3).first[i].share);
    EXPECT_EQ(found.total[i].error, sobol_indices(kept, 3).total[i].error);
  }
}

TEST(SobolIndices, HaveNoValueOfAConstantNorOfNothing) {
  for (const std::vector<double>& values : {std::vector<double>(40, 2.5), std::vector<double>()}) {
    const SobolIndices found = sobol_indices(values, 2);
    ASSERT_EQ(found.total.size(), 2U);
    EXPECT_TRUE(std::isnan(found.first[0].share));
    EXPECT_TRUE(std::isnan(found.total[1].share));
  }
}

/// The mean of the numbers has no influence: a mean far from zero costs no precision except that of the numbers.
TEST(SobolIndices, DoNotDependOnTheOrigin) {
  std::vector<double> values = values_of(product(), 256, 1);
  const SobolIndices near = sobol_indices(values, 5);
  for (double& value : values) value = 1e6 + 3 * value;
  const SobolIndices far = sobol_indices(values, 5);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(far.first[i].share, near.first[i].share, 1e-8);
    EXPECT_NEAR(far.total[i].error, near.total[i].error, 1e-8);
  }
}

}  // namespace
}  // namespace kalaba
