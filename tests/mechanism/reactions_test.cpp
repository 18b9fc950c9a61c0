// Reactions of joints: each body obeys Newton's and Euler's equations with them, for momenta differentiated by
// differences; closed forms of simple mechanisms.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "kalaba/ensemble.hpp"
#include "kalaba/run.hpp"
#include "mechanism/mechanism_cases.hpp"
#include "scenario/document/toml.hpp"
#include "scenario/model/text_system.hpp"
#include "scenario/scenario.hpp"
#include "support/error_of.hpp"

namespace kalaba::reactions {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

const std::vector<System> none;

Scenario load(const std::string& text) { return load_scenario_text(text, "model.toml", {}, none); }

std::string error_of(const std::string& text) {
  return test::message_of([&] { load(text); });
}

struct Times {
  double end = 0.2;
  double dt = 1e-4;
  long save_every = 40;
};

Result run_of(const Scenario& scenario, const Times& times, Backend backend = Backend::reference) {
  Options options = scenario.options;
  options.backend = backend;
  options.compile = Compile::never;
  options.method.integrator = Integrator::rk4;
  options.time.end = times.end;
  options.time.dt = times.dt;
  options.time.save_every = times.save_every;
  options.fields = {Field::q, Field::w, Field::joint_reactions};
  if (!scenario.system->info.invariants.empty()) options.fields.add(Field::invariants);
  Result result = run(Ensemble(*scenario.system, 1), options);
  EXPECT_EQ(result.summary.failed(), 0) << result.summary.first_failure();
  return result;
}

/// One step of a text's motion: its start and its end are saved.
Result step_of(const std::string& text, Backend backend = Backend::reference) {
  return run_of(load(text), {1e-3, 1e-3, 1}, backend);
}

/// Comparison of the reactions of two runs.
struct Reacting {
  double size = 0;        ///< of the largest reaction
  double difference = 0;  ///< the largest one

  double relative() const { return difference / (1 + size); }
};

/// Compares the first `frames` saved times.
Reacting compare(const Scenario& scenario, const Result& found, const Result& expected, std::size_t frames = 2) {
  Reacting result;
  EXPECT_GT(scenario.system->info.reactions.size(), 0U);
  for (const Variable& each : scenario.system->info.reactions) {
    for (std::size_t frame = 0; frame < frames; ++frame) {
      const double value = expected.values(each.name, frame)[0];
      result.size = std::max(result.size, std::abs(value));
      result.difference = std::max(result.difference, std::abs(found.values(each.name, frame)[0] - value));
    }
  }
  return result;
}

Vector3d vector_of(const Result& result, const std::string& name, const char* prefix, std::size_t frame) {
  Vector3d v;
  for (int i = 0; i < 3; ++i) v[i] = result.values(name + "." + prefix + "xyz"[i], frame)[0];
  return v;
}

Vector3d numbers(const toml::table& of, const char* key, const Vector3d& otherwise = Vector3d::Zero()) {
  const toml::array* const array = of[key].as_array();
  if (array == nullptr) return otherwise;
  return {array->at(0).value<double>().value(), array->at(1).value<double>().value(),
          array->at(2).value<double>().value()};
}

/// Bodies and joints of a text whose bodies have points NAME_o at the mass centre, and NAME_x, NAME_y, NAME_z by 1 from
/// there along their axes.
class Bodies {
 public:
  Bodies(const std::string& text, const Result& result) : text_(toml::parse(text)), result_(result) {}

  /// Largest deviation of a body from Newton's and Euler's equations at this frame, relative to the forces.
  double deviation(std::size_t frame) const {
    double largest = 0;
    double size = 1;
    for (const auto& [key, node] : *text_["model"]["bodies"].as_table()) {
      const std::string name(key.str());
      Vector3d force = mass(name) * numbers(*text_["model"].as_table(), "gravity");
      Vector3d torque = Vector3d::Zero();
      for (const auto& [joint, entry] : *text_["model"]["joints"].as_table()) {
        add_joint(std::string(joint.str()), *entry.as_table(), name, frame, force, torque, size);
      }
      add_forces(name, frame, force, torque);
      const auto [linear, angular] = momentum_rate(name, frame);
      largest = std::max({largest, (linear - force).norm(), (angular - torque).norm()});
    }
    return largest / size;
  }

