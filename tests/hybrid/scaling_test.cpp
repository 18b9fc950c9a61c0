// Contacts, changes and clocks in other units, and with perturbed numbers.

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace {

using hybrid::run_text;

/// Powers of two by which kg, m and s are scaled.
struct Units {
  int mass;
  int length;
  int time;

  double scaled(double value, int kg, int m, int s) const {
    return std::ldexp(value, kg * mass + m * length + s * time);
  }
};

const std::vector<Units> all_units = {{0, 20, 0}, {0, -20, 0}, {20, 0, 0}, {-20, 0, 0},
                                      {0, 0, 20}, {0, 0, -20}, {7, -30, 9}};

/// A number of a scenario with its powers of kg, m and s.
struct Quantity {
  const char* key;
  double value;
  int kg;
  int m;
  int s;
};

struct ScaledCase {
  std::string name;
  std::string text;
  std::vector<Quantity> quantities;
  std::string event;
  std::string length;  ///< a coordinate, m
  double end;
  double dt;
};

const ScaledCase falling_ball = {"falling_ball",
                                 hybrid::ball_model + hybrid::ball_floor + R"(
[output]
fields = ["q", "w", "invariants"]
)",
                                 {{"parameters.m", 2, 1, 0, 0},
                                  {"parameters.g", 9.81, 0, 1, -2},
                                  {"parameters.R", 0.1, 0, 1, 0},
                                  {"initial.y", 1, 0, 1, 0}},
                                 "floor",
                                 "y",
                                 3.0,
                                 0.01};

const ScaledCase scaled_cradle = {"cradle",
                                  R"(
[output]
fields = ["q", "w", "invariants"]
[model]
name = "cradle"
lagrangian = "m*(a_dot^2 + b_dot^2 + c_dot^2)/2"
impacts = "sequential"
[model.parameters]
m = "1 kg"
d = "1 m"
[model.coordinates]
a = "m"
b = "m"
c = "m"
[model.start]
a = -1
b = 1
c = 2
a_dot = 1
[model.unilateral]
ab = { gap = "b - a - d", restitution = 1 }
bc = { gap = "c - b - d", restitution = 1 }
)",
                                  {{"parameters.m", 1, 1, 0, 0},
                                   {"parameters.d", 1, 0, 1, 0},
                                   {"initial.a", -1, 0, 1, 0},
                                   {"initial.b", 1, 0, 1, 0},
                                   {"initial.c", 2, 0, 1, 0},
                                   {"initial.a_dot", 1, 0, 1, -1}},
                                  "ab",
                                  "c",
                                  3.0,
                                  0.01};

const ScaledCase scaled_reset = {
    "reset", R"(
[output]
fields = ["q", "w"]
[model]
name = "reset"
lagrangian = "m*y_dot^2/2 - m*g*y"
[model.parameters]
m = "2 kg"
g = "9.81 m/s^2"
e = 0.7
[model.coordinates]
y = "m"
[model.start]
y = 1
[[model.events]]
name = "floor"
when = "y"
direction = "falling"
set = { y_dot = "-e*y_dot" }
)", {{"parameters.m", 2, 1, 0, 0}, {"parameters.g", 9.81, 0, 1, -2}, {"initial.y", 1, 0, 1, 0}},
    "floor", "y", 1.5,
    0.01};

/// Gaps of points of a free body are too long for an event and become outputs.
const ScaledCase dropped_box = {"dropped_box",
                                R"(
[output]
fields = ["q", "w"]
[model]
name = "dropped_box"
gravity = [0, 0, "-g"]
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
a = "0.2 m"
b = "0.15 m"
c = "0.1 m"
[model.bodies]
box = { mass = "m", box = ["2*a", "2*b", "2*c"] }
[model.joints]
fall = { child = "box", type = "free" }
[model.points]
p1 = { body = "box", at = ["a", "b", "-c"] }
p2 = { body = "box", at = ["-a", "b", "-c"] }
p3 = { body = "box", at = ["-a", "-b", "-c"] }
p4 = { body = "box", at = ["a", "-b", "-c"] }
[model.unilateral]
c1 = { gap = "p1.z", restitution = 0.5 }
c2 = { gap = "p2.z", restitution = 0.5 }
c3 = { gap = "p3.z", restitution = 0.5 }
c4 = { gap = "p4.z", restitution = 0.5 }
[model.start]
fall_z = 0.5
fall_e1 = 0.1
fall_e2 = 0.05
)",
                                {{"parameters.m", 1, 1, 0, 0},
                                 {"parameters.g", 9.81, 0, 1, -2},
                                 {"parameters.a", 0.2, 0, 1, 0},
                                 {"parameters.b", 0.15, 0, 1, 0},
                                 {"parameters.c", 0.1, 0, 1, 0},
                                 {"initial.fall_z", 0.5, 0, 1, 0}},
                                "c3",
                                "fall_z",
                                0.6,
                                0.002};

