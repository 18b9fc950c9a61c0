// Taylor series of formulas with kinks, jumps and tables: the steps end where a condition changes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"
#include "taylor/relay.hpp"

namespace kalaba {
namespace {

using taylor::number;
using taylor::with_taylor;

/// x'' = -f sign(x)
const std::string relay = taylor::relay("-f*sign(x)");

TEST(TaylorKinks, ARelayMovesAsItsParabolas) {
  for (const double x : {0.5, 0.3, 7e-5, 4e3}) {
    const double period = 4 * std::sqrt(2 * x);
    const Result result = hybrid::run_text(
        relay,
        with_taylor(1e-12, {"initial.x=" + number(x), "time.end=" + number(2.5 * period),
                            "time.dt=" + number(period / 16), "time.save_at=[0, " + number(2.5 * period) + "]"}));
    ASSERT_EQ(result.status()[0], Status::ok) << x;
    EXPECT_NEAR(result.values("x", 1)[0], -x, 1e-12 * x);
    EXPECT_NEAR(result.values("x_dot", 1)[0], 0, 1e-11 * std::sqrt(x));
    EXPECT_LE(result.summary.member_steps, 8);
  }
}

TEST(TaylorKinks, AMemberDoesNotDependOnItsNeighbours) {
  const std::vector<double> starts = {0.5, 0.3, 0.11, 2, 7e-5, 0, 1e-9, 0.7, 40, 0.0501, 3};
  std::string all;
  for (const double each : starts) all += (all.empty() ? "" : ", ") + number(each);
  const Result together = hybrid::run_text(relay, with_taylor(1e-10, {"initial.x={values=[" + all + "]}"}));
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const Result alone = hybrid::run_text(relay, with_taylor(1e-10, {"initial.x=" + number(starts[i])}));
    EXPECT_EQ(alone.status()[0], together.status()[i]) << starts[i];
    for (const char* variable : {"x", "x_dot"}) {
      EXPECT_TRUE(hybrid::has_same_bits(hybrid::last_value(alone, variable), hybrid::last_value(together, variable, i)))
          << starts[i] << ' ' << variable;
    }
  }
}

/// At the start, conditions are at their limits, and the forces jump there.
TEST(TaylorKinks, AStartOnAJumpTakesTheSideThatTheMotionEnters) {
  const std::string text = R"toml(
[model]
name = "onjump"
lagrangian = "x_dot^2/2 - x^2/2"
[model.coordinates]
x = ""
[model.force]
x = "-abs(x) + where(x >= 0.5, 0.7, -0.2)"
[model.start]
x = 0.5
[time]
end = 10
dt = 0.1
)toml";
  const Result result = hybrid::run_text(text, with_taylor(1e-13, {"time.save_every=100"}));
  ASSERT_EQ(result.status()[0], Status::ok);
  // x = -0.1 + 0.6 cos(sqrt(2) t) until x = 0, then x'' = -0.2
  const double zero = std::acos(1.0 / 6) / std::sqrt(2.0);
  const double speed = -0.6 * std::sqrt(2.0) * std::sqrt(35.0) / 6;
  const double rest = 10 - zero;
  EXPECT_NEAR(result.values("x", 1)[0], speed * rest - 0.1 * rest * rest, 1e-10);
}

/// Every kinked function, conditions with `and`, in any unit of length.
std::string kinks(double unit) {
  return fmt::format(R"toml(
[model]
name = "kinks"
lagrangian = "(x_dot^2 + y_dot^2)/2 - k*(x^2 + y^2)/2"
[model.parameters]
k = 3.0
c = 0.3
L = {:.17e}
[model.coordinates]
x = ""
y = ""
[model.force]
x = "-c*x_dot*abs(x_dot)/L + max(0, y - 0.5*L) - min(x, 0.2*y)"
y = "-c*clamp(y_dot, -0.5*L, 0.5*L) + where(x > 0.1*L and y < 0.3*L, (x - 0.1*L)*(y - 0.3*L)/L, 0)"
[model.start]
x = "L"
y = "0.4*L"
y_dot = "1.3*L"
[time]
end = 10
dt = 0.1
save_every = 100
)toml",
                     unit);
}

TEST(TaylorKinks, AgreeWithTheReferenceInAnyUnit) {
  const Result expected =
      hybrid::run_text(kinks(1), {"solver.backend=reference", "solver.integrator=dop853",
                                  "solver.relative_tolerance=1e-13", "solver.absolute_tolerance=1e-13"});
  for (const double unit : {1.0, 1e-6, 1e6}) {
    auto overrides = with_taylor(1e-12);
    overrides.back() = "solver.absolute_tolerance=" + number(1e-12 * unit);
    const Result result = hybrid::run_text(kinks(unit), overrides);
    ASSERT_EQ(result.status()[0], Status::ok) << unit;
    for (const char* variable : {"x", "y", "x_dot", "y_dot"}) {
      EXPECT_NEAR(result.values(variable, 1)[0] / unit, expected.values(variable, 1)[0], 2e-10) << variable << unit;
    }
    EXPECT_LE(result.summary.member_steps, 80) << unit;
  }
}

