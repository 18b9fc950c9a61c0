#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "backend/compiled/host_compiler.hpp"
#include "compiled/compiled_help.hpp"
#include "kalaba/ensemble.hpp"
#include "kalaba/run.hpp"
#include "scenario/model/text_system.hpp"
#include "scenario/scenario.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

const std::vector<System> none;

Scenario load(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return load_scenario_text("[model]\nname = \"test\"\n" + text, "model.toml", overrides, none);
}

std::string error_of(const std::string& text) {
  return test::message_of([&] { load(text); });
}

using Values = std::map<std::string, double>;

/// Coordinates, rates and invariants at the end of a run of one member. Requires that the member is ok.
Values end_of(const std::string& text, double end, Backend backend = Backend::reference, double dt = 1e-3) {
  const Scenario scenario = load(text);
  Options options = scenario.options;
  options.backend = backend;
  options.compile = Compile::never;
  options.time.end = end;
  options.time.dt = dt;
  options.time.save_every = std::lround(end / dt);  // the first time and the last
  options.fields = FieldSet{Field::q} | FieldSet{Field::w} | FieldSet{Field::energy};
  if (!scenario.system->info.invariants.empty()) options.fields = options.fields | FieldSet{Field::invariants};
  const Result result = run(Ensemble(*scenario.system, 1), options);
  EXPECT_EQ(result.summary.failed(), 0) << text;
  EXPECT_EQ(result.times().size(), 2U);
  Values values;
  const SystemInfo& info = scenario.system->info;
  for (const auto* variables : {&info.coordinates, &info.rates, &info.invariants}) {
    for (const Variable& each : *variables) {
      values[each.name] = result.values(each.name, result.times().size() - 1)[0];
    }
  }
  values["energy"] = result.values("energy", result.times().size() - 1)[0];
  values["energy_before"] = result.values("energy", 0)[0];
  return values;
}

void expect_energy_kept(const Values& end, double tolerance = 1e-8) {
  EXPECT_NEAR(end.at("energy"), end.at("energy_before"), tolerance * (1 + std::abs(end.at("energy"))));
}

// Mechanisms against Lagrangians that were derived by hand.

TEST(Mechanism, ADoublePendulumMovesAsItsLagrangian) {
  const Values end = end_of(R"toml(
gravity = [0, -9.81, 0]
[model.bodies]
upper = { mass = 1, com = [1, 0, 0] }
lower = { mass = 0.7, com = [0.5, 0, 0], inertia = [0.02, 0.02, 0.02] }
[model.joints]
p1 = { child = "upper", type = "hinge", axis = [0, 0, 1], damping = 0.1 }
p2 = { parent = "upper", child = "lower", at = [1, 0, 0], type = "hinge", axis = [0, 0, 1], stiffness = 0.3, rest = 0.2, armature = 0.05 }
[model.start]
p1 = 0.4
p2 = -1
p1_dot = 2
)toml",
                            2);
  const Values expected = end_of(R"toml(
lagrangian = "p1_dot^2/2 + 0.7*(p1_dot^2 + (p1_dot + p2_dot)^2/4 + p1_dot*(p1_dot + p2_dot)*cos(p2))/2 + 0.02*(p1_dot + p2_dot)^2/2 + 0.05*p2_dot^2/2 - 9.81*sin(p1) - 0.7*9.81*(sin(p1) + sin(p1 + p2)/2) - 0.3*(p2 - 0.2)^2/2"
[model.coordinates]
p1 = ""
p2 = ""
[model.force]
p1 = "-0.1*p1_dot"
[model.start]
p1 = 0.4
p2 = -1
p1_dot = 2
)toml",
                                 2);
  for (const char* name : {"p1", "p2", "p1_dot", "p2_dot", "energy"}) {
    EXPECT_NEAR(end.at(name), expected.at(name), 1e-10) << name;
  }
}

TEST(Mechanism, ASlideCarriesAPendulumAndADriveActsOnIt) {
  const Values end = end_of(R"toml(
gravity = [0, -9.81, 0]
[model.bodies]
cart = { mass = 2 }
bob = { mass = 0.5, com = [0, -0.8, 0] }
[model.joints]
x = { child = "cart", type = "slide", axis = [1, 0, 0], stiffness = 5 }
a = { parent = "cart", child = "bob", type = "hinge", axis = [0, 0, 1] }
[model.forces]
motor = { joint = "a", torque = "0.1*sin(t)" }
push = { joint = "x", force = "0.2*cos(t)" }
wind = { body = "bob", at = [0, -0.8, 0], force = [0.3, 0, 0] }
[model.start]
a = 1
)toml",
                            2);
  const Values expected = end_of(R"toml(
lagrangian = "x_dot^2 + 0.25*(x_dot^2 + 1.6*x_dot*a_dot*cos(a) + 0.64*a_dot^2) + 0.5*9.81*0.8*cos(a) - 2.5*x^2"
[model.coordinates]
x = ""
a = ""
[model.force]
x = "0.2*cos(t) + 0.3"
a = "0.1*sin(t) + 0.3*0.8*cos(a)"
[model.start]
a = 1
)toml",
                                 2);
  for (const char* name : {"x", "a", "x_dot", "a_dot"}) EXPECT_NEAR(end.at(name), expected.at(name), 1e-10) << name;
}

