// Coulomb friction in the plane of a contact: runs against closed forms and an independent integration, in turned axes,
// scaled units and from perturbed starts.

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace {

using hybrid::has_same_bits;
using hybrid::last_value;
using hybrid::refusal_of;
using hybrid::run_text;
using hybrid::Way;
using Overrides = std::vector<std::string>;

class FrictionInPlane : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(, FrictionInPlane, testing::ValuesIn(hybrid::ways_compiled_by("rk4")),
                         [](const auto& info) { return hybrid::name_of(info.param); });

double value(const Result& result, const char* name, std::size_t time, std::size_t member = 0) {
  return result.values(name, time)[member];
}
std::string number(double x) { return std::to_string(x * 1e9) + "e-9"; }

/// A block on a plane that is inclined by `al` along x.
const std::string block = R"toml(
[time]
end = 1.5
dt = 0.005
save_every = 10
[model]
name = "block"
lagrangian = "m*(x_dot^2 + y_dot^2 + z_dot^2)/2 - m*g*(-x*sin(al) + z*cos(al))"
[model.parameters]
m = 2
g = 9.81
al = 0
mu = 0.3
v = 3
turn = 0.7
[model.coordinates]
x = ""
y = ""
z = ""
[model.start]
x_dot = "v*cos(turn)"
y_dot = "v*sin(turn)"
[model.unilateral]
floor = { gap = "z", friction = "mu", slip = ["x_dot", "y_dot"] }
)toml";

/// A turn by eighths of a circle, and directions beside the axes by rounding errors.
const std::string all_around =
    "[parameters]\nturn = { values = [0, 0.7853981633974483, 1.5707963267948966, 2.356194490192345, 3.141592653589793, "
    "4, 5.5, 1e-16, -1e-12, 1e-9, 3.1415926] }\n";
const std::array<double, 11> turns = {
    0,    0.7853981633974483, 1.5707963267948966, 2.356194490192345, 3.141592653589793, 4, 5.5, 1e-16, -1e-12,
    1e-9, 3.1415926};

TEST_P(FrictionInPlane, ABlockStopsAfterTheSamePathInEveryDirection) {
  const Result result = run_text(all_around + block, GetParam());
  const double path = 9 / (2 * 0.3 * 9.81);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    ASSERT_EQ(result.status()[i], Status::ok) << i;
    EXPECT_NEAR(last_value(result, "x", i), path * std::cos(turns[i]), 1e-11) << i;
    EXPECT_NEAR(last_value(result, "y", i), path * std::sin(turns[i]), 1e-11) << i;
    EXPECT_EQ(last_value(result, "floor_sticks", i), 1) << i;
    EXPECT_EQ(last_value(result, "floor_slides", i), 0) << i;
    EXPECT_EQ(result.event_count("floor_slip")[i], 1) << i;
    EXPECT_NEAR(result.event_time("floor_slip")[i], 3 / (0.3 * 9.81), 1e-12) << i;
  }
}

TEST_P(FrictionInPlane, AStopDoesNotDependOnUnits) {
  for (const double scale : {1e-6, 1e-3, 1e3, 1e6}) {
    const Result result = run_text(all_around + block, GetParam(),
                                   {"parameters.g=" + number(9.81 * scale), "parameters.v=" + number(3 * scale),
                                    "parameters.m=" + number(2 / scale)});
    for (std::size_t i = 0; i < turns.size(); ++i) {
      ASSERT_EQ(result.status()[i], Status::ok) << i << ' ' << scale;
      EXPECT_NEAR(last_value(result, "x", i) / scale, 9 / (2 * 0.3 * 9.81) * std::cos(turns[i]), 1e-9) << i;
      EXPECT_EQ(last_value(result, "floor_sticks", i), 1) << i << ' ' << scale;
    }
  }
}

