// Sensitivities of motions in which rows of the constraints are zero, against closed forms and differences of runs.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace {

using hybrid::last_value;
using hybrid::run_text;
using hybrid::Way;

/// A mass that falls from y = 1 with the velocity 0.5 along x, with these tables in addition.
std::string falling(const std::string& tables) {
  return R"toml(
[model]
name = "falling"
lagrangian = "M*(x_dot^2 + y_dot^2 + z_dot^2)/2 - M*g*y"
[model.parameters]
M = 2.0
g = 9.81
c = 0.7
k = 0
held_at_start = 0
[model.coordinates]
x = ""
y = ""
z = ""
[model.start]
x_dot = 0.5
y = 1
[time]
end = 0.5
dt = 0.05
[sensitivities]
of = ["parameters.g", "initial.x_dot", "parameters.c", "initial.y", "parameters.k"]
)toml" + tables;
}

const std::string held = "[model.discrete]\nheld = 'held_at_start'\n";
const std::string rod = "rod = { is = 'y = 1', while = 'held' }\n";
const std::string wire = "wire = 'z = c*x^2 + x*y'\n";
const std::string weak_rod = "rod = 'k*y = k'\n";

std::string name_of(const std::string& column, const std::string& along) {
  return "sensitivity_" + column + "_to_" + along;
}

class SwitchedRows : public testing::TestWithParam<Way> {
 protected:
  double slope(const Result& result, const std::string& column, const std::string& along) const {
    return last_value(result, name_of(column, along).c_str());
  }
  bool by_differences() const { return GetParam().backend == std::string("reference"); }
  double tolerance() const { return by_differences() ? 1e-8 : 1e-10; }

  /// Compares the derivatives along g, c and the initial velocity with central differences of runs.
  void expect_differences(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    const Result exact = run_text(text, GetParam(), overrides);
    ASSERT_EQ(exact.status()[0], Status::ok);
    const double h = 1e-5;
    for (const auto& [name, value] :
         {std::pair{"parameters.g", 9.81}, std::pair{"initial.x_dot", 0.5}, std::pair{"parameters.c", 0.7}}) {
      const auto moved = [&, variable = name, base = value](double by) {
        std::vector<std::string> all = overrides;
        all.push_back(fmt::format("{}={:.17g}", variable, base + by));
        return run_text(text, GetParam(), all);
      };
      const Result above = moved(h);
      const Result below = moved(-h);
      for (const char* column : {"x", "y", "z", "x_dot", "y_dot", "z_dot"}) {
        const double difference = (last_value(above, column) - last_value(below, column)) / (2 * h);
        EXPECT_NEAR(slope(exact, column, name), difference, 1e-7 * (1 + std::abs(difference)))
            << column << " along " << name;
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, SwitchedRows,
                         testing::Values(Way{"cpu", "rk4", "always"}, Way{"cpu", "dop853", "always"},
                                         Way{"cpu", "taylor", "always"}, Way{"cpu", "rodas5p", "always"},
                                         Way{"reference", "rk4"}, Way{"reference", "dop853"},
                                         Way{"reference", "rodas5p"}),
                         [](const auto& info) { return hybrid::name_of(info.param); });

TEST_P(SwitchedRows, AMotionWithoutItsOnlyConstraintHasDerivatives) {
  const Result result = run_text(falling(held + "[model.holonomic]\n" + rod), GetParam());
  ASSERT_EQ(result.status()[0], Status::ok);
  EXPECT_EQ(result.summary.singular_passages, 0);
  EXPECT_NEAR(slope(result, "y", "parameters.g"), -0.125, tolerance());
  EXPECT_NEAR(slope(result, "y_dot", "parameters.g"), -0.5, tolerance());
  EXPECT_NEAR(slope(result, "x", "initial.x_dot"), 0.5, tolerance());
  EXPECT_NEAR(slope(result, "y", "initial.y"), 1, tolerance());
  EXPECT_NEAR(slope(result, "y", "parameters.k"), 0, tolerance());
}

TEST_P(SwitchedRows, AConstraintThatStaysOnHoldsTheColumns) {
  const Result result =
      run_text(falling(held + "[model.holonomic]\n" + rod), GetParam(), {"parameters.held_at_start=1"});
  ASSERT_EQ(result.status()[0], Status::ok);
  EXPECT_NEAR(slope(result, "y_dot", "parameters.g"), 0, tolerance());
  EXPECT_NEAR(slope(result, "x", "initial.x_dot"), 0.5, tolerance());
  EXPECT_NEAR(slope(result, "y", "initial.y"), 0, tolerance());
}

TEST_P(SwitchedRows, OneOfTwoLeavesTheDerivativesOfTheOther) {
  const std::string text = falling(held + "[model.holonomic]\n" + rod + wire);
  expect_differences(text);
  expect_differences(text, {"parameters.held_at_start=1"});
}

TEST_P(SwitchedRows, AnEventReleasesOrBrakes) {
  if (by_differences()) GTEST_SKIP() << "the reference has no derivatives through changes";
  const auto turn = [](int to) {
    return fmt::format("[[model.events]]\nname = 'turns'\nwhen = 't - 0.2'\nset = {{ held = {} }}\n", to);
  };
  const Result released =
      run_text(falling(held + "[model.holonomic]\n" + rod + turn(0)), GetParam(), {"parameters.held_at_start=1"});
  ASSERT_EQ(released.status()[0], Status::ok);
  EXPECT_NEAR(slope(released, "y", "parameters.g"), -0.5 * 0.3 * 0.3, tolerance());
  EXPECT_NEAR(slope(released, "y_dot", "parameters.g"), -0.3, tolerance());
  const std::string brake = "[model.nonholonomic]\nbrake = { is = 'y_dot = 0', while = 'held' }\n";
  const Result braked = run_text(falling(held + brake + turn(1)), GetParam());
  ASSERT_EQ(braked.status()[0], Status::ok);
  EXPECT_NEAR(slope(braked, "y", "parameters.g"), -0.5 * 0.2 * 0.2, tolerance());
  EXPECT_NEAR(slope(braked, "y_dot", "parameters.g"), 0, tolerance());
  EXPECT_NEAR(slope(braked, "x", "initial.x_dot"), 0.5, tolerance());
  for (const Result* result : {&released, &braked}) EXPECT_EQ(result->summary.singular_passages, 0);
}

/// Any k but 0 holds the mass.
TEST_P(SwitchedRows, AColumnAlongWhichARowGrowsIsNaNAndIsCounted) {
  for (const std::string& other : {std::string(), wire}) {
    const std::string text = falling("[model.holonomic]\n" + weak_rod + other);
    const Result result = run_text(text, GetParam());
    ASSERT_EQ(result.status()[0], Status::ok);
    for (const char* column : {"x", "y", "z", "x_dot", "y_dot", "z_dot"}) {
      EXPECT_TRUE(std::isnan(slope(result, column, "parameters.k"))) << column;
    }
    EXPECT_NEAR(slope(result, "y", "initial.x_dot"), 0, other.empty() ? tolerance() : 1);
    EXPECT_EQ(result.summary.singular_passages, 1);
    const Result held_fast = run_text(text, GetParam(), {"parameters.k=3"});
    EXPECT_NEAR(slope(held_fast, "y", "parameters.k"), 0, 1e-6);
    EXPECT_EQ(held_fast.summary.singular_passages, 0);
    expect_differences(text);
  }
}

}  // namespace
}  // namespace kalaba
