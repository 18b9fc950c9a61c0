// Events on values that constraints hold at zero, and on values that arrive at zero where the member changes.

#include "hybrid/hybrid.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kalaba {
namespace {

using hybrid::run_text;
using hybrid::Way;
using hybrid::ways_compiled_by;

class HeldZeros : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, HeldZeros, testing::ValuesIn(ways_compiled_by("rk4")),
                         [](const auto& way) { return hybrid::name_of(way.param); });

/// Ensemble of particles that fall from rest at an angle above the horizontal until a rope of length L tightens. They
/// swing on without losing it: the rope tightens once, and never slackens.
std::string tightening_rope(const std::string& when, const std::string& constraint) {
  return R"toml([time]
end = 3.0
dt = 0.01
save_every = 100
[ensemble]
members = 12
seed = 5
[parameters]
angle = { uniform = [0.05, 0.6] }
L = { uniform = [0.4, 2.5] }
[model]
name = "rope"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
[model.parameters]
m = "0.7 kg"
L = "1.1 m"
g = "9.81 m/s^2"
angle = 0.3
[model.coordinates]
x = "m"
y = "m"
[model.discrete]
taut = 0
[model.holonomic]
rope = { is = ")toml" +
         constraint + R"toml(", while = "taut" }
[model.start]
x = "0.9*L*cos(angle)"
y = "-0.9*L*sin(angle)"
[[model.events]]
name = "tightens"
when = ")toml" +
         when + R"toml("
direction = "rising"
set = { taut = 1 }
[[model.events]]
name = "slackens"
when = "x^2 + y^2 - L^2"
direction = "falling"
action = "record"
)toml";
}

TEST_P(HeldZeros, ARopeTightensOnce) {
  const auto expect = [](const std::string& when, const std::string& constraint) {
    const Result result = run_text(tightening_rope(when, constraint), GetParam());
    for (std::size_t i = 0; i < result.status().size(); ++i) {
      ASSERT_EQ(result.status()[i], Status::ok) << when;
      ASSERT_EQ(result.event_count("tightens")[i], 1) << when << ' ' << i;
      ASSERT_EQ(result.event_count("slackens")[i], 0) << when << ' ' << i;
    }
  };
  expect("sqrt(x^2 + y^2) - L", "x^2 + y^2 = L^2");
  expect("sqrt(x^2 + y^2) >= L", "sqrt(x^2 + y^2) = L");
  expect("y < 0 and L - sqrt(x^2 + y^2) < 0", "L^2 = x^2 + y^2");
}

/// A particle on a bowl that is held on it while `on` is not zero, or always, with an event where it would leave it.
std::string bowl(const std::string& attributes) {
  return R"toml([time]
end = 1.5
dt = 0.01
save_every = 50
[ensemble]
members = 6
seed = 9
[parameters]
k = { uniform = [0.2, 1.7] }
[model]
name = "bowl"
lagrangian = "m*(x_dot^2 + y_dot^2 + z_dot^2)/2 - m*g*z"
[model.parameters]
m = "0.3 kg"
g = "9.81 m/s^2"
k = "0.7 1/m"
[model.coordinates]
x = "m"
y = "m"
z = "m"
[model.discrete]
on = 1
left = 0
[model.holonomic]
bowl = { is = "z = k*(x^2 + y^2)")toml" +
         attributes + R"toml( }
[model.start]
x = 0.61
y = 0.23
z = "k*(x^2 + y^2)"
x_dot = 0.4
y_dot = 1.3
[[model.events]]
name = "above"
when = "z - k*x^2 - k*y^2"
set = { on = 0, left = "left + 1" }
[[model.events]]
name = "rises"
when = "z_dot - 2*k*x*x_dot - 2*k*y*y_dot"
set = { left = "left + 1" }
)toml";
}

TEST_P(HeldZeros, AParticleStaysOnItsBowl) {
  for (const char* attributes : {"", ", while = \"on\""}) {
    const Result result = run_text(bowl(attributes), GetParam());
    for (std::size_t i = 0; i < result.status().size(); ++i) {
      ASSERT_EQ(result.status()[i], Status::ok);
      ASSERT_EQ(result.event_count("above")[i], 0) << i << attributes;
      ASSERT_EQ(result.event_count("rises")[i], 0) << i << attributes;
    }
  }
}

