#include "mechanism/joint_coordinates.hpp"

#include <algorithm>
#include <unordered_map>

#include "formula/graph/differentiate.hpp"
#include "formula/graph/traverse.hpp"
#include "mechanism/dynamics.hpp"

namespace kalaba::mechanism {
namespace {

using formula::Op;

/// Derivatives of an expression by the rates, with the index of each rate that it depends on.
std::vector<std::pair<int, Id>> slopes_of(formula::Graph& g, Id rate) {
  std::vector<std::pair<int, Id>> slopes;
  for (const Id symbol : formula::symbols_in(g, std::span(&rate, 1), Op::rate)) {
    slopes.emplace_back(g[symbol].index, formula::derivative(g, rate, symbol));
  }
  return slopes;
}

class JointForces {
 public:
  JointForces(Kinematics& kinematics, Dynamics& dynamics)
      : k_(kinematics), g_(kinematics.algebra.g), result_(dynamics) {}

  void add(const Joint& joint, const JointCoordinate& each) {
    const auto slopes = slopes_of(g_, each.rate);
    if (joint.damping) add_force(slopes, g_.negate(g_.multiply(*joint.damping, each.rate)));
    if (joint.armature) add_armature(slopes, *joint.armature, each.rate);
    if (!joint.stiffness || !each.value) return;
    const Id stretch = g_.subtract(*each.value, joint.rest.value_or(g_.number(0)));
    add_force(slopes, g_.negate(g_.multiply(*joint.stiffness, stretch)));
    add_energy(*joint.stiffness, stretch);
  }
  void add_motor(const JointCoordinate& each, Id value) { add_force(slopes_of(g_, each.rate), value); }

 private:
  void add_force(const std::vector<std::pair<int, Id>>& slopes, Id value) {
    for (const auto& [rate, slope] : slopes) {
      Id& force = result_.force[static_cast<std::size_t>(rate)];
      force = g_.add(force, g_.multiply(slope, value));
    }
  }

  /// Half a factor times a square.
  void add_energy(Id factor, Id of) {
    const Id square = g_.multiply(of, of);
    result_.energy = g_.add(result_.energy, g_.multiply(g_.number(0.5), g_.multiply(factor, square)));
  }

  /// The kinetic energy of the rate: its metric, and the force by the part of its derivative without w'.
  void add_armature(const std::vector<std::pair<int, Id>>& slopes, Id armature, Id rate) {
    for (const auto& [i, slope] : slopes) {
      for (const auto& [j, other] : slopes) {
        if (j > i) continue;
        Id& entry = result_.metric[static_cast<std::size_t>(i * (i + 1) / 2 + j)];
        entry = g_.add(entry, g_.multiply(armature, g_.multiply(slope, other)));
      }
    }
    add_energy(armature, rate);
    std::unordered_map<Id, Id> direction;
    const std::vector<Id> velocity = k_.coordinate_rates();
    for (std::size_t i = 0; i < velocity.size(); ++i) {
      direction[g_.symbol(Op::coordinate, static_cast<int>(i))] = velocity[i];
    }
    const Id bias = formula::Tangent(g_, std::move(direction))(rate);
    add_force(slopes, g_.negate(g_.multiply(armature, bias)));
  }

  Kinematics& k_;
  formula::Graph& g_;
  Dynamics& result_;
};

}  // namespace

std::vector<JointCoordinate> tree_coordinates(const Kinematics& kinematics, const Tree& tree) {
  std::vector<JointCoordinate> all;
  for (int i = 0; i < static_cast<int>(tree.links.size()); ++i) {
    const Link& link = tree.links[static_cast<std::size_t>(i)];
    const auto rates = static_cast<int>(kinematics.motions(i).size());
    for (int s = 0; s < rates; ++s) {
      JointCoordinate each{link.joint, std::nullopt, kinematics.rate(i, s)};
      if (link.motion != Link::Motion::ball)
        each.value = kinematics.algebra.g.symbol(Op::coordinate, link.coordinate + s);
      all.push_back(each);
    }
  }
  return all;
}

void add_joint_forces(Kinematics& kinematics, const Mechanism& mechanism,
                      const std::vector<JointCoordinate>& coordinates, Dynamics& dynamics) {
  JointForces forces(kinematics, dynamics);
  for (const JointCoordinate& each : coordinates) {
    forces.add(mechanism.joints[static_cast<std::size_t>(each.joint)], each);
    for (const JointForce& motor : mechanism.joint_forces) {
      if (motor.joint == each.joint) forces.add_motor(each, motor.value);
    }
  }
}

}  // namespace kalaba::mechanism
