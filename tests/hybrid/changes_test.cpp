// Changes by events: impacts compared with closed forms, constraints that come and go, bits.

#include "hybrid/hybrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

namespace kalaba {
namespace {

using hybrid::adapts;
using hybrid::all_ways;
using hybrid::has_same_bits;
using hybrid::refusal_of;
using hybrid::rounding_of;
using hybrid::run_text;
using hybrid::Way;

constexpr double g = 9.81;

const std::string ball = R"(
[output]
fields = ["q", "w", "invariants", "violation"]
[time]
end = 3.0
dt = 0.01
save_every = 1
[model]
name = "ball"
lagrangian = "m*y_dot^2/2 - m*g*y"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
e = 0.8
[model.discrete]
hits = 0
t_hit = { unit = "s", meaning = "time of the last impact" }
[model.coordinates]
y = "m"
[model.start]
y = 1
[[model.events]]
name = "bounce"
when = "y"
direction = "falling"
set = { y_dot = "-e*y_dot", hits = "hits + 1", t_hit = "t" }
)";

/// The motion of a ball that is released at rest at height h, in closed form.
class Bounces {
 public:
  Bounces(double h, double e) : h_(h), e_(e), first_(std::sqrt(2 * h / g)) {}

  double impact(int k) const {  // k = 1, 2, ...
    double t = first_;
    double v = g * first_;
    for (int i = 1; i < k; ++i) {
      v *= e_;
      t += 2 * v / g;
    }
    return t;
  }
  double zeno() const { return first_ * (1 + e_) / (1 - e_); }
  double height(double t) const {
    if (t < first_) return h_ - g * t * t / 2;
    double begin = first_;
    double v = e_ * g * first_;
    while (t > begin + 2 * v / g) {
      begin += 2 * v / g;
      v *= e_;
    }
    return v * (t - begin) - g * (t - begin) * (t - begin) / 2;
  }

