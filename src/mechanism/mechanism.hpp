#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kalaba/error.hpp"
#include "mechanism/algebra.hpp"

namespace kalaba::mechanism {

/// Index of the world among bodies.
inline constexpr int world = -1;

/// Rigid body with a frame of its own.
struct Body {
  std::string name;
  Id mass = -1;
  Vector com{};                 ///< mass centre, in the body's frame
  std::array<Id, 6> inertia{};  ///< xx, yy, zz, xy, xz, yz about the mass centre, along the axes of the body's frame
  std::vector<std::vector<Vector>> outline;  ///< of its shape: lines through points of the body's frame
};

enum class JointType {
  hinge,
  slide,
  ball,
  free,
  weld,
  universal,
  cylinder,
  planar,
  screw,
  connect,   ///< one point of both bodies coincides; closes a loop only
  distance,  ///< two points keep a distance; closes a loop only
};
inline constexpr JointType joint_types[] = {JointType::hinge,    JointType::slide,   JointType::ball,
                                            JointType::free,     JointType::weld,    JointType::universal,
                                            JointType::cylinder, JointType::planar,  JointType::screw,
                                            JointType::connect,  JointType::distance};
const char* name_of(JointType type);

/// Connection of two bodies. The joint's frame is at `at` in the parent's frame, turned by `turn`; in the child's frame
/// it is at `child_at`, parallel to the axes of the child where all coordinates are zero.
struct Joint {
  std::string name;
  JointType type = JointType::hinge;
  int parent = world;
  int child = world;
  bool cut = false;  ///< closes a loop even where the tree has no other way to its child
  Vector at{};
  Vector child_at{};
  Quaternion turn{};  ///< of any length but zero
  Vector axis{};      ///< unit vector in the joint's frame; of `planar` the normal
  Vector second{};    ///< of `universal`: unit vector of the second axis, not parallel to the first
  Id pitch = -1;      ///< of `screw`: travel a turn
  Id length = -1;     ///< of `distance`
  std::optional<Id> stiffness;
  std::optional<Id> rest;
  std::optional<Id> damping;
  std::optional<Id> armature;  ///< inertia of a rotor, or mass of a slider, added to the joint's own rate
};

/// Force and torque on a body at a point of its frame; both along the axes of the world.
struct BodyForce {
  int body = world;
  Vector at{};
  Vector force{};
  Vector torque{};
};

/// Force of a motor along the only rate of a joint of the tree.
struct JointForce {
  int joint = 0;
  Id value = -1;
};

/// Spring and damper between two points.
struct Spring {
  std::array<int, 2> bodies{world, world};
  std::array<Vector, 2> at{};
  Id stiffness = -1;
  Id length = -1;
  Id damping = -1;
};

struct Point {
  std::string name;
  int body = world;
  Vector at{};
};

struct Mechanism {
  Vector gravity{};
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<BodyForce> body_forces;
  std::vector<JointForce> joint_forces;
  std::vector<Spring> springs;
  std::vector<Point> points;
};

/// Error in a mechanism: which body or joint.
class MechanismError : public Error {
 public:
  enum class Part { body, joint };
  MechanismError(Part part, int index, const std::string& message)
      : Error(ExitCode::bad_input, message), part(part), index(index) {}
  Part part;
  int index;
};

}  // namespace kalaba::mechanism
