// Derivatives through impacts, resets and clocks, against closed forms and differences of runs.

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace {

using hybrid::last_value;
using hybrid::refusal_of;
using hybrid::run_text;

class SaltationBy : public testing::TestWithParam<const char*> {
 protected:
  std::vector<std::string> overrides(std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {std::string("solver.integrator=") + GetParam(), "solver.backend=cpu",
                                    "solver.threads=1"};
    if (GetParam() != std::string("rk4")) {
      all.emplace_back("solver.relative_tolerance=1e-12");
      all.emplace_back("solver.absolute_tolerance=1e-13");
    }
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// Compares the derivatives of coordinates and rates at the end, and of the first time of an event, with central
  /// differences of runs. A variable is "parameters.NAME" or "initial.NAME", with its value.
  void expect_differences(const std::string& text, const std::vector<std::pair<std::string, double>>& variables,
                          const std::vector<std::string>& columns, const std::string& event, double tolerance) const {
    std::string of;
    for (const auto& [name, value] : variables) of += (of.empty() ? "\"" : ", \"") + name + "\"";
    const Result exact = run_text(text, overrides({"sensitivities.of=[" + of + "]"}));
    ASSERT_EQ(exact.status()[0], Status::ok);
    const double h = 1e-5;
    for (const auto& [name, value] : variables) {
      const auto moved = [&, variable = name, base = value](double by) {
        return run_text(text, overrides({fmt::format("{}={:.17g}", variable, base + by)}));
      };
      const Result above = moved(h);
      const Result below = moved(-h);
      ASSERT_EQ(above.event_count(event)[0], below.event_count(event)[0]) << name;
      for (const std::string& column : columns) {
        const double difference = (last_value(above, column.c_str()) - last_value(below, column.c_str())) / (2 * h);
        const double found = last_value(exact, ("sensitivity_" + column + "_to_" + name).c_str());
        EXPECT_NEAR(found, difference, tolerance * (1 + std::abs(difference))) << column << " along " << name;
      }
      const double difference = (above.event_time(event)[0] - below.event_time(event)[0]) / (2 * h);
      EXPECT_NEAR(exact.event_time_sensitivity(event, name)[0], difference, tolerance * (1 + std::abs(difference)))
          << name;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, SaltationBy, testing::Values("rk4", "dop853", "taylor", "rodas5p"),
                         [](const auto& info) { return std::string(info.param); });

const std::string ball =
    "[time]\nend = 1.3\ndt = 0.01\nsave_every = 130\n" + hybrid::ball_model + "y_dot = 0.3\n" + hybrid::ball_floor;

/// Height and velocity of a ball at t, and the time of its first bounce.
struct Bounce {
  double y;
  double v;
  double first;

  static Bounce at(double t, double y, double v, double g, double R, double e) {
    double first = 0;
    for (double now = 0;;) {
      const double lands = now + (v + std::sqrt(v * v + 2 * g * (y - R))) / g;
      if (lands > t) return {y + v * (t - now) - g * (t - now) * (t - now) / 2, v - g * (t - now), first};
      v = -e * (v - g * (lands - now));
      y = R;
      if (first == 0) first = lands;
      now = lands;
    }
  }
};

/// The derivatives of a ball after two bounces are those of the closed form.
TEST_P(SaltationBy, ABouncingBall) {
  const Result result = run_text(
      ball, overrides({"sensitivities.of=[\"parameters.g\", \"parameters.R\", \"parameters.e\", \"parameters.m\", "
                       "\"initial.y\", \"initial.y_dot\"]"}));
  ASSERT_EQ(result.status()[0], Status::ok);
  ASSERT_EQ(result.event_count("floor")[0], 2);
  const std::vector<std::pair<std::string, std::function<Bounce(double)>>> along = {
      {"parameters.g", [](double h) { return Bounce::at(1.3, 1, 0.3, 9.81 + h, 0.1, 0.7); }},
      {"parameters.R", [](double h) { return Bounce::at(1.3, 1, 0.3, 9.81, 0.1 + h, 0.7); }},
      {"parameters.e", [](double h) { return Bounce::at(1.3, 1, 0.3, 9.81, 0.1, 0.7 + h); }},
      {"parameters.m", [](double) { return Bounce::at(1.3, 1, 0.3, 9.81, 0.1, 0.7); }},
      {"initial.y", [](double h) { return Bounce::at(1.3, 1 + h, 0.3, 9.81, 0.1, 0.7); }},
      {"initial.y_dot", [](double h) { return Bounce::at(1.3, 1, 0.3 + h, 9.81, 0.1, 0.7); }}};
  const double h = 1e-4;
  for (const auto& [name, of] : along) {
    const auto derivative = [&, at = of](double Bounce::*number) {  // of order h^4
      return (8 * (at(h).*number - at(-h).*number) - (at(2 * h).*number - at(-2 * h).*number)) / (12 * h);
    };
    EXPECT_NEAR(last_value(result, ("sensitivity_y_to_" + name).c_str()), derivative(&Bounce::y), 1e-8) << name;
    EXPECT_NEAR(last_value(result, ("sensitivity_y_dot_to_" + name).c_str()), derivative(&Bounce::v), 1e-8) << name;
    EXPECT_NEAR(result.event_time_sensitivity("floor", name)[0], derivative(&Bounce::first), 1e-9) << name;
  }
}

/// A ball that stays where it lands depends on the floor alone.
TEST_P(SaltationBy, ABallThatStays) {
  const Result result = run_text(ball, overrides({"parameters.e=0",
                                                  "sensitivities.of=[\"parameters.g\", "
                                                  "\"parameters.R\", \"initial.y\"]"}));
  ASSERT_EQ(result.status()[0], Status::ok);
  EXPECT_EQ(last_value(result, "floor_closed"), 1);
  EXPECT_NEAR(last_value(result, "sensitivity_y_to_parameters.R"), 1, 1e-12);
  for (const char* name :
       {"sensitivity_y_to_parameters.g", "sensitivity_y_to_initial.y", "sensitivity_y_dot_to_parameters.g",
        "sensitivity_y_dot_to_parameters.R", "sensitivity_y_dot_to_initial.y"}) {
    EXPECT_NEAR(last_value(result, name), 0, 1e-12) << name;
  }
}

/// Bounces by an event with `set` have the same derivatives as those of a contact.
TEST_P(SaltationBy, AnEventThatSets) {
  std::string reset = ball.substr(0, ball.find("[model.unilateral]"));
  reset += "[[model.events]]\nname = 'floor'\nwhen = 'y - R'\ndirection = 'falling'\nset = { y_dot = '-e*y_dot' }\n";
  const std::string of =
      "sensitivities.of=[\"parameters.g\", \"parameters.R\", \"parameters.e\", \"initial.y\", \"initial.y_dot\"]";
  const Result by_event = run_text(reset, overrides({of}));
  const Result by_contact = run_text(ball, overrides({of}));
  ASSERT_EQ(by_event.status()[0], Status::ok);
  for (const char* name : {"parameters.g", "parameters.R", "parameters.e", "initial.y", "initial.y_dot"}) {
    for (const char* of_what : {"sensitivity_y_to_", "sensitivity_y_dot_to_"}) {
      const std::string column = of_what + std::string(name);
      EXPECT_NEAR(last_value(by_event, column.c_str()), last_value(by_contact, column.c_str()), 1e-9) << column;
    }
  }
}

/// Kicks of a clock that depend on the state and on parameters, with a counter that does not move.
TEST_P(SaltationBy, AClock) {
  expect_differences(R"toml(
[time]
end = 2
dt = 0.01
save_every = 200
[model]
name = "kicked"
lagrangian = "(x_dot^2 + x^2*th_dot^2)/2 - k*x^2/2"
[model.parameters]
k = 3
c = 0.9
[model.discrete]
n = 0
[model.coordinates]
x = ""
th = ""
[model.start]
x = 1
th_dot = 0.5
[[model.clocks]]
name = "kicks"
every = 0.3
set = { x_dot = "c*x_dot - x^2/10", n = "n + 1" }
[[model.events]]
name = "inner"
when = "x_dot"
direction = "rising"
action = "record"
)toml",
                     {{"parameters.k", 3}, {"parameters.c", 0.9}, {"initial.x", 1}}, {"x", "th", "x_dot", "th_dot"},
                     "inner", 2e-7);
}

/// A double pendulum in Cartesian coordinates, each rod stated twice, that bounces off a wall.
TEST_P(SaltationBy, APendulumWithRedundantRodsAtAWall) {
  expect_differences(R"toml(
[time]
end = 1.1
dt = 0.0025
save_every = 440
[model]
name = "pendulum"
lagrangian = "(x1_dot^2 + y1_dot^2 + m*x2_dot^2 + m*y2_dot^2)/2 - g*(y1 + m*y2)"
[model.parameters]
g = 9.81
m = 1.5
L = 1
W = 0.3
e = 0.8
[model.coordinates]
x1 = ""
y1 = ""
x2 = ""
y2 = ""
[model.holonomic]
a = "x1^2 + y1^2 = 1"
b = "(x2 - x1)^2 + (y2 - y1)^2 = L^2"
c = "x1^2 + y1^2 = 1"
d = "(x2 - x1)^2 + (y2 - y1)^2 = L^2"
[model.start]
x1 = "sin(1)"
y1 = "-cos(1)"
x2 = "sin(1) + L*sin(0.6)"
y2 = "-cos(1) - L*cos(0.6)"
[model.unilateral]
wall = { gap = "x2 + W", restitution = "e" }
)toml",
                     {{"parameters.g", 9.81}, {"parameters.m", 1.5}, {"parameters.W", 0.3}, {"parameters.e", 0.8}},
                     {"x1", "y2", "x2_dot", "y1_dot"}, "wall", 2e-6);
}

/// A new rate that depends on a point of a mechanism and on the energy.
TEST_P(SaltationBy, AnEventThatUsesAPoint) {
  expect_differences(R"toml(
[time]
end = 0.8
dt = 0.0025
save_every = 320
[model]
name = "arm"
gravity = [0, "-9.81 m/s^2", 0]
[model.parameters]
L = "0.4 m"
m = "0.6 kg"
[model.bodies]
upper = { mass = "1 kg", rod = ["L", 0, 0], com = ["L/2", 0, 0] }
lower = { mass = "m", rod = ["0.3 m", 0, 0], com = ["0.15 m", 0, 0] }
[model.joints]
shoulder = { child = "upper", type = "hinge", axis = [0, 0, 1] }
elbow = { parent = "upper", child = "lower", at = ["L", 0, 0], type = "hinge", axis = [0, 0, 1] }
[model.points]
tool = { body = "lower", at = ["0.3 m", 0, 0] }
[model.start]
shoulder = -0.4
elbow = 0.5
[[model.events]]
name = "low"
when = "tool.y + 0.45[m]"
direction = "falling"
set = { elbow_dot = "-0.5*elbow_dot + tool.vx/L + energy*0.2[1/J/s]" }
)toml",
                     {{"parameters.L", 0.4}, {"parameters.m", 0.6}, {"initial.elbow", 0.5}},
                     {"shoulder", "elbow", "shoulder_dot", "elbow_dot"}, "low", 2e-7);
}

/// A box that falls on a corner and tumbles.
TEST_P(SaltationBy, ABoxOnItsCorners) {
  expect_differences(R"toml(
[time]
end = 0.35
dt = 0.0025
save_every = 140
[model]
name = "box"
gravity = [0, 0, "-g"]
[model.parameters]
g = "9.81 m/s^2"
m = "1 kg"
a = "0.2 m"
e = 0.4
[model.bodies]
box = { mass = "m", box = ["2*a", "0.3 m", "0.2 m"] }
[model.joints]
fall = { child = "box", type = "free" }
[model.points]
p1 = { body = "box", at = ["a", "0.15 m", "-0.1 m"] }
p2 = { body = "box", at = ["-a", "0.15 m", "-0.1 m"] }
[model.unilateral]
c1 = { gap = "p1.z", restitution = "e" }
c2 = { gap = "p2.z", restitution = "e" }
[model.start]
fall_z = 0.5
fall_e1 = 0.1
fall_e2 = 0.05
)toml",
                     {{"parameters.g", 9.81}, {"parameters.a", 0.2}, {"parameters.e", 0.4}, {"initial.fall_z", 0.5}},
                     {"fall_z", "fall_e1", "fall_e2", "fall_wx", "fall_wy"}, "c2", 2e-6);
}

