#pragma once

#include <string>
#include <vector>

#include "mechanism/kinematics.hpp"

namespace kalaba::mechanism {

/// Lines that draw a mechanism: of each body the outline of its shape, and bones from the joint that carries it to its
/// other joints, springs and named points, and to the mass centre of a shape or of a body without any of these.
struct Skeleton {
  std::vector<Vector> points;  ///< in the world
  struct Line {
    int body = world;
    std::vector<int> points;
  };
  std::vector<Line> lines;
  struct Dot {
    std::string name;
    int body = world;
    int point = 0;
  };
  std::vector<Dot> dots;  ///< joints, then named points
};

/// `tree`: of the joints of the text, which are the first `stated` joints of the mechanism.
Skeleton make_skeleton(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree, int stated);

}  // namespace kalaba::mechanism
