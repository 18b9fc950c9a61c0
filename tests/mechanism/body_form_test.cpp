// coordinates = "body": names, starts, forces along the coordinates of joints, and input that is refused.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kalaba/ensemble.hpp"
#include "kalaba/run.hpp"
#include "scenario/model/text_system.hpp"
#include "scenario/scenario.hpp"
#include "support/error_of.hpp"

namespace kalaba::body_form {
namespace {

const std::vector<System> none;

Scenario load(const std::string& text) { return load_scenario_text(text, "model.toml", {}, none); }

std::string error_of(const std::string& text) {
  return test::message_of([&] { load(text); });
}

/// A text with coordinates of bodies.
std::string by_body(std::string text) {
  const std::string name = "name = \"test\"\n";
  return text.replace(text.find(name), name.size(), name + "coordinates = \"body\"\n");
}

Result run_of(const std::string& text, double end) {
  const Scenario scenario = load(text);
  Options options = scenario.options;
  options.backend = Backend::reference;
  options.method.integrator = Integrator::dop853;
  options.method.relative_tolerance = 1e-13;
  options.method.absolute_tolerance = 1e-14;
  options.time.end = end;
  options.time.dt = 1e-2;
  options.time.save_every = std::lround(end / 1e-2);
  options.fields = {Field::q, Field::energy, Field::invariants};
  Result result = run(Ensemble(*scenario.system, 1), options);
  EXPECT_EQ(result.summary.failed(), 0) << text << result.summary.first_failure();
  return result;
}

double end_of(const Result& result, const std::string& name) {
  return result.values(name, result.times().size() - 1)[0];
}

std::vector<std::string> names_of(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& each : variables) names.push_back(each.name);
  return names;
}

const std::string four_bar = R"(
[model]
name = "test"
gravity = [0, 0, "-9.81 m/s^2"]
[model.parameters]
L = "0.1 m"
[model.bodies]
crank = { mass = "0.2 kg", rod = ["L", 0, 0] }
coupler = { mass = "0.5 kg", rod = ["0.3 m", 0, 0] }
rocker = { mass = "0.4 kg", rod = ["0.25 m", 0, 0] }
[model.joints]
pin = { child = "crank", type = "hinge", axis = [0, -1, 0], damping = "0.01 N m s" }
elbow = { parent = "crank", child = "coupler", at = ["L", 0, 0], type = "hinge", axis = [0, 1, 0], stiffness = "1 N m", rest = 0.1 }
base = { child = "rocker", at = ["0.3 m", 0, 0], type = "hinge", axis = [0, -1, 0], armature = "0.02 kg m^2" }
tip = { parent = "coupler", at = ["0.3 m", 0, 0], child = "rocker", child_at = ["0.25 m", 0, 0], type = "hinge", axis = [0, -1, 0] }
[model.forces]
motor = { joint = "pin", torque = "0.3 N m" }
[model.points]
end = { body = "coupler", at = ["0.3 m", 0, "0.01 m"] }
)";

TEST(BodyForm, BodiesInAPlaneHaveThreeCoordinates) {
  const Scenario scenario = load(by_body(four_bar + "[model.start]\npin = 1.2\nelbow = 1\nbase = 1.8\n"));
  const std::vector<std::string> expected = {"crank_x",       "crank_y",  "crank_angle", "coupler_x",   "coupler_y",
                                             "coupler_angle", "rocker_x", "rocker_y",    "rocker_angle"};
  EXPECT_EQ(names_of(scenario.system->info.coordinates), expected);
  EXPECT_EQ(scenario.system->info.constraints.size(), 8U);
  const std::string& text = scenario.model->model.mechanism;
  EXPECT_NE(text.find("3 bodies, 4 joints, 1 loops"), std::string::npos) << text;
  EXPECT_NE(text.find("pin: hinge, world -> crank; 5 rows, 3 idle"), std::string::npos) << text;
  EXPECT_NE(text.find("coordinates of crank: crank_x, crank_y, crank_angle"), std::string::npos) << text;
  EXPECT_NE(text.find("mobility 1"), std::string::npos) << text;
}

/// The closed start of the four-bar by its joints.
std::string closed_start() {
  const Result result = run_of(four_bar + "[model.start]\npin = 1.2\nelbow = 1\nbase = 1.8\n", 1e-2);
  std::string start = "[model.start]\n";
  for (const char* name : {"pin", "elbow", "base"}) {
    char line[64];
    std::snprintf(line, sizeof line, "%s = %.17g\n", name, result.values(name, 0)[0]);
    start += line;
  }
  return start;
}