/// A block on a belt slides, and sticks from then on.
const ScaledCase block_on_belt = {"block_on_belt",
                                  R"(
[output]
fields = ["q", "w"]
[model]
name = "belt"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - k*x^2/2 - m*g*y"
[model.parameters]
m = "1 kg"
k = "100 N/m"
g = "9.81 m/s^2"
v = "0.2 m/s"
mu = 0.3
[model.coordinates]
x = "m"
y = "m"
[model.start]
x = 0.05
[model.unilateral]
belt = { gap = "y", friction = "mu", slip = "x_dot - v" }
)",
                                  {{"parameters.m", 1, 1, 0, 0},
                                   {"parameters.k", 100, 1, 0, -2},
                                   {"parameters.g", 9.81, 0, 1, -2},
                                   {"parameters.v", 0.2, 0, 1, -1},
                                   {"initial.x", 0.05, 0, 1, 0}},
                                  "belt_slip",
                                  "x",
                                  0.6,
                                  0.01};

const ScaledCase billiard_ball = {"billiard_ball",
                                  R"(
[output]
fields = ["q", "w"]
[model]
name = "billiard"
lagrangian = "m*(x_dot^2 + y_dot^2 + z_dot^2)/2 + m*R^2*(a_dot^2 + b_dot^2 + c_dot^2)/5 - m*g*z"
[model.parameters]
m = "0.17 kg"
R = "0.0286 m"
g = "9.81 m/s^2"
mu = 0.2
[model.coordinates]
x = "m"
y = "m"
z = "m"
a = "1"
b = "1"
c = "1"
[model.start]
z = "R"
[model.unilateral]
cloth = { gap = "z - R", friction = "mu", slip = ["x_dot - R*b_dot", "y_dot + R*a_dot"] }
)",
                                  {{"parameters.m", 0.17, 1, 0, 0},
                                   {"parameters.R", 0.0286, 0, 1, 0},
                                   {"parameters.g", 9.81, 0, 1, -2},
                                   {"initial.x_dot", 2, 0, 1, -1},
                                   {"initial.a_dot", 50, 0, 0, -1}},
                                  "cloth_slip",
                                  "y",
                                  0.6,
                                  0.002};

struct ScaledOutcome {
  Status status;
  double count;
  double first;
  double last;
  double position;
};

ScaledOutcome outcome_of(const ScaledCase& of, const Units& units, std::vector<std::string> overrides) {
  for (const char* each : {"solver.compile=never", "solver.threads=1"}) overrides.emplace_back(each);
  const auto put = [&](const std::string& key, double value) {
    overrides.push_back(fmt::format("{}={:.17g}", key, value));
  };
  for (const Quantity& each : of.quantities) put(each.key, units.scaled(each.value, each.kg, each.m, each.s));
  put("time.end", units.scaled(of.end, 0, 0, 1));
  put("time.dt", units.scaled(of.dt, 0, 0, 1));
  const Result result = run_text(of.text, overrides);
  const auto last = result.times().size() - 1;
  return {result.status()[0], result.event_count(of.event)[0], units.scaled(result.event_time(of.event)[0], 0, 0, -1),
          units.scaled(result.event_last_time(of.event)[0], 0, 0, -1),
          units.scaled(result.values(of.length, last)[0], 0, -1, 0)};
}

class ScaledHybrid : public testing::TestWithParam<ScaledCase> {};
INSTANTIATE_TEST_SUITE_P(, ScaledHybrid,
                         testing::Values(falling_ball, scaled_cradle, scaled_reset, dropped_box, block_on_belt,
                                         billiard_ball),
                         [](const auto& info) { return info.param.name; });