/// With mu = tan(al), the speed and its component down the incline have a constant sum: a block that is pushed across
/// ends with half its speed.
TEST_P(FrictionInPlane, ABlockOnAnInclineTurnsDownhill) {
  const Result result = run_text(block, GetParam(),
                                 {"model.parameters.al=0.4", "model.parameters.mu=0.4227932187381618",
                                  "model.parameters.turn=1.5707963267948966", "time.end=20", "time.save_every=40"});
  ASSERT_EQ(result.status()[0], Status::ok);
  for (std::size_t k = 0; k < result.times().size(); ++k) {
    const double down = value(result, "x_dot", k);
    EXPECT_NEAR(std::hypot(down, value(result, "y_dot", k)) + down, 3, 1e-8) << k;
  }
  EXPECT_NEAR(last_value(result, "x_dot"), 1.5, 1e-6);
  EXPECT_NEAR(last_value(result, "y_dot"), 0, 1e-3);
  EXPECT_EQ(last_value(result, "floor_slides"), 1);
}

/// A force that grows at an angle to both axes: the block begins to slide where it reaches mu m g, along the force.
TEST_P(FrictionInPlane, ABlockBeginsToSlideAlongTheForce) {
  const std::string pushed = block + "[model.force]\nx = \"t*cos(0.3)\"\ny = \"t*sin(0.3)\"\n";
  for (const char* start : {"0.0", "1e-16", "-1e-13"}) {
    const Result result = run_text(
        pushed, GetParam(), {std::string("model.parameters.v=") + start, "time.end=8", "time.save_every=\"final\""});
    const double begin = 0.3 * 2 * 9.81;
    const double path = std::pow(8 - begin, 3) / 6 / 2;
    ASSERT_EQ(result.status()[0], Status::ok);
    EXPECT_NEAR(last_value(result, "x"), path * std::cos(0.3), 1e-10);
    EXPECT_NEAR(last_value(result, "y"), path * std::sin(0.3), 1e-10);
    EXPECT_EQ(last_value(result, "floor_slides"), 1);
    EXPECT_EQ(result.event_count("floor_slip")[0], 1);
    EXPECT_NEAR(result.event_time("floor_slip")[0], begin, 1e-10);
  }
}

/// A ball whose angular velocity is (a_dot, b_dot, c_dot).
const std::string ball = R"toml(
[time]
end = 1
dt = 0.005
save_every = 10
[model]
name = "ball"
lagrangian = "m*(x_dot^2 + y_dot^2 + z_dot^2)/2 + m*R^2*(a_dot^2 + b_dot^2 + c_dot^2)/5 - m*g*z"
[model.parameters]
m = 0.17
R = 0.0286
g = 9.81
mu = 0.2
e = 0.5
[model.coordinates]
x = ""
y = ""
z = ""
a = ""
b = ""
c = ""
[model.start]
z = "R"
x_dot = 2
a_dot = 50
[model.unilateral]
cloth = { gap = "z - R", restitution = "e", friction = "mu", slip = ["x_dot - R*b_dot", "y_dot + R*a_dot"] }
)toml";

/// The slip of a ball keeps its direction, also while its path curves, and falls by 7/2 mu g.
TEST_P(FrictionInPlane, ABilliardBallCurvesAndThenRolls) {
  const Result result = run_text(ball, GetParam());
  ASSERT_EQ(result.status()[0], Status::ok);
  const double u_x = 2;
  const double u_y = 0.0286 * 50;
  const double u = std::hypot(u_x, u_y);
  const double rolls = 2 * u / (7 * 0.2 * 9.81);
  for (std::size_t k = 0; k < result.times().size(); ++k) {
    const double t = result.times()[k];
    const double slid = std::min(t, rolls);
    const double x = 2 * slid - 0.2 * 9.81 * u_x / u * slid * slid / 2 + (2 - 2.0 / 7 * u_x) * (t - slid);
    const double y = -0.2 * 9.81 * u_y / u * slid * slid / 2 - 2.0 / 7 * u_y * (t - slid);
    EXPECT_NEAR(value(result, "x", k), x, 1e-11) << t;
    EXPECT_NEAR(value(result, "y", k), y, 1e-11) << t;
    EXPECT_EQ(value(result, "cloth_sticks", k), t > rolls ? 1 : 0) << t;
  }
  EXPECT_NEAR(result.event_time("cloth_slip")[0], rolls, 1e-11);
  EXPECT_EQ(result.event_count("cloth_slip")[0], 1);
}

