#pragma once

#include <vector>

#include "mechanism/tree.hpp"

namespace kalaba::mechanism {

/// Position and orientation of a frame in another: x there = rotation x + position.
struct Pose {
  Matrix rotation{};
  Vector position{};
};

/// Angular velocity, and velocity of the origin of a frame (or of a point), along the axes of a stated frame.
struct Twist {
  Vector angular{};
  Vector linear{};
};

/// Positions and velocities of a mechanism as expressions of the symbols of its coordinates and rates.
class Kinematics {
 public:
  Kinematics(formula::Graph& graph, const Mechanism& mechanism, const Tree& tree);

  const Pose& pose_in_parent(int link) const { return poses_[static_cast<std::size_t>(link)]; }
  /// Velocity of the link against its parent for the rate `which` of the link equal to 1, in the link's frame.
  const std::vector<Twist>& motions(int link) const { return motions_[static_cast<std::size_t>(link)]; }
  /// Velocity of a link against the world, in its own frame.
  const Twist& velocity(int link) const { return velocities_[static_cast<std::size_t>(link)]; }
  Id rate(int link, int which) const;

  /// Pose of a body, or of the world, in the frame of a link that carries it; -1: the world.
  Pose pose(int body, int ancestor = -1);
  /// Pose of a body in the world. Bodies share the expressions of the bodies that carry them.
  Pose world_pose(int body);
  /// Orientation of a body in the world, as a unit quaternion (w, x, y, z) that is continuous in the coordinates.
  Quaternion orientation(int body);
  /// The last link that carries both bodies; -1: the world.
  int common_ancestor(int body, int other) const;

  /// Position of a point of a body in the world, and its velocity along the axes of the world.
  Vector position(int body, const Vector& at);
  Vector point_velocity(int body, const Vector& at);
  /// Angular velocity of a body along the axes of the world.
  Vector spin(int body);

  /// q' of the coordinates.
  std::vector<Id> coordinate_rates() const;

  Algebra algebra;

 private:
  int link_of(int body) const { return body == world ? -1 : tree_.link_of_body[static_cast<std::size_t>(body)]; }
  void add_link(const Link& link);

  const Mechanism& m_;
  const Tree& tree_;
  std::vector<Pose> poses_;
  std::vector<std::vector<Twist>> motions_;
  std::vector<Twist> velocities_;
  std::vector<Pose> world_poses_;         ///< by link; as many as were needed so far
  std::vector<Quaternion> orientations_;  ///< likewise
};

}  // namespace kalaba::mechanism
