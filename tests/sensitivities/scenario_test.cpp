// Sensitivities of scenarios: starts computed from parameters, saved times between steps, blocks and their files.

#include <gtest/gtest.h>

#include <cmath>

#include "kept.hpp"
#include "scenario/scenario.hpp"
#include "support/swing.hpp"

namespace kalaba {
namespace {

/// Turns with its start, which follows from its length.
const std::string pendulum = text_of({.rates = turning_rates});

Kept run_of(const std::vector<std::string>& overrides) {
  const std::string text = pendulum;
  const Scenario scenario = load_scenario_text(text, "two_rods.toml", overrides);
  Kept kept;
  Sink* const sinks[] = {&kept};
  run(*scenario.system, *scenario.source, scenario.options, sinks);
  return kept;
}

/// d(q, w)/dL by differences of order 6.
std::vector<double> differences(std::vector<std::string> overrides, double L) {
  constexpr double h = 1e-3;
  constexpr double weights[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  std::vector<double> sums(4);
  for (int i = 0; i < 3; ++i) {
    for (const int sign : {1, -1}) {
      std::vector<std::string> all = overrides;
      all.push_back("parameters.L=" + std::to_string(L + sign * (i + 1) * h));
      all.emplace_back("solver.compile=never");
      const Kept kept = run_of(all);
      for (std::size_t k = 0; k < 4; ++k) {
        sums[k] += sign * weights[i] / h * kept.of(k < 2 ? Field::q : Field::w)[k % 2];
      }
    }
  }
  return sums;
}

void expect_derivative(const std::vector<std::string>& overrides, const char* backend) {
  std::vector<std::string> all = overrides;
  all.push_back(std::string("solver.backend=") + backend);
  const std::vector<double> expected = differences(all, 0.9);
  all.push_back("sensitivities.of=[\"parameters.m\", \"parameters.L\"]");
  const Kept kept = run_of(all);
  ASSERT_EQ(kept.of(Field::q_sensitivity).size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    const Field field = k < 2 ? Field::q_sensitivity : Field::w_sensitivity;
    EXPECT_NEAR(kept.of(field)[2 + k % 2], expected[k], 1e-9) << backend << ' ' << k;
  }
}

TEST(SensitivityOfScenarios, FollowsTheStart) {
  for (const char* backend : {"cpu", "reference"}) {
    expect_derivative({}, backend);
    expect_derivative({"initial.x=0.5", "initial.project=true"}, backend);
  }
}

/// The columns are independent: that of L holds the start of x, which the model states by L, if it has a column too, in
/// either order.
TEST(SensitivityOfScenarios, HoldStartsThatHaveAColumn) {
  for (const char* backend : {"cpu", "reference"}) {
    const std::string on = std::string("solver.backend=") + backend;
    const std::vector<double> follows = differences({on, "initial.project=true"}, 0.9);
    const std::vector<double> held = differences({on, "initial.x=0.54", "initial.project=true"}, 0.9);
    ASSERT_GT(std::abs(follows[0] - held[0]), 0.01);
    for (const bool x_first : {true, false}) {
      const Kept kept = run_of({on, x_first ? "sensitivities.of=[\"initial.x\", \"parameters.L\"]"
                                            : "sensitivities.of=[\"parameters.L\", \"initial.x\"]"});
      for (std::size_t k = 0; k < 4; ++k) {
        const Field field = k < 2 ? Field::q_sensitivity : Field::w_sensitivity;
        EXPECT_NEAR(kept.of(field)[(x_first ? 2 : 0) + k % 2], held[k], 1e-9) << backend << ' ' << k;
      }
    }
  }
}

/// Bead whose y starts at c x^2: derivatives of y along x, x_dot and c, unless y is given or is a sensitivity variable
/// itself.
TEST(SensitivityOfScenarios, FollowsStartsThatAreStatedByOthers) {
  const std::string bead = R"(
[model]
name = "bead"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
[model.parameters]
m = "1 kg"
c = "0.5 1/m"
g = "9.81 m/s^2"
[model.coordinates]
x = "m"
y = "m"
[model.holonomic]
wire = "y = c*x^2"
[model.start]
x = 1.0
y = "c*x^2"
x_dot = 0.3
y_dot = "2*c*x*x_dot"
[model.time]
end = 0.1
dt = 1e-2
)";
  for (const char* backend : {"cpu", "reference"}) {
    const auto at_start = [&](std::vector<std::string> overrides) {
      overrides.push_back(std::string("solver.backend=") + backend);
      overrides.emplace_back("time.save_at=[0]");
      const Scenario scenario = load_scenario_text(bead, "bead.toml", overrides);
      Kept kept;
      Sink* const sinks[] = {&kept};
      run(*scenario.system, *scenario.source, scenario.options, sinks);
      std::vector<double> values;
      for (const Field field : {Field::q_sensitivity, Field::w_sensitivity}) {
        for (const double each : kept.of(field)) values.push_back(each);
      }
      return values;
    };
    const auto expect = [&](const std::vector<std::string>& overrides, const std::vector<double>& expected) {
      const std::vector<double> found = at_start(overrides);
      ASSERT_EQ(found.size(), expected.size()) << backend;
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-8) << backend << ' ' << i;
    };
    // dx, dy, dx_dot, dy_dot along x = 2: y = 2, y_dot = 0.6.
    expect({"initial.x=2.0", "sensitivities.of=[\"initial.x\"]"}, {1, 2, 0, 0.3});
    expect({"sensitivities.of=[\"initial.x\"]"}, {1, 1, 0, 0.3});
    expect({"initial.x=2.0", "sensitivities.of=[\"parameters.c\"]"}, {0, 4, 0, 1.2});
    // By column: dx, dy of each, then dx_dot, dy_dot. Projected, y and y_dot move with x and c all the same.
    expect({"initial.project=false", "sensitivities.of=[\"initial.y\", \"parameters.c\"]"}, {0, 1, 0, 0, 0, 0, 0, 0.6});
    expect({"initial.project=false", "sensitivities.of=[\"initial.x\", \"initial.y\"]"}, {1, 0, 0, 1, 0, 0.3, 0, 0});
    expect({"initial.x_dot=0.5", "sensitivities.of=[\"initial.x_dot\"]"}, {0, 0, 1, 1});
  }
}

TEST(SensitivityOfScenarios, ThroughEveryStabilization) {
  for (const char* kind : {"none", "{ baumgarte = [3, 4] }", "{ feedback = 2 }"}) {
    expect_derivative({std::string("solver.stabilization=") + kind}, "cpu");
  }
}

TEST(SensitivityOfScenarios, BetweenSteps) {
  for (const char* backend : {"cpu", "reference"}) expect_derivative({"time.save_at=[0.1, 0.2345]"}, backend);
}

/// The first of two members goes through a singular position, the second, which gravity hardly moves, does not.
TEST(SensitivityOfScenarios, EndsNearSingularPositionsInThatMemberAlone) {
  for (const char* backend : {"cpu", "reference"}) {
    const std::vector<std::string> overrides = {"sensitivities.of=[\"parameters.m\", \"parameters.g\"]",
                                                "parameters.g={values=[9.81, 0.001]}", "time.dt=5e-3", "time.end=0.7",
                                                std::string("solver.backend=") + backend};
    const Scenario scenario = load_scenario("four_bar_windows", overrides);
    Kept first;
    Kept second(1);
    Sink* const sinks[] = {&first, &second};
    const Summary summary = run(*scenario.system, *scenario.source, scenario.options, sinks);
    EXPECT_EQ(summary.singular_passages, 1) << backend;
    EXPECT_EQ(summary.without_derivatives, 1) << backend;
    EXPECT_TRUE(std::isfinite(first.of(Field::q)[0]));
    EXPECT_TRUE(std::isnan(first.of(Field::q_sensitivity)[0]));
    EXPECT_TRUE(std::isnan(first.of(Field::w_sensitivity).back()));
    EXPECT_TRUE(std::isfinite(second.of(Field::q_sensitivity)[0]));
    EXPECT_TRUE(std::isfinite(second.of(Field::w_sensitivity).back()));
  }
}

}  // namespace
}  // namespace kalaba
