#include "mechanism/body_form.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "formula/graph/differentiate.hpp"

namespace kalaba::mechanism {
namespace {

using formula::Op;
using Motion = Link::Motion;

const Joint& joint_of(const Mechanism& mechanism, int joint) {
  return mechanism.joints[static_cast<std::size_t>(joint)];
}

/// Returns true for a body that the joints of the text do not weld to the world.
bool moves(const Mechanism& mechanism, const Tree& joints, int body) {
  for (; body != world; body = joint_of(mechanism, joints.tree_joint[static_cast<std::size_t>(body)]).parent) {
    if (joint_of(mechanism, joints.tree_joint[static_cast<std::size_t>(body)]).type != JointType::weld) return true;
  }
  return false;
}

/// Angles of bodies about the normal of a plane.
class PlanarAngles {
 public:
  PlanarAngles(const Algebra& algebra, const Mechanism& mechanism, const Tree& tree, const Vector& normal)
      : a_(algebra), m_(mechanism), tree_(tree), normal_(normal) {}

  /// Turn of the frame of a joint against its parent, a number.
  double turn_of(const Joint& joint) const {
    const Vector v{joint.turn[1], joint.turn[2], joint.turn[3]};
    return 2 * std::atan2(along(v), number(joint.turn[0]));
  }
  /// 1 or -1: the sense of an axis.
  double sense(const Vector& axis) const { return along(axis) < 0 ? -1 : 1; }

  /// Angle of a body, or its rate.
  Id of(int body, Op kind) const {
    double constant = 0;
    Id angle = a_.number(0);
    int at = body == world ? -1 : tree_.link_of_body[static_cast<std::size_t>(body)];
    for (; at >= 0; at = tree_.links[static_cast<std::size_t>(at)].parent) {
      const Link& link = tree_.links[static_cast<std::size_t>(at)];
      const Joint& joint = joint_of(m_, link.joint);
      if (link.is_first) constant += turn_of(joint);
      if (link.motion != Motion::hinge) continue;
      const Vector axis = axes_of(a_, joint)[static_cast<std::size_t>(link.axis)];
      const Id own = a_.g.symbol(kind, kind == Op::rate ? link.rate : link.coordinate);
      angle = a_.g.add(a_.g.multiply(a_.number(sense(axis)), own), angle);
    }
    return kind == Op::rate || constant == 0 ? angle : a_.g.add(angle, a_.number(constant));
  }

 private:
  double number(Id id) const { return a_.g.constant(id).value_or(0); }
  double along(const Vector& v) const {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += number(v[i]) * number(normal_[i]);
    return sum;
  }

  const Algebra& a_;
  const Mechanism& m_;
  const Tree& tree_;
  const Vector& normal_;
};

/// Coordinates of joints between bodies.
class Measuring {
 public:
  Measuring(Kinematics& bodies, const Mechanism& mechanism, const Tree& tree, const std::optional<Vector>& normal)
      : k_(bodies), a_(bodies.algebra), g_(bodies.algebra.g), m_(mechanism), tree_(tree), normal_(normal) {}

  std::vector<Id> coordinates(const Joint& joint) {
    const Pose parent = k_.world_pose(joint.parent);
    const Pose child = k_.world_pose(joint.child);
    const Vector gap = a_.subtract(a_.add(child.position, a_.multiply(child.rotation, joint.child_at)),
                                   a_.add(parent.position, a_.multiply(parent.rotation, joint.at)));
    const Matrix base = a_.multiply(parent.rotation, a_.rotation(joint.turn));
    const auto along = [&](const Vector& axis) { return a_.dot(a_.multiply(base, axis), gap); };
    const std::vector<Vector> axes = axes_of(a_, joint);
    switch (joint.type) {
      case JointType::hinge:
        return {angle(joint, axes[0])};
      case JointType::slide:
        return {along(axes[0])};
      case JointType::cylinder:
        return {along(axes[0]), angle(joint, axes[0])};
      case JointType::planar:
        return {along(axes[1]), along(axes[2]), angle(joint, axes[0])};
      case JointType::universal: {
        const Matrix relative = a_.multiply(a_.transpose(base), child.rotation);
        const Id first = turn(axes[0], axes[1], a_.multiply(relative, axes[1]));
        const Id second = turn(axes[1], axes[0], a_.multiply_transposed(relative, axes[0]));
        return {first, g_.negate(second)};
      }
      default:
        return {};
    }
  }

  /// Angular velocity of the child against the parent, along the axes of the child.
  std::vector<Id> ball_rates(const Joint& joint) {
    const auto spin = [&](int body) {
      return body == world ? a_.zero() : k_.velocity(tree_.link_of_body[static_cast<std::size_t>(body)]).angular;
    };
    const Vector of_parent = a_.multiply(k_.world_pose(joint.parent).rotation, spin(joint.parent));
    const Vector turned = a_.multiply_transposed(k_.world_pose(joint.child).rotation, of_parent);
    const Vector relative = a_.subtract(spin(joint.child), turned);
    return {relative.begin(), relative.end()};
  }

  /// Rates of coordinates.
  Id rate_of(Id value) {
    std::unordered_map<Id, Id> direction;
    const std::vector<Id> velocity = k_.coordinate_rates();
    for (std::size_t i = 0; i < velocity.size(); ++i) {
      direction[g_.symbol(Op::coordinate, static_cast<int>(i))] = velocity[i];
    }
    return formula::Tangent(g_, std::move(direction))(value);
  }

