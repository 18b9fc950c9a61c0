#pragma once

#include <vector>

#include "formula/graph/zero_terms.hpp"
#include "kalaba/formula/statement.hpp"
#include "mechanism/dynamics.hpp"
#include "mechanism/kinematics.hpp"

namespace kalaba::mechanism {

/// Constraints of the joints that close loops.
struct Closures {
  std::vector<formula::Equation> rows;
  std::vector<int> joint;   ///< of each row
  std::vector<int> number;  ///< of each row among those of its joint, idle ones included
  std::vector<Kind> kinds;  ///< of each row: angle (no unit), length, or quaternion (a length squared)
  std::vector<int> idle;    ///< by closure (Tree::closures): rows that no coordinate changes, which are left out
};

/// The rows are stated in the frame of the last link that carries both bodies. Rows that do not depend on the
/// coordinates, as the three of a planar loop, are left out. `about`: parameters and start, at which a row that is left
/// out must hold. Throws MechanismError where it does not.
Closures make_closures(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree,
                       const formula::TypicalValues& about);

/// Wrench that each row of the closures exerts on the child of its joint for a multiplier of 1, in the frame of the
/// child; on the parent it exerts the opposite one.
std::vector<Wrench> closure_wrenches(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree,
                                     const Closures& closures);

}  // namespace kalaba::mechanism
