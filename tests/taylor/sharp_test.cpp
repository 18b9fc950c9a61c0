// Taylor series of forces that change sharply within a step: the series at its beginning does not show the change, or
// does not exist.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"
#include "taylor/relay.hpp"

namespace kalaba {
namespace {

using taylor::number;
using taylor::with_taylor;

/// A body thrown upwards, with dry friction f that is smoothed for speeds below e.
const char* const throw_text = R"toml(
[model]
name = "throw"
lagrangian = "y_dot^2/2 - g*y"
[model.parameters]
g = 10.0
f = 0.1
e = 1e-3
[model.coordinates]
y = ""
[model.force]
y = "-f*y_dot/sqrt(y_dot^2 + e^2)"
[model.start]
y_dot = 3.0
[time]
end = 0.6
dt = 0.01
)toml";
constexpr double first_speed = 3;
constexpr double last_speed = -2.9;

struct Path {
  double time;
  double height;
};
/// Time and path to `last_speed`, by Simpson's rule in u with v = e sinh(u): dt = -e cosh(u) du / (g + f tanh(u)).
Path path_of(double g, double f, double e) {
  constexpr int parts = 20000;
  const double begin = std::asinh(first_speed / e);
  const double length = std::asinh(last_speed / e) - begin;
  Path path = {};
  for (int i = 0; i <= parts; ++i) {
    const double u = begin + length * i / parts;
    const double weight = (i == 0 || i == parts ? 1 : i % 2 == 0 ? 2 : 4) * length / (3.0 * parts);
    const double time = -weight * e * std::cosh(u) / (g + f * std::tanh(u));
    path.time += time;
    path.height += time * e * std::sinh(u);
  }
  return path;
}

TEST(TaylorSharpForces, BoundTheError) {
  for (const double f : {1e-6, 1e-4, 1e-2, 0.1, 3.0}) {
    for (const double e : {1e-3, 1e-4, 1e-6}) {
      const Path path = path_of(10, f, e);
      for (const double tolerance : {1e-4, 1e-6, 1e-9, 1e-11}) {
        const std::vector<std::string> overrides =
            with_taylor(tolerance, {"parameters.f=" + number(f), "parameters.e=" + number(e),
                                    "time.end=" + number(path.time), "time.save_at=[0, " + number(path.time) + "]"});
        const Result result = hybrid::run_text(throw_text, overrides);
        ASSERT_EQ(result.status()[0], Status::ok) << f << ' ' << e << ' ' << tolerance;
        EXPECT_NEAR(result.values("y", 1)[0], path.height, 40 * tolerance) << f << ' ' << e << ' ' << tolerance;
        EXPECT_NEAR(result.values("y_dot", 1)[0], last_speed, 40 * tolerance) << f << ' ' << e << ' ' << tolerance;
        EXPECT_LE(result.summary.member_steps + result.summary.rejected_steps, 150)
            << f << ' ' << e << ' ' << tolerance;
      }
    }
  }
}

TEST(TaylorSharpForces, BoundTheErrorInAnyUnitOfLength) {
  const double f = 0.1;
  const double e = 1e-4;
  const Path path = path_of(10, f, e);
  for (const double unit : {1e-9, 1e9}) {
    const double tolerance = 1e-9;
    std::vector<std::string> overrides =
        with_taylor(tolerance, {"parameters.g=" + number(10 * unit), "parameters.f=" + number(f * unit),
                                "parameters.e=" + number(e * unit), "initial.y_dot=" + number(first_speed * unit),
                                "time.end=" + number(path.time), "time.save_at=[0, " + number(path.time) + "]"});
    overrides.back() = "solver.absolute_tolerance=" + number(tolerance * unit);
    const Result result = hybrid::run_text(throw_text, overrides);
    ASSERT_EQ(result.status()[0], Status::ok) << unit;
    EXPECT_NEAR(result.values("y", 1)[0] / unit, path.height, 40 * tolerance) << unit;
    EXPECT_NEAR(result.values("y_dot", 1)[0] / unit, last_speed, 40 * tolerance) << unit;
  }
}

TEST(TaylorSharpForces, BoundTheErrorInSinglePrecision) {
  for (const double f : {1e-2, 0.1}) {
    const Path path = path_of(10, f, 1e-3);
    const Result result = hybrid::run_text(
        throw_text,
        with_taylor(1e-4, {"parameters.f=" + number(f), "solver.precision=single", "time.end=" + number(path.time),
                           "time.save_at=[0, " + number(path.time) + "]"}));
    ASSERT_EQ(result.status()[0], Status::ok) << f;
    EXPECT_NEAR(result.values("y_dot", 1)[0], last_speed, 40e-4) << f;
  }
}

/// A force that jumps, besides: a step that ends there is compared with the rate before the jump.
TEST(TaylorSharpForces, BoundTheErrorOfStepsThatEndAtAJump) {
  std::string text = throw_text;
  text.replace(text.find("-f*y_dot/sqrt"), 13, "where(t > 0.5, -3, 0) - f*y_dot/sqrt");
  const double f = 0.1;
  const double e = 1e-6;
  const double tolerance = 1e-9;
  // The speed reverses at 3/(g + f), from where on the force is g - f downwards, and 3 more behind 0.5 s.
  const double up = first_speed / (10 + f);
  const double down = (10 - f) * (0.5 - up);
  const Result result =
      hybrid::run_text(text, with_taylor(tolerance, {"parameters.f=" + number(f), "parameters.e=" + number(e),
                                                     "time.end=0.6", "time.save_at=[0, 0.6]"}));
  ASSERT_EQ(result.status()[0], Status::ok);
  EXPECT_NEAR(result.values("y_dot", 1)[0], -down - (13 - f) * 0.1, 40 * tolerance + 4 * f * e);
}

/// A force that acts above the height h alone, in the middle of the only step that the series would need: there the
/// body falls with 2 g.
TEST(TaylorSharpForces, AreSeenWithinAStepUnderConstantForces) {
  const std::string text = R"toml(
[model]
name = "throw"
lagrangian = "y_dot^2/2 - g*y"
[model.parameters]
g = 10.0
h = 0.35
e = 1e-6
[model.coordinates]
y = ""
[model.force]
y = "-g*(1 + (y - h)/sqrt((y - h)^2 + e^2))/2"
[model.start]
y_dot = 3.0
[time]
end = 0.6
dt = 0.01
save_at = [0, 0.6]
)toml";
  for (const double h : {0.05, 0.1, 0.2, 0.3, 0.35, 0.4}) {
    for (const double tolerance : {1e-4, 1e-6, 1e-9}) {
      const double e = tolerance / 100;
      const Result result =
          hybrid::run_text(text, with_taylor(tolerance, {"parameters.h=" + number(h), "parameters.e=" + number(e)}));
      ASSERT_EQ(result.status()[0], Status::ok) << h << ' ' << tolerance;
      const double speed = std::sqrt(9 - 20 * h);  // at h
      const double rest = 0.6 - (3 - speed) / 10 - 2 * speed / 20;
      EXPECT_NEAR(result.values("y", 1)[0], h - speed * rest - 5 * rest * rest, 100 * tolerance)
          << h << ' ' << tolerance;
    }
  }
}

