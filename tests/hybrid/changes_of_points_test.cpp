// New values of clocks and events from points, outputs and the energy: sampled controllers of a tool.

#include <cmath>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace {

using hybrid::all_ways;
using hybrid::last_value;
using hybrid::refusal_of;
using hybrid::run_text;
using hybrid::Way;

/// A planar arm of two links whose shoulder a clock drives from the position and the velocity of its tool.
const std::string arm = R"toml(
[output]
fields = ["q", "w", "invariants"]
[time]
end = 1.2
dt = 0.0025
save_every = 40
[model]
name = "arm"
gravity = [0, "-9.81 m/s^2", 0]
[model.parameters]
L = "0.4 m"
p = "20 N"
d = "3 N s"
[model.discrete]
u = { start = 0, unit = "N m", meaning = "torque of the shoulder" }
[model.bodies]
upper = { mass = "1 kg", rod = ["L", 0, 0], com = ["L/2", 0, 0] }
lower = { mass = "0.6 kg", rod = ["0.3 m", 0, 0], com = ["0.15 m", 0, 0] }
[model.joints]
shoulder = { child = "upper", type = "hinge", axis = [0, 0, 1], damping = "0.05 N m s" }
elbow = { parent = "upper", child = "lower", at = ["L", 0, 0], type = "hinge", axis = [0, 0, 1], damping = "0.05 N m s" }
[model.forces]
drive = { joint = "shoulder", torque = "u" }
[model.points]
tool = { body = "lower", at = ["0.3 m", 0, 0] }
[model.outputs]
below = "-tool.y"
[model.start]
shoulder = -0.4
elbow = 0.5
)toml";

const std::string of_points = "clocks=[{name='c', every=0.03, set={u='p*below - d*tool.vy'}}]";
const std::string of_angles =
    "clocks=[{name='c', every=0.03, set={u='-p*(L*sin(shoulder) + 0.3[m]*sin(shoulder + elbow))"
    " - d*(L*cos(shoulder)*shoulder_dot + 0.3[m]*cos(shoulder + elbow)*(shoulder_dot + elbow_dot))'}}]";

class ChangesOfPoints : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(, ChangesOfPoints, testing::ValuesIn(all_ways()),
                         [](const auto& info) { return hybrid::name_of(info.param); });

TEST_P(ChangesOfPoints, AreThoseOfTheirFormulas) {
  const Result by_points = run_text(arm, GetParam(), {of_points});
  const Result by_angles = run_text(arm, GetParam(), {of_angles});
  ASSERT_EQ(by_points.status()[0], Status::ok);
  ASSERT_EQ(by_angles.status()[0], Status::ok);
  const double tolerance = 1e-11 * hybrid::rounding_of(GetParam());
  for (std::size_t frame = 0; frame < by_points.times().size(); ++frame) {
    for (const char* name : {"shoulder", "elbow", "u", "tool.x"}) {
      EXPECT_NEAR(by_points.values(name, frame)[0], by_angles.values(name, frame)[0], tolerance) << name << frame;
    }
  }
  EXPECT_GT(std::abs(last_value(by_points, "u")), 0.1);
}

TEST_P(ChangesOfPoints, KeepTheEnergyOfAnEvent) {
  const std::string event = "events=[{name='e', when='t - 0.5[s]', set={kept='energy'}}]";
  std::string text = arm;
  text.insert(text.find("[model.bodies]"), "kept = { start = 0, unit = \"J\" }\n");
  const Result result = run_text(
      text, GetParam(), {event, "output.fields=['q', 'energy', 'invariants']", "time.save_at=[0.5, 1.0]", "clocks=[]"});
  ASSERT_EQ(result.status()[0], Status::ok);
  const double energy = result.values("energy", 0)[0];
  EXPECT_GT(std::abs(energy), 0.1);
  EXPECT_NEAR(result.values("kept", 0)[0], energy, 1e-13 * std::abs(energy));
  EXPECT_EQ(result.values("kept", 1)[0], result.values("kept", 0)[0]);
}

/// In the coordinates of the bodies, the joints are constraints.
TEST(ChangesOfPointsIn, BodyCoordinatesAreThoseInJointCoordinates) {
  std::string of_bodies = arm;
  of_bodies.insert(of_bodies.find("gravity"), "coordinates = \"body\"\n");
  const Result joint = run_text(arm, {"cpu", "dop853"}, {of_points});
  for (const Way& way : {Way{"cpu", "dop853"}, Way{"reference", "dop853"}}) {
    const Result body = run_text(of_bodies, way, {of_points});
    ASSERT_EQ(body.status()[0], Status::ok);
    for (std::size_t frame = 0; frame < joint.times().size(); ++frame) {
      for (const char* name : {"tool.x", "tool.vy", "u"}) {
        EXPECT_NEAR(body.values(name, frame)[0], joint.values(name, frame)[0], 1e-9) << name << frame;
      }
    }
  }
}

TEST(ChangesOfPointsIn, MechanismsRefuseNumbersOfTheMotion) {
  const auto refusal = [](const std::string& value) {
    return refusal_of(arm, {"clocks=[{name='c', every=0.03, set={u='" + value + "'}}]", "solver.compile=never"});
  };
  EXPECT_NE(refusal("tool.x").find("u is in kg m^2/s^2, and this is in m"), std::string::npos) << refusal("tool.x");
  EXPECT_NE(refusal("p*tool.wz*tool.x").find("tool.wz"), std::string::npos) << refusal("p*tool.wz*tool.x");
  std::string of_bodies = arm;
  of_bodies.insert(of_bodies.find("gravity"), "coordinates = \"body\"\n");
  const std::string multiplier =
      refusal_of(of_bodies, {"clocks=[{name='c', every=0.03, set={u='lambda_1'}}]", "solver.compile=never"});
  EXPECT_NE(multiplier.find("energy and invariants, found the multiplier lambda_1"), std::string::npos) << multiplier;
}

}  // namespace
}  // namespace kalaba