/// Both ends of a plank strike at once: along its angle the derivative has two sides, along its height it has one.
TEST_P(SaltationBy, APlankThatFallsFlat) {
  const Result result = run_text(R"toml(
[time]
end = 0.5
dt = 0.01
save_every = 50
[model]
name = "plank"
lagrangian = "(m*y_dot^2 + J*a_dot^2)/2 - m*9.81*y"
[model.parameters]
m = 1
J = 0.3
b = 0.5
e = 0.5
a0 = 0
[model.coordinates]
y = ""
a = ""
[model.start]
y = 0.6
a = "a0"
[model.unilateral]
left = { gap = "y - b*a", restitution = "e" }
right = { gap = "y + b*a", restitution = "e" }
)toml",
                                 overrides({"sensitivities.of=[\"initial.y\", \"initial.a\", \"parameters.e\"]"}));
  ASSERT_EQ(result.status()[0], Status::ok);
  const double h = 1e-4;
  const auto at = [](double y, double e) { return Bounce::at(0.5, y, 0, 9.81, 0, e); };
  EXPECT_NEAR(last_value(result, "sensitivity_y_to_initial.y"), (at(0.6 + h, 0.5).y - at(0.6 - h, 0.5).y) / (2 * h),
              1e-7);
  EXPECT_NEAR(last_value(result, "sensitivity_y_to_parameters.e"), (at(0.6, 0.5 + h).y - at(0.6, 0.5 - h).y) / (2 * h),
              1e-7);
  EXPECT_TRUE(std::isnan(last_value(result, "sensitivity_a_to_initial.a")));
  EXPECT_EQ(result.summary.without_derivatives, 1);
}

