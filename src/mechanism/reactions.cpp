#include "mechanism/reactions.hpp"

#include <algorithm>

namespace kalaba::mechanism {
namespace {

class Transmission {
 public:
  Transmission(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree, const Tree& joint_tree)
      : k_(kinematics), a_(kinematics.algebra), m_(mechanism), tree_(tree), joint_tree_(joint_tree) {}

  std::vector<Reaction> reactions(int stated, const Closures& closures, const ReactionInputs& inputs) {
    const Wrench none{a_.zero(), a_.zero()};
    exerted_.assign(m_.joints.size(), none);
    const std::vector<Wrench> needed = needed_wrenches(k_, m_, tree_, inputs.accelerations);
    for (const int link : tree_.link_of_body) needed_.push_back(needed[static_cast<std::size_t>(link)]);
    add_closures(closures, inputs.multipliers);
    for (auto link = joint_tree_.links.rbegin(); link != joint_tree_.links.rend(); ++link) {
      if (link->body < 0) continue;
      exert(link->joint, needed_[static_cast<std::size_t>(link->body)]);
    }
    std::vector<Reaction> result;
    for (int j = 0; j < stated; ++j) {
      if (joint(j).type != JointType::free) result.push_back(reaction(j));
    }
    return result;
  }

 private:
  const Joint& joint(int j) const { return m_.joints[static_cast<std::size_t>(j)]; }

  void add_closures(const Closures& closures, const std::vector<Id>& multipliers) {
    const std::vector<Wrench> wrenches = closure_wrenches(k_, m_, tree_, closures);
    for (const int j : joint_tree_.closures) {
      Wrench sum{a_.zero(), a_.zero()};
      for (std::size_t r = 0; r < wrenches.size(); ++r) {
        if (closures.joint[r] != j) continue;
        sum.angular = a_.add(sum.angular, a_.scale(multipliers[r], wrenches[r].angular));
        sum.linear = a_.add(sum.linear, a_.scale(multipliers[r], wrenches[r].linear));
      }
      exert(j, sum);
    }
  }

  /// Exerts a wrench, in the frame of the child, on the child of a joint, and the opposite one on its parent.
  void exert(int j, Wrench wrench) {
    exerted_[static_cast<std::size_t>(j)] = wrench;
    if (joint(j).child != world) {
      Wrench& child = needed_[static_cast<std::size_t>(joint(j).child)];
      child = {a_.subtract(child.angular, wrench.angular), a_.subtract(child.linear, wrench.linear)};
    }
    if (joint(j).parent != world) {
      const Wrench moved = in_parent(a_, wrench, pose_of_child(joint(j)));
      Wrench& parent = needed_[static_cast<std::size_t>(joint(j).parent)];
      parent = {a_.add(parent.angular, moved.angular), a_.add(parent.linear, moved.linear)};
    }
  }

  /// Pose of the child of a joint in the frame of its parent.
  Pose pose_of_child(const Joint& joint) {
    const int frame = k_.common_ancestor(joint.parent, joint.child);
    const Pose parent = k_.pose(joint.parent, frame);
    const Pose child = k_.pose(joint.child, frame);
    return {a_.multiply(a_.transpose(parent.rotation), child.rotation),
            a_.multiply_transposed(parent.rotation, a_.subtract(child.position, parent.position))};
  }

  Reaction reaction(int j) {
    const Wrench& wrench = exerted_[static_cast<std::size_t>(j)];
    const Matrix base = a_.rotation(joint(j).turn);
    const Matrix turn = pose_of_child(joint(j)).rotation;
    const auto along = [&](const Vector& x) { return a_.multiply_transposed(base, a_.multiply(turn, x)); };
    return {j, along(wrench.linear), along(a_.subtract(wrench.angular, a_.cross(joint(j).child_at, wrench.linear)))};
  }

  Kinematics& k_;
  const Algebra& a_;
  const Mechanism& m_;
  const Tree& tree_;
  const Tree& joint_tree_;
  std::vector<Wrench> needed_;   ///< by body, in its frame
  std::vector<Wrench> exerted_;  ///< by joint, on its child, in the frame of the child
};

}  // namespace

std::vector<Reaction> make_reactions(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree,
                                     const Tree& joint_tree, int stated, const Closures& closures,
                                     const ReactionInputs& inputs) {
  return Transmission(kinematics, mechanism, tree, joint_tree).reactions(stated, closures, inputs);
}

}  // namespace kalaba::mechanism