TEST(Mechanism, AHeavyTopOnABallMovesAsInEulerAngles) {
  const Values end = end_of(R"toml(
gravity = [0, 0, -9.81]
[model.bodies]
top = { mass = 0.5, com = [0, 0, 0.2], inertia = [0.01, 0.01, 0.002] }
[model.joints]
b = { child = "top", type = "ball" }
[model.points]
tip = { body = "top", at = [0, 0, 1] }
[model.invariants]
z = { is = "tip.z", kind = "free" }
x = { is = "tip.x", kind = "free" }
[model.start]
b_e0 = "cos(0.25)"
b_e1 = "sin(0.25)"
b_wz = 60
b_wy = 1
)toml",
                            1, Backend::reference, 2e-4);
  // theta about x, then the spin; phi about z. At the start wx = theta', wy = phi' sin(theta), wz = psi' + phi'
  // cos(theta).
  const Values expected = end_of(R"toml(
lagrangian = "0.03*(th_dot^2 + ph_dot^2*sin(th)^2)/2 + 0.002*(ps_dot + ph_dot*cos(th))^2/2 - 0.5*9.81*0.2*cos(th)"
[model.coordinates]
th = ""
ph = ""
ps = ""
[model.invariants]
z = { is = "cos(th)", kind = "free" }
x = { is = "sin(th)*sin(ph)", kind = "free" }
[model.start]
th = 0.5
ph_dot = "1/sin(0.5)"
ps_dot = "60 - cos(0.5)/sin(0.5)"
)toml",
                                 1, Backend::reference, 2e-4);
  EXPECT_NEAR(end.at("z"), expected.at("z"), 1e-8);
  EXPECT_NEAR(end.at("x"), expected.at("x"), 1e-8);
  expect_energy_kept(end);
}

TEST(Mechanism, TheMassCentreOfAFreeBodyFallsOnAParabola) {
  const Values end = end_of(R"toml(
gravity = [0, 0, -9.81]
[model.bodies]
box = { mass = 2, com = [0.1, 0.2, 0.3], box = [0.3, 0.5, 0.7], axes = [0.9, 0.1, 0.3, 0.2] }
[model.joints]
f = { child = "box", type = "free" }
[model.points]
c = { body = "box", at = [0.1, 0.2, 0.3] }
[model.invariants]
cx = { is = "c.x", kind = "free" }
cz = { is = "c.z", kind = "free" }
[model.start]
f_wx = 3
f_wy = -2
f_wz = 1
f_x_dot = 1
)toml",
                            1);
  // c' = (1, 0, 0) + w x c at the start
  EXPECT_NEAR(end.at("cx"), 0.1 + (1 - 2 * 0.3 - 1 * 0.2), 1e-9);
  EXPECT_NEAR(end.at("cz"), 0.3 + (3 * 0.2 + 2 * 0.1) - 9.81 / 2, 1e-9);
  expect_energy_kept(end);
}

TEST(Mechanism, AScrewTurnsWhileItFalls) {
  const Values end = end_of(R"toml(
gravity = [0, 0, -9.81]
[model.bodies]
nut = { mass = 2, inertia = [1, 1, 0.3] }
[model.joints]
s = { child = "nut", type = "screw", axis = [0, 0, 1], pitch = 0.5 }
)toml",
                            1);
  const double h = 0.5 / (2 * 3.14159265358979323846);
  EXPECT_NEAR(end.at("s"), -2 * 9.81 * h / (0.3 + 2 * h * h) / 2, 1e-10);
}

TEST(Mechanism, APlanarJointAndACylinderMoveFreelyInTheirDirections) {
  const Values end = end_of(R"toml(
[model.bodies]
puck = { mass = 2, com = [0.1, 0, 0], inertia = [1, 1, 0.3] }
rod = { mass = 1, inertia = [1, 1, 1] }
[model.joints]
p = { child = "puck", type = "planar", axis = [0, 0, 2] }
c = { child = "rod", type = "cylinder", axis = [0, 1, 0] }
[model.start]
p_angle_dot = 2
c_shift_dot = 3
c_angle_dot = 4
)toml",
                            1);
  EXPECT_NEAR(end.at("p_angle"), 2, 1e-10);
  EXPECT_NEAR(end.at("c_shift"), 3, 1e-10);
  EXPECT_NEAR(end.at("c_angle"), 4, 1e-10);
  expect_energy_kept(end);
}