 private:
  const toml::table& body(const std::string& name) const { return *text_["model"]["bodies"][name].as_table(); }
  double mass(const std::string& name) const { return body(name)["mass"].value_or(0.0); }

  Matrix3d inertia(const std::string& name) const {
    Matrix3d result = Matrix3d::Zero();
    if (body(name)["box"].is_array()) {
      const Vector3d side = numbers(body(name), "box").cwiseAbs2();
      result.diagonal() = mass(name) / 12 * Vector3d(side[1] + side[2], side[0] + side[2], side[0] + side[1]);
      return result;
    }
    const toml::array* const stated = body(name)["inertia"].as_array();
    if (stated == nullptr) return result;
    std::array<double, 6> each{};
    for (std::size_t i = 0; i < stated->size(); ++i) each[i] = stated->at(i).value<double>().value();
    result << each[0], each[3], each[4], each[3], each[1], each[5], each[4], each[5], each[2];
    return result;
  }

  Vector3d centre(const std::string& name, std::size_t frame) const {
    return name == "world" ? Vector3d(Vector3d::Zero()) : vector_of(result_, name + "_o", "", frame);
  }
  Matrix3d rotation(const std::string& name, std::size_t frame) const {
    Matrix3d result = Matrix3d::Identity();
    if (name == "world") return result;
    for (int i = 0; i < 3; ++i) {
      result.col(i) = vector_of(result_, name + "_" + "xyz"[i], "", frame) - centre(name, frame);
    }
    return result;
  }
  Vector3d place(const std::string& name, const Vector3d& at, std::size_t frame) const {
    const Vector3d com = name == "world" ? Vector3d(Vector3d::Zero()) : numbers(body(name), "com");
    return centre(name, frame) + rotation(name, frame) * (at - com);
  }
  Vector3d velocity(const std::string& name, const Vector3d& at, std::size_t frame) const {
    if (name == "world") return Vector3d::Zero();
    return vector_of(result_, name + "_o", "v", frame) +
           spin(name, frame).cross(place(name, at, frame) - centre(name, frame));
  }
  Vector3d spin(const std::string& name, std::size_t frame) const {
    Vector3d sum = Vector3d::Zero();
    const Vector3d v = vector_of(result_, name + "_o", "v", frame);
    for (int i = 0; i < 3; ++i) {
      const std::string point = name + "_" + "xyz"[i];
      sum +=
          (vector_of(result_, point, "", frame) - centre(name, frame)).cross(vector_of(result_, point, "v", frame) - v);
    }
    return sum / 2;
  }

  void add_joint(const std::string& joint, const toml::table& entry, const std::string& name, std::size_t frame,
                 Vector3d& force, Vector3d& torque, double& size) const {
    const std::string parent = entry["parent"].value_or<std::string>("world");
    const std::string child = entry["child"].value_or<std::string>("");
    if (entry["type"].value_or<std::string>("") == "free" || (name != parent && name != child)) return;
    const toml::array* const quat = entry["quat"].as_array();
    Eigen::Quaterniond turn(1, 0, 0, 0);
    if (quat != nullptr) {
      turn = Eigen::Quaterniond(quat->at(0).value<double>().value(), quat->at(1).value<double>().value(),
                                quat->at(2).value<double>().value(), quat->at(3).value<double>().value());
    }
    const Matrix3d base = rotation(parent, frame) * turn.normalized().toRotationMatrix();
    const Vector3d exerted = base * vector_of(result_, joint, "f", frame);
    const Vector3d moment = base * vector_of(result_, joint, "t", frame);
    const Vector3d arm = place(child, numbers(entry, "child_at"), frame) - centre(name, frame);
    const double sign = name == child ? 1 : -1;
    force += sign * exerted;
    torque += sign * (moment + arm.cross(exerted));
    size = std::max({size, exerted.norm(), moment.norm()});
  }

