#pragma once

#include <string>

namespace kalaba::peers {

// MuJoCo models of the chain (in the plane x, z with z up) and of the spherical pendulum (z down), rods of 1 m, masses
// of 1 kg, RK4 with a step of 1e-3 s. Body i + 1 is mass i.

/// Every mass on slides, as the problems have them, and its rod a tendon of given length: a constraint, which MuJoCo
/// keeps by a spring; here the stiffest that it takes for this step.
std::string mjcf_slides_chain(int links);
std::string mjcf_slides_pendulum();

/// The same motion in joint angles, without constraints.
std::string mjcf_joints_chain(int links);
std::string mjcf_joints_pendulum();

}  // namespace kalaba::peers