TEST(Mechanism, AFourBarMovesAsItsLagrangianWithConstraints) {
  const Values end = end_of(R"toml(
gravity = [0, -9.81, 0]
[model.bodies]
crank = { mass = 0.2, rod = [0.1, 0, 0] }
coupler = { mass = 0.5, rod = [0.3, 0, 0] }
rocker = { mass = 0.4, rod = [0.25, 0, 0] }
[model.joints]
a = { child = "crank", type = "hinge", axis = [0, 0, 1] }
b = { parent = "crank", child = "coupler", at = [0.1, 0, 0], type = "hinge", axis = [0, 0, 1] }
d = { child = "rocker", at = [0.3, 0, 0], type = "hinge", axis = [0, 0, 1] }
c = { parent = "coupler", at = [0.3, 0, 0], child = "rocker", child_at = [0.25, 0, 0], type = "hinge", axis = [0, 0, 1] }
[model.start]
a = 1.5
b = -1.1
d = 1.6
)toml",
                            1);
  const Values expected = end_of(R"toml(
lagrangian = "0.2*0.1^2*a_dot^2/6 + 0.5*(0.1^2*a_dot^2 + 0.3*0.1*a_dot*(a_dot + b_dot)*cos(b) + 0.3^2*(a_dot + b_dot)^2/3)/2 + 0.4*0.25^2*d_dot^2/6 - 9.81*(0.2*0.05*sin(a) + 0.5*(0.1*sin(a) + 0.15*sin(a + b)) + 0.4*0.125*sin(d))"
[model.coordinates]
a = ""
b = ""
d = ""
[model.holonomic]
x = "0.1*cos(a) + 0.3*cos(a + b) = 0.3 + 0.25*cos(d)"
y = "0.1*sin(a) + 0.3*sin(a + b) = 0.25*sin(d)"
[model.start]
a = 1.5
b = -1.1
d = 1.6
)toml",
                                 1);
  for (const char* name : {"a", "b", "d", "a_dot"}) EXPECT_NEAR(end.at(name), expected.at(name), 1e-8) << name;
  expect_energy_kept(end, 1e-7);
}

// Joints of the tree against the same joints as closures of free bodies.

struct Twin {
  const char* name;
  const char* joint;  ///< type and its keys
  const char* start;  ///< of the joint of the tree
  const char* free_start;
};

std::ostream& operator<<(std::ostream& out, const Twin& twin) { return out << twin.name; }

class Closure : public testing::TestWithParam<Twin> {
 protected:
  static std::string text(const std::string& joints, const std::string& start) {
    return R"toml(
gravity = [1, 2, -9.81]
[model.bodies]
body = { mass = 1.3, com = [0.1, -0.2, 0.3], inertia = [0.05, 0.06, 0.07, 0.01, 0.002, -0.003] }
[model.joints]
)toml" + joints +
           R"toml(
[model.points]
p = { body = "body", at = [0.5, 0.4, 0.3] }
[model.invariants]
px = { is = "p.x", kind = "free" }
py = { is = "p.y", kind = "free" }
pz = { is = "p.z", kind = "free" }
vx = { is = "p.vx", kind = "free" }
[model.start]
)toml" + start;
  }
};

TEST_P(Closure, HoldsABodyAsTheJointOfATreeDoes) {
  const Twin& twin = GetParam();
  const std::string joint =
      std::string("child = \"body\", at = [0.2, 0.1, 0], child_at = [0.2, 0.1, 0], ") + twin.joint;
  const std::string tree = text("j = { " + joint + " }", twin.start);
  const std::string closed = text("f = { child = \"body\", type = \"free\" }\nj = { " + joint + " }", twin.free_start);
  const Values end = end_of(tree, 0.5);
  const Values other = end_of(closed, 0.5);
  for (const char* name : {"px", "py", "pz", "vx", "energy"}) EXPECT_NEAR(end.at(name), other.at(name), 1e-9) << name;
  const Values cpu = end_of(tree, 0.5, Backend::cpu);
  for (const auto& [name, value] : end) EXPECT_NEAR(cpu.at(name), value, 1e-10) << name;
  expect_energy_kept(end, 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Types, Closure,
                         testing::Values(Twin{"hinge", "type = \"hinge\", axis = [1, 1, 0.5]", "", ""},
                                         Twin{"slide", "type = \"slide\", axis = [1, 1, 0.5]", "", ""},
                                         Twin{"ball", "type = \"ball\"", "", ""},
                                         Twin{"universal", "type = \"universal\", axis = [1, 0, 0], axis2 = [0, 1, 0]",
                                              "", ""},
                                         Twin{"cylinder", "type = \"cylinder\", axis = [1, 1, 0.5]", "", ""},
                                         Twin{"planar", "type = \"planar\", axis = [1, 1, 0.5]", "", ""}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Mechanism, AWeldCarriesAndCloses) {
  const std::string bodies = R"toml(
gravity = [0, -9.81, 0]
[model.bodies]
arm = { mass = 1, rod = [1, 0, 0] }
tool = { mass = 0.5, com = [0.1, 0.2, 0], inertia = [0.1, 0.1, 0.1] }
[model.joints]
a = { child = "arm", type = "hinge", axis = [0, 0, 1] }
)toml";
  const std::string weld =
      "w = { parent = \"arm\", child = \"tool\", at = [1, 0, 0], quat = [1, 0, 0, 1], type = \"weld\" }\n";
  const Values end = end_of(bodies + weld, 1);
  const Values closed = end_of(bodies + "f = { parent = \"arm\", child = \"tool\", type = \"free\" }\n" + weld +
                                   "[model.start]\nf_x = 1\nf_e0 = \"sqrt(0.5)\"\nf_e3 = \"sqrt(0.5)\"\n",
                               1);
  EXPECT_NEAR(end.at("a"), closed.at("a"), 1e-8);
}

TEST(Mechanism, ADistanceHoldsAPointOnASphere) {
  const std::string bodies = R"toml(
gravity = [0, 0, -9.81]
[model.bodies]
bob = { mass = 1, inertia = [0.1, 0.1, 0.1] }
[model.joints]
f = { child = "bob", type = "free" }
d = { child = "bob", type = "distance", length = 1 }
[model.start]
f_x = 0.6
f_z = -0.8
f_y_dot = 1
)toml";
  const Values end = end_of(bodies, 1);
  EXPECT_NEAR(std::hypot(end.at("f_x"), end.at("f_y"), end.at("f_z")), 1, 1e-9);
  expect_energy_kept(end);
}