  void add_forces(const std::string& name, std::size_t frame, Vector3d& force, Vector3d& torque) const {
    const toml::table* const forces = text_["model"]["forces"].as_table();
    if (forces == nullptr) return;
    for (const auto& [key, node] : *forces) {
      const toml::table& entry = *node.as_table();
      if (entry["body"].value_or<std::string>("") == name) {
        force += numbers(entry, "force");
        torque += numbers(entry, "torque") +
                  (place(name, numbers(entry, "at"), frame) - centre(name, frame)).cross(numbers(entry, "force"));
      }
      if (!entry["from"].is_array()) continue;
      std::array<std::string, 2> ends;
      std::array<Vector3d, 2> at;
      std::array<Vector3d, 2> v;
      for (std::size_t i = 0; i < 2; ++i) {
        const toml::array& end = *entry[i == 0 ? "from" : "to"].as_array();
        ends[i] = end.at(0).value<std::string>().value();
        const Vector3d point(end.at(1).value<double>().value(), end.at(2).value<double>().value(),
                             end.at(3).value<double>().value());
        at[i] = place(ends[i], point, frame);
        v[i] = velocity(ends[i], point, frame);
      }
      const Vector3d along = (at[1] - at[0]).normalized();
      const double tension =
          entry["stiffness"].value_or(0.0) * ((at[1] - at[0]).norm() - entry["length"].value_or(0.0)) +
          entry["damping"].value_or(0.0) * along.dot(v[1] - v[0]);
      for (std::size_t i = 0; i < 2; ++i) {
        if (ends[i] != name) continue;
        const Vector3d pull = (i == 0 ? tension : -tension) * along;
        force += pull;
        torque += (at[i] - centre(name, frame)).cross(pull);
      }
    }
  }

  std::pair<Vector3d, Vector3d> momentum_rate(const std::string& name, std::size_t frame) const {
    constexpr std::array weights = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    Vector3d linear = Vector3d::Zero();
    Vector3d angular = Vector3d::Zero();
    const double step = result_.times()[1] - result_.times()[0];
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (const bool is_after : {true, false}) {
        const std::size_t at = is_after ? frame + i + 1 : frame - i - 1;
        const double weight = (is_after ? weights[i] : -weights[i]) / step;
        const Matrix3d turn = rotation(name, at);
        linear += weight * mass(name) * vector_of(result_, name + "_o", "v", at);
        angular += weight * (turn * inertia(name) * turn.transpose() * spin(name, at));
      }
    }
    return {linear, angular};
  }

  toml::table text_;
  const Result& result_;
};

/// Adds the points of the bodies to a text.
std::string with_points(const std::string& text) {
  const toml::table parsed = toml::parse(text);
  std::string points = "[model.points]\n";
  for (const auto& [key, node] : *parsed["model"]["bodies"].as_table()) {
    const std::string name(key.str());
    const Vector3d com = numbers(*node.as_table(), "com");
    const std::array<Vector3d, 4> at = {com, com + Vector3d::UnitX(), com + Vector3d::UnitY(), com + Vector3d::UnitZ()};
    for (std::size_t i = 0; i < 4; ++i) {
      char line[256];
      std::snprintf(line, sizeof line, "%s_%c = { body = \"%s\", at = [%.17g, %.17g, %.17g] }\n", name.c_str(),
                    "oxyz"[i], name.c_str(), at[i][0], at[i][1], at[i][2]);
      points += line;
    }
  }
  return text + points;
}

void expect_balance(const std::string& text, double tolerance = 1e-8) {
  const std::string whole = with_points(text);
  const Scenario scenario = load(whole);
  const Result result = run_of(scenario, {0.08, 1e-4, 40});
  const Bodies bodies(whole, result);
  ASSERT_EQ(result.times().size(), 21U);
  for (const std::size_t frame : {4U, 10U, 16U}) EXPECT_LE(bodies.deviation(frame), tolerance) << whole;
}

/// A text in body coordinates, with the closed start of the text in joint coordinates.
std::string in_body_coordinates(const std::string& text) {
  const Scenario scenario = load(text);
  const Result result = run_of(scenario, {1e-4, 1e-4, 1});
  std::string start;
  for (const auto* variables : {&scenario.system->info.coordinates, &scenario.system->info.rates}) {
    for (const Variable& each : *variables) {
      char line[128];
      std::snprintf(line, sizeof line, "%s = %.17g\n", each.name.c_str(), result.values(each.name, 0)[0]);
      start += line;
    }
  }
  std::string changed = text.substr(0, text.find("[model.start]")) + "[model.start]\n" + start;
  const std::string name = "name = \"test\"\n";
  return changed.replace(changed.find(name), name.size(), name + "coordinates = \"body\"\n");
}

