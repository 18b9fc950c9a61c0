#pragma once

#include <optional>
#include <vector>

#include "mechanism/kinematics.hpp"

namespace kalaba::mechanism {

struct Dynamics;

/// Coordinate of a joint and its rate, as expressions of the state. A ball has three rates without coordinates.
struct JointCoordinate {
  int joint = 0;
  std::optional<Id> value;
  Id rate = -1;
};

/// Coordinates of the joints of a tree: the symbols of its links, in their order.
std::vector<JointCoordinate> tree_coordinates(const Kinematics& kinematics, const Tree& tree);

/// Adds stiffness, damping, armature and motors of joints, which act along their rates.
void add_joint_forces(Kinematics& kinematics, const Mechanism& mechanism,
                      const std::vector<JointCoordinate>& coordinates, Dynamics& dynamics);

}  // namespace kalaba::mechanism
