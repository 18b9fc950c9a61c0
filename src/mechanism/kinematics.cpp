#include "mechanism/kinematics.hpp"

#include <algorithm>
#include <numbers>

namespace kalaba::mechanism {

using formula::Op;
using Motion = Link::Motion;

Kinematics::Kinematics(formula::Graph& graph, const Mechanism& mechanism, const Tree& tree)
    : algebra(graph), m_(mechanism), tree_(tree) {
  for (const Link& link : tree.links) add_link(link);
}

Id Kinematics::rate(int link, int which) const {
  return algebra.g.symbol(Op::rate, tree_.links[static_cast<std::size_t>(link)].rate + which);
}

void Kinematics::add_link(const Link& link) {
  const Algebra& a = algebra;
  const Joint& joint = m_.joints[static_cast<std::size_t>(link.joint)];
  const Matrix turn = link.is_first ? a.rotation(joint.turn) : a.identity();
  const Vector end = link.is_last ? joint.child_at : a.zero();  // the joint's point in the link's frame
  const auto coordinate = [&](int i) { return a.g.symbol(Op::coordinate, link.coordinate + i); };
  const std::vector<Vector> axes = axes_of(a, joint);
  const Vector axis =
      link.motion == Motion::weld || link.motion == Motion::ball ? a.zero() : axes[static_cast<std::size_t>(link.axis)];
  Pose pose{turn, link.is_first ? joint.at : a.zero()};
  std::vector<Twist> motions;
  const auto turning = [&](const Vector& about) { return Twist{about, a.cross(end, about)}; };
  switch (link.motion) {
    case Motion::weld:
      break;
    case Motion::hinge:
      pose.rotation = a.multiply(turn, a.rotation(axis, coordinate(0)));
      motions.push_back(turning(axis));
      break;
    case Motion::slide:
      pose.position = a.add(pose.position, a.multiply(turn, a.scale(coordinate(0), axis)));
      motions.push_back({a.zero(), axis});
      break;
    case Motion::screw: {
      const Id travel = a.g.divide(joint.pitch, a.number(2 * std::numbers::pi));  // a radian
      pose.rotation = a.multiply(turn, a.rotation(axis, coordinate(0)));
      pose.position = a.add(pose.position, a.multiply(turn, a.scale(a.g.multiply(travel, coordinate(0)), axis)));
      Twist twist = turning(axis);
      twist.linear = a.add(twist.linear, a.scale(travel, axis));
      motions.push_back(twist);
      break;
    }
    case Motion::ball: {
      const Quaternion e{coordinate(0), coordinate(1), coordinate(2), coordinate(3)};
      pose.rotation = a.multiply(turn, a.rotation(e));
      for (const Vector& each : a.identity()) motions.push_back(turning(each));
      break;
    }
  }
  pose.position = a.subtract(pose.position, a.multiply(pose.rotation, end));

  Twist velocity{a.zero(), a.zero()};
  if (link.parent >= 0) {
    const Twist& parent = velocities_[static_cast<std::size_t>(link.parent)];
    velocity.angular = a.multiply_transposed(pose.rotation, parent.angular);
    velocity.linear =
        a.multiply_transposed(pose.rotation, a.add(parent.linear, a.cross(parent.angular, pose.position)));
  }
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const Id w = a.g.symbol(Op::rate, link.rate + static_cast<int>(i));
    velocity.angular = a.add(velocity.angular, a.scale(w, motions[i].angular));
    velocity.linear = a.add(velocity.linear, a.scale(w, motions[i].linear));
  }
  poses_.push_back(pose);
  motions_.push_back(std::move(motions));
  velocities_.push_back(velocity);
}

Pose Kinematics::pose(int body, int ancestor) {
  Pose result{algebra.identity(), algebra.zero()};
  for (int link = link_of(body); link != ancestor; link = tree_.links[static_cast<std::size_t>(link)].parent) {
    const Pose& step = poses_[static_cast<std::size_t>(link)];
    result.position = algebra.add(step.position, algebra.multiply(step.rotation, result.position));
    result.rotation = algebra.multiply(step.rotation, result.rotation);
  }
  return result;
}