/// Impacts of a ball with spin: the impulse is mu (1 + e) times the normal one against the slip, or ends the slip.
TEST_P(FrictionInPlane, ABallBouncesOffTheTableWithItsSpin) {
  const Result result = run_text("[parameters]\nmu = { values = [0, 0.05, 0.2, 1.0] }\n" + ball, GetParam(),
                                 {"model.start.z=1.0286", "model.start.y_dot=-0.5", "time.end=0.5"});
  const std::array<double, 4> coefficients = {0, 0.05, 0.2, 1.0};
  const double fall = std::sqrt(2 * 9.81 * 1);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const double u_x = 2;
    const double u_y = -0.5 + 0.0286 * 50;
    const double u = std::hypot(u_x, u_y);
    const double change = std::min(coefficients[i] * 1.5 * fall, 2.0 / 7 * u);
    ASSERT_EQ(result.status()[i], Status::ok) << i;
    EXPECT_NEAR(last_value(result, "x_dot", i), 2 - change * u_x / u, 1e-11) << i;
    EXPECT_NEAR(last_value(result, "y_dot", i), -0.5 - change * u_y / u, 1e-11) << i;
    EXPECT_NEAR(last_value(result, "a_dot", i), 50 - 2.5 * change * u_y / u / 0.0286, 1e-9) << i;
    EXPECT_NEAR(last_value(result, "b_dot", i), 2.5 * change * u_x / u / 0.0286, 1e-9) << i;
    EXPECT_NEAR(last_value(result, "c_dot", i), 0, 1e-12) << i;
    EXPECT_EQ(result.event_count("cloth")[i], 1) << i;
  }
}

/// A ball on a turntable, which slides from the start.
const std::string turntable = R"toml(
[time]
end = 0.8
dt = 1e-3
save_every = 100
[initial]
x_dot = { uniform = [-1.2, 1.2] }
y_dot = { uniform = [-1.2, 1.2] }
a_dot = { uniform = [-40, 40] }
b_dot = { uniform = [-40, 40] }
[ensemble]
members = 32
[model]
name = "turntable"
lagrangian = "m*(x_dot^2 + y_dot^2 + z_dot^2)/2 + m*R^2*(a_dot^2 + b_dot^2 + c_dot^2)/5 - m*g*z"
[model.parameters]
m = "0.17 kg"
R = "0.03 m"
g = "9.81 m/s^2"
mu = 0.2
W = "3 1/s"
[model.coordinates]
x = "m"
y = "m"
z = "m"
a = "rad"
b = "rad"
c = "rad"
[model.start]
x = 0.2
y = 0.1
z = "R"
[model.unilateral]
cloth = { gap = "z - R", friction = "mu", slip = ["x_dot - R*b_dot + W*y", "y_dot + R*a_dot - W*x"] }
)toml";

/// Equal steps know their length when a slide begins, also one that begins with the run: else they step over its end.
TEST_P(FrictionInPlane, ABallRollsOnATurntableAfterItHasSlid) {
  const Result result = run_text(turntable, GetParam());
  const Result truth = run_text(turntable, Way{"cpu", "dop853", "never"});
  const std::size_t last = result.times().size() - 1;
  for (std::size_t member = 0; member < 32; ++member) {
    ASSERT_EQ(result.status()[member], Status::ok);
    const auto at_end = [&](const char* name) { return value(result, name, last, member); };
    EXPECT_NEAR(at_end("x_dot") - 0.03 * at_end("b_dot") + 3 * at_end("y"), 0, 1e-9) << member;
    EXPECT_NEAR(at_end("y_dot") + 0.03 * at_end("a_dot") - 3 * at_end("x"), 0, 1e-9) << member;
    for (const char* name : {"x", "y"}) {
      EXPECT_NEAR(at_end(name), value(truth, name, last, member), 1e-6) << name << ' ' << member;
    }
  }
}

/// A ball with spin that bounces along two walls and a floor.
const std::string room = R"toml(
[time]
end = 3.4
dt = 0.01
save_every = 20
[model]
name = "room"
lagrangian = "m*(x_dot^2 + y_dot^2 + z_dot^2)/2 + J*(a_dot^2 + b_dot^2 + c_dot^2)/2 - m*g*z"
[model.parameters]
m = 2
J = 0.02
g = 9.81
R = 0.2
L = 3
mu = 0.63
e = 0.0713
[model.coordinates]
x = ""
y = ""
z = ""
a = ""
b = ""
c = ""
[model.start]
z = 0.5
x_dot = 2.49
y_dot = 3.34
z_dot = 1.99
b_dot = -1.51
c_dot = 25.26
[model.unilateral]
floor = { gap = "z - R", restitution = "e", friction = "mu", slip = ["x_dot - R*b_dot", "y_dot + R*a_dot"] }
right = { gap = "L - x", restitution = "e", friction = "mu", slip = ["y_dot + R*c_dot", "z_dot - R*b_dot"] }
left = { gap = "L + x", restitution = "e", friction = "mu", slip = ["y_dot - R*c_dot", "z_dot + R*b_dot"] }
)toml";