class Reactions : public testing::TestWithParam<Case> {
 protected:
  static constexpr Times ten_steps = {0.01, 1e-3, 10};
  static std::string text() { return text_of(GetParam(), GetParam().root(), GetParam().start, GetParam().coupling); }
};

TEST_P(Reactions, BalanceEachBody) { expect_balance(text()); }

TEST_P(Reactions, BalanceEachBodyInBodyCoordinates) { expect_balance(in_body_coordinates(text())); }

TEST_P(Reactions, AreAlikeInBothForms) {
  const Scenario joints = load(text());
  const Scenario bodies = load(in_body_coordinates(text()));
  EXPECT_EQ(joints.system->info.redundant_rows, bodies.system->info.redundant_rows);
  if (GetParam().name == std::string("RingOfBricard")) {
    EXPECT_EQ(joints.system->info.redundant_rows, 1);
    EXPECT_NE(joints.model->model.mechanism.find("joint reactions are not unique: 1 redundant row\n"),
              std::string::npos)
        << joints.model->model.mechanism;
  } else {
    EXPECT_LE(compare(joints, run_of(bodies, ten_steps), run_of(joints, ten_steps)).relative(), 1e-10);
  }
}

/// The interpreted core against the reference.
TEST_P(Reactions, AreAlikeOnBackends) {
  const Scenario scenario = load(text());
  const Result reference = run_of(scenario, ten_steps);
  EXPECT_LE(compare(scenario, run_of(scenario, ten_steps, Backend::cpu), reference).relative(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, Reactions, testing::ValuesIn(mechanism_cases()),
                         [](const auto& each) { return std::string(each.param.name); });

const std::string loaded = R"toml(
[model]
name = "test"
gravity = [1, -2, -9]
[model.bodies]
a = { mass = 1, com = [0.2, 0.05, -0.1], inertia = [0.03, 0.04, 0.05, 0.004, -0.002, 0.003] }
b = { mass = 0.7, com = [0.1, 0.05, -0.1], inertia = [0.03, 0.04, 0.05, 0.004, -0.002, 0.003] }
c = { mass = 0.4, com = [0.1, -0.05, 0.1], inertia = [0.02, 0.02, 0.03] }
[model.joints]
j1 = { child = "a", quat = [1, 0.2, 0, 0.1], type = "hinge", axis = [0, 1, 0], damping = 0.2, armature = 0.3 }
j2 = { parent = "a", child = "b", at = [0.4, 0, 0], child_at = [0, 0.1, 0], type = "slide", axis = [0, 1, 1], stiffness = 20, rest = 0.1 }
j3 = { parent = "b", child = "c", at = [0.1, 0, 0.2], type = "universal", axis = [1, 0, 0], axis2 = [0, 1, 0], armature = 0.1 }
[model.forces]
motor = { joint = "j1", torque = "0.3 + 0.2*sin(5*t)" }
push = { joint = "j2", force = 0.4 }
wind = { body = "b", at = [0.1, 0, 0.3], force = [0.5, 1, -2], torque = [0.1, 0, 0.2] }
spring = { from = ["world", 1, 0, 0.2], to = ["c", 0.2, 0.1, 0], stiffness = 30, length = 0.3, damping = 0.5 }
[model.start]
j1 = 0.3
j3_1 = 0.4
j1_dot = 1
j3_2_dot = -2
)toml";

TEST(LoadedMechanism, BalancesEachBodyWithMotorsSpringsAndForces) {
  expect_balance(loaded);
  expect_balance(in_body_coordinates(loaded));
}

TEST(LoadedMechanism, BalancesEachBodyOnAScrewAndUnderForcesByCoordinate) {
  std::string text = loaded;
  const std::string slide = R"(type = "slide", axis = [0, 1, 1], stiffness = 20, rest = 0.1)";
  text.replace(text.find(slide), slide.size(), R"(type = "screw", axis = [0, 0, 1], pitch = 0.05)");
  text.replace(text.find("push = "), text.find("wind = ") - text.find("push = "), "");
  expect_balance(text + "[model.force]\nj2 = 0.5\nj3_1 = \"-0.2*j3_1_dot\"\n");
}

/// Requires that two texts have the same reactions at the start.
void expect_alike(const std::string& text, const std::string& other) {
  const Reacting both = compare(load(text), step_of(other), step_of(text), 1);
  EXPECT_GT(both.size, 1);
  EXPECT_LE(both.relative(), 1e-10);
}

TEST(BodyCoordinates, TakeForcesByCoordinateAsForcesOnTheBody) {
  const std::string ball = R"(
[model]
name = "test"
coordinates = "body"
gravity = [1, -2, -9]
[model.bodies]
a = { mass = 1, com = [0.2, 0.05, -0.1], inertia = [0.03, 0.04, 0.05, 0.004, -0.002, 0.003] }
b = { mass = 0.7, com = [0.1, 0.05, -0.1], inertia = [0.03, 0.04, 0.05, 0.004, -0.002, 0.003] }
[model.joints]
j1 = { child = "a", type = "ball" }
j2 = { parent = "a", child = "b", at = [0.4, 0, 0], type = "ball" }
)";
  expect_alike(ball + "[model.force]\nb_x_dot = 5\nb_z_dot = 2\nb_wy = 3\n",
               ball + "[model.forces]\npush = { body = \"b\", force = [5, 0, 2], torque = [0, 3, 0] }\n");
  const std::string plane = R"(
[model]
name = "test"
coordinates = "body"
gravity = [0, -9, 0]
[model.bodies]
a = { mass = 1, com = [0.2, 0.05, -0.1], inertia = [0.03, 0.04, 0.05] }
b = { mass = 0.7, com = [0.1, 0.05, -0.1], inertia = [0.03, 0.04, 0.05] }
[model.joints]
j1 = { child = "a", type = "hinge", axis = [0, 0, 1] }
j2 = { parent = "a", child = "b", at = [0.4, 0, 0], type = "hinge", axis = [0, 0, 1] }
[model.start]
j1 = 0.3
)";
  expect_alike(plane + "[model.force]\nb_x = 5\nb_y = 2\nb_angle = 3\n",
               plane + "[model.forces]\npush = { body = \"b\", force = [5, 2, 0], torque = [0, 0, 3] }\n");
}

