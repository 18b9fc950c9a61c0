// Slopes where a norm is zero: a body that falls from rest with a drag in proportion to v |v|.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace {

const std::string falling = R"toml(
[model]
name = "falling"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
[model.parameters]
m = "2 kg"
c = "0.3 kg/m"
g = "9.81 m/s^2"
[model.coordinates]
x = "m"
y = "m"
[model.force]
x = "-c*x_dot*norm(x_dot, y_dot)"
y = "-c*y_dot*norm(x_dot, y_dot)"
[model.start]
y = 10
[time]
end = 2.0
dt = 0.01
save_every = 200
)toml";

double height(double c) { return 10 - 2 / c * std::log(std::cosh(2 * std::sqrt(9.81 * c / 2))); }

class AtZerosOfNorms : public testing::TestWithParam<const char*> {
 protected:
  static std::vector<std::string> overrides(std::vector<std::string> more = {}) {
    std::vector<std::string> all = {std::string("solver.integrator=") + GetParam(), "solver.backend=cpu",
                                    "solver.compile=always"};
    if (std::string(GetParam()) != "rk4") {
      all.insert(all.end(), {"solver.relative_tolerance=1e-11", "solver.absolute_tolerance=1e-12"});
    }
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(, AtZerosOfNorms, testing::Values("rk4", "dop853", "rodas5p"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(AtZerosOfNorms, SlopesOfDragAreZero) {
  const Result result =
      hybrid::run_text(falling, overrides({"sensitivities.of=[\"parameters.c\", \"initial.x_dot\"]"}));
  ASSERT_EQ(result.status()[0], Status::ok);
  EXPECT_NEAR(hybrid::last_value(result, "y"), height(0.3), 1e-8);
  const double h = 1e-4;
  const double slope =
      (8 * (height(0.3 + h) - height(0.3 - h)) - (height(0.3 + 2 * h) - height(0.3 - 2 * h))) / (12 * h);
  EXPECT_NEAR(hybrid::last_value(result, "sensitivity_y_to_parameters.c"), slope, 1e-7);
  // Sideways, a small velocity decays by the drag of the fall: x' = v exp(-c/m (10 - y)).
  EXPECT_NEAR(hybrid::last_value(result, "sensitivity_x_dot_to_initial.x_dot"), std::exp(-0.15 * (10 - height(0.3))),
              1e-7);
}

/// A root that is not a norm has an infinite slope at zero.
TEST(AtZerosOfRoots, SlopesAreInfinite) {
  const std::string text = R"toml(
[model]
name = "rooted"
lagrangian = "x_dot^2/2"
[model.parameters]
f = "1"
[model.coordinates]
x = ""
[model.force]
x = "sqrt(f*x)"
[time]
end = 1.0
dt = 0.01
save_every = 100
)toml";
  const Result result =
      hybrid::run_text(text, std::vector<std::string>{"solver.backend=cpu", "sensitivities.of=[\"initial.x\"]"});
  EXPECT_FALSE(std::isfinite(hybrid::last_value(result, "sensitivity_x_to_initial.x")));
}

}  // namespace
}  // namespace kalaba
