// Columns of parameters that are zero: the forces that these multiply do not move the member, but its columns.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace {

std::string number(double value) { return fmt::format("{:.17e}", value); }

class ZeroParameters : public ::testing::TestWithParam<const char*> {
 public:
  static std::vector<std::string> overrides_of(double tolerance, std::vector<std::string> more = {}) {
    more.insert(more.end(),
                {"solver.backend=cpu", "solver.compile=always", std::string("solver.integrator=") + GetParam(),
                 "solver.max_steps=100000", "solver.relative_tolerance=" + number(tolerance),
                 "solver.absolute_tolerance=" + number(tolerance)});
    return more;
  }
};
INSTANTIATE_TEST_SUITE_P(, ZeroParameters, ::testing::Values("dopri5", "dop853", "taylor", "rodas5p"),
                         [](const auto& test) { return std::string(test.param); });

/// A body thrown upwards, with smoothed dry friction of size p.
const char* const throw_text = R"toml(
[model]
name = "throw"
lagrangian = "y_dot^2/2 - g*y"
[model.parameters]
g = 10.0
p = 0.0
e = 1e-2
[model.coordinates]
y = ""
[model.force]
y = "-p*y_dot/sqrt(y_dot^2 + e^2)"
[model.start]
y_dot = 3.0
[sensitivities]
of = ["parameters.p"]
[time]
end = 0.5
dt = 0.01
save_at = [0, 0.5]
)toml";

/// The columns have a closed form: with v = 3 - g t and s = sqrt(v^2 + e^2), dv = (s - s0) / g, because v' = -g and
/// ds/dv = v / s.
TEST_P(ZeroParameters, BoundTheErrorOfTheirColumns) {
  for (const double e : {1e-1, 1e-2, 1e-3, 1e-4}) {
    const auto root = [&](double v) { return std::sqrt(v * v + e * e); };
    const auto integral = [&](double v) { return (v * root(v) + e * e * std::asinh(v / e)) / 2; };
    const double of_speed = (root(-2) - root(3)) / 10;
    const double of_height = (integral(3) - integral(-2)) / 100 - root(3) * 0.05;
    for (const auto& [tolerance, allowed] : {std::pair(1e-6, 3e-2), std::pair(1e-9, 3e-4)}) {
      const Result result = hybrid::run_text(throw_text, overrides_of(tolerance, {"parameters.e=" + number(e)}));
      ASSERT_EQ(result.status()[0], Status::ok) << e << ' ' << tolerance;
      EXPECT_NEAR(result.values("sensitivity_y_to_parameters.p", 1)[0], of_height, allowed) << e << ' ' << tolerance;
      EXPECT_NEAR(result.values("sensitivity_y_dot_to_parameters.p", 1)[0], of_speed, allowed) << e << ' ' << tolerance;
    }
  }
}

/// Formulas that cancel: the column is rounding errors, whose error must not shorten the steps.
TEST_P(ZeroParameters, TakeNoMoreStepsForRoundingErrors) {
  const std::string swing = R"toml(
[model]
name = "swing"
lagrangian = "y_dot^2/2 + cos(y)"
[model.parameters]
p = 0.0
[model.coordinates]
y = ""
[model.force]
y = "p*FORCE"
[model.start]
y = 1.0
[time]
end = 20
dt = 0.01
save_every = 2000
)toml";
  for (const char* force : {"(2*sin(y)*cos(y) - sin(2*y))", "((y + 3)^2 - y^2 - 6*y - 9)",
                            "(sqrt(y^2 + 1)^2 - y^2 - 1)", "((y + 3*t)^2 - y^2 - 6*y*t - 9*t^2)"}) {
    std::string text = swing;
    text.replace(text.find("FORCE"), 5, force);
    for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
      const Result alone = hybrid::run_text(text, overrides_of(tolerance));
      const Result result =
          hybrid::run_text(text + "[sensitivities]\nof = [\"parameters.p\"]\n", overrides_of(tolerance));
      ASSERT_EQ(result.status()[0], Status::ok) << force << ' ' << tolerance;
      EXPECT_LE(result.summary.member_steps, 2 * alone.summary.member_steps + 20) << force << ' ' << tolerance;
      EXPECT_LT(std::abs(result.values("sensitivity_y_to_parameters.p", 1)[0]), 1e-9) << force << ' ' << tolerance;
    }
  }
}

}  // namespace
}  // namespace kalaba
