#pragma once

#include <string>
#include <vector>

#include "problem.hpp"

namespace kalaba::peers {

/// A MuJoCo model of a problem: the chain (in the plane x, z with z up) or the spherical pendulum (z down), rods of 1
/// m, masses of 1 kg, steps of 1e-3 s. Body i + 1 is mass i.
struct MujocoModel {
  /// Start of a member in the coordinates of the model.
  struct Start {
    std::vector<double> position, velocity;
  };

  std::string text;       ///< MJCF, by RK4
  std::vector<int> axes;  ///< indices in (x, y, z) of a mass of the problem's coordinates, in their order
  /// Computes the start from the problem's coordinates and rates.
  Start (*translate)(const std::vector<double>& q, const std::vector<double>& w);
  double tolerance;  ///< m: largest distance of its results

  /// Starts of all members.
  std::vector<Start> starts(const bench::Problem& problem) const;
};

/// Masses on slide joints, in the coordinates of the problem; each rod is a tendon of given length, a constraint that
/// MuJoCo enforces by a spring: here the stiffest that is stable with this step.
MujocoModel slides_chain(int links);
MujocoModel slides_pendulum();

/// Models of the same systems in joint angles, without constraints.
MujocoModel joints_chain(int links);
MujocoModel joints_pendulum();

}  // namespace kalaba::peers