TEST(Pendulum, TransmitsItsWeightAtRest) {
  const Scenario scenario = load(R"(
[model]
name = "test"
gravity = [0, 0, "-g"]
[model.parameters]
g = "9.81 m/s^2"
m = "2 kg"
[model.bodies]
bob = { mass = "m", com = [0, 0, "-0.5 m"] }
[model.joints]
pin = { child = "bob", type = "hinge", axis = [1, 0, 0] }
[model.start]
pin = 0
)");
  EXPECT_EQ(scenario.system->info.redundant_rows, 0);
  const FieldLayout layout = field_layout(scenario.system->info, Field::joint_reactions);
  EXPECT_EQ(layout.dimension, "reaction");
  EXPECT_EQ(layout.components, (std::vector<std::string>{"pin.fx", "pin.fy", "pin.fz", "pin.tx", "pin.ty", "pin.tz"}));
  EXPECT_EQ(layout.units, (std::vector<std::string>{"N", "N", "N", "N m", "N m", "N m"}));
  for (const Backend backend : {Backend::reference, Backend::cpu}) {
    const Result result = run_of(scenario, {0.01, 1e-3, 10}, backend);
    EXPECT_NEAR((vector_of(result, "pin", "f", 0) - Vector3d(0, 0, 2 * 9.81)).norm(), 0, 1e-13);
    EXPECT_NEAR(vector_of(result, "pin", "t", 0).norm(), 0, 1e-13);
  }
}

TEST(Pendulum, TransmitsItsClosedFormInMotion) {
  const std::string text = R"(
[model]
name = "test"
gravity = [0, -9.81, 0]
[model.bodies]
bar = { mass = 1.5, com = [0.4, 0, 0.1], inertia = [0.01, 0.03, 0.03] }
[model.joints]
pin = { child = "bar", type = "hinge", axis = [0, 0, 1], damping = 0.7 }
[model.start]
pin = 0.6
pin_dot = 3
)";
  const Result result = step_of(text);
  const double m = 1.5, l = 0.4, g = 9.81, theta = 0.6, w = 3, d = 0.7, h = 0.1;
  const double acceleration = (-m * g * l * std::cos(theta) - d * w) / (0.03 + m * l * l);
  const Vector3d a(l * (-w * w * std::cos(theta) - acceleration * std::sin(theta)),
                   l * (-w * w * std::sin(theta) + acceleration * std::cos(theta)), 0);
  const Vector3d force = m * a + Vector3d(0, m * g, 0);
  EXPECT_NEAR((vector_of(result, "pin", "f", 0) - force).norm(), 0, 1e-12);
  // About the hinge the damper alone acts; across it the force acts at the height h of the mass centre.
  EXPECT_NEAR((vector_of(result, "pin", "t", 0) - Vector3d(-h * force[1], h * force[0], -d * w)).norm(), 0, 1e-12);
}

