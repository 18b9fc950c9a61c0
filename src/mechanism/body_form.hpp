#pragma once

#include <optional>
#include <vector>

#include "mechanism/joint_coordinates.hpp"

namespace kalaba::mechanism {

/// Body coordinates: each moving body has a joint of its own behind the joints of the text, free or in a plane, and the
/// joints of the text constrain the bodies.

/// Adds the joints of the bodies that move, in the plane with this normal (of the world) or in space. `joints`: tree of
/// the joints of the text.
void add_body_joints(Mechanism& mechanism, const Tree& joints, const std::optional<Vector>& normal,
                     const Algebra& algebra);

/// Starts of the bodies as expressions of the coordinates and rates of the joints.
struct BodyStarts {
  std::vector<Id> coordinates;
  std::vector<Id> rates;
};

/// `joints`: kinematics and tree of the joints of the text. `bodies`: tree of body coordinates.
BodyStarts body_starts(Kinematics& joints, const Mechanism& mechanism, const Tree& joint_tree, const Tree& bodies,
                       const std::optional<Vector>& normal);

/// Coordinates of the joints of the tree `joint_tree`, as expressions of the coordinates of bodies. The angle of a
/// hinge in space is between minus and plus one turn, the angles of a universal joint half a turn.
std::vector<JointCoordinate> body_joint_coordinates(Kinematics& bodies, const Mechanism& mechanism,
                                                    const Tree& joint_tree, const Tree& tree,
                                                    const std::optional<Vector>& normal);

}  // namespace kalaba::mechanism