 private:
  double h_;
  double e_;
  double first_;
};

class Changes : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(, Changes, testing::ValuesIn(all_ways()),
                         [](const auto& info) { return hybrid::name_of(info.param); });

TEST_P(Changes, ABallBouncesAsItsClosedFormDoes) {
  const std::string members = "[ensemble]\nmembers = 11\n[initial]\ny = { linspace = [0.6, 1.6, 11] }\n";
  const Result result = run_text(members + ball, GetParam());
  const auto frames = result.times().size();
  double worst_time = 0;
  double worst_height = 0;
  for (std::size_t i = 0; i < 11; ++i) {
    ASSERT_EQ(result.status()[i], Status::ok);
    const Bounces exact(0.6 + 0.1 * static_cast<double>(i), 0.8);
    for (std::size_t frame = 0; frame < frames; ++frame) {
      const int hits = static_cast<int>(result.values("hits", frame)[i]);
      const double t = result.times()[frame];
      if (hits > 0) {
        worst_time = std::max(worst_time, std::abs(result.values("t_hit", frame)[i] - exact.impact(hits)));
        EXPECT_LE(result.values("t_hit", frame)[i], t);
      }
      EXPECT_TRUE(t < exact.impact(hits + 1) + 1e-12) << "every impact is found";
      worst_height = std::max(worst_height, std::abs(result.values("y", frame)[i] - exact.height(t)));
    }
    EXPECT_EQ(result.event_count("bounce")[i], result.values("hits", frames - 1)[i]);
    EXPECT_NEAR(result.event_time("bounce")[i], exact.impact(1), 1e-13 * rounding_of(GetParam()));
  }
  EXPECT_LE(worst_time, 2e-13 * rounding_of(GetParam()));
  EXPECT_LE(worst_height, 1e-12 * rounding_of(GetParam()));
}

TEST_P(Changes, SeveralOfThemInOneStepAreFound) {
  const Result result = run_text(ball, GetParam(), {"time.dt=1.5", "time.end=3.0"});
  ASSERT_EQ(result.status()[0], Status::ok);
  const auto last = result.times().size() - 1;
  EXPECT_EQ(result.event_count("bounce")[0], 6);
  EXPECT_NEAR(result.event_last_time("bounce")[0], Bounces(1, 0.8).impact(6), 1e-13 * rounding_of(GetParam()));
  EXPECT_NEAR(result.values("y", last)[0], Bounces(1, 0.8).height(3), 1e-12 * rounding_of(GetParam()));
}

TEST_P(Changes, AnEventThatHasJustOccurredDoesNotOccurAgain) {
  const Result result =
      run_text(ball, GetParam(), {"model.events=[{name='bounce', when='y', direction='any', set={y_dot='-e*y_dot'}}]"});
  EXPECT_EQ(result.event_count("bounce")[0], 6);
}

TEST_P(Changes, ThatAccumulateEndWithAStatus) {
  const Result result = run_text(ball, GetParam(), {"parameters.e=0.5"});
  EXPECT_EQ(result.status()[0], Status::too_many_changes);
  const std::string reason = result.summary.first_failure();
  EXPECT_NE(reason.find("event 'bounce' occurred most often, "), std::string::npos) << reason;
  EXPECT_NEAR(result.event_last_time("bounce")[0], Bounces(1, 0.5).zeno(), 1e-10);
  EXPECT_GE(result.event_count("bounce")[0], 30);
  EXPECT_GE(result.values("y", result.times().size() - 1)[0], -1e-12) << "it does not fall through the floor";
}

/// The bound counts the changes within time.dt from a change on.
TEST_P(Changes, AreBoundedWithinAStepOfTheGrid) {
  for (const double dt : {0.01, 0.5}) {
    int last = 0;
    int count = 0;
    for (double begin = -1; count <= 10; ++count) {
      const double t = Bounces(1, 0.5).impact(++last);
      if (begin >= 0 && t - begin <= dt) continue;
      begin = t;
      count = 0;
    }
    const Result result =
        run_text(ball, GetParam(), {"parameters.e=0.5", "solver.max_changes=10", fmt::format("time.dt={}", dt)});
    EXPECT_EQ(result.status()[0], Status::too_many_changes) << dt;
    EXPECT_EQ(result.event_count("bounce")[0], last) << dt;
  }
}

/// Steps of Taylor series end at every jump of the force.
TEST_P(Changes, ThatAccumulateAtAJumpOfTheForceEndWithThatStatus) {
  const bool by_compiled_code = GetParam().compile == std::string("always");
  if (GetParam().integrator == std::string("dop853") && !by_compiled_code) {
    GTEST_SKIP() << "dop853 of the reference, which also interprets this model, loses the last bounces";
  }
  std::string text = ball;
  text.replace(text.find("[model.start]"), 0, "[model.force]\ny = \"where(y > 0[m], 0[N], 1[N])\"\n");
  const Result result = run_text(text, GetParam(), {"parameters.e=0.5"});
  EXPECT_EQ(result.status()[0], Status::too_many_changes) << result.summary.first_failure();
  EXPECT_NEAR(result.event_last_time("bounce")[0], Bounces(1, 0.5).zeno(), adapts(GetParam()) ? 1e-9 : 2e-3);
}

/// Runs a scenario and the same one divided differently.
TEST_P(Changes, BitsDoNotDependOnTheDivisionOfARun) {
  const std::string members = "[ensemble]\nmembers = 19\n[initial]\ny = { linspace = [0.6, 1.6, 19] }\n";
  const Result whole = run_text(members + ball, GetParam(), {"time.save_every=300"});
  const auto last = whole.times().size() - 1;
  const std::vector<std::vector<std::string>> divided = {
      {"time.save_every=1"}, {"time.save_every=7"}, {"time.save_every=300", "solver.block_members=1"}};
  for (const auto& overrides : divided) {
    const Result other = run_text(members + ball, GetParam(), overrides);
    const auto end = other.times().size() - 1;
    for (std::size_t i = 0; i < 19; ++i) {
      for (const char* name : {"y", "y_dot", "hits", "t_hit"}) {
        EXPECT_TRUE(has_same_bits(other.values(name, end)[i], whole.values(name, last)[i])) << name << ' ' << i;
      }
      EXPECT_EQ(other.event_count("bounce")[i], whole.event_count("bounce")[i]);
    }
  }
}

TEST_P(Changes, SavedTimesBetweenStepsSeeThem) {
  const bool rounds_more = rounding_of(GetParam()) > 1;
  const std::string times = std::string("time.save_at=[0.0, ") +
                            (rounds_more ? "0.45152364098571" : "0.451523640985728") +
                            ", 0.4516, 0.4555, 1.1739, 1.17396146, 1.18, 2.995, 3.0]";
  const Result result = run_text(ball, GetParam(), {times});
  const Bounces exact(1, 0.8);
  for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
    const double t = result.times()[frame];
    EXPECT_NEAR(result.values("y", frame)[0], exact.height(t), 1e-12) << t;
    EXPECT_EQ(result.values("hits", frame)[0], t < exact.impact(1)   ? 0
                                               : t < exact.impact(2) ? 1
                                               : t < 1.2             ? 2
                                                                     : 6)
        << t;
  }
}

