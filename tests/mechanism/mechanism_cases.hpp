#pragma once

#include <ostream>
#include <string>
#include <vector>

// Mechanisms of every kind of joint, with loops, branches and couplings.

namespace kalaba {

struct Case {
  const char* name;
  std::vector<std::string> bodies;  ///< name = { keys }
  const char* joints;
  const char* start;                    ///< of the joints
  const char* coupling = "";            ///< in coordinates of joints
  const char* coupling_of_bodies = "";  ///< coupling in coordinates of bodies

  /// The joint that carries the first body freely, if no other does.
  std::string root() const {
    return name == std::string("FloatingBase") ? "root = { child = \"a\", type = \"free\" }\n" : "";
  }
};

inline std::ostream& operator<<(std::ostream& out, const Case& each) { return out << each.name; }

inline std::string name_of(const std::string& body) { return body.substr(0, body.find(' ')); }

inline std::string text_of(const Case& each, const std::string& free_joints, const std::string& start,
                           const std::string& coupling, const std::string& words = "") {
  std::string text = "[model]\nname = \"test\"\ngravity = [2, -9, -3]\nposes = \"all\"\n" + words + "[model.bodies]\n";
  for (const std::string& body : each.bodies) text += body + '\n';
  text += "[model.joints]\n" + free_joints + each.joints;
  if (!coupling.empty()) text += "[model.couplings]\ngear = \"" + coupling + "\"\n";
  return text + "[model.start]\n" + start;
}

inline std::vector<Case> mechanism_cases() {
  const std::string inertia = "com = [0.2, 0.05, -0.1], inertia = [0.03, 0.04, 0.05, 0.004, -0.002, 0.003]";
  const std::string a = "a = { mass = 1, " + inertia + " }";
  const std::string b = "b = { mass = 0.7, " + inertia + " }";
  const std::string c = "c = { mass = 0.5, " + inertia + " }";
  const std::string d = "d = { mass = 0.4, " + inertia + " }";
  const std::string e = "e = { mass = 0.6, " + inertia + " }";
  return {
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
}

}  // namespace kalaba
