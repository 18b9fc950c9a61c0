// Limits of the joints of mechanisms, and contacts of their points, against closed forms.

#include <cmath>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"
#include "scenario/model/text_system.hpp"

namespace kalaba::limits {
namespace {

using hybrid::refusal_of;
using hybrid::run_text;
using hybrid::Way;

constexpr double g = 9.81;

std::vector<Way> two_ways() { return {{"cpu", "rk4", "never"}, {"cpu", "dop853", "always"}}; }

class Limits : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(, Limits, testing::ValuesIn(two_ways()),
                         [](const auto& info) { return hybrid::name_of(info.param); });

const std::string head = R"(
[output]
fields = ["q", "w", "invariants", "multipliers", "energy"]
[time]
end = 2.0
dt = 1e-3
save_every = 100
[model]
name = "limited"
gravity = [0, 0, "-9.81 m/s^2"]
[model.parameters]
h = "1 m"
e = 0.5
)";

double last_of(const Result& result, const char* name) { return result.values(name, result.times().size() - 1)[0]; }

/// A rod that turns about the vertical axis.
const std::string turning = head + R"(
[model.bodies]
rod = { mass = "2 kg", rod = ["1 m", 0, 0] }
[model.joints]
pin = { child = "rod", type = "hinge", axis = [0, 0, 1], limits = [-0.5, "0.8 rad"], limit_restitution = "e" }
[model.start]
pin_dot = 2
)";

TEST_P(Limits, ARodTurnsBetweenItsLimits) {
  const Result result = run_text(turning, GetParam());
  ASSERT_EQ(result.status()[0], Status::ok);
  // 0.8 at the speed 2, back at 1, forth at 1/2, ...
  EXPECT_EQ(result.event_count("pin_upper")[0], 1);
  EXPECT_EQ(result.event_count("pin_lower")[0], 1);
  EXPECT_NEAR(result.event_time("pin_upper")[0], 0.4, 1e-13);
  EXPECT_NEAR(result.event_time("pin_lower")[0], 0.4 + 1.3, 1e-12);
  EXPECT_NEAR(last_of(result, "pin"), -0.5 + 0.5 * (2 - 1.7), 1e-12);
  EXPECT_NEAR(last_of(result, "pin_dot"), 0.5, 1e-13);
}

TEST(LimitsOfBodies, HoldInBodyCoordinates) {
  const std::string name = "name = \"limited\"\n";
  const std::string rod = "rod = [\"1 m\", 0, 0]";
  const std::string axis = "axis = [0, 0, 1]";
  std::string plane = turning;
  plane.replace(plane.find(name), name.size(), name + "coordinates = \"body\"\n");
  std::string space = plane;  // an axis that is no number
  space.replace(space.find(axis), axis.size(), "axis = [0, 0, \"e\"]");
  space.replace(space.find(rod), rod.size(), "box = [\"1 m\", \"1 m\", \"1 m\"]");
  for (const std::string& text : {plane, space}) {
    const Result result = run_text(text, Way{"cpu", "rk4", "never"});
    ASSERT_EQ(result.status()[0], Status::ok) << result.summary.first_failure();
    EXPECT_NEAR(result.event_time("pin_upper")[0], 0.4, 1e-9);
    EXPECT_NEAR(result.event_time("pin_lower")[0], 0.4 + 1.3, 1e-9);
    EXPECT_NEAR(last_of(result, "pin"), -0.5 + 0.5 * (2 - 1.7), 1e-9);
  }
}

/// The rows of the contacts stand behind those of the joint.
TEST(LimitsOfBodies, RestInBodyCoordinatesByTheReference) {
  const std::string name = "name = \"limited\"\n";
  std::string sliding = head + R"(
[model.bodies]
b = { mass = "1 kg", box = ["0.1 m", "0.2 m", "0.3 m"], com = ["0.3 m", "0.2 m", "-0.1 m"] }
[model.joints]
j = { child = "b", type = "slide", axis = [0.3, 1, 0.2], limits = ["-0.02 m", "0.01 m"] }
[model.start]
j_dot = 0.6
)";
  sliding.replace(sliding.find(name), name.size(), name + "coordinates = \"body\"\n");
  const std::vector<std::string> overrides = {"time.end=0.1"};
  const Result reference = run_text(sliding, Way{"reference", "rk4", "auto"}, overrides);
  const Result fast = run_text(sliding, Way{"cpu", "rk4", "never"}, overrides);
  ASSERT_EQ(reference.status()[0], Status::ok);
  ASSERT_EQ(fast.status()[0], Status::ok);
  EXPECT_EQ(reference.event_count("j_upper")[0], fast.event_count("j_upper")[0]);
  EXPECT_EQ(reference.event_count("j_lower")[0], fast.event_count("j_lower")[0]);
  EXPECT_NEAR(last_of(reference, "j"), last_of(fast, "j"), 1e-10);
}