const std::string rope = R"(
[output]
fields = ["q", "w", "energy", "invariants", "violation", "rank", "multipliers"]
[time]
end = 4.0
dt = 0.005
save_every = 10
[model]
name = "rope"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
L = "1 m"
[model.discrete]
taut = { start = 0, meaning = "1 while the rope is taut" }
[model.coordinates]
x = "m"
y = "m"
[model.start]
x = 0.6
y = 0.3
[model.holonomic]
rope = { is = "x^2 + y^2 = L^2", while = "taut" }
[[model.events]]
name = "tightens"
when = "taut < 0.5 and x^2 + y^2 > L^2"
set = { taut = 1 }
)";

/// A mass falls freely until its rope is taut, and swings from there without the part of its velocity along the rope.
TEST_P(Changes, ARopeBecomesTaut) {
  const Result result = run_text(rope, GetParam());
  ASSERT_EQ(result.status()[0], Status::ok);
  const double fall = 0.3 + 0.8;  // from y = 0.3 to y = -0.8
  const double t = std::sqrt(2 * fall / g);
  EXPECT_EQ(result.event_count("tightens")[0], 1);
  EXPECT_NEAR(result.event_time("tightens")[0], t, 1e-12);
  const double v = -g * t;   // along y
  const double along = 0.6;  // of the tangent (0.8, 0.6) at (0.6, -0.8)
  const double energy = std::pow(v * along, 2) / 2 - g * 0.8;
  for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
    const bool is_taut = result.times()[frame] >= t;
    EXPECT_EQ(result.values("taut", frame)[0], is_taut ? 1 : 0);
    EXPECT_EQ(result.values("rank", frame)[0], is_taut ? 1 : 0);
    EXPECT_LE(result.values("violation", frame)[0], 1e-11);
    const double tolerance = adapts(GetParam()) ? 1e-9 : 1e-6;
    if (is_taut) {
      EXPECT_NEAR(result.values("energy", frame)[0], energy, tolerance);
    } else {
      EXPECT_EQ(result.values("lambda_1", frame)[0], 0);
    }
  }
}

/// The rope goes slack where its force changes sign.
TEST_P(Changes, ARopeGoesSlackByAnEventAndTautByAnother) {
  const std::string slackens =
      "[[model.events]]\nname = 'slackens'\nwhen = 'lambda_1'\ndirection = 'any'\nset = { taut = 0 }\n";
  const Result result =
      run_text(rope + slackens, GetParam(), {"initial.x=0.0", "initial.y=-0.99", "initial.x_dot=6.2"});
  ASSERT_EQ(result.status()[0], Status::ok);
  EXPECT_GE(result.event_count("slackens")[0], 1);
  EXPECT_GE(result.event_count("tightens")[0], 2);
  for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
    const double r = std::hypot(result.values("x", frame)[0], result.values("y", frame)[0]);
    EXPECT_LE(r, 1 + 1e-9);
  }
}

/// A rope that is released where its force is zero: there the distance and its first two derivatives are zero up to
/// rounding, in any units, so that the condition of the next tightening holds by rounding or not.
const std::string released_rope = R"(
[output]
fields = ["q"]
[model]
name = "rope"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
[model.parameters]
m = 1.0
L = 1.0
T = 1.0
g = 9.81
[model.coordinates]
x = ""
y = ""
[model.discrete]
taut = 0
k = 0
[model.holonomic]
rope = { is = "x^2 + y^2 = L^2", while = "taut" }
[model.start]
x = "0.3*L"
y = "0.2*L"
x_dot = "2.7391304347826084*L/T"
[[model.events]]
name = "tight"
when = "taut < 0.5 and x^2 + y^2 > L^2"
set = { taut = 1 }
[[model.events]]
name = "slack"
when = "taut > 0.5 and lambda_1 > 0"
set = { taut = 0 }
)";

