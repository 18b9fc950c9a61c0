#pragma once

#include <string>

namespace kalaba::peers {

// MuJoCo models of the chain (in the plane x, z with z up) and of the spherical pendulum (z down), rods of 1 m, masses
// of 1 kg, RK4 with a step of 1e-3 s. Body i + 1 is mass i.

/// Masses on slide joints, in the coordinates of the problem; each rod is a tendon of given length, a constraint that
/// MuJoCo enforces by a spring: here the stiffest that is stable with this step.
std::string mjcf_slides_chain(int links);
std::string mjcf_slides_pendulum();

/// Models of the same systems in joint angles, without constraints.
std::string mjcf_joints_chain(int links);
std::string mjcf_joints_pendulum();

}  // namespace kalaba::peers