TEST_P(Limits, APendulumLosesSpeedAtItsStop) {
  const Result result = run_text(head + R"(
[model.bodies]
bob = { mass = "2 kg", com = [0, 0, "-h"] }
[model.joints]
pin = { child = "bob", type = "hinge", axis = [0, 1, 0], limits = { upper = 0.3 }, limit_restitution = 0.2 }
[model.start]
pin = -0.8
)",
                                 GetParam(), {"time.end=0.9"});
  ASSERT_EQ(result.status()[0], Status::ok);
  EXPECT_EQ(result.event_count("pin_upper")[0], 1);
  const double before = 2 * g * (std::cos(0.3) - std::cos(0.8));  // squared
  const double energy = 0.04 * before / 2 - g * std::cos(0.3);
  const double speed = last_of(result, "pin_dot");
  EXPECT_NEAR(speed * speed / 2 - g * std::cos(last_of(result, "pin")), energy, 1e-9);
}

TEST_P(Limits, ASliderFallsOntoItsLimitAndRests) {
  const Result result = run_text(head + R"(
[model.bodies]
mass = { mass = "2 kg" }
[model.joints]
z = { child = "mass", type = "slide", axis = [0, 0, 1], limits = { lower = "0.2*h" }, limit_restitution = "e" }
[model.start]
z = "h"
)",
                                 GetParam(), {"time.end=3"});
  ASSERT_EQ(result.status()[0], Status::ok);
  const double first = std::sqrt(2 * 0.8 / g);
  EXPECT_NEAR(result.event_time("z_lower")[0], first, 1e-13);
  EXPECT_NEAR(result.event_last_time("z_lower")[0], first * (1 + 0.5) / (1 - 0.5), 1e-5);
  EXPECT_NEAR(last_of(result, "z"), 0.2, 1e-12);
  EXPECT_EQ(last_of(result, "z_lower_closed"), 1);
}

TEST_P(Limits, AnArmRestsOnItsLimitsWithTheStaticTorques) {
  const std::string arm = head + R"(
[model.bodies]
upper = { mass = "2 kg", rod = ["0.4 m", 0, 0] }
lower = { mass = "1 kg", rod = ["0.3 m", 0, 0] }
[model.joints]
shoulder = { child = "upper", type = "hinge", axis = [0, -1, 0], limits = [0, 1] }
elbow = { parent = "upper", child = "lower", at = ["0.4 m", 0, 0], type = "hinge", axis = [0, -1, 0], limits = [0, 1] }
)";
  const Result result = run_text(arm, GetParam(), {"time.end=0.5"});
  ASSERT_EQ(result.status()[0], Status::ok);
  EXPECT_NEAR(last_of(result, "shoulder"), 0, 1e-14);
  EXPECT_NEAR(last_of(result, "elbow"), 0, 1e-14);
  EXPECT_NEAR(last_of(result, "lambda_3"), g * 0.15, 1e-12);
  EXPECT_NEAR(last_of(result, "lambda_1"), g * (2 * 0.2 + 0.4 + 0.15), 1e-12);
  EXPECT_EQ(last_of(result, "lambda_4"), 0);
}

TEST_P(Limits, AStartOutsideIsNotOkAndNamesTheLimit) {
  const Result result = run_text(turning, GetParam(), {"initial.pin=1.5"});
  EXPECT_EQ(result.status()[0], Status::not_assembled);
  EXPECT_NE(result.summary.first_failure().find(
                "the gap of the contact 'pin_upper' is -0.7 (upper limit of pin), where pin is 1.5"),
            std::string::npos)
      << result.summary.first_failure();
}