TEST(Saltation, IsRefusedWhereItIsNotKnown) {
  const std::string of = "sensitivities.of=[\"parameters.g\"]";
  const auto expect_refusal = [&](const std::string& text, const std::vector<std::string>& overrides,
                                  const std::string& part) {
    EXPECT_NE(refusal_of(text, overrides).find(part), std::string::npos) << refusal_of(text, overrides);
  };
  const auto with = [&](const std::string& contact) { return ball.substr(0, ball.find("floor =")) + contact; };
  expect_refusal(ball, {of, "solver.backend=reference"}, "sensitivities go through contacts on the backends \"cpu\"");
  expect_refusal(with("floor = { gap = \"y - R\", law = \"poisson\" }\n"), {of},
                 "sensitivities do not go through law = \"poisson\" of contact \"floor\" yet");
  expect_refusal(with("floor = { gap = \"y - R*cos(t*1[1/s])\" }\n"), {of},
                 "sensitivities do not go through contacts of a model whose constraints or gaps depend on t yet");
  const std::string moving = "[[clocks]]\nname = 'c'\nevery = 0.1\nset = { u = 'y' }\n";
  std::string model = ball.substr(0, ball.find("[model.unilateral]"));
  model.replace(model.find("[model.coordinates]"), 0, "[model.discrete]\nu = { start = 0, unit = \"m\" }\n");
  expect_refusal(model + moving, {of}, "sensitivities do not go through the discrete variable u yet");
}

/// The reference, which would interpret such a model, has no derivatives through changes.
TEST(SaltationKeys, AreRefusedWithoutACompiler) {
  for (const char* of : {"parameters.e", "initial.y"}) {
    const std::string reason =
        refusal_of(ball, {"solver.backend=cpu", "solver.compile=never", std::string("sensitivities.of=['") + of + "']"},
                   ExitCode::no_backend);
    EXPECT_NE(
        reason.find("the reference would interpret it, because it has sensitivities, but sensitivities go through "
                    "contacts on the backends \"cpu\" and \"cuda\", not on \"reference\""),
        std::string::npos)
        << reason;
  }
}

}  // namespace
}  // namespace kalaba
