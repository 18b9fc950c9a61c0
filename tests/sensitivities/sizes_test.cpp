// Derivatives in the reference for numbers at rounding level or of very different magnitudes, compared with closed
// forms.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kept.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {
namespace {

/// Sensitivities of the last state, of (q, w) in consecutive rows, along the requested variables.
std::vector<double> last_columns(const std::string& model, const std::vector<std::string>& overrides) {
  const Scenario scenario = load_scenario_text(model, "sizes.toml", overrides);
  Kept kept;
  Sink* const sinks[] = {&kept};
  EXPECT_EQ(run(*scenario.system, *scenario.source, scenario.options, sinks).failed(), 0);
  std::vector<double> all;
  for (const Field field : {Field::q_sensitivity, Field::w_sensitivity}) {
    all.insert(all.end(), kept.of(field).begin(), kept.of(field).end());
  }
  return all;
}

std::vector<std::string> asked(const std::string& backend, const std::string& of) {
  return {"solver.backend=" + backend, "solver.compile=never", "sensitivities.of=[" + of + "]"};
}

const std::vector<std::string> backends = {"reference", "cpu"};

// Its forces vanish but for rounding, and so does what it moves by.
const std::string at_rest = R"toml([model]
name = "at_rest"
lagrangian = "x_dot^2/2 - k1*(x - 0.1)^2/2 - k2*(x - 0.7)^2/2"
[model.parameters]
k1 = 1.3
k2 = 0.7
[model.coordinates]
x = ""
[model.start]
x = "(k1*0.1 + k2*0.7)/(k1 + k2)"
[model.time]
end = 1.0
dt = 0.01
)toml";

TEST(SensitivityOfSizes, AnEquilibriumIsDifferentiatedAsAnyMotion) {
  const double omega = std::sqrt(2.0);
  const std::vector<double> exact = {std::cos(omega), std::sin(omega) / omega, -omega * std::sin(omega),
                                     std::cos(omega)};  // x by both, x_dot by both
  for (const std::string& backend : backends) {
    const auto found = last_columns(at_rest, asked(backend, R"("initial.x", "initial.x_dot")"));
    ASSERT_EQ(found.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], exact[i], 1e-8) << backend << ' ' << i;
  }
}

// The constraints reduce two of the starts to rounding errors.
const std::string held = R"toml([model]
name = "held"
lagrangian = "(x_dot^2 + y_dot^2 + z_dot^2)/2 - z^2"
[model.coordinates]
x = ""
y = ""
z = ""
[model.holonomic]
a = "y = 0"
b = "y + x = 0"
[model.start]
z = 1.0
x_dot = 1.0
[model.time]
end = 1.0
dt = 0.01
)toml";

TEST(SensitivityOfSizes, WhatIsHeldFastIsZeroAndDisturbsNothing) {
  const double omega = std::sqrt(2.0);
  for (const std::string& backend : backends) {
    const auto found = last_columns(held, asked(backend, R"("initial.x", "initial.z_dot")"));
    ASSERT_EQ(found.size(), 12U);
    const auto of = [&](std::size_t column, std::size_t row) { return found[(row / 3) * 6 + column * 3 + row % 3]; };
    for (std::size_t row = 0; row < 6; ++row) EXPECT_NEAR(of(0, row), 0, 1e-9) << backend << ' ' << row;
    EXPECT_NEAR(of(1, 2), std::sin(omega) / omega, 1e-8) << backend;
    EXPECT_NEAR(of(1, 5), std::cos(omega), 1e-8) << backend;
  }
}

// Its place is no matter to it.
const std::string cart = R"toml([model]
name = "cart"
lagrangian = "M*s_dot^2/2 + m*(s_dot^2 + 2*s_dot*theta_dot*cos(theta) + theta_dot^2)/2 + m*9.81*cos(theta)"
[model.parameters]
M = 2.0
m = 1.0
[model.coordinates]
s = ""
theta = ""
[model.start]
theta = 0.8
s_dot = 20.0
[model.time]
end = 1.0
dt = 0.01
)toml";

TEST(SensitivityOfSizes, OneLargeCoordinateLeavesTheOthersTheirSteps) {
  const auto at = [](const std::string& backend, const std::string& s) {
    auto overrides = asked(backend, R"("initial.theta")");
    overrides.push_back("initial.s=" + s);
    return last_columns(cart, overrides);
  };
  const auto exact = at("cpu", "0");
  for (const auto& [s, tolerance] : {std::pair("0", 1e-9), {"1000", 1e-7}, {"1e5", 1e-5}}) {
    const auto found = at("reference", s);
    ASSERT_EQ(found.size(), exact.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], exact[i], tolerance) << s << ' ' << i;
  }
}

}  // namespace
}  // namespace kalaba