/// A body that falls from rest, or nearly so, with a drag c v |v|: the norm of the velocity has no series there.
TEST(TaylorSharpForces, LeaveRestWithADragOfTheNorm) {
  const std::string text = R"toml(
[model]
name = "fall"
lagrangian = "(x_dot^2 + y_dot^2)/2 - g*y"
[model.parameters]
g = 10.0
c = 0.8
[model.coordinates]
x = ""
y = ""
[model.force]
x = "-c*x_dot*sqrt(x_dot^2 + y_dot^2)"
y = "-c*y_dot*sqrt(x_dot^2 + y_dot^2)"
[sensitivities]
of = ["parameters.c"]
[time]
end = 2
dt = 0.01
save_at = [0, 0.4, 2]
)toml";
  const double c = 0.8;
  const double root = std::sqrt(10 * c);
  for (const double speed : {0.0, 1e-300, 1e-16, 1e-13, -1e-10}) {
    for (const double tolerance : {1e-4, 1e-6, 1e-10, 1e-13}) {
      const Result result = hybrid::run_text(text, with_taylor(tolerance, {"initial.x_dot=" + number(speed)}));
      ASSERT_EQ(result.status()[0], Status::ok) << speed << ' ' << tolerance;
      for (const std::size_t frame : {1, 2}) {
        const double at = root * result.times()[frame];
        const double of_c = std::log(std::cosh(at)) / (c * c) - std::tanh(at) * at / (2 * c * c);
        EXPECT_NEAR(result.values("y", frame)[0], -std::log(std::cosh(at)) / c, 20 * tolerance) << speed;
        EXPECT_NEAR(result.values("sensitivity_y_to_parameters.c", frame)[0], of_c, 1e4 * tolerance + 1e-9) << speed;
      }
      EXPECT_LE(result.summary.member_steps + result.summary.rejected_steps, 60) << speed << ' ' << tolerance;
    }
  }
}

/// The rate at the end of a step serves the next one if nothing else needed the workspace between them.
TEST(TaylorSharpForces, KeepTheBitsOfAMember) {
  const std::vector<double> all = {0.1, 1e-6, 3, 0, 0.03, 1e-4, 2e-9, 0.5, 1e-3, 8};
  std::string list;
  for (const double each : all) list += (list.empty() ? "" : ", ") + number(each);
  const auto run = [](const std::string& f, int every) {
    return hybrid::run_text(throw_text,
                            with_taylor(1e-8, {"parameters.f=" + f, "time.save_every=" + std::to_string(every)}));
  };
  const Result together = run("{values=[" + list + "]}", 60);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const int every : {60, 1}) {
      const Result alone = run(number(all[i]), every);
      for (const char* variable : {"y", "y_dot"}) {
        EXPECT_TRUE(
            hybrid::has_same_bits(hybrid::last_value(alone, variable), hybrid::last_value(together, variable, i)))
            << all[i] << ' ' << every << ' ' << variable;
      }
    }
  }
}

TEST(TaylorSharpForces, RejectNoStepOfASmoothMotion) {
  for (const char* name : {"spherical_pendulum", "andrews_squeezer", "bricard_loop", "chain"}) {
    const System& system = find_system(name);
    Options options = default_options(system);
    options.backend = Backend::cpu;
    options.compile = Compile::always;
    options.method.integrator = Integrator::taylor;
    for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
      options.method.relative_tolerance = options.method.absolute_tolerance = tolerance;
      const Result result = run(Ensemble(system, 1), options);
      ASSERT_EQ(result.status()[0], Status::ok) << name;
      EXPECT_EQ(result.summary.rejected_steps, 0) << name << ' ' << tolerance;
    }
  }
}

}  // namespace
}  // namespace kalaba