/// The ball rolls along the wall without a force there. Its last bounces on the floor leave slips that count as zero;
/// their projection must not lead into the wall.
TEST_P(FrictionInPlane, ABallThatRollsAlongAWallStaysBesideIt) {
  const Result result = run_text(room, GetParam());
  ASSERT_EQ(result.status()[0], Status::ok);
  for (std::size_t k = 0; k < result.times().size(); ++k) {
    const double t = result.times()[k];
    EXPECT_LT(value(result, "x", k), 3 + 1e-8) << t;
    if (t < 2) continue;
    EXPECT_NEAR(value(result, "x", k), 3, 1e-8) << t;
    EXPECT_NEAR(value(result, "x_dot", k), 0, 1e-10) << t;
    EXPECT_EQ(value(result, "floor_sticks", k), 1) << t;
    EXPECT_NEAR(value(result, "y", k), 11.65232 + 1.645768 * (t - 6), 2e-5) << t;
  }
}

/// A ball that rolls along a groove, at its last bounces. Its speed along the groove exceeds the impulses a
/// millionfold, and both contacts slide across it, in opposite directions.
const std::string groove = R"toml(
[time]
end = 0.2
dt = 0.01
save_every = 4
[model]
name = "groove"
lagrangian = "m*(x_dot^2 + y_dot^2 + z_dot^2)/2 + J*(a_dot^2 + b_dot^2 + c_dot^2)/2 - m*g*z"
[model.parameters]
m = "2 kg"
J = "0.02 kg*m^2"
g = "9.81 m/s^2"
R = "0.2 m"
mu = 0.6850996052613488
e = 0.29904406164211
[model.coordinates]
x = "m"
y = "m"
z = "m"
a = "rad"
b = "rad"
c = "rad"
[model.start]
x = 1.792249624764916e-10
y = 0.6839631187089431
z = 0.282842712653844
a = -3.5126882290285817
b = 0.1759883813437294
c = -4.385526005222116
x_dot = 1.3766299077050228e-06
y_dot = 1.0993384354723497
z_dot = -4.183060382963017e-06
a_dot = -7.7734966254152855
b_dot = -1.9656336743548373e-05
c_dot = -2.017956926838576e-13
[model.unilateral]
right = { gap = "sqrt(0.5)*(z + x) - R", restitution = "e", friction = "mu", slip = ["sqrt(0.5)*(z_dot - x_dot) + R*b_dot", "-y_dot - R*sqrt(0.5)*(a_dot - c_dot)"] }
left = { gap = "sqrt(0.5)*(z - x) - R", restitution = "e", friction = "mu", slip = ["-sqrt(0.5)*(z_dot + x_dot) + R*b_dot", "-y_dot - R*sqrt(0.5)*(a_dot + c_dot)"] }
)toml";