/// The value counts again from where the constraint ends: the particle is let go and falls through the bowl, by an
/// event at rest relative to it and by a clock.
TEST_P(HeldZeros, AParticleLeavesABowlThatEnds) {
  const std::string release = "[[model.clocks]]\nname = 'off'\nevery = 10\noffset = 0.731\nset = { on = 0 }\n";
  const std::string rises =
      "[[model.events]]\nname = 'falls'\nwhen = 'z - k*x^2 - k*y^2'\ndirection = 'falling'\n"
      "action = 'record'\n";
  const Result result = run_text(bowl(", while = \"on\"") + release + rises, GetParam());
  for (std::size_t i = 0; i < result.status().size(); ++i) {
    ASSERT_EQ(result.status()[i], Status::ok);
    // It leaves its bowl downwards from zero, which is no fall through zero, and returns from below never.
    EXPECT_EQ(result.event_count("falls")[i], 0) << i;
    EXPECT_EQ(result.event_count("above")[i], 0) << i;
  }
}

/// A particle that is reflected where its position rises to zero does not fall to zero there, whatever the sign of the
/// rounding error with which the position arrives.
TEST_P(HeldZeros, AReflectionIsNoFall) {
  const std::string text = R"toml([time]
end = 2.0
dt = 0.01
save_every = 100
[ensemble]
members = 60
seed = 3
[parameters]
v = { uniform = [0.9, 3.0] }
[model]
name = "reflected"
lagrangian = "x_dot^2/2 - c*x"
[model.parameters]
v = 1.0
c = 0.3
[model.coordinates]
x = ""
[model.discrete]
falls = 0
[model.start]
x = -1
x_dot = "v"
[[model.events]]
name = "rise"
when = "x"
direction = "rising"
set = { x_dot = "-x_dot" }
[[model.events]]
name = "fall"
when = "x"
direction = "falling"
set = { falls = "falls + 1" }
)toml";
  const Result result = run_text(text, GetParam());
  for (std::size_t i = 0; i < result.status().size(); ++i) {
    ASSERT_EQ(result.status()[i], Status::ok);
    ASSERT_EQ(result.event_count("rise")[i], 1) << i;
    ASSERT_EQ(result.event_count("fall")[i], 0) << i;
  }
}

/// A ball that comes to rest on a floor, with an event on its gap.
TEST_P(HeldZeros, ARestingBallTouchesTheFloorOnce) {
  const std::string touch =
      "[[model.events]]\nname = 'touch'\nwhen = 'y - R'\naction = 'record'\n"
      "[time]\nend = 2.0\ndt = 0.01\nsave_every = 100\n"
      "[ensemble]\nmembers = 8\nseed = 3\n[parameters]\n"
      "R = { uniform = [0.01, 0.9] }\nm = { uniform = [0.1, 3] }\n";
  const Result result = run_text(hybrid::ball_model + hybrid::ball_floor + touch, GetParam(), {"parameters.e=0"});
  for (std::size_t i = 0; i < result.status().size(); ++i) {
    ASSERT_EQ(result.status()[i], Status::ok);
    EXPECT_EQ(result.event_count("floor")[i], 1) << i;
    EXPECT_EQ(result.event_count("touch")[i], 1) << i;
  }
}

/// An expression that is too long with the condition under which it is held counts as it is stated.
TEST(HeldValues, AreNotRefusedForTheirLength) {
  std::string factor = "2";
  for (int k = 1; k <= 16; ++k) factor += fmt::format(" + sin({}*x/L)", k + 2);
  for (const char* more : {"", " + x/L"}) {
    const std::string when = "(x^2 + y^2 - L^2)*(" + factor + more + ")";
    EXPECT_EQ(hybrid::refusal_of(tightening_rope(when, "x^2 + y^2 = L^2"),
                                 {"solver.compile=never", "time.end=0.02", "ensemble.members=1"}),
              "")
        << more;
  }
}

}  // namespace
}  // namespace kalaba
