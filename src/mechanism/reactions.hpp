#pragma once

#include <array>
#include <vector>

#include "mechanism/closures.hpp"

namespace kalaba::mechanism {

/// Force and torque that the parent of a joint exerts on its child at the point of the joint on the child, along the
/// axes of the joint's frame in the parent.
struct Reaction {
  int joint = 0;
  Vector force{};
  Vector torque{};
};

/// Inputs of the reactions: w' by rate, and the multiplier of each row of the closures.
struct ReactionInputs {
  std::vector<Id> accelerations;
  std::vector<Id> multipliers;
};

/// Reactions of the first `stated` joints that are not free. Joints that close loops exert the forces of their
/// multipliers; the joints that carry bodies, all other forces that the bodies need (recursive Newton-Euler,
/// Featherstone 2008, section 5.3). `tree`: of the coordinates; `joint_tree`: of the joints of the text.
std::vector<Reaction> make_reactions(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree,
                                     const Tree& joint_tree, int stated, const Closures& closures,
                                     const ReactionInputs& inputs);

}  // namespace kalaba::mechanism