TEST_P(FrictionInPlane, ABallSettlesInAGroove) {
  const Result result = run_text(groove, GetParam());
  ASSERT_EQ(result.status()[0], Status::ok);
  const auto last = result.times().size() - 1;
  EXPECT_NEAR(value(result, "x", last), 0, 1e-9);
  EXPECT_NEAR(value(result, "z", last), 0.2 * std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(value(result, "y", last), 0.6839631187089431 + 0.2 * 1.0993384354723497, 1e-9);
  EXPECT_NEAR(value(result, "y_dot", last), 1.0993384354723497, 1e-9);
}

/// A plate on four corners that slides and turns about its normal. Each corner carries a quarter of the weight: the
/// plate has no height.
const std::string plate = R"toml(
[time]
end = 1
dt = 0.002
save_every = 50
[model]
name = "plate"
lagrangian = "m*(x_dot^2 + y_dot^2 + z_dot^2)/2 + m*r^2*(al_dot^2 + be_dot^2 + 2*th_dot^2)/2 - m*g*z"
[model.parameters]
m = 3
g = 9.81
mu = 0.25
r = 0.6
[model.coordinates]
x = ""
y = ""
z = ""
al = ""
be = ""
th = ""
[model.start]
x_dot = 1.5
y_dot = 0.2
th_dot = 2
[model.let]
c = "cos(th)"
s = "sin(th)"
[model.unilateral]
nw = { gap = "z + al*(c+s) - be*(c-s)", friction = "mu", slip = ["x_dot - (c+s)*th_dot", "y_dot + (c-s)*th_dot"] }
ne = { gap = "z + al*(c-s) + be*(c+s)", friction = "mu", slip = ["x_dot - (c-s)*th_dot", "y_dot - (c+s)*th_dot"] }
sw = { gap = "z - al*(c-s) - be*(c+s)", friction = "mu", slip = ["x_dot + (c-s)*th_dot", "y_dot + (c+s)*th_dot"] }
se = { gap = "z - al*(c+s) + be*(c-s)", friction = "mu", slip = ["x_dot + (c+s)*th_dot", "y_dot - (c-s)*th_dot"] }
)toml";

using Motion = std::array<double, 6>;  // x, y, th and their rates

/// Acceleration of the plate with a quarter of its weight on each corner.
Motion rate_of_plate(const Motion& at) {
  Motion rate = {at[3], at[4], at[5], 0, 0, 0};
  for (int corner = 0; corner < 4; ++corner) {
    const double angle = at[2] + std::numbers::pi / 4 + std::numbers::pi / 2 * corner;
    const double x = std::numbers::sqrt2 * std::cos(angle);
    const double y = std::numbers::sqrt2 * std::sin(angle);
    const double v_x = at[3] - y * at[5];
    const double v_y = at[4] + x * at[5];
    const double pull = 0.25 * 9.81 / 4 / std::hypot(v_x, v_y);  // over m
    rate[3] -= pull * v_x;
    rate[4] -= pull * v_y;
    rate[5] -= pull * (x * v_y - y * v_x) / (2 * 0.36);
  }
  return rate;
}

