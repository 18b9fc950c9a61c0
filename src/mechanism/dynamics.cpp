#include "mechanism/dynamics.hpp"

#include <algorithm>

namespace kalaba::mechanism {
namespace {

using formula::Op;

/// Mass, first moment and inertia about the origin of a frame.
struct Inertia {
  Id mass;
  Vector moment;
  Matrix about_origin;
};

class Recursion {
 public:
  Recursion(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree)
      : k_(kinematics), a_(kinematics.algebra), g_(kinematics.algebra.g), m_(mechanism), tree_(tree) {
    for (const Link& link : tree.links) inertias_.push_back(inertia_of(link));
  }

  Dynamics dynamics() {
    const std::size_t n = tree_.rates.size();
    result_.force.assign(n, a_.number(0));
    result_.metric.assign(n * (n + 1) / 2, a_.number(0));
    result_.energy = a_.number(0);
    forward(std::vector<Id>(n, a_.number(0)));
    add_energy();
    add_body_forces();
    add_springs();
    backward();
    composite();
    return std::move(result_);
  }

  std::vector<Wrench> needed(const std::vector<Id>& accelerations) {
    result_.energy = a_.number(0);
    forward(accelerations);
    add_body_forces();
    add_springs();
    return std::move(forces_);
  }

 private:
  Inertia inertia_of(const Link& link) const {
    const Id none = a_.number(0);
    if (link.body < 0) return {none, a_.zero(), {a_.zero(), a_.zero(), a_.zero()}};
    const Body& body = m_.bodies[static_cast<std::size_t>(link.body)];
    const auto& [xx, yy, zz, xy, xz, yz] = body.inertia;
    const Matrix own = {Vector{xx, xy, xz}, Vector{xy, yy, yz}, Vector{xz, yz, zz}};
    return {body.mass, a_.scale(body.mass, body.com), a_.add(own, a_.scale(body.mass, spread(body.com)))};
  }

  /// |r|^2 1 - r r^T
  Matrix spread(const Vector& r) const {
    Matrix result = a_.scale(a_.number(-1), a_.outer(r, r));
    const auto square = [&](std::size_t i) { return g_.multiply(r[i], r[i]); };
    result[0][0] = g_.add(square(1), square(2));
    result[1][1] = g_.add(square(0), square(2));
    result[2][2] = g_.add(square(0), square(1));
    return result;
  }

  /// Inertia of a link in the frame of its parent.
  Inertia in_parent(const Inertia& inertia, const Pose& pose) const {
    const Vector moment = a_.multiply(pose.rotation, inertia.moment);
    const Vector& p = pose.position;
    Matrix turned = a_.multiply(a_.multiply(pose.rotation, inertia.about_origin), a_.transpose(pose.rotation));
    // The moment h adds (h p + p h) 1 - h p^T - p h^T.
    const Matrix mixed = a_.outer(moment, p);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      const std::size_t k = (i + 2) % 3;
      turned[i][i] = g_.add(turned[i][i], g_.multiply(a_.number(2), g_.add(mixed[j][j], mixed[k][k])));
      const Id off = g_.add(mixed[j][k], mixed[k][j]);
      turned[j][k] = g_.subtract(turned[j][k], off);
      turned[k][j] = turned[j][k];
    }
    return {inertia.mass, a_.add(moment, a_.scale(inertia.mass, p)), a_.add(turned, a_.scale(inertia.mass, spread(p)))};
  }

  Wrench product(const Inertia& inertia, const Twist& v) const {
    return {a_.add(a_.multiply(inertia.about_origin, v.angular), a_.cross(inertia.moment, v.linear)),
            a_.subtract(a_.scale(inertia.mass, v.linear), a_.cross(inertia.moment, v.angular))};
  }

  Wrench in_parent(const Wrench& wrench, const Pose& pose) const { return mechanism::in_parent(a_, wrench, pose); }

  Id along(const Twist& motion, const Wrench& wrench) const {
    return g_.add(a_.dot(motion.angular, wrench.angular), a_.dot(motion.linear, wrench.linear));
  }