TEST(BodyForm, ForcesActAlongTheCoordinatesOfJoints) {
  const std::string text = four_bar + closed_start();
  const Result joints = run_of(text, 1);
  const Result bodies = run_of(by_body(text), 1);
  for (const char* name : {"pin", "elbow", "base", "end.x", "end.z", "end.vx"}) {
    EXPECT_NEAR(end_of(bodies, name), end_of(joints, name), 1e-9) << name;
  }
  EXPECT_NEAR(end_of(bodies, "energy"), end_of(joints, "energy"), 1e-9);
  EXPECT_GT(std::abs(end_of(joints, "pin") - joints.values("pin", 0)[0]), 0.1);
}

const std::string arm = R"(
[model]
name = "test"
gravity = [1, 2, "-9.81 m/s^2"]
[model.parameters]
first = 0.3
k = "2 N m"
c1 = "1 N m s"
c2 = "2 N s/m"
[model.bodies]
a = { mass = "1 kg", box = ["0.3 m", "0.1 m", "0.2 m"], com = ["0.1 m", 0, "0.1 m"] }
b = { mass = "1 kg", box = ["0.1 m", "0.3 m", "0.2 m"], com = ["0.1 m", 0, "0.1 m"] }
c = { mass = "1 kg", box = ["0.1 m", "0.1 m", "0.4 m"], com = ["0.1 m", 0, "0.1 m"] }
d = { mass = "1 kg", box = ["0.1 m", "0.1 m", "0.4 m"], com = ["0.1 m", 0, "0.1 m"] }
[model.joints]
j1 = { child = "a", type = "hinge", axis = [0, 1, 1], stiffness = "k", damping = "0.1 N m s", armature = "0.3 kg m^2" }
j2 = { parent = "a", child = "b", at = ["0.2 m", 0, 0], quat = [1, 0.3, 0, 0.2], type = "slide", axis = [1, 0, 1], stiffness = "50 N/m", armature = "0.2 kg" }
j3 = { parent = "b", child = "c", at = [0, 0, "0.2 m"], type = "universal", axis = [1, 0, 0], axis2 = [0, 1, 0.2], damping = "0.2 N m s", stiffness = "1 N m", rest = 0.1 }
j4 = { parent = "c", child = "d", at = [0, 0, "0.2 m"], type = "ball", damping = "0.05 N m s" }
[model.forces]
motor = { joint = "j1", torque = "k*(1 - j1) - c1*j1_dot" }
push = { joint = "j2", force = "-c2*j2_dot" }
[model.points]
hand = { body = "d", at = [0, 0, "0.4 m"] }
[model.start]
j1 = "first"
j2 = 0.1
j3_1 = "2*j3_2"
j3_2 = "j1/3"
j1_dot = 0.5
j3_2_dot = "j1_dot"
j4_wx = 1
)";

TEST(BodyForm, SpatialJointsMoveAlike) {
  const Result joints = run_of(arm, 0.5);
  const Result bodies = run_of(by_body(arm), 0.5);
  for (const char* name : {"j1", "j2", "j3_1", "j3_2", "energy", "hand.x", "hand.y", "hand.z", "hand.vx"}) {
    EXPECT_NEAR(bodies.values(name, 0)[0], joints.values(name, 0)[0], 1e-12) << name;
    EXPECT_NEAR(end_of(bodies, name), end_of(joints, name), 1e-9) << name;
  }
}

TEST(BodyForm, WhatHasNoSuchFormIsRefused) {
  const std::string head = "[model]\nname = \"test\"\ncoordinates = \"body\"\n[model.bodies]\n";
  const std::string hinge = "[model.joints]\nj = { child = \"a\", type = \"hinge\", axis = [0, \"1\", 0] }\n";
  const std::string box = "a = { mass = 1, box = [1, 1, 1] }\n";
  const std::pair<std::string, const char*> cases[] = {
      {head + box + "[model.joints]\nj = { child = \"a\", type = \"screw\", axis = [0, 0, 1], pitch = 1 }\n",
       "is a screw"},
      {head + "a = { mass = 1, rod = [1, 0, 0] }\n" + hinge, "its least moment of inertia is 0"},
      {head + "a = { inertia = [1, 1, 1] }\n" + hinge, "its mass is 0"},
      {head + box + hinge + "[model.start]\nk = 1\n", "the start is by coordinate"},
      {head + box + hinge + "[model.start]\nj = \"2*j\"\n", "j is defined by itself: j -> j"},
      {head + box + hinge + "[model.start]\nj = 1\nj = 2\n", "model.toml"},
      {head + box + hinge + "[model.couplings]\nc = \"j = 0.1*t\"\n",
       "model.couplings.c: the constraint c is of an angle of a joint"},
      {head + box +
           "[model.joints]\nj = { child = \"a\", type = \"hinge\", axis = [0, \"1\", 0], limits = { upper = 7 } }\n",
       "expected a limit within three quarters of a turn"},
      {"[model]\nname = \"test\"\ncoordinates = \"bodies\"\n[model.bodies]\n" + box + hinge,
       "expected one of joint, body"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(expected), std::string::npos) << text << "\n" << error;
  }
}

}  // namespace
}  // namespace kalaba::body_form