TEST(Mechanism, ACouplingIsAGear) {
  const Values end = end_of(R"toml(
[model.bodies]
one = { mass = 1, inertia = [1, 1, 1] }
two = { mass = 1, inertia = [1, 1, 2] }
[model.joints]
a = { child = "one", type = "hinge", axis = [0, 0, 1] }
b = { child = "two", type = "hinge", axis = [0, 0, 1] }
[model.couplings]
gear = "b = -3*a"
[model.forces]
motor = { joint = "a", torque = 1 }
)toml",
                            1);
  EXPECT_NEAR(end.at("a"), 0.5 / (1 + 9 * 2), 1e-10);
}

TEST(Mechanism, ASpringBetweenPointsIsInTheEnergy) {
  const Values end = end_of(R"toml(
[model.bodies]
one = { mass = 1, inertia = [1, 1, 1] }
two = { mass = 2, inertia = [1, 2, 2] }
[model.joints]
a = { child = "one", type = "free" }
b = { child = "two", type = "ball" }
[model.forces]
spring = { from = ["one", 0.1, 0, 0.2], to = ["two", 1, 0, 0], stiffness = 20, length = 0.3 }
[model.start]
a_x = 2
a_wx = 1
)toml",
                            1);
  expect_energy_kept(end, 1e-7);
}

TEST(Mechanism, ALagrangianIsAddedToTheBodies) {
  const std::string bodies = R"toml(
[model.bodies]
bob = { mass = 1, com = [1, 0, 0] }
[model.joints]
a = { child = "bob", type = "hinge", axis = [0, 0, 1] ADDED }
)toml";
  const auto with = [&](const std::string& added, const std::string& head) {
    std::string text = head + bodies;
    text.replace(text.find(" ADDED"), 6, added);
    return text + "[model.start]\na = 0.5\n";
  };
  const Values stated = end_of(with(", stiffness = 3, armature = 0.2", ""), 2);
  const Values added = end_of(with("", "lagrangian = \"0.1*a_dot^2 - 1.5*a^2\""), 2);
  for (const char* name : {"a", "a_dot", "energy"}) EXPECT_NEAR(stated.at(name), added.at(name), 1e-12) << name;
}

TEST(Mechanism, RowsThatAPlanarLoopHoldsAnywayAreLeftOut) {
  const std::string text = R"toml(
[model.bodies]
one = { mass = 1, rod = [1, 0, 0] }
two = { mass = 1, rod = [1, 0, 0] }
[model.joints]
a = { child = "one", type = "hinge", axis = [0, 0, 1] }
b = { parent = "one", child = "two", at = [1, 0, 0], type = "hinge", axis = [0, 0, 1] }
c = { child = "two", child_at = [1, 0, 0], at = [1, 0, Z], type = "hinge", axis = [0, 0, 1] }
[model.start]
a = 1
b = -2
)toml";
  const auto with = [&](const std::string& z) {
    std::string result = text;
    return result.replace(result.find("Z]"), 1, z);
  };
  EXPECT_EQ(load(with("0")).system->info.constraints.size(), 2U);
  EXPECT_NE(error_of(with("0.1")).find("model.joints.c: the loop cannot close: c_z is off by -0.1"), std::string::npos)
      << error_of(with("0.1"));
}

TEST(Mechanism, AnOpenLoopIsAssembledOrNamed) {
  const std::string text = R"toml(
[model.parameters]
L = 0.3
[model.bodies]
crank = { mass = 0.2, rod = [0.1, 0, 0] }
coupler = { mass = 0.5, rod = ["L", 0, 0] }
rocker = { mass = 0.4, rod = [0.25, 0, 0] }
[model.joints]
a = { child = "crank", type = "hinge", axis = [0, 0, 1] }
b = { parent = "crank", child = "coupler", at = [0.1, 0, 0], type = "hinge", axis = [0, 0, 1] }
d = { child = "rocker", at = [0.3, 0, 0], type = "hinge", axis = [0, 0, 1] }
tip = { parent = "coupler", at = ["L", 0, 0], child = "rocker", child_at = [0.25, 0, 0], type = "hinge", axis = [0, 0, 1] }
[model.start]
d = 1
)toml";
  const auto run_of = [&](const std::string& length) {
    std::string with = text;
    const Scenario scenario = load(with.replace(with.find("L = 0.3"), 7, "L = " + length), {"time.end=0.01"});
    Options options = scenario.options;
    options.backend = Backend::reference;
    return run(Ensemble(*scenario.system, 1), options).summary;
  };
  EXPECT_EQ(run_of("0.3").failed(), 0);
  EXPECT_EQ(run_of("0.9").failed(), 1);
}