  /// Forces that the links need to move with these w'.
  void forward(const std::vector<Id>& rates) {
    std::vector<Twist> accelerations;
    for (int i = 0; i < static_cast<int>(tree_.links.size()); ++i) {
      const Link& link = tree_.links[static_cast<std::size_t>(i)];
      const Pose& pose = k_.pose_in_parent(i);
      const Twist& v = k_.velocity(i);
      // The world accelerates against gravity.
      const Twist parent = link.parent < 0 ? Twist{a_.zero(), a_.negate(m_.gravity)}
                                           : accelerations[static_cast<std::size_t>(link.parent)];
      Twist acceleration{
          a_.multiply_transposed(pose.rotation, parent.angular),
          a_.multiply_transposed(pose.rotation, a_.add(parent.linear, a_.cross(parent.angular, pose.position)))};
      Twist joint{a_.zero(), a_.zero()};
      const auto& motions = k_.motions(i);
      for (std::size_t s = 0; s < motions.size(); ++s) {
        const Id w = k_.rate(i, static_cast<int>(s));
        joint.angular = a_.add(joint.angular, a_.scale(w, motions[s].angular));
        joint.linear = a_.add(joint.linear, a_.scale(w, motions[s].linear));
      }
      acceleration.angular = a_.add(acceleration.angular, a_.cross(v.angular, joint.angular));
      acceleration.linear =
          a_.add(acceleration.linear, a_.add(a_.cross(v.angular, joint.linear), a_.cross(v.linear, joint.angular)));
      for (std::size_t s = 0; s < motions.size(); ++s) {
        const Id rate = rates[static_cast<std::size_t>(link.rate) + s];
        acceleration.angular = a_.add(acceleration.angular, a_.scale(rate, motions[s].angular));
        acceleration.linear = a_.add(acceleration.linear, a_.scale(rate, motions[s].linear));
      }
      accelerations.push_back(acceleration);
      const Inertia& inertia = inertias_[static_cast<std::size_t>(i)];
      const Wrench momentum = product(inertia, v);
      const Wrench rate = product(inertia, acceleration);
      forces_.push_back(
          {a_.add(rate.angular, a_.add(a_.cross(v.angular, momentum.angular), a_.cross(v.linear, momentum.linear))),
           a_.add(rate.linear, a_.cross(v.angular, momentum.linear))});
    }
  }

  void add_energy() {
    Id& energy = result_.energy;
    for (int i = 0; i < static_cast<int>(tree_.links.size()); ++i) {
      const Link& link = tree_.links[static_cast<std::size_t>(i)];
      if (link.body < 0) continue;
      const Wrench momentum = product(inertias_[static_cast<std::size_t>(i)], k_.velocity(i));
      energy = g_.add(energy, g_.multiply(a_.number(0.5), along(k_.velocity(i), momentum)));
      const Body& body = m_.bodies[static_cast<std::size_t>(link.body)];
      const Id height = a_.dot(m_.gravity, k_.position(link.body, body.com));
      energy = g_.subtract(energy, g_.multiply(body.mass, height));
    }
  }

  /// Subtracts a force at a point of a body, along the axes of the world, from the force that the body needs.
  void apply(int body, const Vector& at, const Vector& force, const Vector& torque) {
    if (body == world) return;
    const Matrix rotation = k_.pose(body).rotation;
    const Vector linear = a_.multiply_transposed(rotation, force);
    const Vector angular = a_.add(a_.multiply_transposed(rotation, torque), a_.cross(at, linear));
    Wrench& needed = forces_[static_cast<std::size_t>(tree_.link_of_body[static_cast<std::size_t>(body)])];
    needed.linear = a_.subtract(needed.linear, linear);
    needed.angular = a_.subtract(needed.angular, angular);
  }

  void add_body_forces() {
    for (const BodyForce& each : m_.body_forces) apply(each.body, each.at, each.force, each.torque);
  }

  void add_springs() {
    for (const Spring& each : m_.springs) {
      const Vector gap = a_.subtract(k_.position(each.bodies[1], each.at[1]), k_.position(each.bodies[0], each.at[0]));
      const Vector speed =
          a_.subtract(k_.point_velocity(each.bodies[1], each.at[1]), k_.point_velocity(each.bodies[0], each.at[0]));
      const Id length = a_.norm(gap);
      const Vector direction = a_.scale(g_.divide(a_.number(1), length), gap);
      const Id stretch = g_.subtract(length, each.length);
      const Id tension =
          g_.add(g_.multiply(each.stiffness, stretch), g_.multiply(each.damping, a_.dot(direction, speed)));
      const Vector force = a_.scale(tension, direction);
      apply(each.bodies[0], each.at[0], force, a_.zero());
      apply(each.bodies[1], each.at[1], a_.negate(force), a_.zero());
      add_spring_energy(each.stiffness, stretch);
    }
  }