TEST_P(Limits, ABoxOfFourCornersComesToRest) {
  const Result result = run_text(head + R"(
[model.bodies]
box = { mass = "1 kg", box = ["0.4 m", "0.3 m", "0.2 m"] }
[model.joints]
f = { child = "box", type = "free" }
[model.points]
p1 = { body = "box", at = ["0.2 m", "0.15 m", "-0.1 m"] }
p2 = { body = "box", at = ["-0.2 m", "0.15 m", "-0.1 m"] }
p3 = { body = "box", at = ["-0.2 m", "-0.15 m", "-0.1 m"] }
p4 = { body = "box", at = ["0.2 m", "-0.15 m", "-0.1 m"] }
[model.unilateral]
c1 = { gap = "p1.z" }
c2 = { gap = "p2.z" }
c3 = { gap = "p3.z" }
c4 = { gap = "p4.z" }
[model.start]
f_z = "0.5*h"
f_e1 = 0.1
f_e2 = 0.05
)",
                                 GetParam(), {"time.save_every=10"});
  ASSERT_EQ(result.status()[0], Status::ok) << result.summary.first_failure();
  double before = result.values("energy", 0)[0];
  for (std::size_t frame = 1; frame < result.times().size(); ++frame) {
    const double energy = result.values("energy", frame)[0];
    EXPECT_LE(energy, before + 1e-9) << frame;
    before = energy;
    for (const char* point : {"p1.z", "p2.z", "p3.z", "p4.z"}) EXPECT_GE(result.values(point, frame)[0], -1e-9);
  }
  EXPECT_NEAR(before, g * 0.1, 1e-3);
  EXPECT_NEAR(last_of(result, "f_z"), 0.1, 1e-9);
  EXPECT_GE(last_of(result, "c1_closed") + last_of(result, "c2_closed") + last_of(result, "c3_closed") +
                last_of(result, "c4_closed"),
            2);
}

std::string with(const std::string& keys, const std::string& more = "") {
  return head + "[model.bodies]\nrod = { mass = 1, com = [1, 0, 0] }\n[model.joints]\n" + "a = { child = \"rod\", " +
         keys + " }\n" + more;
}

TEST(LimitErrors, NameTheKeyAndTheReason) {
  const std::string hinge = "type = \"hinge\", axis = [0, 1, 0], ";
  const std::pair<std::string, const char*> cases[] = {
      {with(hinge + "limits = [1, 0.5]"), "expected an upper limit above the lower one, 1, found 0.5"},
      {with(hinge + "limits = [1, \"1 rad\"]"), "expected an upper limit above the lower one, 1, found 1"},
      {with(hinge + "limits = [0, \"0.5 m\"]"), "upper limit of a is without a unit, and this is in m"},
      {with(hinge + "limits = [0, \"h\"]"), "^"},
      {with(hinge + "limits = [0, \"a\"]"), "^"},
      {with(hinge + "limits = 1"), "[lower, upper], or a table"},
      {with(hinge + "limits = [1, 2, 3]"), "[lower, upper], or a table"},
      {with(hinge + "limits = {}"), "[lower, upper], or a table"},
      {with(hinge + "limits = { lowest = 1 }"), "did you mean lower?"},
      {with(hinge + "limit_restitution = 0.5"), "add limits = [lower, upper]"},
      {with(hinge + "limits = [0, 1], limit_restitution = -1"), "expected a restitution of at least 0"},
      {with("type = \"ball\", limits = [0, 1]"), "a ball joint has no limits: hinges, slides and screws have"},
      {with("type = \"free\"", "b = { child = \"rod\", type = \"hinge\", axis = [0, 1, 0], limits = [0, 1] }\n"),
       "this joint closes a loop, and has no coordinate"},
      {with(hinge + "limits = [0, 1]", "[model.unilateral]\na_upper = { gap = \"1 - a\" }\n"), "a_upper"},
      {with(hinge + "limits = [0, 1]") + "[model.invariants]\na_upper = \"a\"\n", "a_upper"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string error = refusal_of(text);
    EXPECT_NE(error.find(expected), std::string::npos) << text << "\n---\n" << error;
    EXPECT_NE(error.find("hybrid.toml:"), std::string::npos) << error;
  }
}

TEST(LimitTexts, AreDescribed) {
  const Scenario scenario = load_scenario_text(turning, "hybrid.toml", {});
  EXPECT_NE(scenario.model->model.mechanism.find("pin, lower limit -0.5, upper limit 0.8, restitution 0.5"),
            std::string::npos)
      << scenario.model->model.mechanism;
  const Scenario again = load_scenario_text(scenario.text, "hybrid.toml", {});
  EXPECT_EQ(again.text, scenario.text);
}

TEST(LimitTexts, AMechanismWithoutUnitsStaysWithoutUnits) {
  const std::string text = R"(
[model]
name = "plain"
[model.bodies]
cart = { mass = 1 }
[model.joints]
x = { child = "cart", type = "slide", axis = [1, 0, 0], limits = [-1, 1] }
[model.points]
p = { body = "cart", at = [0, 0, 0] }
[model.outputs]
off = "p.x + 1"
)";
  EXPECT_EQ(refusal_of(text, {"time.end=0.01", "solver.compile=never"}), "");
}

}  // namespace
}  // namespace kalaba::limits