TEST(Mechanism, AWeldDoesNotCloseHalfATurnAway) {
  const std::string text = R"toml(
[model.bodies]
one = { mass = 1, rod = [1, 0, 0] }
two = { mass = 1, rod = [1, 0, 0] }
three = { mass = 1, rod = [1, 0, 0] }
light = { mass = 1e-6, inertia = [1e-9, 1e-9, 1e-9] }
[model.joints]
a = { child = "one", type = "hinge", axis = [0, 0, 1] }
b = { parent = "one", child = "two", at = [1, 0, 0], type = "hinge", axis = [0, 0, 1] }
d = { child = "three", at = [1.2, 0, 0], type = "hinge", axis = [0, 0, 1] }
c = { parent = "two", child = "light", at = [1, 0, 0], type = "hinge", axis = [0, 0, 1] }
w = { parent = "three", child = "light", at = [1, 0, 0], type = "weld", cut = true }
[model.start]
a = 2
b = -1.2
d = 0.7
)toml";
  const double open = 2 - 1.2 - 0.7;
  for (const double turned : {0.1, 1.0, 1.5707963267948966, 2.0, 3.0, 3.141, 3.1415926, -1.5707963267948966, -3.1}) {
    const Values end = end_of(text + "c = " + std::to_string(turned - open) + "\n", 0.01);
    const double turn = end.at("a") + end.at("b") + end.at("c") - end.at("d");
    EXPECT_NEAR(std::cos(turn), 1, 1e-12) << turned;
    EXPECT_LT(std::abs(end.at("c")), 10) << turned;
  }
}

TEST(Mechanism, AWeldThatNothingTurnsIsRefusedHalfATurnAway) {
  const std::string text = R"toml(
[model.bodies]
one = { mass = 1, inertia = [1, 1, 1] }
two = { mass = 1, inertia = [1, 1, 1] }
[model.joints]
a = { child = "one", type = "slide", axis = [1, 0, 0] }
b = { child = "two", type = "slide", axis = [1, 0, 0], quat = QUAT }
w = { parent = "one", child = "two", type = "weld" }
)toml";
  const auto with = [&](const std::string& quat) {
    std::string result = text;
    return result.replace(result.find("QUAT"), 4, quat);
  };
  EXPECT_EQ(error_of(with("[1, 0, 0, 0]")), "");
  EXPECT_NE(error_of(with("[0, 1, 0, 0]")).find("model.joints.w: the loop cannot close: w is off by half a turn"),
            std::string::npos)
      << error_of(with("[0, 1, 0, 0]"));
}

// Points, poses and outputs.

/// A body on each elementary motion, with frames turned against each other.
const char* const turned_arm = R"toml(
gravity = [0, 0, -9.81]
poses = "all"
[model.bodies]
a = { mass = 1, com = [0.1, 0.2, 0.1], inertia = [0.1, 0.12, 0.15] }
b = { mass = 0.8, com = [0, 0.2, 0.1], inertia = [0.1, 0.12, 0.15] }
c = { mass = 0.7, com = [0.1, 0, 0.1], inertia = [0.1, 0.12, 0.15] }
d = { mass = 0.6, com = [0.1, 0.2, 0], inertia = [0.1, 0.12, 0.15] }
[model.joints]
j1 = { child = "a", at = [0.1, 0, 0], child_at = [0, 0.1, 0], quat = [2, 1, 0, 1], type = "hinge", axis = [1, 1, 0] }
j2 = { parent = "a", child = "b", at = [0, 0.3, 0], quat = [1, 0, 0.5, 0], type = "ball" }
j3 = { parent = "b", child = "c", at = [0, 0, 0.4], type = "screw", axis = [0, 1, 0], pitch = 0.1 }
j4 = { parent = "c", child = "d", at = [0.2, 0, 0], quat = [0, 0, 1, 0], type = "cylinder", axis = [0, 0, 1] }
[model.points]
p = { body = "d", at = [0.3, -0.2, 0.1] }
[model.outputs]
height = "p.z + 1"
speed = { is = "sqrt(p.vx^2 + p.vy^2 + p.vz^2)", meaning = "of the point p" }
[model.start]
j1 = 0.4
j2_wx = 1
j2_wz = -2
j3_dot = 3
j4_angle_dot = -2
)toml";

class Outputs : public testing::TestWithParam<Backend> {};

TEST_P(Outputs, APointIsWhereThePoseOfItsBodyPutsIt) {
  const Values end = end_of(turned_arm, 0.4, GetParam());
  const double e0 = end.at("d.e0");
  const double e1 = end.at("d.e1");
  const double e2 = end.at("d.e2");
  const double e3 = end.at("d.e3");
  EXPECT_NEAR(e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3, 1, 1e-12);
  const double x = 0.3;
  const double y = -0.2;
  const double z = 0.1;
  EXPECT_NEAR(end.at("p.x"),
              end.at("d.x") + x + 2 * (-(e2 * e2 + e3 * e3) * x + (e1 * e2 - e0 * e3) * y + (e1 * e3 + e0 * e2) * z),
              1e-12);
  EXPECT_NEAR(end.at("p.y"),
              end.at("d.y") + y + 2 * ((e1 * e2 + e0 * e3) * x - (e1 * e1 + e3 * e3) * y + (e2 * e3 - e0 * e1) * z),
              1e-12);
  EXPECT_NEAR(end.at("p.z"),
              end.at("d.z") + z + 2 * ((e1 * e3 - e0 * e2) * x + (e2 * e3 + e0 * e1) * y - (e1 * e1 + e2 * e2) * z),
              1e-12);
  EXPECT_DOUBLE_EQ(end.at("height"), end.at("p.z") + 1);
  EXPECT_NEAR(end.at("speed"), std::hypot(end.at("p.vx"), end.at("p.vy"), end.at("p.vz")), 1e-12);
}
INSTANTIATE_TEST_SUITE_P(Backends, Outputs, testing::Values(Backend::reference, Backend::cpu));

