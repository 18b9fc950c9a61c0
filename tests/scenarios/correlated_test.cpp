#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "scenario/sampling/correlated.hpp"
#include "scenario/sampling/design_facts.hpp"
#include "scenario/sampling/random.hpp"
#include "scenarios/failure.hpp"
#include "scenarios/pendulum_members.hpp"

namespace kalaba {
namespace {

using test::systems;

const std::string together =
    "correlated=[{variables=['parameters.L', 'initial.x'], mean=[1, -2], covariance=[[0.04, 0.03], [0.03, 0.09]]}]";

Scenario pendulum(std::vector<std::string> overrides) {
  overrides.push_back(together);
  return load_scenario("pendulum", overrides, systems());
}

/// L and x of the members from `first` on.
std::pair<std::vector<double>, std::vector<double>> values_of(const Scenario& scenario, long first, long count) {
  Block block = test::members_of(scenario, first, count);
  return {test::copy_of(block.parameter(test::L)), test::copy_of(block.coordinate(test::x))};
}
auto values_of(const Scenario& scenario) { return values_of(scenario, 0, scenario.members); }

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double covariance_of(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean_a = mean_of(a);
  const double mean_b = mean_of(b);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - mean_a) * (b[i] - mean_b);
  return sum / static_cast<double>(a.size());
}

// ---- the factor

TEST(SemiDefiniteFactor, TimesItsTransposeIsTheMatrix) {
  for (const std::vector<double>& matrix : {std::vector<double>{4, 2, -1, 2, 9, 0.5, -1, 0.5, 2},
                                            {1e-12, 2e-4, 0, 2e-4, 1e6, 0, 0, 0, 3},  // units apart
                                            {1, 1, 1, 1, 1, 1, 1, 1, 1},
                                            {0, 0, 0, 0, 2, 1, 0, 1, 1},
                                            {0.04, 0.06, 0, 0.06, 0.09, 0, 0, 0, 0}}) {
    const SemiDefiniteFactor found = semi_definite_factor(matrix, 3);
    ASSERT_EQ(found.lower.size(), 9U);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        double product = 0;
        for (std::size_t k = 0; k < 3; ++k) product += found.lower[i * 3 + k] * found.lower[j * 3 + k];
        const double scale = std::sqrt(matrix[4 * i] * matrix[4 * j]);
        EXPECT_NEAR(product, matrix[i * 3 + j], 1e-14 * scale) << i << j;
        EXPECT_TRUE(j <= i || found.lower[i * 3 + j] == 0);
      }
    }
  }
}

