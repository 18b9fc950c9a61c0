// Mechanisms in joint coordinates against the same bodies with a free joint each, which all joints constrain: poses
// agree.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "kalaba/ensemble.hpp"
#include "kalaba/run.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {
namespace {

const std::vector<System> none;

struct Case {
  const char* name;
  std::vector<std::string> bodies;  ///< name = { keys }
  const char* joints;
  const char* start;                    ///< of the joints
  const char* coupling = "";            ///< in coordinates of joints
  const char* coupling_of_bodies = "";  ///< coupling in coordinates of bodies
};

std::ostream& operator<<(std::ostream& out, const Case& each) { return out << each.name; }

std::string name_of(const std::string& body) { return body.substr(0, body.find(' ')); }

std::string text_of(const Case& each, const std::string& free_joints, const std::string& start,
                    const std::string& coupling, const std::string& words = "") {
  std::string text = "[model]\nname = \"test\"\ngravity = [2, -9, -3]\nposes = \"all\"\n" + words + "[model.bodies]\n";
  for (const std::string& body : each.bodies) text += body + '\n';
  text += "[model.joints]\n" + free_joints + each.joints;
  if (!coupling.empty()) text += "[model.couplings]\ngear = \"" + coupling + "\"\n";
  return text + "[model.start]\n" + start;
}

using Values = std::map<std::string, double>;

/// Poses, coordinates and energy at the first time and at the end.
std::pair<Values, Values> run_of(const std::string& text) {
  const Scenario scenario = load_scenario_text(text, "model.toml", {}, none);
  Options options = scenario.options;
  options.backend = Backend::reference;
  options.method.integrator = Integrator::dop853;
  options.method.relative_tolerance = 1e-13;
  options.method.absolute_tolerance = 1e-14;
  options.time.end = 0.5;
  options.time.dt = 1e-2;
  options.time.save_every = 50;
  options.fields = {Field::q, Field::energy, Field::invariants};
  const Result result = run(Ensemble(*scenario.system, 1), options);
  EXPECT_EQ(result.summary.failed(), 0) << text;
  std::pair<Values, Values> found;
  std::vector<std::string> names = {"energy"};
  for (const Variable& each : scenario.system->info.invariants) names.push_back(each.name);
  for (const Variable& each : scenario.system->info.coordinates) names.push_back(each.name);
  for (const std::string& name : names) {
    found.first[name] = result.values(name, 0)[0];
    found.second[name] = result.values(name, result.times().size() - 1)[0];
  }
  return found;
}

class Forms : public testing::TestWithParam<Case> {};

TEST_P(Forms, MoveAlike) {
  const Case& each = GetParam();
  const auto [first, last] = run_of(
      text_of(each, each.name == std::string("FloatingBase") ? "root = { child = \"a\", type = \"free\" }\n" : "",
              each.start, each.coupling));
  std::string free_joints;
  std::string start;
  for (const std::string& body : each.bodies) {
    const std::string name = name_of(body);
    free_joints += "f_" + name + " = { child = \"" + name + "\", type = \"free\" }\n";
    for (const char* part : {"x", "y", "z", "e0", "e1", "e2", "e3"}) {
      char line[64];
      std::snprintf(line, sizeof line, "f_%s_%s = %.17g\n", name.c_str(), part, first.at(name + '.' + part));
      start += line;
    }
  }
  const auto [first_of_bodies, last_of_bodies] = run_of(text_of(each, free_joints, start, each.coupling_of_bodies));
  double moved = 0;
  for (const auto& [name, value] : last) {
    if (name != "energy" && name.find('.') == std::string::npos) continue;
    const double scale = name == "energy" ? 1 + std::abs(value) : 1;
    EXPECT_NEAR(last_of_bodies.at(name), value, 1e-10 * scale) << name;
    if (name != "energy") moved = std::max(moved, std::abs(value - first.at(name)));
  }
  EXPECT_GT(moved, 0.02);
  EXPECT_NEAR(last.at("energy"), first.at("energy"), 1e-10 * (1 + std::abs(first.at("energy"))));
}

/// The text of the joints with coordinates = "body".
TEST_P(Forms, MoveAlikeInBodyCoordinates) {
  const Case& each = GetParam();
  const std::string root =
      each.name == std::string("FloatingBase") ? "root = { child = \"a\", type = \"free\" }\n" : "";
  const auto [first, last] = run_of(text_of(each, root, each.start, each.coupling));
  std::string start;  // at which the loops are closed
  for (const auto& [name, value] : first) {
    if (name == "energy" || name.find('.') != std::string::npos) continue;
    char line[64];
    std::snprintf(line, sizeof line, "%s = %.17g\n", name.c_str(), value);
    start += line;
  }
  const std::string text = text_of(each, root, start, each.coupling, "coordinates = \"body\"\n");
  const auto [first_of_bodies, last_of_bodies] = run_of(text);
  int compared = 0;
  for (const auto& [name, value] : last) {
    const auto found = last_of_bodies.find(name);
    if (found == last_of_bodies.end()) continue;
    ++compared;
    EXPECT_NEAR(found->second, value, 1e-10 * (name == "energy" ? 1 + std::abs(value) : 1)) << name;
    EXPECT_NEAR(first_of_bodies.at(name), first.at(name), 1e-12) << name;
  }
  EXPECT_GE(compared, 7 * static_cast<int>(each.bodies.size()) + 1);
}

const std::string inertia = "com = [0.2, 0.05, -0.1], inertia = [0.03, 0.04, 0.05, 0.004, -0.002, 0.003]";
const std::string a = "a = { mass = 1, " + inertia + " }";
const std::string b = "b = { mass = 0.7, " + inertia + " }";
const std::string c = "c = { mass = 0.5, " + inertia + " }";
const std::string d = "d = { mass = 0.4, " + inertia + " }";
const std::string e = "e = { mass = 0.6, " + inertia + " }";

const std::vector<Case> cases = {
    {"Hinges",
     {a, b},
     R"(j1 = { child = "a", type = "hinge", axis = [1, 1, 0] }
j2 = { parent = "a", child = "b", at = [0.4, 0, 0], quat = [1, 0.3, 0, 0.2], type = "hinge", axis = [0, 1, 1] }
)",
     "j1 = 0.3\nj2 = -0.5\n"},
    {"SlideAndHinge",
     {a, b},
     R"(j1 = { child = "a", quat = [1, 0, 0.5, 0], type = "slide", axis = [1, 2, 0] }
j2 = { parent = "a", child = "b", at = [0.1, 0, 0.2], child_at = [0, 0.1, 0], type = "hinge", axis = [0, 1, 1] }
)",
     "j1 = 0.1\nj2 = 0.5\n"},
    {"Balls",
     {a, b},
     R"(j1 = { child = "a", type = "ball" }
j2 = { parent = "a", child = "b", at = [0.3, 0.1, 0], child_at = [-0.1, 0, 0], type = "ball" }
)",
     "j1_e1 = 0.2\nj1_e0 = 0.9797958971132712\n"},
    {"UniversalAndHinge",
     {a, b},
     R"(j1 = { child = "a", type = "universal", axis = [1, 0, 0], axis2 = [0, 1, 0] }
j2 = { parent = "a", child = "b", at = [0.3, 0, 0], type = "hinge", axis = [0, 0, 1] }
)",
     "j1_1 = 0.2\nj1_2 = -0.3\n"},
    {"CylinderAndSlide",
     {a, b},
     R"(j1 = { child = "a", type = "cylinder", axis = [1, 1, 1] }
j2 = { parent = "a", child = "b", at = [0.3, 0, 0], quat = [1, 1, 0, 0], type = "slide", axis = [0, 1, 1] }
)",
     "j1_angle = 0.2\n"},
    {"PlanarAndBall",
     {a, b},
     R"(j1 = { child = "a", quat = [1, 0.2, 0, 0], type = "planar", axis = [0, 1, 1] }
j2 = { parent = "a", child = "b", at = [0.3, 0, 0], type = "ball" }
)",
     "j1_angle = 0.4\n"},
    {"Weld",
     {a, b, c},
     R"(j1 = { child = "a", type = "hinge", axis = [0, 0, 1] }
j2 = { parent = "a", child = "b", at = [0.3, 0, 0], quat = [1, 0.4, 0, 0.1], type = "weld" }
j3 = { parent = "b", child = "c", at = [0.2, 0, 0.1], type = "ball" }
)",
     "j1 = 0.4\n"},
    {"Branches",
     {a, b, c, d},
     R"(j1 = { child = "a", type = "hinge", axis = [0, 1, 0] }
j2 = { parent = "a", child = "b", at = [0.3, 0, 0], type = "hinge", axis = [0, 0, 1] }
j3 = { parent = "a", child = "c", at = [0, 0.3, 0], type = "ball" }
j4 = { parent = "b", child = "d", at = [0, 0, 0.3], type = "slide", axis = [1, 0, 1] }
)",
     "j1 = 0.4\nj2 = 0.2\n"},
    {"FloatingBase",
     {a, b, c},
     R"(j2 = { parent = "a", child = "b", at = [0.3, 0, 0], type = "hinge", axis = [0, 0, 1] }
j3 = { parent = "a", child = "c", at = [-0.3, 0, 0], type = "universal", axis = [0, 1, 0], axis2 = [1, 0, 0] }
)",
     "root_e2 = 0.6\nroot_e0 = 0.8\nj2 = 1\n"},
    {"FourBar",
     {"a = { mass = 0.2, box = [0.1, 0.02, 0.04], com = [0.05, 0, 0] }",
      "b = { mass = 0.5, box = [0.3, 0.02, 0.04], com = [0.15, 0, 0] }",
      "c = { mass = 0.4, box = [0.25, 0.02, 0.04], com = [0.125, 0, 0] }"},
     R"(pin = { child = "a", type = "hinge", axis = [0, 0, 1] }
elbow = { parent = "a", child = "b", at = [0.1, 0, 0], type = "hinge", axis = [0, 0, 1] }
base = { child = "c", at = [0.3, 0, 0], type = "hinge", axis = [0, 0, 1] }
tip = { parent = "b", at = [0.3, 0, 0], child = "c", child_at = [0.25, 0, 0], type = "hinge", axis = [0, 0, 1] }
)",
     "pin = 1.5\nbase = 2\n"},
    {"CrankAndSlider",
     {"a = { mass = 0.2, box = [0.1, 0.02, 0.04], com = [0.05, 0, 0] }",
      "b = { mass = 0.5, box = [0.3, 0.02, 0.04], com = [0.15, 0, 0] }",
      "c = { mass = 0.4, box = [0.05, 0.04, 0.03] }"},
     R"(pin = { child = "a", type = "hinge", axis = [0, 0, 1] }
elbow = { parent = "a", child = "b", at = [0.1, 0, 0], type = "hinge", axis = [0, 0, 1] }
wrist = { parent = "b", child = "c", at = [0.3, 0, 0], type = "hinge", axis = [0, 0, 1] }
rail = { child = "c", type = "slide", axis = [1, 0, 0] }
)",
     "pin = 1.2\nelbow = -1.5\n"},
    {"SpatialLoop",
     {a, "b = { mass = 0.5, com = [0.25, 0, 0], inertia = [0.002, 0.01, 0.01] }", c},
     R"(j1 = { child = "a", type = "hinge", axis = [0, 0, 1] }
j2 = { parent = "a", child = "b", at = [0.2, 0, 0], type = "ball" }
j3 = { child = "c", at = [0.5, 0, 0], type = "hinge", axis = [1, 0, 0] }
j4 = { parent = "b", at = [0.5, 0, 0], child = "c", child_at = [0, 0.3, 0], type = "ball" }
)",
     "j1 = 0.5\nj3 = 0.3\n"},
    {"RingOfBricard",
     {"a = { mass = 1, box = [1, 0.02, 0.04], com = [0.5, 0, 0] }",
      "b = { mass = 1, box = [0.03, 1, 0.04], com = [0, 0.5, 0] }",
      "c = { mass = 1, box = [0.03, 0.02, 1], com = [0, 0, 0.5] }",
      "d = { mass = 1, box = [1, 0.02, 0.04], com = [-0.5, 0, 0] }",
      "e = { mass = 1, box = [0.03, 1, 0.04], com = [0, -0.5, 0] }"},
     R"(j1 = { child = "a", type = "hinge", axis = [0, 1, 0] }
j2 = { parent = "a", child = "b", at = [1, 0, 0], type = "hinge", axis = [0, 0, 1] }
j3 = { parent = "b", child = "c", at = [0, 1, 0], type = "hinge", axis = [1, 0, 0] }
j4 = { parent = "c", child = "d", at = [0, 0, 1], type = "hinge", axis = [0, 1, 0] }
j5 = { parent = "d", child = "e", at = [-1, 0, 0], type = "hinge", axis = [0, 0, 1] }
j6 = { parent = "e", at = [0, -1, 0], child = "world", child_at = [0, 0, 1], type = "hinge", axis = [1, 0, 0] }
)",
     ""},
    {"Gear",
     {"a = { mass = 1, com = [0.2, 0, 0], inertia = [0.1, 0.1, 0.1] }",
      "b = { mass = 0.5, com = [0.1, 0, 0], inertia = [0.1, 0.1, 0.1] }"},
     R"(j1 = { child = "a", type = "hinge", axis = [0, 0, 1] }
j2 = { child = "b", at = [0.5, 0, 0], type = "hinge", axis = [0, 0, 1] }
)",
     "j1 = 0.3\nj2 = -0.6\n",
     "j2 = -2*j1",
     "atan2(f_b_e3, f_b_e0) = -2*atan2(f_a_e3, f_a_e0)"},
    {"Tie",
     {a, b},
     R"(j1 = { child = "a", type = "hinge", axis = [0, 0, 1] }
j2 = { child = "b", at = [0.5, 0, 0], type = "ball" }
tie = { parent = "a", at = [0.3, 0, 0], child = "b", child_at = [0, 0.2, 0], type = "distance", length = 0.4 }
)",
     "j1 = 0.3\n"},
};

INSTANTIATE_TEST_SUITE_P(Mechanisms, Forms, testing::ValuesIn(cases),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace kalaba
