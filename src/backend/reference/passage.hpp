#pragma once

#include <vector>

#include "backend/reference/step.hpp"

namespace kalaba::reference {

/// What is known of a member's rank, and of a singular position that it may be near.
struct RankMemory {
  int rank = -1;     ///< of A where the last step began, -1 before the first
  double speed = 0;  ///< near a singular position, the change of the least singular value that counts in a step; else 0
  long changes = 0;
  long passages = 0;
};

/// The least singular value that counts, at the nodes of a step.
struct LeastValues {
  std::vector<double> nodes;  ///< in parts of the step, rising; none where only the values matter
  std::vector<double> values;

  /// Notes in `memory` whether a singular position is within so many steps.
  void note(double steps, RankMemory& memory) const;
};

/// A step from x past or near a singular position: Milne's open formula over the extrapolated midpoint rule, every
/// stage put on the constraints; the rates at both ends have no weight. `seen` receives the least values.
Step pass(const MechanicalModel& model, const Method& method, const RankMemory& memory, const Instant& x, double dt,
          double end_time, LeastValues& seen);

/// Where to split such a step, so that no stage with a weight is within an eighth of a step from the position; 0: not.
double split(const LeastValues& seen);

}  // namespace kalaba::reference