TEST_P(Changes, ARopeStaysSlackAfterItsRelease) {
  const auto expect = [](double L, double T, double dt, double perturbation) {
    const Result result = run_text(
        released_rope, GetParam(),
        {fmt::format("parameters.L={:.17g}", L), fmt::format("parameters.T={:.17g}", T),
         fmt::format("parameters.g={:.17g}", 9.81 * L / (T * T)),
         fmt::format("initial.x_dot={:.17g}", (1 + perturbation) * 2.7391304347826084 * L / T),
         fmt::format("time.end={:.17g}", 1.6 * T), fmt::format("time.dt={:.17g}", dt * T), "time.save_every=final",
         fmt::format("clocks=[{{name='c', every={:.17g}, set={{k='k + 1'}}}}]", 0.05 * T)});
    ASSERT_EQ(result.status()[0], Status::ok);
    EXPECT_EQ(result.event_count("tight")[0], 2) << L << ' ' << T << ' ' << dt << ' ' << perturbation;
    EXPECT_EQ(result.event_count("slack")[0], 1) << L << ' ' << T << ' ' << dt << ' ' << perturbation;
    EXPECT_NEAR(result.event_last_time("tight")[0] / T, 1.5237205, 1e-6) << L << ' ' << T << ' ' << dt;
  };
  for (const double perturbation : {0.0, 1e-16, 1e-15, 1e-14, -1e-14, 1e-12, 1e-9}) expect(1, 1, 5e-3, perturbation);
  for (const double scale : {1e-6, 1e6}) {
    expect(scale, 1, 5e-3, 0);
    if (!adapts(GetParam())) expect(1, scale, 5e-3, 0);  // tolerances of rates have units
  }
  if (adapts(GetParam())) return;
  for (const double dt : {1e-3, 1.6e-4}) expect(1, 1, dt, 0);
  if (GetParam().compile == std::string("never")) expect(1, 1, 1e-5, 0);  // steps in which rounding hides the motion
}

/// A new position off the constraint is projected; the rates too.
TEST_P(Changes, ANewStateIsPutOnItsConstraints) {
  const std::string kick =
      "[[model.events]]\nname = 'kick'\nwhen = 't - 0.3[s]'\nset = { x = '1.1*x', y_dot = 'y_dot + 0.5[m/s]' }\n";
  const Result result = run_text(rope + kick, GetParam(), {"model.discrete.taut=1", "initial.x=0.6", "initial.y=-0.8"});
  ASSERT_EQ(result.status()[0], Status::ok);
  for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
    const double x = result.values("x", frame)[0];
    const double y = result.values("y", frame)[0];
    EXPECT_NEAR(x * x + y * y, 1, 1e-10);
    EXPECT_NEAR(x * result.values("x_dot", frame)[0] + y * result.values("y_dot", frame)[0], 0, 1e-9);
  }
}

TEST(DiscreteStarts, AreNotDifferentiated) {
  const std::string cart = R"toml(
[time]
end = 0.1
dt = 0.01
[solver]
backend = "reference"
[model]
name = "cart"
[model.parameters]
p = "3 m/s^2"
k = "1 1/s^2"
[model.discrete]
u = { start = "max(p, 0)", unit = "m/s^2" }
[model.coordinates]
x = "m"
[model.mass]
x = 1
[model.force]
x = "u - k*x"
)toml";
  EXPECT_NE(refusal_of(cart, {"sensitivities.of=['parameters.k', 'parameters.p']"})
                .find("sensitivities to parameters.p do not go through the start of the discrete variable u"),
            std::string::npos);
  EXPECT_EQ(refusal_of(cart, {"sensitivities.of=['parameters.k']"}), "");
  const Scenario two = load_scenario_text(cart, "cart.toml", {"parameters.p={values=[1, 2]}"});
  Ensemble ensemble = evenly_chosen(*two.system, *two.source, 2);
  EXPECT_EQ(ensemble.parameter("u")[1], 2) << "of the member, not of the default";
}