TEST(Mechanism, TheVelocityOfAPointIsTheSlopeOfItsPosition) {
  constexpr double step = 1e-4;
  const Values before = end_of(turned_arm, 0.3 - step, Backend::reference, step);
  const Values at = end_of(turned_arm, 0.3, Backend::reference, step);
  const Values after = end_of(turned_arm, 0.3 + step, Backend::reference, step);
  for (const std::string axis : {"x", "y", "z"}) {
    EXPECT_NEAR(at.at("p.v" + axis), (after.at("p." + axis) - before.at("p." + axis)) / (2 * step), 1e-5) << axis;
  }
}

TEST(Mechanism, AnEventIsAtAPoint) {
  const Scenario scenario = load(R"toml(
gravity = [0, 0, -10]
[model.bodies]
bob = { mass = 1, inertia = [1, 1, 1] }
[model.joints]
f = { child = "bob", type = "free" }
[model.points]
low = { body = "bob", at = [0, 0, -0.2] }
[model.start]
f_z = 1
[[model.events]]
name = "ground"
when = "low.z"
[[model.events]]
name = "fast"
when = "low.vz < -1"
action = "record"
)toml",
                                 {"solver.compile=\"never\"", "time.end=2"});
  const Result result = run(Ensemble(*scenario.system, 1), scenario.options);
  EXPECT_EQ(result.status()[0], Status::stopped);
  EXPECT_NEAR(result.event_time("ground")[0], 0.4, 1e-9);
  EXPECT_NEAR(result.event_time("fast")[0], 0.1, 1e-9);
}

TEST(Mechanism, ItsPictureHasItsRodsAndItsPlane) {
  const Scenario scenario = load(R"toml(
[model.parameters]
L = 0.3
[model.bodies]
crank = { mass = 0.2, rod = [0, 0, 0.1] }
coupler = { mass = 0.5, com = ["L/2", 0, 0], inertia = [0, 0.01, 0.01] }
[model.joints]
pin = { child = "crank", at = [1, 0, 0], type = "hinge", axis = [0, 1, 0] }
elbow = { parent = "crank", child = "coupler", at = [0, 0, 0.1], type = "hinge", axis = [0, 1, 0] }
rail = { parent = "coupler", at = ["L", 0, 0], child = "world", type = "planar", axis = [0, 0, 1] }
)toml");
  ASSERT_NE(scenario.model->model.picture, nullptr);
  const text_model::MechanismPicture& picture = *scenario.model->model.picture;
  EXPECT_EQ(picture.axes, "xz");
  const double L = 0.5;
  const double q[] = {0.3, 0.4};
  formula::Inputs inputs;
  inputs.parameters = &L;
  inputs.coordinates = q;
  const std::vector<double> places = picture.positions(inputs);
  const auto place = [&](int point, std::size_t axis) { return places[2 * static_cast<std::size_t>(point) + axis]; };
  const auto expect_line = [&](double x0, double z0, double x1, double z1) {
    bool is_found = false;
    for (const std::vector<int>& line : picture.lines) {
      const double off = std::abs(place(line.front(), 0) - x0) + std::abs(place(line.front(), 1) - z0) +
                         std::abs(place(line.back(), 0) - x1) + std::abs(place(line.back(), 1) - z1);
      is_found = is_found || off < 1e-12;
    }
    EXPECT_TRUE(is_found) << x0 << ' ' << z0 << ' ' << x1 << ' ' << z1;
  };
  const double x = 1 + 0.1 * std::sin(0.3);
  const double z = 0.1 * std::cos(0.3);
  expect_line(1, 0, x, z);
  expect_line(x, z, x + L * std::cos(0.7), z - L * std::sin(0.7));
  ASSERT_EQ(picture.dots.size(), 3U);
  EXPECT_EQ(picture.dots[0].name, "pin");
  EXPECT_FALSE(picture.dots[0].moves);
  EXPECT_TRUE(picture.dots[2].moves);
}

// Input that is refused, with the place and the remedy.

/// A free body whose mass centre is its frame, without a shape, has nothing to draw.
TEST(Mechanism, ABodyWithoutAPictureMoves) {
  const std::string text =
      "[model]\nname = \"m\"\ngravity = [0, 0, -9]\n[model.bodies]\na = { mass = 1, inertia = [1, 1, 1] }\n"
      "[model.joints]\nj = { child = \"a\", type = \"free\" }\n[model.time]\nend = 1.0\n";
  const Scenario scenario = load_scenario_text(text, "m.toml", {"solver.compile=never"});
  const Result result = run(Ensemble(*scenario.system, 1), scenario.options);
  EXPECT_NEAR(result.values("j_z", result.times().size() - 1)[0], -4.5, 1e-12);
}