  void add_spring_energy(Id stiffness, Id stretch) {
    const Id square = g_.multiply(stretch, stretch);
    result_.energy = g_.add(result_.energy, g_.multiply(a_.number(0.5), g_.multiply(stiffness, square)));
  }

  void backward() {
    for (int i = static_cast<int>(tree_.links.size()) - 1; i >= 0; --i) {
      const Link& link = tree_.links[static_cast<std::size_t>(i)];
      const Wrench& needed = forces_[static_cast<std::size_t>(i)];
      const auto& motions = k_.motions(i);
      for (std::size_t s = 0; s < motions.size(); ++s) {
        result_.force[static_cast<std::size_t>(link.rate) + s] = g_.negate(along(motions[s], needed));
      }
      if (link.parent < 0) continue;
      const Wrench turned = in_parent(needed, k_.pose_in_parent(i));
      Wrench& parent = forces_[static_cast<std::size_t>(link.parent)];
      parent = {a_.add(parent.angular, turned.angular), a_.add(parent.linear, turned.linear)};
    }
  }

  Id& metric(int i, int j) {
    const auto [low, high] = std::minmax(i, j);
    return result_.metric[static_cast<std::size_t>(high * (high + 1) / 2 + low)];
  }

  void composite() {
    std::vector<Inertia> all = inertias_;
    for (int i = static_cast<int>(tree_.links.size()) - 1; i >= 0; --i) {
      const Link& link = tree_.links[static_cast<std::size_t>(i)];
      const Inertia& inertia = all[static_cast<std::size_t>(i)];
      const auto& motions = k_.motions(i);
      for (std::size_t s = 0; s < motions.size(); ++s) {
        Wrench momentum = product(inertia, motions[s]);
        for (std::size_t r = s; r < motions.size(); ++r) {
          metric(link.rate + static_cast<int>(s), link.rate + static_cast<int>(r)) = along(motions[r], momentum);
        }
        int below = i;
        for (int j = link.parent; j >= 0; j = tree_.links[static_cast<std::size_t>(j)].parent) {
          momentum = in_parent(momentum, k_.pose_in_parent(below));
          const auto& carried = k_.motions(j);
          for (std::size_t r = 0; r < carried.size(); ++r) {
            metric(link.rate + static_cast<int>(s),
                   tree_.links[static_cast<std::size_t>(j)].rate + static_cast<int>(r)) = along(carried[r], momentum);
          }
          below = j;
        }
        const bool moves_nothing =
            g_.is_number(metric(link.rate + static_cast<int>(s), link.rate + static_cast<int>(s)), 0);
        const Joint& joint = m_.joints[static_cast<std::size_t>(link.joint)];
        if (moves_nothing && !joint.armature) {
          throw MechanismError(MechanismError::Part::body, joint.child,
                               "has no inertia against the joint " + joint.name +
                                   "; give it a mass and an inertia, or the joint an armature");
        }
      }
      if (link.parent < 0) continue;
      Inertia& parent = all[static_cast<std::size_t>(link.parent)];
      const Inertia turned = in_parent(inertia, k_.pose_in_parent(i));
      parent = {g_.add(parent.mass, turned.mass), a_.add(parent.moment, turned.moment),
                a_.add(parent.about_origin, turned.about_origin)};
    }
  }

  Kinematics& k_;
  const Algebra& a_;
  formula::Graph& g_;
  const Mechanism& m_;
  const Tree& tree_;
  std::vector<Inertia> inertias_;
  std::vector<Wrench> forces_;
  Dynamics result_;
};

}  // namespace

Wrench in_parent(const Algebra& algebra, const Wrench& wrench, const Pose& pose) {
  const Vector linear = algebra.multiply(pose.rotation, wrench.linear);
  return {algebra.add(algebra.multiply(pose.rotation, wrench.angular), algebra.cross(pose.position, linear)), linear};
}

std::vector<Wrench> needed_wrenches(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree,
                                    const std::vector<Id>& accelerations) {
  return Recursion(kinematics, mechanism, tree).needed(accelerations);
}

Dynamics make_dynamics(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree,
                       const std::vector<JointCoordinate>& coordinates) {
  Dynamics dynamics = Recursion(kinematics, mechanism, tree).dynamics();
  add_joint_forces(kinematics, mechanism, coordinates, dynamics);
  return dynamics;
}

Dynamics make_dynamics(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree) {
  return make_dynamics(kinematics, mechanism, tree, tree_coordinates(kinematics, tree));
}

}  // namespace kalaba::mechanism