TEST(Slider, IsGuidedAcrossItsAxis) {
  const std::string text = R"(
[model]
name = "test"
gravity = [0, -9.81, 0]
[model.bodies]
cart = { mass = 2, com = [0.3, 0.2, 0], inertia = [1, 1, 1] }
[model.joints]
rail = { child = "cart", type = "slide", axis = [1, 0, 0] }
[model.forces]
motor = { joint = "rail", force = 5 }
[model.start]
rail = 0.7
)";
  const Result result = step_of(text);
  EXPECT_NEAR((vector_of(result, "rail", "f", 0) - Vector3d(5, 2 * 9.81, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((vector_of(result, "rail", "t", 0) - Vector3d(0, 0, 0.3 * 2 * 9.81 - 0.2 * 5)).norm(), 0, 1e-12);
}

const std::string hung = R"(
[model]
name = "test"
gravity = [0, -10, 0]
[model.bodies]
a = { mass = 2, com = [1, 0, 0], inertia = [0.1, 0.1, 0.1] }
[model.joints]
left = { child = "a", type = "hinge", axis = [0, 0, 1] }
[model.points]
end = { body = "a", at = [2, 0, 0] }
)";

TEST(Loops, ShareALoad) {
  const Result result = step_of(std::string(hung).replace(hung.find("[model.points]"), 0, R"(
right = { parent = "a", at = [2, 0, 0], child = "world", child_at = [2, 1, 0], type = "distance", length = 1 }
)"));
  EXPECT_NEAR((vector_of(result, "left", "f", 0) - Vector3d(0, 10, 0)).norm(), 0, 1e-12);
  // The rod carries half of the weight, and pulls the world, its child, down.
  EXPECT_NEAR((vector_of(result, "right", "f", 0) - Vector3d(0, -10, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR(vector_of(result, "right", "t", 0).norm(), 0, 1e-12);
}

TEST(Constraints, OfPointsActOnTheirBodies) {
  const std::string bodies = std::string(hung).replace(hung.find("gravity"), 0, "coordinates = \"body\"\n");
  for (const std::string& text : {hung, bodies}) {
    for (const char* held :
         {"[model.holonomic]\nheld = \"end.y = 0\"\n", "[model.nonholonomic]\nheld = \"end.vy = 0\"\n",
          "[model.holonomic]\nheld = { is = \"2*end.y = 0\", while = \"on\" }\n"
          "[model.discrete]\non = 1\n",
          "[model.unilateral]\nheld = { gap = \"end.y\" }\n"}) {
      const Result result = run_of(load(text + held), {1e-3, 1e-4, 10});
      EXPECT_NEAR((vector_of(result, "left", "f", 1) - Vector3d(0, 10, 0)).norm(), 0, 1e-9) << text << held;
      EXPECT_NEAR(vector_of(result, "left", "t", 1).norm(), 0, 1e-9) << text << held;
    }
  }
}

TEST(Constraints, OfPointsAreAlikeToJoints) {
  const std::string text = R"(
[model]
name = "test"
gravity = [1, -2, -9]
[model.bodies]
a = { mass = 1, com = [0.2, 0.05, -0.1], inertia = [0.03, 0.04, 0.05, 0.004, -0.002, 0.003] }
b = { mass = 0.7, com = [0.1, 0.05, -0.1], inertia = [0.03, 0.04, 0.05, 0.004, -0.002, 0.003] }
[model.start]
j1 = 0.4
j1_dot = 1
[model.points]
tip = { body = "b", at = [0.3, 0.1, 0] }
[model.joints]
j1 = { child = "a", type = "hinge", axis = [0, 1, 1] }
j2 = { parent = "a", child = "b", at = [0.4, 0, 0], type = "ball" }
)";
  const std::string tie = text +
                          "tie = { parent = \"b\", at = [0.3, 0.1, 0], child = \"world\", child_at = [0.9, 0, 0.3], "
                          "type = \"distance\", length = 0.5 }\n";
  const std::string constraint =
      text + "[model.holonomic]\ntie = \"(tip.x - 0.9)^2 + tip.y^2 + (tip.z - 0.3)^2 = 0.25\"\n";
  const Result expected = step_of(tie);
  EXPECT_LE(compare(load(constraint), step_of(constraint), expected).relative(), 1e-10);
  EXPECT_GT(vector_of(expected, "tie", "f", 1).norm(), 0.1);
}

TEST(Absence, IsExplained) {
  const std::string fields = "[output]\nfields = [\"q\", \"joint_reactions\"]\n";
  EXPECT_EQ(error_of(hung + fields), "");
  EXPECT_EQ(error_of(hung + "[model.unilateral]\nstop = { gap = \"left + 1\" }\n" + fields), "");
  const auto expect = [&](const std::string& text, const std::string& message) {
    EXPECT_NE(error_of(text + fields).find(message), std::string::npos) << error_of(text + fields);
  };
  expect(
      hung + "[model.let]\nheight = \"end.y\"\n[model.holonomic]\nheld = \"height = 0\"\n",
      "output.fields: test states no joint_reactions: the constraint held is of end, and its forces on the bodies are "
      "not known; write it in positions and velocities of points");
  expect("[model]\nname = \"test\"\nlagrangian = \"x_dot^2/2\"\n[model.coordinates]\nx = \"m\"\n",
         "test states no joint_reactions, which joints of a mechanism have");
  const std::string bodies = std::string(hung).replace(hung.find("gravity"), 0, "coordinates = \"body\"\n");
  expect(bodies + "[model.holonomic]\nheld = \"a_angle = 0\"\n", "the constraint held is of a_angle");
  EXPECT_EQ(error_of(bodies + fields), "");
  const std::string stated = std::string(hung).replace(hung.find("gravity"), 0, "lagrangian = \"-end.y\"\n");
  expect(stated, "the Lagrangian is of end; state its forces under [model.forces]");
}

/// More joints than the interpreted core reports: the reference takes over.
TEST(WeldedBar, FallsAsOneBodyOnEveryBackend) {
  constexpr int count = 17;
  std::string bodies;
  std::string joints = "j1 = { child = \"b1\", type = \"hinge\", axis = [0, 0, 1] }\n";
  double inertia = 0;  // about the hinge
  for (int i = 1; i <= count; ++i) {
    bodies += "b" + std::to_string(i) + " = { mass = 1, box = [0.1, 0.02, 0.02], com = [0.05, 0, 0] }\n";
    if (i > 1) {
      joints += "j" + std::to_string(i) + " = { parent = \"b" + std::to_string(i - 1) + "\", child = \"b" +
                std::to_string(i) + "\", at = [0.1, 0, 0], type = \"weld\" }\n";
    }
    inertia += std::pow(0.1 * i - 0.05, 2) + (0.1 * 0.1 + 0.02 * 0.02) / 12;
  }
  const std::string text =
      "[model]\nname = \"test\"\ngravity = [0, -10, 0]\n[model.bodies]\n" + bodies + "[model.joints]\n" + joints;
  const double weight = 10.0 * count;
  const double centre = 0.05 * count;
  const double acceleration = -weight * centre / inertia;
  for (const Backend backend : {Backend::reference, Backend::cpu}) {
    const Result result = step_of(text, backend);
    EXPECT_NEAR(vector_of(result, "j1", "f", 0)[1], weight + count * centre * acceleration, 1e-10);
    const double last = 0.1 * count - 0.05;  // distance of the last body's centre from the hinge
    EXPECT_NEAR(vector_of(result, "j17", "f", 0)[1], 10 + last * acceleration, 1e-10);
  }
}

TEST(Redundancy, OfAPlanarLoopIsThatOfItsIdleRows) {
  for (const Case& each : mechanism_cases()) {
    if (each.name != std::string("FourBar")) continue;
    EXPECT_EQ(load(text_of(each, "", each.start, "")).system->info.redundant_rows, 3);
  }
}

}  // namespace
}  // namespace kalaba::reactions