TEST(Mechanism, WrongInputIsRefused) {
  const std::string bodies = "[model.bodies]\nrod = { mass = 1, com = [1, 0, 0] }\n[model.joints]\n";
  const std::pair<std::string, std::string> cases[] = {
      {"[model.bodies]\nrod = { mass = 1 }\n", "[model.joints] is missing"},
      {"[model.joints]\na = { child = \"rod\", type = \"hinge\" }\n", "belongs to a mechanism"},
      {bodies + "a = { child = \"rob\", type = \"hinge\", axis = [0, 0, 1] }\n",
       "there is no body rob; did you mean rod?"},
      {bodies + "a = { child = \"rod\", type = \"hing\", axis = [0, 0, 1] }\n", "did you mean hinge?"},
      {bodies + "a = { child = \"rod\", type = \"hinge\", axis = [0, 0, 0] }\n", "an axis of length zero"},
      {bodies + "a = { child = \"rod\", type = \"hinge\" }\n", "axis is missing"},
      {bodies + "a = { child = \"rod\", parent = \"rod\", type = \"ball\" }\n", "connects a body to itself"},
      {bodies + "a = { child = \"rod\", type = \"weld\" }\n", "no joint moves"},
      {bodies + "a = { child = \"world\", parent = \"rod\", type = \"ball\" }\n", "no joint carries this body"},
      {bodies + "a = { child = \"rod\", type = \"hinge\", axis = [1, 0, 0] }\n", "has no inertia against the joint a"},
      {bodies + "a = { child = \"rod\", type = \"connect\" }\n", "no joint carries this body"},
      {bodies + "a = { child = \"rod\", type = \"ball\", axis = [1, 0, 0] }\n", "a ball joint has no axis"},
      {"[model.bodies]\nrod = { mass = -1 }\n[model.joints]\na = { child = \"rod\", type = \"free\" }\n",
       "its mass is -1"},
      {"[model.bodies]\nrod = { mass = 1, sphere = -0.1 }\n[model.joints]\na = { child = \"rod\", type = \"free\" }\n",
       "rod.sphere: expected a size of at least 0, found -0.1"},
      {"[model.parameters]\nr = 0.1\n[model.bodies]\nrod = { mass = 1, capsule = [\"-r\", 1] }\n[model.joints]\na = { "
       "child = \"rod\", type = \"free\" }\n",
       "rod.capsule[1]: expected a size of at least 0, found -0.1"},
      {"[model.bodies]\nrod = { mass = 1, box = [1, 1, -2] }\n[model.joints]\na = { child = \"rod\", type = "
       "\"free\" }\n",
       "rod.box[3]: expected a size of at least 0, found -2"},
      {"[model.bodies]\nrod = { mass = 1, inertia = [1, 1, 3] }\n[model.joints]\na = { child = \"rod\", type = "
       "\"free\" }\n",
       "larger than the sum 2 of the other two, which no body has; correct inertia"},
      {"[model.bodies]\nrod = { mass = 1, inertia = [0, 0, 3] }\n[model.joints]\na = { child = \"rod\", type = "
       "\"free\" }\n",
       "for a body that turns about this axis alone, give each of the others half of it"},
      {"[model.bodies]\nrod = { mass = 1, inertia = [1, 1, 1, 0.9, 0.9, 0.9] }\n[model.joints]\na = { child = \"rod\", "
       "type = \"free\" }\n",
       "its principal inertia 2.8 is larger than the sum 0.2 of the other two"},
      {"[model.bodies]\na = { mass = 1 }\nb = { mass = 1 }\n[model.joints]\nj = { parent = \"b\", child = \"a\", type "
       "= "
       "\"free\" }\nk = { parent = \"a\", child = \"b\", type = \"free\" }\n",
       "is one of a circle"},
      {"mass = [1]\n" + bodies + "a = { child = \"rod\", type = \"free\" }\n", "determine this; leave it out"},
      {"[model.parameters]\nm = \"1 kg\"\n[model.bodies]\nrod = { mass = \"m\", com = [\"m\", 0, 0] "
       "}\n[model.joints]\na = { "
       "child = \"rod\", type = \"free\" }\n",
       "com of rod is in m, and this is in kg"},
      {bodies + "a = { child = \"rod\", type = \"hinge\", axis = [0, 0, 1] }\n[model.forces]\nm = { joint = \"b\", "
                "torque = 1 }\n",
       "there is no joint b"},
      {bodies + "a = { child = \"rod\", type = \"hinge\", axis = [0, 0, \"a\"] }\n", "found the coordinate a"},
      {"poses = [\"rob\"]\n" + bodies + "a = { child = \"rod\", type = \"ball\" }\n", "did you mean rod?"},
      {"poses = [\"world\"]\n" + bodies + "a = { child = \"rod\", type = \"ball\" }\n", "the world does not move"},
      {"poses = [\"rod\", \"rod\"]\n" + bodies + "a = { child = \"rod\", type = \"ball\" }\n", "in the list already"},
      {"poses = \"all\"\n" + bodies +
           "a = { child = \"rod\", type = \"ball\" }\n[model.points]\nrod = { body = \"rod\" }\n",
       "the name of a body and of a point"},
      {bodies +
           "a = { child = \"rod\", type = \"hinge\", axis = [0, 0, 1] }\n[model.outputs]\nx = { meaning = \"x\" }\n",
       "is is missing; add is = \"...\""},
      {bodies + "a = { child = \"rod\", type = \"hinge\", axis = [0, 0, 1] }\n[model.invariants]\nx = "
                "1\n[model.outputs]\nx = 1\n",
       "x is stated already"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(expected), std::string::npos) << text << "\n" << error;
    EXPECT_NE(error.find("model.toml"), std::string::npos) << error;
  }
}