Pose Kinematics::world_pose(int body) {
  const int last = link_of(body);
  for (int link = static_cast<int>(world_poses_.size()); link <= last; ++link) {
    const int parent = tree_.links[static_cast<std::size_t>(link)].parent;
    const Pose& step = poses_[static_cast<std::size_t>(link)];
    if (parent < 0) {
      world_poses_.push_back(step);
      continue;
    }
    const Pose& base = world_poses_[static_cast<std::size_t>(parent)];
    world_poses_.push_back({algebra.multiply(base.rotation, step.rotation),
                            algebra.add(base.position, algebra.multiply(base.rotation, step.position))});
  }
  return last < 0 ? Pose{algebra.identity(), algebra.zero()} : world_poses_[static_cast<std::size_t>(last)];
}

Quaternion Kinematics::orientation(int body) {
  const int last = link_of(body);
  for (int i = static_cast<int>(orientations_.size()); i <= last; ++i) {
    const Link& link = tree_.links[static_cast<std::size_t>(i)];
    const Joint& joint = m_.joints[static_cast<std::size_t>(link.joint)];
    Quaternion turn = link.is_first ? algebra.unit(joint.turn) : algebra.no_rotation();
    const auto coordinate = [&](int which) { return algebra.g.symbol(Op::coordinate, link.coordinate + which); };
    if (link.motion == Motion::hinge || link.motion == Motion::screw) {
      const Vector axis = axes_of(algebra, joint)[static_cast<std::size_t>(link.axis)];
      turn = algebra.multiply(turn, algebra.quaternion(axis, coordinate(0)));
    } else if (link.motion == Motion::ball) {
      turn = algebra.multiply(turn, algebra.unit({coordinate(0), coordinate(1), coordinate(2), coordinate(3)}));
    }
    if (link.parent >= 0) turn = algebra.multiply(orientations_[static_cast<std::size_t>(link.parent)], turn);
    orientations_.push_back(turn);
  }
  return last < 0 ? algebra.no_rotation() : orientations_[static_cast<std::size_t>(last)];
}

int Kinematics::common_ancestor(int body, int other) const {
  std::vector<int> carriers;
  for (int link = link_of(body); link >= 0; link = tree_.links[static_cast<std::size_t>(link)].parent) {
    carriers.push_back(link);
  }
  for (int link = link_of(other); link >= 0; link = tree_.links[static_cast<std::size_t>(link)].parent) {
    if (std::ranges::find(carriers, link) != carriers.end()) return link;
  }
  return -1;
}

Vector Kinematics::position(int body, const Vector& at) {
  if (body == world) return at;
  const Pose there = pose(body);
  return algebra.add(there.position, algebra.multiply(there.rotation, at));
}

Vector Kinematics::point_velocity(int body, const Vector& at) {
  if (body == world) return algebra.zero();
  const Twist& v = velocity(link_of(body));
  return algebra.multiply(pose(body).rotation, algebra.add(v.linear, algebra.cross(v.angular, at)));
}

Vector Kinematics::spin(int body) {
  return body == world ? algebra.zero() : algebra.multiply(pose(body).rotation, velocity(link_of(body)).angular);
}

std::vector<Id> Kinematics::coordinate_rates() const {
  formula::Graph& g = algebra.g;
  std::vector<Id> result;
  for (const Link& link : tree_.links) {
    const auto w = [&](int i) { return g.symbol(Op::rate, link.rate + i); };
    if (link.motion == Motion::weld) continue;
    if (link.motion != Motion::ball) {
      result.push_back(w(0));
      continue;
    }
    // e' = e w / 2, w along the axes of the body
    const auto e = [&](int i) { return g.symbol(Op::coordinate, link.coordinate + i); };
    const auto half = [&](Id x, Id y, Id z) { return g.multiply(g.number(0.5), g.add(g.add(x, y), z)); };
    const auto product = [&](int i, int j) { return g.multiply(e(i), w(j)); };
    const auto minus = [&](int i, int j) { return g.negate(product(i, j)); };
    result.push_back(half(minus(1, 0), minus(2, 1), minus(3, 2)));
    result.push_back(half(product(0, 0), product(2, 2), minus(3, 1)));
    result.push_back(half(product(0, 1), product(3, 0), minus(1, 2)));
    result.push_back(half(product(0, 2), product(1, 1), minus(2, 0)));
  }
  return result;
}

}  // namespace kalaba::mechanism
