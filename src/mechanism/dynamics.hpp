#pragma once

#include <vector>

#include "mechanism/joint_coordinates.hpp"

namespace kalaba::mechanism {

/// Terms of G w' = F of the tree of a mechanism, closures left out, and its energy.
struct Dynamics {
  std::vector<Id> metric;  ///< lower triangle by rows, n (n + 1) / 2
  std::vector<Id> force;   ///< [n]: gravity, inertia, springs, dampers, motors
  Id energy = -1;          ///< kinetic, gravity and springs
};

/// Momentum, or force: linear, and angular about the origin of a frame, along the axes of the frame.
struct Wrench {
  Vector angular{};
  Vector linear{};
};
/// Wrench of a frame, in the frame in which it has this pose.
Wrench in_parent(const Algebra& algebra, const Wrench& wrench, const Pose& pose);

/// Composite bodies for the metric (Featherstone 2008, section 6.2), recursive Newton-Euler for the force (section
/// 5.3), over nodes of the graph. Throws MechanismError for a joint that moves no mass.
/// `coordinates`: of the joints, along which their stiffness, damping, armature and motors act; default: of the tree.
Dynamics make_dynamics(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree,
                       const std::vector<JointCoordinate>& coordinates);
Dynamics make_dynamics(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree);

/// Wrenches that the links need for w' besides gravity, body forces and springs, each in the frame of its link: the
/// wrenches that joints exert on them. `accelerations`: w' by rate.
std::vector<Wrench> needed_wrenches(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree,
                                    const std::vector<Id>& accelerations);

}  // namespace kalaba::mechanism