/// A jump of the force that is left within a step again: above h, the body falls with 2 g.
TEST(TaylorKinks, TwoChangesWithinAStepAreSeen) {
  const std::string text = R"toml(
[time]
end = 0.6
dt = 0.01
[model]
name = "throw"
lagrangian = "y_dot^2/2 - g*y"
[model.parameters]
g = 10
h = 0.45
[model.coordinates]
y = ""
[model.force]
y = "where(y > h, -g, 0)"
[model.start]
y_dot = 3
)toml";
  for (const double depth : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {  // the top is at 0.45 without the jump
    const double h = 0.45 - depth;
    const Result result =
        hybrid::run_text(text, with_taylor(1e-10, {"parameters.h=" + number(h), "time.save_at=[0, 0.6]"}));
    ASSERT_EQ(result.status()[0], Status::ok) << depth;
    const double speed = std::sqrt(9 - 20 * h);  // at h
    const double down = (3 - speed) / 10 + 2 * speed / 20;
    const double rest = 0.6 - down;
    const double rounding =
        std::max(1e-12, 3e-15 / std::sqrt(depth));  // y rounds, and the speed at the jump is about sqrt(20 depth)
    EXPECT_NEAR(hybrid::last_value(result, "y"), h - speed * rest - 5 * rest * rest, rounding) << depth;
    EXPECT_LE(result.summary.member_steps, 12) << depth;
  }
}

std::string hill(const char* between) {
  return fmt::format(R"toml(
[model]
name = "hill"
lagrangian = "x_dot^2/2 - table(x, 'hill.csv'{})"
[model.coordinates]
x = ""
[model.tables]
"hill.csv" = {{ places = [-2, -1, -0.4, 0, 0.5, 1, 2], values = [4, 1, 0.2, 0, 0.2, 1.1, 4], units = ["", ""] }}
[model.start]
x = 1.2
[time]
end = 10
dt = 0.01
)toml",
                     between);
}

TEST(TaylorKinks, EndStepsAtThePlacesOfATable) {
  for (const char* between : {"", ", linear"}) {
    const Result result = hybrid::run_text(hill(between), with_taylor(1e-13, {"time.save_every=1000"}));
    const Result expected =
        hybrid::run_text(hill(between), {"solver.backend=reference", "solver.integrator=dop853", "time.save_every=1000",
                                         "solver.relative_tolerance=1e-13", "solver.absolute_tolerance=1e-13"});
    ASSERT_EQ(result.status()[0], Status::ok) << between;
    EXPECT_NEAR(result.values("x", 1)[0], expected.values("x", 1)[0], 1e-9) << between;
    EXPECT_LE(result.summary.drift.energy, 1e-12) << between;
  }
}

TEST(TaylorKinks, AMemberFailsWhereItLeavesATable) {
  const Result result = hybrid::run_text(hill(""), with_taylor(1e-10, {"initial.x_dot=3", "time.save_every=1"}));
  EXPECT_EQ(result.status()[0], Status::non_finite);
  const Result expected =
      hybrid::run_text(hill(""), {"solver.backend=reference", "solver.integrator=dop853", "initial.x_dot=3",
                                  "time.save_every=1", "solver.relative_tolerance=1e-12"});
  EXPECT_NEAR(result.failure_time()[0], expected.failure_time()[0], 1e-6);
}

/// Dry friction by a sign holds the mass after 1 s; the sign then changes without end.
TEST(TaylorKinks, ASignThatChangesWithoutEndIsAFailure) {
  const Result result = hybrid::run_text(taylor::relay("-f*sign(x_dot)"), with_taylor(1e-10, {"initial.x_dot=1"}));
  EXPECT_EQ(result.status()[0], Status::step_too_small);
  EXPECT_NEAR(result.failure_time()[0], 1, 1e-9);
}

/// The steps of this motion are so short where friction holds it that a rejected one is followed by others.
TEST(TaylorKinks, AFailureAtChangesWithoutEndIsFinal) {
  const Result result =
      hybrid::run_text(taylor::relay("-f*sign(x_dot) - 0.8485292603365363*x"),
                       with_taylor(1e-10, {"initial.x=0.6715876339807033", "initial.x_dot=0.7397347874007931",
                                           "time.save_at=[0, 10]", "solver.max_steps=10000"}));
  EXPECT_EQ(result.status()[0], Status::step_too_small);
  EXPECT_LE(result.summary.member_steps, 110);
}

/// A condition that varies faster than the motion: the force acts in a short window of each period.
TEST(TaylorKinks, ShortWindowsOfAFastConditionAreSeen) {
  const std::string force = "where(sin(400*t) > 0.999, f, 0)";
  for (const double tolerance : {1e-5, 1e-8, 1e-12}) {
    const Result result =
        hybrid::run_text(taylor::relay(force), with_taylor(tolerance, {"time.end=4", "time.save_at=[0, 4]"}));
    ASSERT_EQ(result.status()[0], Status::ok) << tolerance;
    const double width = 2 * std::acos(0.999) / 400;
    double x = 0.5;
    double speed = 0;
    for (int k = 0; k < 255; ++k) {
      const double middle = (2 * k + 0.5) * M_PI / 400;
      speed += width;
      x += width * (4 - middle);
    }
    EXPECT_NEAR(hybrid::last_value(result, "x_dot"), speed, 1e-10) << tolerance;
    EXPECT_NEAR(hybrid::last_value(result, "x"), x, 1e-10) << tolerance;
    EXPECT_LE(result.summary.member_steps, 2000) << tolerance;
  }
}

}  // namespace
}  // namespace kalaba