 private:
  /// Angle about `axis` from the direction `from` to `to`, both seen along the axis.
  Id turn(const Vector& axis, const Vector& from, const Vector& to) {
    const Vector across = a_.subtract(from, a_.scale(a_.dot(from, axis), axis));
    return g_.binary(Op::atan2, a_.dot(axis, a_.cross(across, to)), a_.dot(across, to));
  }

  Id angle(const Joint& joint, const Vector& axis) {
    if (normal_) {
      const PlanarAngles angles(a_, m_, tree_, *normal_);
      const Id turned = g_.subtract(angles.of(joint.child, Op::coordinate), angles.of(joint.parent, Op::coordinate));
      const Id own = g_.subtract(turned, a_.number(angles.turn_of(joint)));
      return g_.multiply(a_.number(angles.sense(axis)), own);
    }
    const Quaternion relative =
        a_.multiply(conjugate(joint.turn), a_.multiply(conjugate(turn_of(joint.parent)), turn_of(joint.child)));
    const Vector v{relative[1], relative[2], relative[3]};
    return g_.multiply(a_.number(2), g_.binary(Op::atan2, a_.dot(v, axis), relative[0]));
  }

  Quaternion conjugate(const Quaternion& e) const { return {e[0], g_.negate(e[1]), g_.negate(e[2]), g_.negate(e[3])}; }

  /// Orientation of a body as a quaternion of any length.
  Quaternion turn_of(int body) {
    if (body == world) return a_.no_rotation();
    const Link& link = tree_.links[static_cast<std::size_t>(tree_.link_of_body[static_cast<std::size_t>(body)])];
    if (link.motion != Motion::ball) return k_.orientation(body);
    const auto e = [&](int i) { return g_.symbol(Op::coordinate, link.coordinate + i); };
    return {e(0), e(1), e(2), e(3)};
  }

  Kinematics& k_;
  const Algebra& a_;
  formula::Graph& g_;
  const Mechanism& m_;
  const Tree& tree_;
  const std::optional<Vector>& normal_;
};

}  // namespace

void add_body_joints(Mechanism& mechanism, const Tree& joints, const std::optional<Vector>& normal,
                     const Algebra& algebra) {
  for (int b = 0; b < static_cast<int>(mechanism.bodies.size()); ++b) {
    if (!moves(mechanism, joints, b)) continue;
    Joint own;
    own.name = mechanism.bodies[static_cast<std::size_t>(b)].name;
    own.type = normal ? JointType::planar : JointType::free;
    own.child = b;
    own.at = own.child_at = algebra.zero();
    own.turn = algebra.no_rotation();
    own.axis = normal.value_or(algebra.vector(0, 0, 1));
    own.second = algebra.vector(1, 0, 0);
    mechanism.joints.push_back(own);
  }
}

BodyStarts body_starts(Kinematics& joints, const Mechanism& mechanism, const Tree& joint_tree, const Tree& bodies,
                       const std::optional<Vector>& normal) {
  const Algebra& a = joints.algebra;
  BodyStarts starts;
  starts.coordinates.assign(bodies.coordinates.size(), a.number(0));
  starts.rates.assign(bodies.rates.size(), a.number(0));
  for (const Link& link : bodies.links) {
    if (!link.is_first || link.motion == Motion::weld) continue;
    const Joint& own = joint_of(mechanism, link.joint);
    const int b = own.child;
    const Vector position = joints.position(b, a.zero());
    const Twist& velocity = joints.velocity(joint_tree.link_of_body[static_cast<std::size_t>(b)]);
    const Vector speed = a.multiply(joints.pose(b).rotation, velocity.linear);
    const auto coordinate = [&](int i) -> Id& {
      return starts.coordinates[static_cast<std::size_t>(link.coordinate + i)];
    };
    const auto rate = [&](int i) -> Id& { return starts.rates[static_cast<std::size_t>(link.rate + i)]; };
    if (normal) {
      const PlanarAngles angles(a, mechanism, joint_tree, *normal);
      const std::vector<Vector> axes = axes_of(a, own);
      for (int i = 0; i < 2; ++i) {
        coordinate(i) = a.dot(axes[static_cast<std::size_t>(i + 1)], position);
        rate(i) = a.dot(axes[static_cast<std::size_t>(i + 1)], speed);
      }
      coordinate(2) = angles.of(b, Op::coordinate);
      rate(2) = angles.of(b, Op::rate);
      continue;
    }
    const Quaternion turn = joints.orientation(b);
    for (int i = 0; i < 3; ++i) {
      coordinate(i) = position[static_cast<std::size_t>(i)];
      rate(i) = speed[static_cast<std::size_t>(i)];
      rate(3 + i) = velocity.angular[static_cast<std::size_t>(i)];
    }
    for (int i = 0; i < 4; ++i) coordinate(3 + i) = turn[static_cast<std::size_t>(i)];
  }
  return starts;
}

std::vector<JointCoordinate> body_joint_coordinates(Kinematics& bodies, const Mechanism& mechanism,
                                                    const Tree& joint_tree, const Tree& tree,
                                                    const std::optional<Vector>& normal) {
  Measuring measuring(bodies, mechanism, tree, normal);
  std::vector<JointCoordinate> all;
  for (const Link& link : joint_tree.links) {
    if (!link.is_first || link.motion == Motion::weld) continue;
    const Joint& joint = joint_of(mechanism, link.joint);
    for (const Id value : measuring.coordinates(joint)) {
      all.push_back({link.joint, value, measuring.rate_of(value)});
    }
    if (joint.type != JointType::ball) continue;
    for (const Id rate : measuring.ball_rates(joint)) all.push_back({link.joint, std::nullopt, rate});
  }
  return all;
}

}  // namespace kalaba::mechanism