TEST_P(FrictionInPlane, APlateOnFourCornersSlidesAndTurns) {
  const Result result = run_text(plate, GetParam(), {"time.end=0.3"});
  Motion at = {0, 0, 0, 1.5, 0.2, 2};
  const int steps = 3000;
  const double h = 0.3 / steps;
  const auto plus = [](const Motion& a, double f, const Motion& b) {
    Motion sum = a;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += f * b[i];
    return sum;
  };
  for (int k = 0; k < steps; ++k) {
    const Motion k1 = rate_of_plate(at);
    const Motion k2 = rate_of_plate(plus(at, h / 2, k1));
    const Motion k3 = rate_of_plate(plus(at, h / 2, k2));
    const Motion k4 = rate_of_plate(plus(at, h, k3));
    for (std::size_t i = 0; i < at.size(); ++i) at[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  ASSERT_EQ(result.status()[0], Status::ok);
  const std::array<const char*, 6> names = {"x", "y", "th", "x_dot", "y_dot", "th_dot"};
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_NEAR(last_value(result, names[i]), at[i], 1e-8) << names[i];
  EXPECT_NEAR(last_value(result, "z"), 0, 1e-12);
}

TEST_P(FrictionInPlane, APlateComesToRest) {
  const Result result = run_text(plate, GetParam());
  ASSERT_EQ(result.status()[0], Status::ok);
  for (const char* name : {"x_dot", "y_dot", "th_dot"}) EXPECT_NEAR(last_value(result, name), 0, 1e-10) << name;
  // A slip may turn by a right angle before it ends.
  for (const char* name : {"nw_slip", "ne_slip", "sw_slip", "se_slip"})
    EXPECT_LE(result.event_count(name)[0], 2) << name;
  // A sliding and turning plate goes farther than one that slides only, and stops in less time.
  EXPECT_GT(last_value(result, "x"), 1.5 * 1.5 / (2 * 0.25 * 9.81));
  const Result other = run_text(plate, Way{"reference", "dop853", "auto"});
  for (const char* name : {"x", "y", "th"})
    EXPECT_NEAR(last_value(result, name), last_value(other, name), 2e-5) << name;
}

/// A slip that turns by more than a right angle: a block on a plate that moves round and round below it.
TEST_P(FrictionInPlane, ASlipMayTurnAllAround) {
  std::string text = block;
  const std::size_t at = text.find("slip = [");
  text.replace(at, text.find(']', at) + 1 - at, "slip = [\"x_dot - V*cos(8*t)\", \"y_dot - V*sin(8*t)\"]");
  text.replace(text.find("mu = 0.3"), 8, "mu = 0.3\nV = 40");
  const Result result = run_text(text, GetParam(), {"model.parameters.v=0.0", "time.end=2", "time.dt=0.002"});
  ASSERT_EQ(result.status()[0], Status::ok);
  EXPECT_NEAR(std::hypot(last_value(result, "x_dot"), last_value(result, "y_dot")), 0, 1);
  EXPECT_EQ(result.event_count("floor_slip")[0], 10);  // quarters of 16 rad
  const Result other = run_text(text, Way{"reference", "dop853", "auto"}, {"model.parameters.v=0.0", "time.end=2"});
  EXPECT_NEAR(last_value(result, "x"), last_value(other, "x"), 1e-8);
  EXPECT_NEAR(last_value(result, "y"), last_value(other, "y"), 1e-8);
}

TEST(FrictionInPlaneText, AMembersBitsDoNotDependOnItsNeighbours) {
  const Way way = {"cpu", "rk4", "always"};
  const std::string text = "[initial]\nx_dot = { values = [1.5, 0, 0.3, 2, 1.5, 0.01, 0, 3, 1] }\n" + plate;
  const Result all = run_text(text, way);
  for (const std::size_t member : {std::size_t{0}, std::size_t{3}, std::size_t{8}}) {
    const std::array<const char*, 9> starts = {"1.5", "0", "0.3", "2", "1.5", "0.01", "0", "3", "1"};
    const Result one = run_text("[initial]\nx_dot = " + std::string(starts[member]) + "\n" + plate, way);
    for (const char* name : {"x", "y", "th", "x_dot", "y_dot", "th_dot"}) {
      EXPECT_TRUE(has_same_bits(last_value(all, name, member), last_value(one, name))) << member << name;
    }
  }
}

TEST(FrictionInPlaneText, RefusesOtherNumbersOfSlips) {
  std::string text = block;
  const std::size_t at = text.find("slip = [");
  const std::size_t length = text.find(']', at) + 1 - at;
  EXPECT_NE(refusal_of(text.replace(at, length, "slip = []")).find("of two along orthogonal directions"),
            std::string::npos);
  text = block;
  text.replace(at, length, "slip = [\"x_dot\", \"y_dot\", \"z_dot\"]");
  EXPECT_NE(refusal_of(text).find("of two along orthogonal directions"), std::string::npos);
  text = block;
  text.replace(at, length, "slip = [\"x_dot\", \"y\"]");
  EXPECT_NE(refusal_of(text).find("depends on rates"), std::string::npos);
}

TEST(FrictionInPlaneText, RefusesTwoSlipsAlongOneDirection) {
  const auto told = [](const std::string& slips) {
    std::string text = block;
    const std::size_t at = text.find("slip = [");
    return refusal_of(text.replace(at, text.find(']', at) + 1 - at, "slip = [" + slips + "]"),
                      {"solver.compile=never"});
  };
  EXPECT_EQ(told(R"("x_dot", "y_dot")"), "");
  EXPECT_EQ(told(R"("cos(x)*x_dot + sin(x)*y_dot", "cos(x)*y_dot - sin(x)*x_dot")"), "");
  const std::string same = told(R"("x_dot", "x_dot")");
  EXPECT_NE(same.find("slip[2]"), std::string::npos) << same;
  EXPECT_NE(same.find("orthogonal to that of the first, found \"x_dot\", which is equal to \"x_dot\""),
            std::string::npos)
      << same;
  const std::string twice = told(R"("cos(x)*x_dot + y_dot", "-2*cos(x)*x_dot - 2*y_dot")");
  EXPECT_NE(twice.find("which is -2 times \"cos(x)*x_dot + y_dot\""), std::string::npos) << twice;
}

}  // namespace
}  // namespace kalaba
