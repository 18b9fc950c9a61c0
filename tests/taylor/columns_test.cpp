// Sensitivities by Taylor series: against differences of whole runs, and in closed form through jumps of forces.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"
#include "sensitivities/differences.hpp"
#include "taylor/relay.hpp"

namespace kalaba {
namespace {

class TaylorColumnsOf : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, TaylorColumnsOf,
                         ::testing::Values("spherical_pendulum", "two_particles_incline", "balanced_rod",
                                           "draggy_particle", "rolling_ball", "prescribed_speed", "knife_edge",
                                           "chain_redundant"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(TaylorColumnsOf, AreThoseOfTheMotion) {
  const System& plain = find_system(GetParam());
  Options options = short_run(plain, Backend::cpu);
  options.compile = Compile::always;
  options.method.integrator = Integrator::taylor;
  options.method.relative_tolerance = 1e-12;
  options.method.absolute_tolerance = 1e-12;
  options.save_at = {options.time.start + 0.731 * (options.time.end - options.time.start)};  // within a step
  const System system = with_sensitivities(plain, chosen_names(plain.info));
  const auto differences = differences_of(plain, options, system.info.sensitivities);
  const Motion found = motion_of(system, options);
  expect_near(found.columns, differences, system, found.state, "differences");
  EXPECT_EQ(found.state, motion_of(plain, options).state) << "the motion keeps its bits";
}

std::string relay_text(const char* force) {
  return taylor::relay(force, "[sensitivities]\nof = [\"parameters.f\", \"initial.x\", \"initial.x_dot\"]\n");
}
const std::vector<std::string> taylor_overrides = {"solver.backend=cpu", "solver.compile=always",
                                                   "solver.integrator=taylor", "solver.relative_tolerance=1e-12",
                                                   "solver.absolute_tolerance=1e-12"};

/// The time of the jump depends on the parameters: x(t) = v1 (t - t1) + f (t - t1)^2 / 2, t1 = sqrt(2 x0 / f), v1 = -f
/// t1.
TEST(TaylorColumns, ContainTheTimeOfAJump) {
  for (const char* force : {"-f*sign(x)", "where(x > 0, -f, f)", "where(x < 0 or 2*x < -1, f, -f)"}) {
    auto overrides = taylor_overrides;
    overrides.insert(overrides.end(), {"time.end=1.6", "time.save_at=[0, 0.5, 1.6]"});
    const Result result = hybrid::run_text(relay_text(force), overrides);
    ASSERT_EQ(result.status()[0], Status::ok) << force;
    const double rest = 0.6;
    const auto expect = [&](const char* along, double dt, double dv, double from_force, double speed_from_force) {
      const double dx = dv * rest + from_force - (-1 + rest) * dt;
      const auto value = [&](const char* of) {
        return result.values(std::string("sensitivity_") + of + "_to_" + along, 2)[0];
      };
      EXPECT_NEAR(value("x"), dx, 1e-11) << force << ' ' << along;
      EXPECT_NEAR(value("x_dot"), dv - dt + speed_from_force, 1e-11) << force << ' ' << along;
    };
    expect("parameters.f", -0.5, -0.5, rest * rest / 2, rest);
    expect("initial.x", 1, -1, 0, 0);
    expect("initial.x_dot", 1, 0, 0, 0);
    EXPECT_NEAR(result.values("sensitivity_x_to_parameters.f", 1)[0], -0.125, 1e-13) << "before the jump";
  }
}

/// Every jump counts once, at any rounding of its time: the speed changes by 2 (-1)^k (-t_k / w) per change of w at
/// t_k = k pi / w.
TEST(TaylorColumns, ContainEachJumpOnce) {
  const double start = 1.7;
  const double end = 11.7;
  for (const double w : {11.0, 7.3, 5.9, 13.37, 3.1, 17.21}) {
    auto overrides = taylor_overrides;
    overrides.insert(overrides.end(), {"parameters.f=" + fmt::format("{:.17e}", w), "time.start=1.7", "time.end=11.7",
                                       "time.save_at=[1.7, 11.7]"});
    const Result result = hybrid::run_text(relay_text("where(sin(f*t) > 0, 1, -1)"), overrides);
    ASSERT_EQ(result.status()[0], Status::ok) << w;
    double slope = 0;
    for (int k = static_cast<int>(std::ceil(start * w / M_PI)); k * M_PI / w < end; ++k) {
      slope += (k % 2 == 0 ? 2 : -2) * k * M_PI / (w * w);
    }
    EXPECT_NEAR(result.values("sensitivity_x_dot_to_parameters.f", 1)[0], slope, 1e-10) << w;
  }
}

/// A step that ends at a clock's tick, exactly where the force jumps.
TEST(TaylorColumns, ContainAJumpAtATick) {
  const std::string clock = "[[clocks]]\nname = \"tick\"\nevery = 0.5\nset = { x_dot = \"x_dot\" }\n";
  for (const char* force : {"-f*sign(x)", "where(x > 0, -f, f)", "where(x >= 0, -f, f)"}) {
    auto overrides = taylor_overrides;
    overrides.insert(overrides.end(), {"time.end=2", "time.save_at=[0, 2]"});
    const Result result = hybrid::run_text(relay_text(force) + clock, overrides);
    ASSERT_EQ(result.status()[0], Status::ok) << force;
    EXPECT_NEAR(result.values("x", 1)[0], -0.5, 1e-12) << force;
    EXPECT_NEAR(result.values("sensitivity_x_to_initial.x", 1)[0], -1, 1e-11) << force;
    EXPECT_NEAR(result.values("sensitivity_x_dot_to_initial.x", 1)[0], -2, 1e-11) << force;
    EXPECT_NEAR(result.values("sensitivity_x_to_parameters.f", 1)[0], 0, 1e-11) << force;
  }
}

/// A ball that bounces where the force jumps: the columns change by the rates on the side on which it moves.
TEST(TaylorColumns, PassAnEventAtAJump) {
  for (const char* force : {"where(x > 0, -f, 5)", "where(x >= 0, -f, -3*f)", "-f*sign(x)"}) {
    const std::string bounce = R"toml(
[[events]]
name = "bounce"
when = "x"
direction = "falling"
set = { x_dot = "-0.8*x_dot" }
)toml";
    for (const double x : {0.5, 0.9371, 1.3}) {
      auto overrides = taylor_overrides;
      const double bottom = std::sqrt(2 * x);  // the time and the speed of the bounce
      const double rest = 0.7;
      overrides.insert(overrides.end(), {"initial.x=" + fmt::format("{:.17e}", x),
                                         "time.save_at=[0, " + fmt::format("{:.17e}", bottom + rest) + "]",
                                         "time.end=2.4"});  // before the bounces accumulate
      const Result result = hybrid::run_text(relay_text(force) + bounce, overrides);
      ASSERT_EQ(result.status()[0], Status::ok) << force;
      EXPECT_NEAR(result.values("x_dot", 1)[0], 0.8 * bottom - rest, 1e-12) << force;
      EXPECT_NEAR(result.values("sensitivity_x_dot_to_initial.x", 1)[0], 1.8 / bottom, 1e-11) << force;
      EXPECT_NEAR(result.values("sensitivity_x_to_initial.x", 1)[0],
                  0.8 * rest / bottom - (0.8 * bottom - rest) / bottom, 1e-11)
          << force;
    }
  }
}

/// A rod that is stated twice, in rows of different sizes: the columns do not depend on which multipliers are taken.
TEST(TaylorColumns, OfDependentRowsOfDifferentSizes) {
  const auto text = [](const char* again) {
    return std::string(R"toml(
[model]
name = "again"
lagrangian = "(x_dot^2 + y_dot^2)/2 - g*y"
[model.parameters]
L = 1000.0
g = 9810.0
[model.coordinates]
x = ""
y = ""
[model.holonomic]
rod = "x^2 + y^2 = L^2"
)toml") + again +
           R"toml(
[model.start]
x = "0.6*L"
y = "-0.8*L"
x_dot = "0.8*L"
y_dot = "0.6*L"
[time]
end = 3
dt = 0.1
save_every = 30
[sensitivities]
of = ["parameters.L", "parameters.g"]
)toml";
  };
  auto overrides = taylor_overrides;
  overrides.back() = "solver.absolute_tolerance=1e-9";
  const Result once = hybrid::run_text(text(""), overrides);
  for (const char* again : {"again = \"(x^2 + y^2)/L = L\"", "again = \"sqrt(x^2 + y^2) = L\""}) {
    const Result result = hybrid::run_text(text(again), overrides);
    ASSERT_EQ(result.status()[0], Status::ok) << again;
    for (const char* column : {"sensitivity_x_to_parameters.L", "sensitivity_y_dot_to_parameters.L"}) {
      EXPECT_NEAR(result.values(column, 1)[0], once.values(column, 1)[0], 1e-7) << again << ' ' << column;
    }
  }
}

/// A parameter that is zero: the force that it multiplies bounds the steps of its column. With v = -sin t, the column
/// is the integral of -sin(T - t) v / sqrt(v^2 + 0.01).
TEST(TaylorColumns, AlongAParameterThatIsZeroConverge) {
  auto overrides = taylor_overrides;
  overrides.insert(overrides.end(), {"parameters.f=0", "initial.x=1", "time.end=10", "time.save_at=[0, 10]"});
  const Result result = hybrid::run_text(relay_text("-x - f*x_dot/sqrt(x_dot^2 + 0.01)"), overrides);
  ASSERT_EQ(result.status()[0], Status::ok);
  constexpr int parts = 20000;
  double expected = 0;  // by Simpson's rule
  for (int i = 0; i <= parts; ++i) {
    const double t = 10.0 * i / parts;
    const double speed = -std::sin(t);
    const double weight = i == 0 || i == parts ? 1 : i % 2 == 0 ? 2 : 4;
    expected -= weight * std::sin(10 - t) * speed / std::sqrt(speed * speed + 0.01) * 10 / (3.0 * parts);
  }
  EXPECT_NEAR(result.values("sensitivity_x_to_parameters.f", 1)[0], expected, 1e-6);
}

/// A non-ideal force that depends on the constraint force: some coefficients of a column are much smaller than the
/// terms that are summed in them.
TEST(TaylorColumns, OfAForceThatDependsOnTheConstraintForce) {
  const std::string text = R"toml(
[model]
name = "rubbed"
[model.parameters]
m = 1.3
mu = 0.2
a = 0.5
[model.coordinates]
x = ""
y = ""
[model.mass]
x = "m"
y = "m"
[model.force]
y = "-9.81*m"
[model.holonomic]
wire = "y = a*x^2/2 + 0.1*sin(2.5*x)"
[model.non_ideal]
x = "-mu*sqrt(ideal.x^2 + ideal.y^2)*x_dot/sqrt(x_dot^2 + y_dot^2 + 0.01)"
y = "-mu*sqrt(ideal.x^2 + ideal.y^2)*y_dot/sqrt(x_dot^2 + y_dot^2 + 0.01)"
[model.start]
x = 1.0
y = "a*x^2/2 + 0.1*sin(2.5*x)"
x_dot = 0.5
[initial]
project = true
[time]
end = 2
dt = 0.01
save_every = 200
[sensitivities]
of = ["parameters.mu", "parameters.m", "initial.x"]
)toml";
  const Result result = hybrid::run_text(text, taylor_overrides);
  ASSERT_EQ(result.status()[0], Status::ok);
  auto overrides = taylor_overrides;
  overrides[2] = "solver.integrator=dop853";
  const Result expected = hybrid::run_text(text, overrides);
  for (const char* along : {"parameters.mu", "parameters.m", "initial.x"}) {
    const std::string column = std::string("sensitivity_x_to_") + along;
    EXPECT_NEAR(result.values(column, 1)[0], expected.values(column, 1)[0], 1e-7) << along;
  }
}