TEST_P(Changes, ANewStateFromWhichNoPointOnTheConstraintsIsFoundFails) {
  const std::string kick = "[[model.events]]\nname = 'kick'\nwhen = 't - 0.3[s]'\nset = { L = '-1[m]*0 - 3[m]' }\n";
  EXPECT_NE(refusal_of(rope + kick).find("L is a parameter, which stays constant in a run"), std::string::npos);
  const std::string lost = "[model.holonomic]\nfar = { is = 'x^2 = -L^2', while = 'taut' }\n";
  std::string impossible = rope;
  impossible.replace(impossible.find("rope = {"), 0, "far = { is = 'x^2 = -L^2', while = 'taut' }\n");
  const Result result = run_text(impossible, GetParam());
  EXPECT_EQ(result.status()[0], Status::not_converged);
  // A member keeps the state before a change that fails, also where its numbers exceed the range of double.
  for (const char* set : {"x = '1e200[m] + 0*x'", "x = '1[m]*log(-1 - taut)'", "x_dot = '1e308[m/s]*10*(1 + taut)'"}) {
    const std::string kicked =
        std::string("[[model.events]]\nname = 'kick'\nwhen = 't - 0.3[s]'\nset = { ") + set + " }\n";
    const Result moved =
        run_text(rope + kicked, GetParam(), {"model.discrete.taut=1", "initial.x=0.6", "initial.y=-0.8"});
    EXPECT_NE(moved.status()[0], Status::ok) << set;
    const auto last = moved.times().size() - 1;
    const double x = moved.values("x", last)[0];
    const double y = moved.values("y", last)[0];
    EXPECT_NEAR(x * x + y * y, 1, 1e-9) << set;
    EXPECT_TRUE(std::isfinite(moved.values("x_dot", last)[0])) << set;
    EXPECT_EQ(moved.values("taut", last)[0], 1) << set;
  }
}

/// Models without units, in which forces and changes have the same expressions of time.
const std::string pushed = R"toml(
[output]
fields = ["q", "w", "invariants"]
[time]
end = 1.0
dt = 0.01
save_every = 10
[model]
name = "pushed"
[model.parameters]
F = 0.2
[model.discrete]
u = 0
[model.coordinates]
a = ""
[model.mass]
a = 1
[model.force]
a = "F*sin(3*t) + u - F*sin(a)"
[model.unilateral]
stop = { gap = "2 - a" }
[[model.clocks]]
name = "control"
every = 0.25
set = { u = "F*sin(3*t)" }
)toml";
const std::string turned = R"toml(
[time]
end = 0.5
dt = 0.01
[model]
name = "turned"
[model.bodies]
arm = { mass = 1, rod = [1, 0, 0] }
[model.joints]
pin = { child = "arm", type = "hinge", axis = [0, 0, 1] }
[model.force]
pin = "cos(2*t)"
[[model.events]]
name = "kick"
when = "t - 0.25"
set = { pin_dot = "3*cos(2*t)" }
)toml";

TEST(ChangesWithoutUnits, ContainTimeAsForcesDo) {
  const std::vector<std::string> interpreted = {"solver.compile=never"};
  const Result sampled = run_text(pushed, interpreted);
  ASSERT_EQ(sampled.status()[0], Status::ok);
  EXPECT_NEAR(hybrid::last_value(sampled, "u"), 0.2 * std::sin(3.0), 1e-15);
  const Result kicked = run_text(turned, interpreted);
  ASSERT_EQ(kicked.status()[0], Status::ok);
  EXPECT_NEAR(hybrid::last_value(kicked, "pin_dot"), 3 * std::cos(0.5) + 3 * (std::sin(1.0) - std::sin(0.5)) / 2, 1e-9);
  std::string with_units = pushed;
  with_units.replace(with_units.find("F = 0.2"), 7, "F = \"0.2 N\"");
  with_units.replace(with_units.find("F*sin(3*t) + u"), 14, "F*sin(3[1/s]*t) + u");
  EXPECT_NE(refusal_of(with_units).find("clocks[1].set.u"), std::string::npos) << refusal_of(with_units);
}

}  // namespace
}  // namespace kalaba