TEST_P(ScaledHybrid, MovesByTheSameNumbers) {
  const ScaledCase& of = GetParam();
  const ScaledOutcome expected = outcome_of(of, {0, 0, 0}, {"solver.backend=cpu"});
  ASSERT_EQ(expected.status, Status::ok);
  ASSERT_GE(expected.count, 1);
  for (const Units& units : all_units) {
    const std::string how = fmt::format("kg {}, m {}, s {}", units.mass, units.length, units.time);
    const ScaledOutcome found = outcome_of(of, units, {"solver.backend=cpu"});
    EXPECT_EQ(found.status, expected.status) << how;
    EXPECT_EQ(found.count, expected.count) << how;
    EXPECT_NEAR(found.first, expected.first, 1e-12) << how;
    EXPECT_NEAR(found.last, expected.last, 1e-9) << how;
    EXPECT_NEAR(found.position, expected.position, 1e-11) << how;
  }
}

/// The bound on the changes within a step of the grid holds in any units.
TEST(ScaledChanges, AreTooManyInAnyUnits) {
  for (const char* backend : {"cpu", "reference"}) {
    for (const char* integrator : {"rk4", "dop853"}) {
      for (const auto& [most, status] : {std::pair{6, Status::too_many_changes}, std::pair{100, Status::ok}}) {
        const std::vector<std::string> overrides = {std::string("solver.backend=") + backend,
                                                    std::string("solver.integrator=") + integrator,
                                                    fmt::format("solver.max_changes={}", most)};
        const double count = outcome_of(falling_ball, {0, 0, 0}, overrides).count;
        for (const Units& units : {Units{0, 0, 0}, Units{0, 0, 20}, Units{0, 0, -20}}) {
          const ScaledOutcome found = outcome_of(falling_ball, units, overrides);
          EXPECT_EQ(found.status, status) << backend << ' ' << integrator << ' ' << units.time << ' ' << most;
          if (integrator != std::string("rk4")) continue;  // the absolute tolerances have units
          EXPECT_EQ(found.count, count) << backend << ' ' << units.time << ' ' << most;
        }
      }
    }
  }
}

/// The floor is everywhere alike: times and heights do not depend on the place, to the rounding errors of the gap's
/// terms.
TEST(FarAway, ABoxFallsAtTheSameTimes) {
  for (const char* backend : {"cpu", "reference"}) {
    const auto fall = [&](double place) {
      return run_text(dropped_box.text,
                      {std::string("solver.backend=") + backend, "solver.compile=never", "solver.threads=1",
                       "time.end=0.6", "time.dt=0.002", fmt::format("initial.fall_x={}", place)});
    };
    const Result here = fall(0);
    ASSERT_EQ(here.status()[0], Status::ok);
    const Result there = fall(1e8);
    EXPECT_EQ(there.status()[0], Status::ok) << backend;
    for (const char* event : {"c1", "c2", "c3", "c4"}) {
      EXPECT_EQ(there.event_count(event)[0], here.event_count(event)[0]) << backend << ' ' << event;
      EXPECT_NEAR(there.event_time(event)[0], here.event_time(event)[0], 1e-12) << backend << ' ' << event;
    }
    EXPECT_NEAR(hybrid::last_value(there, "fall_z"), hybrid::last_value(here, "fall_z"), 1e-10) << backend;
  }
}

/// Counts the ticks of a clock whose period is near a multiple of the step.
double ticks_with(double every, double dt, const std::string& integrator) {
  const std::string clock = fmt::format("[[model.clocks]]\nname = \"count\"\nevery = {:.17g}\n", every);
  const std::string text = R"(
[output]
fields = ["invariants"]
[model]
name = "counter"
[model.discrete]
k = 0
[model.coordinates]
x = "m"
[model.mass]
x = 1
[model.force]
x = "-x"
[model.start]
x = 1
)" + clock + "set = { k = \"k + 1\" }\n";
  const Result result = run_text(text, {"solver.backend=cpu", "solver.compile=never", "solver.integrator=" + integrator,
                                        fmt::format("time.end={:.17g}", 42 * dt), fmt::format("time.dt={:.17g}", dt)});
  EXPECT_EQ(result.status()[0], Status::ok);
  return result.values("k", result.times().size() - 1)[0];
}