/// Forces with kinks: differences of whole runs.
TEST(TaylorColumns, PassKinks) {
  const std::string text = R"toml(
[model]
name = "kinks"
lagrangian = "x_dot^2/2 - k*x^2/2"
[model.parameters]
k = 3.0
c = 0.3
[model.coordinates]
x = ""
[model.force]
x = "-c*x_dot*abs(x_dot) + max(0, x - 0.5) - where(x < c, 2*(c - x), 0)"
[model.start]
x = 1.0
[time]
end = 5
dt = 0.1
save_every = 50
)toml";
  const auto end_of = [&](const std::string& name, double value) {
    auto overrides = taylor_overrides;
    overrides.push_back(name + "=" + fmt::format("{:.17e}", value));
    return hybrid::last_value(hybrid::run_text(text, overrides), "x");
  };
  auto overrides = taylor_overrides;
  overrides.emplace_back("sensitivities.of=[\"parameters.k\", \"parameters.c\"]");
  const Result result = hybrid::run_text(text, overrides);
  ASSERT_EQ(result.status()[0], Status::ok);
  constexpr double step = 1e-5;
  for (const auto& [name, value] : {std::pair("parameters.k", 3.0), std::pair("parameters.c", 0.3)}) {
    const double difference = (end_of(name, value + step) - end_of(name, value - step)) / (2 * step);
    EXPECT_NEAR(result.values(std::string("sensitivity_x_to_") + name, 1)[0], difference, 1e-7) << name;
  }
}

/// A member at rest does not bound its steps; its columns do.
TEST(TaylorColumns, OfAMemberAtRestAreThoseOfTheLinearMotion) {
  const std::string text = R"toml(
[model]
name = "atrest"
lagrangian = "x_dot^2/2 - k*x^2/2"
[model.parameters]
k = 4.0
[model.coordinates]
x = ""
[model.start]
x = 0
[time]
end = 20
dt = 0.1
save_every = 200
[sensitivities]
of = ["initial.x"]
)toml";
  const Result result = hybrid::run_text(text, taylor_overrides);
  EXPECT_NEAR(result.values("sensitivity_x_to_initial.x", 1)[0], std::cos(2 * 20.0), 1e-8);
}

}  // namespace
}  // namespace kalaba
