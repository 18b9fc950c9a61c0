// Time as a function of the error: errors at the end, reported only if the reference solution is accurate enough.

#include "bench/work_precision.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kalaba/ensemble.hpp"
#include "kalaba/error.hpp"
#include "scenario/scenario.hpp"
#include "support/error_of.hpp"

namespace kalaba::bench {
namespace {

TEST(EndErrorsTest, AreSharesOfTheLargestNumberOfTheirUnit) {
  SystemInfo info;
  info.coordinates = {{"x", "m", 0, ""}, {"y", "m", 0, ""}};
  info.rates = {{"v", "m/s", 0, ""}};
  Block block(0, 2, 1, 2, 1);
  block.assign(0, 2);
  block.q = {1, -8, 0.5, 2};
  block.w = {0, 0};
  const EndErrors errors(block, info);
  EXPECT_EQ(errors.of(block), 0);
  Block other = block;
  other.q[2] += 0.8;
  EXPECT_DOUBLE_EQ(errors.of(other), 0.1);
  other.w[1] = 0.3;  // in place of zeros
  EXPECT_DOUBLE_EQ(errors.of(other), 0.3);
  other.q[0] = NAN;
  EXPECT_TRUE(std::isnan(errors.of(other)));
}

TEST(SecondsFor, LieBetweenThePointsThatEncloseTheError) {
  WorkPrecision all;
  all.trusted = 1e-12;
  const WorkCurve curve = {"rk4", false, {{.seconds = 1, .error = 1e-2}, {.seconds = 100, .error = 1e-6}}};
  EXPECT_NEAR(seconds_for(all, curve, 1e-4), 10, 1e-12);
  EXPECT_NEAR(seconds_for(all, curve, 1e-2), 1, 1e-12);
  EXPECT_TRUE(std::isnan(seconds_for(all, curve, 1e-1)));
  EXPECT_TRUE(std::isnan(seconds_for(all, curve, 1e-9)));
  all.trusted = 1e-6;
  EXPECT_TRUE(std::isnan(seconds_for(all, curve, 1e-4))) << "an error that is not told encloses nothing";
}

Subject pendulums(const Ensemble& ensemble, double seconds) {
  Options options = default_options(ensemble.system());
  options.backend = Backend::cpu;
  options.time.dt = 0.01;
  options.time.end = 1;
  return {&ensemble.system(), &ensemble, options, 0, seconds};
}

TEST(WorkPrecisionTest, KeepsTheEventsThatChangeMembers) {
  const Scenario scenario = load_scenario_text(R"(
[solver]
compile = "never"
[time]
end = 0.8
dt = 0.01
[model]
name = "ball"
[model.parameters]
g = "9.81 m/s^2"
[model.coordinates]
y = "m"
[model.mass]
y = 1
[model.force]
y = "-g"
[model.start]
y = 1
[[model.events]]
name = "bounce"
when = "y"
direction = "falling"
set = { y_dot = "-0.5*y_dot" }
[[model.events]]
name = "half"
when = "y - 0.5"
)",
                                               "ball.toml", {"solver.backend=cpu"});
  const WorkPrecision all = work_precision({scenario.system.get(), scenario.source.get(), scenario.options, 0, 0.02});
  ASSERT_EQ(all.options.events.size(), 1U) << "a recorded event changes nothing";
  Block exact(0, 1, 1, 1, 1);
  exact.assign(0, 1);
  const double bounce = std::sqrt(2 / 9.81);
  const double after = 0.8 - bounce;
  exact.w = {0.5 * 9.81 * bounce - 9.81 * after};
  exact.q = {0.5 * 9.81 * bounce * after - 0.5 * 9.81 * after * after};
  EXPECT_LT(all.errors.of(exact), 1e-9);
}

TEST(WorkPrecisionTest, HasACurveOfEveryIntegratorWhoseErrorsFall) {
  const Ensemble ensemble(find_system("spherical_pendulum"), 8);
  const WorkPrecision all = work_precision(pendulums(ensemble, 0.5));
  EXPECT_LE(all.trusted, 1e-11);
  ASSERT_EQ(all.curves.size(), std::size(integrators));
  double fewest = INFINITY;
  for (const WorkCurve& curve : all.curves) {
    EXPECT_EQ(curve.name, integrators[&curve - all.curves.data()].name);
    ASSERT_GE(curve.points.size(), 5U) << curve.name;
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
      EXPECT_GT(curve.points[i].seconds, 0);
      EXPECT_LT(curve.points[i].setting, curve.points[i - 1].setting);
      if (!all.is_resolved(curve.points[i])) continue;
      EXPECT_LT(curve.points[i].error, curve.points[i - 1].error) << curve.name;
    }
    const auto enough = std::ranges::find_if(curve.points, [](const WorkPoint& each) { return each.error < 1e-9; });
    ASSERT_NE(enough, curve.points.end()) << curve.name;
    if (integrators[&curve - all.curves.data()].uses_slopes) continue;  // of a lower order
    EXPECT_LT(enough->steps, fewest) << curve.name << ": of a higher order, and more steps";
    fewest = enough->steps;
  }
}

TEST(WorkPrecisionTest, TellsNothingWhereTheSolutionIsNotConfirmed) {
  const Ensemble ensemble(find_system("spherical_pendulum"), 8);
  Subject hasty = pendulums(ensemble, 1e-9);  // no time for small steps
  hasty.options.time.dt = 0.1;
  const Error error = test::error_of([&] { work_precision(hasty); });
  EXPECT_EQ(error.code(), ExitCode::members_failed);
  EXPECT_NE(std::string(error.what()).find("of a number's size apart"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace kalaba::bench