/// So many chains of so many bodies each, on hinges about alternating axes.
std::string chains_text(int chains, int bodies) {
  std::string text = "gravity = [0, 0, -9.81]\n[model.bodies]\n";
  std::string joints;
  for (int chain = 0; chain < chains; ++chain) {
    for (int i = 0; i < bodies; ++i) {
      const auto body = [&](int at) { return "\"b" + std::to_string(chain * bodies + at) + "\""; };
      const std::string parent = i == 0 ? "" : "parent = " + body(i - 1) + ", at = [0, 0, -1], ";
      text += body(i) + " = { mass = 1, com = [0, 0, -0.5], inertia = [0.1, 0.1, 0.01] }\n";
      joints += "j" + std::to_string(chain * bodies + i) + " = { type = \"hinge\", child = " + body(i) + ", " + parent +
                "axis = " + (i % 2 == 0 ? "[0, 1, 0]" : "[1, 0, 0]") + " }\n";
    }
  }
  return text + "[model.joints]\n" + joints + "[model.start]\nj0 = 0.5\nj1 = 0.2\n";
}

Options short_run(const Scenario& scenario) {
  Options options = scenario.options;
  options.backend = Backend::cpu;
  options.time.end = 0.02;
  options.time.dt = 1e-3;
  options.time.save_every = 20;
  return options;
}

/// Compilers take a minute for such a model: packs interpret it where the choice is free.
TEST(Mechanism, ALongTreeIsInterpretedOnPacks) {
  constexpr int bodies = 60;
  const Scenario scenario = load(chains_text(1, bodies));
  Options options = short_run(scenario);
  const Result packs = run(Ensemble(*scenario.system, 3), options);
  EXPECT_NE(packs.summary.compiled.find("operations a stage"), std::string::npos) << packs.summary.compiled;
  EXPECT_NE(packs.summary.compiled.find("interpreted on packs"), std::string::npos) << packs.summary.compiled;
  options.backend = Backend::reference;
  const Result reference = run(Ensemble(*scenario.system, 1), options);
  for (int i = 0; i < bodies; ++i) {
    const std::string name = "j" + std::to_string(i);
    for (const int member : {0, 2}) {
      EXPECT_NEAR(packs.values(name, 1)[member], reference.values(name, 1)[0], 1e-10) << name;
    }
  }
}

/// A compiler is not started where it would not end in time, though packs have no loop for so many rates.
TEST(Mechanism, ATreeTooLongForACompilerIsNotCompiled) {
  const Scenario scenario = load(chains_text(8, 20));
  Options options = short_run(scenario);
  options.time.end = 1e-3;
  options.time.save_every = 1;
  const std::string compiled = run(Ensemble(*scenario.system, 1), options).summary.compiled;
  EXPECT_NE(compiled.find("operations a stage"), std::string::npos) << compiled;
  EXPECT_NE(compiled.find("interpreted by the reference"), std::string::npos) << compiled;
}

/// CPU time of the children of this process that have ended, in seconds.
double seconds_of_children() {
  struct rusage used = {};
  ::getrusage(RUSAGE_CHILDREN, &used);
  return static_cast<double>(used.ru_utime.tv_sec) + 1e-6 * static_cast<double>(used.ru_utime.tv_usec);
}

/// Passes of g++ whose time grows with the square of a function's length are left out.
TEST(Mechanism, ALongTreeIsCompiledInAFractionOfTheTimeToTheSameBits) {
  const FoundCompiler found = find_compiler();
  if (!found.problem.empty()) GTEST_SKIP() << found.problem;
  const Scenario scenario = load(chains_text(1, 20));
  Options options = short_run(scenario);
  options.compile = Compile::always;
  options.fields = FieldSet{Field::q} | FieldSet{Field::w} | FieldSet{Field::energy};
  const auto compiled_with = [&](const char* flags, double& seconds) {
    const TestFolder cache;  // empty: common headers are not precompiled, nothing is kept
    Environment environment;
    environment.set("KALABA_CACHE_DIR", cache.path());
    environment.set("KALABA_CXXFLAGS", flags);
    const double before = seconds_of_children();
    Result result = run(Ensemble(*scenario.system, 3), options);
    seconds = seconds_of_children() - before;
    return result;
  };
  double short_time = 0;
  double long_time = 0;
  const Result result = compiled_with("", short_time);
  const Result expected = compiled_with(
      found.compiler.is_gcc ? "-O2 -ftree-dse --param=sccvn-max-alias-queries-per-access=1000" : "-O2", long_time);
  if (found.compiler.is_gcc) {
    EXPECT_LT(short_time, 0.7 * long_time);
  }
  const SystemInfo& info = scenario.system->info;
  for (const auto* variables : {&info.coordinates, &info.rates}) {
    for (const Variable& each : *variables) {
      for (int member = 0; member < 3; ++member) {
        EXPECT_EQ(result.values(each.name, 1)[member], expected.values(each.name, 1)[member]) << each.name;
      }
    }
  }
  EXPECT_NE(result.values("j0", 1)[0], 0.5);
}

}  // namespace
}  // namespace kalaba