TEST(SemiDefiniteFactor, NamesTheMinorThatIsNegative) {
  const auto minor = [](const std::vector<double>& matrix) { return semi_definite_factor(matrix, 3).minor; };
  const std::vector<double> indefinite = {4, 1, 0, 1, 9, 7, 0, 7, 4};
  EXPECT_EQ(minor(indefinite), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_NEAR(semi_definite_factor(indefinite, 3).determinant, 4 * (36 - 49) - 4, 1e-12);
  EXPECT_EQ(minor({-2, 0, 0, 0, 1, 0, 0, 0, 1}), (std::vector<std::size_t>{0}));
  EXPECT_DOUBLE_EQ(semi_definite_factor({-2, 0, 0, 0, 1, 0, 0, 0, 1}, 3).determinant, -2);
  EXPECT_EQ(minor({0, 0, 5, 0, 1, 0, 5, 0, 9}), (std::vector<std::size_t>{0, 2}));  // no variance, but a covariance
  EXPECT_DOUBLE_EQ(semi_definite_factor({0, 0, 5, 0, 1, 0, 5, 0, 9}, 3).determinant, -25);
  EXPECT_TRUE(semi_definite_factor(indefinite, 3).lower.empty());
}

// ---- the members

TEST(Correlated, MembersHaveTheMeansAndTheCovariance) {
  for (const auto& [design, tolerance] : {std::pair("independent", 4e-3), {"latin_hypercube", 2e-3}, {"sobol", 3e-4}}) {
    SCOPED_TRACE(design);
    const auto [L, x] = values_of(pendulum({"ensemble.members=32768", std::string("ensemble.design=") + design}));
    EXPECT_NEAR(mean_of(L), 1, tolerance);
    EXPECT_NEAR(mean_of(x), -2, tolerance);
    EXPECT_NEAR(covariance_of(L, L), 0.04, tolerance);
    EXPECT_NEAR(covariance_of(L, x), 0.03, tolerance);
    EXPECT_NEAR(covariance_of(x, x), 0.09, tolerance);
    const auto below = std::ranges::count_if(x, [](double value) { return value < -2 - 0.3 * 1.644853626951473; });
    EXPECT_NEAR(static_cast<double>(below) / 32768, 0.05, tolerance);  // a normal's
  }
}

TEST(Correlated, FollowTheRecipe) {
  const auto [L, x] = values_of(pendulum({"ensemble.members=5", "ensemble.seed=3"}));
  for (std::size_t i = 0; i < 5; ++i) {
    const double z1 = normal_quantile(uniform_pair(3, i, stream_of("parameters.L")).first);
    const double z2 = normal_quantile(uniform_pair(3, i, stream_of("initial.x")).first);
    EXPECT_DOUBLE_EQ(L[i], 1 + 0.2 * z1);
    EXPECT_NEAR(x[i], -2 + 0.15 * z1 + std::sqrt(0.0675) * z2, 1e-15);
  }
}

TEST(Correlated, MembersAreTheSameInAnyBlockAndAmongOthers) {
  for (const char* design : {"independent", "sobol"}) {
    const std::string by = std::string("ensemble.design=") + design;
    const auto whole = values_of(pendulum({"ensemble.members=300", by}));
    const auto part = values_of(pendulum({"ensemble.members=300", by}), 100, 17);
    const auto fewer = values_of(pendulum({"ensemble.members=117", by}), 100, 17);
    for (std::size_t i = 0; i < 17; ++i) {
      EXPECT_EQ(part.first[i], whole.first[100 + i]);
      EXPECT_EQ(part.second[i], whole.second[100 + i]);
    }
    EXPECT_EQ(fewer, part);
  }
  const std::vector<std::string> other = {"ensemble.members=20", "parameters.g={uniform=[1, 2]}"};
  EXPECT_EQ(values_of(pendulum(other)), values_of(pendulum({"ensemble.members=20"})));
}

TEST(Correlated, TakesDeviationsAndCorrelationsToo) {
  const auto values = [](const std::string& spread) {
    return values_of(load_scenario(
        "pendulum",
        {"ensemble.members=50", "correlated={variables=['parameters.L', 'initial.x'], mean=[1, -2], " + spread + "}"},
        systems()));
  };
  EXPECT_EQ(values("std=[0.5, 2], correlation=[[1, 0.25], [0.25, 1]]"), values("covariance=[[0.25, 0.25], [0.25, 4]]"));
  const auto [L, x] = values("std=[0.2, 0.3], correlation=[[1, -1], [-1, 1]]");  // semi-definite
  for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR((x[i] + 2) / 0.3, (1 - L[i]) / 0.2, 1e-12);
  const auto [fixed, moving] = values("covariance=[[0, 0], [0, 1]]");
  EXPECT_EQ(fixed, std::vector<double>(50, 1.0));
  EXPECT_NE(moving[0], moving[1]);
}

TEST(Correlated, AreKeptByTheEffectiveScenario) {
  const Scenario scenario = pendulum({"ensemble.members=50", "ensemble.design=sobol", "parameters.m={uniform=[1, 2]}"});
  const Scenario again = load_scenario_text(scenario.text, "again", {}, systems());
  EXPECT_EQ(again.text, scenario.text);
  EXPECT_EQ(values_of(again), values_of(scenario));
  EXPECT_NE(scenario.text.find("\n[[correlated]]\nvariables = [\"parameters.L\", \"initial.x\"]\n"
                               "mean = [1.0, -2.0]\ncovariance = [[0.04, 0.03], [0.03, 0.09]]\n"),
            std::string::npos)
      << scenario.text;
  EXPECT_EQ(design_facts(scenario.text).varied_starts, std::vector<std::string>{"x"});
}

TEST(Correlated, OverAGridRepeatsItsPoints) {
  const Scenario scenario = pendulum({"parameters.m={values=[1, 2]}", "ensemble.members=6"});
  Block block(3, 2, 2, 6);
  block.assign(0, 6);
  scenario.source->fill(block);
  EXPECT_EQ(block.parameter(0)[2], 1);
  EXPECT_EQ(block.parameter(0)[3], 2);
  EXPECT_NE(block.parameter(1)[0], block.parameter(1)[2]);
}

TEST(CorrelatedError, DoesNotDependOnUnits) {
  const ScratchFolder folder;
  const auto message = [&](const std::string& covariance) {
    return first_message(folder, folder.write("s.toml",
                                              "system = 'pendulum'\nensemble.members = 9\n[[correlated]]\nvariables = "
                                              "['parameters.L', 'initial.x']\nmean = [1, 0]\ncovariance = " +
                                                  covariance));
  };
  const std::string refused = "expected a positive semi-definite matrix, found one whose minor of ";
  const std::string place = "s.toml:6: correlated[1].covariance: ";
  EXPECT_EQ(message("[[-1e-16, 0], [0, 1e-16]]"), place + refused + "parameters.L is -1e-16");
  EXPECT_EQ(message("[[1, 0], [0, -1e-30]]"), place + refused + "initial.x is -1e-30");
  EXPECT_EQ(message("[[0, 1e-10], [1e-10, 1]]"), place + refused + "parameters.L, initial.x is -1e-20");
  EXPECT_EQ(message("[[1, 1e-10], [1e-10, 0]]"), place + refused + "parameters.L, initial.x is -1e-20");
  EXPECT_EQ(message("[[0, 0], [0, 1]]"), "(no error)");
  // Rounding of an element that is 0 but for it.
  EXPECT_EQ(message("[[1, 1e-17], [2e-17, 1]]"), "(no error)");
  EXPECT_EQ(message("[[1e-24, 1e-29], [2e-29, 1e-10]]"), "(no error)");
  EXPECT_EQ(message("[[1e-24, 1e-29], [1.3e-29, 1e-10]]").find("symmetric"), std::string::npos);
  EXPECT_NE(message("[[1e-24, 0.5e-24], [0.6e-24, 1e-24]]").find("expected a symmetric matrix"), std::string::npos);
}

TEST(CorrelatedError, NamesFileLineAndKey) {
  const ScratchFolder folder;
  const auto message = [&](const std::string& table, const std::vector<std::string>& overrides = {}) {
    const std::string file =
        folder.write("s.toml", "system = 'pendulum'\n[ensemble]\nmembers = 9\n[[correlated]]\n" + table);
    return first_message(folder, file, overrides);
  };
  const std::string names = "variables = ['parameters.L', 'initial.x']\n";
  const std::string mean = "mean = [1, 0]\n";
  const std::string covariance = "covariance = [[4, 1], [1, 9]]\n";
  EXPECT_EQ(message(names + mean + covariance), "(no error)");
  EXPECT_EQ(message("variables = ['parameters.L', 'initial.y']\n"),
            "s.toml:5: correlated[1].variables: unknown variable \"initial.y\"; did you mean initial.x? (there are "
            "parameters.m, parameters.L, parameters.g, initial.x, initial.z, initial.p_x, initial.p_z)");
  EXPECT_EQ(message("variables = ['parameters.L', 'parameters.L']\n"),
            "s.toml:5: correlated[1].variables: \"parameters.L\" is given twice");
  EXPECT_EQ(message("variables = ['parameters.L']\n"),
            "s.toml:5: correlated[1].variables: expected two variables or more, found 1");
  EXPECT_EQ(message(names + mean + "covarance = [[4, 1], [1, 9]]\n"),
            "s.toml:7: correlated[1].covarance: unknown key; did you mean covariance? (there are variables, mean, "
            "covariance, std, correlation)");
  EXPECT_EQ(message(names + covariance), "s.toml:4: correlated[1]: expected mean = [...], found none");
  EXPECT_EQ(message(names + "mean = [1]\n" + covariance),
            "s.toml:6: correlated[1].mean: expected 2 numbers, one a variable, found 1");
  EXPECT_EQ(
      message(names + mean),
      "s.toml:4: correlated[1]: expected covariance = [[...], ...] (or std = [...] and correlation = [[...], ...]), "
      "found none");
  EXPECT_EQ(message(names + mean + "covariance = [[4, 1]]\n"),
            "s.toml:7: correlated[1].covariance: expected 2 rows of 2 numbers, one a variable, found 1 rows");
  EXPECT_EQ(message(names + mean + "covariance = [[4, 1],\n [1, 9, 2]]\n"),
            "s.toml:8: correlated[1].covariance[2]: expected 2 numbers, found 3");
  EXPECT_EQ(
      message(names + mean + "covariance = [[4, 1], [2, 9]]\n"),
      "s.toml:7: correlated[1].covariance: expected a symmetric matrix, found 1 and 2 of parameters.L and initial.x");
  EXPECT_EQ(message(names + mean + "covariance = [[4, 7], [7, 9]]\n"),
            "s.toml:7: correlated[1].covariance: expected a positive semi-definite matrix, found one whose minor of "
            "parameters.L, initial.x is -13");
  EXPECT_EQ(message(names + mean + "std = [1, 2]\n"),
            "s.toml:4: correlated[1]: expected correlation = [[...], ...], for std is given, found none");
  EXPECT_EQ(message(names + mean + "std = [1, -2]\ncorrelation = [[1, 0], [0, 1]]\n"),
            "s.toml:7: correlated[1].std: expected standard deviations of at least 0, found -2");
  EXPECT_EQ(message(names + mean + "std = [1, 2]\ncorrelation = [[1, 0], [0, 2]]\n"),
            "s.toml:8: correlated[1].correlation: expected ones on the diagonal, found 2 of initial.x");
  EXPECT_EQ(message(names + mean + covariance + "std = [1, 2]\n"),
            "s.toml:8: correlated[1].std: expected either this or covariance, found both");
  EXPECT_EQ(message(names + mean + covariance, {"parameters.L=1"}),
            "-s parameters.L=1: expected it either here or in correlated[1], found both");
  EXPECT_EQ(message(names + mean + covariance + "[[correlated]]\n" + names + mean + covariance),
            "s.toml:8: correlated[2]: \"parameters.L\" is in correlated[1] too");
  EXPECT_EQ(
      message(names + mean + covariance, {"ensemble.design=one_at_a_time"}),
      "s.toml:4: correlated[1]: expected a number, linspace or values, which the design one_at_a_time varies one at a "
      "time");
  EXPECT_NE(message(names + mean + covariance + "[correlate]\nx = 1\n").find("did you mean correlated?"),
            std::string::npos);
}

}  // namespace
}  // namespace kalaba