TEST(PerturbedClocks, TickAsOften) {
  for (const char* integrator : {"rk4", "dopri5", "dop853"}) {
    for (const double of_period : {0.0, 1e-16, 2.3e-16, -2.3e-16, 1e-15, -1e-15, 1e-12, -1e-12, 1e-9, -1e-9}) {
      for (const double of_step : {0.0, 2.3e-16, -1.2e-16, 1e-15, -1e-15, 1e-12, -1e-12}) {
        EXPECT_EQ(ticks_with(0.1 * (1 + of_period), 0.025 * (1 + of_step), integrator), 11)
            << integrator << ' ' << of_period << ' ' << of_step;
      }
    }
  }
}

/// A ball whose radius and height are perturbed bounces as the exact one does.
TEST(PerturbedContacts, BounceAsOften) {
  const auto count = [](double of_height, double of_radius) {
    const Result result =
        run_text(falling_ball.text, {"solver.backend=cpu", "solver.compile=never", "time.end=2.1", "time.dt=0.01",
                                     fmt::format("initial.y={:.17g}", 1.1 * (1 + of_height)),
                                     fmt::format("parameters.R={:.17g}", 0.1 * (1 + of_radius))});
    EXPECT_EQ(result.status()[0], Status::ok);
    return result.event_count("floor")[0];
  };
  const auto expected = count(0, 0);
  EXPECT_GE(expected, 5);
  for (const double each : {1e-16, 3e-16, 1e-15, 1e-14, 1e-12, 1e-10, 1e-9}) {
    for (const double sign : {-1.0, 1.0}) {
      EXPECT_EQ(count(sign * each, 0), expected) << sign * each;
      EXPECT_EQ(count(0, sign * each), expected) << sign * each;
      EXPECT_EQ(count(sign * each, -sign * each), expected) << sign * each;
    }
  }
}

/// A ball that starts within rounding of the floor rests there, or falls there; it is never below.
TEST(PerturbedContacts, StartAtTheFloor) {
  for (const double each : {0.0, 1e-17, 1e-16, 1e-15, 1e-13, 1e-11}) {
    for (const double sign : {-1.0, 1.0}) {
      const Result result =
          run_text(falling_ball.text, {"solver.backend=cpu", "solver.compile=never", "time.end=1", "time.dt=0.01",
                                       fmt::format("initial.y={:.17g}", 0.1 + sign * each)});
      EXPECT_EQ(result.status()[0], Status::ok) << sign * each;
      EXPECT_NEAR(result.values("y", result.times().size() - 1)[0], 0.1, 2e-11) << sign * each;
    }
  }
}

/// A cylinder that rolls in a trough without slipping. The reactions that cancel in its friction are larger than its
/// other forces by powers of the unit of length.
TEST(ScaledFriction, ACylinderRollsInATroughByTaylor) {
  const std::string text = R"toml(
[model]
name = "trough"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 + m*r^2*a_dot^2/4 - m*g*y"
[model.parameters]
m = 1.0
r = 0.1
R = 0.5
g = 9.81
[model.coordinates]
x = ""
y = ""
a = ""
[model.unilateral]
c = { gap = "R - r - norm(x, y)", friction = 0.6, slip = "(x*y_dot - y*x_dot)/norm(x, y) + r*a_dot" }
[model.start]
x = "(R - r)*sin(0.8)"
y = "-(R - r)*cos(0.8)"
)toml";
  const auto end_with = [&](int power) {
    const double unit = std::ldexp(1, power);
    const auto scaled = [&](const char* key, double value) { return fmt::format("{}={:.17g}", key, value * unit); };
    const Result result = run_text(text, hybrid::Way{"cpu", "taylor", "always"},
                                   {"time.end=3", "time.dt=1", scaled("parameters.r", 0.1), scaled("parameters.R", 0.5),
                                    scaled("parameters.g", 9.81)});
    EXPECT_EQ(result.status()[0], Status::ok) << power;
    EXPECT_EQ(result.event_count("c_slip")[0], 0) << power;
    return std::pair(hybrid::last_value(result, "a"), hybrid::last_value(result, "x") / unit);
  };
  const auto [angle, place] = end_with(0);
  for (const int power : {-30, -10, 14, 17, 20, 30}) {
    const auto [a, x] = end_with(power);
    EXPECT_NEAR(a, angle, 1e-8) << power;
    EXPECT_NEAR(x, place, 1e-8) << power;
  }
}

}  // namespace
}  // namespace kalaba
