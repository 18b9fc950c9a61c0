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

/// The least singular value that counts, at the nodes of a step up to one that lies in a singular position: later
/// stages start from its rate, and their values mean nothing.
class LeastValues {
 public:
  /// `node` in parts of the step, rising.
  void add(double node, double value);
  /// Where the nodes do not matter.
  void add(double value);

  /// Whether the value goes through zero in the step, as far as is known.
  bool crosses() const;
  /// Where to split a step made by `pass`, so that no stage with a weight is within an eighth of a step from the
  /// position; 0: not.
  double split() const;

  /// Notes in `memory` whether a singular position is within so many steps.
  void note(double steps, RankMemory& memory) const;

 private:
  double change() const;    ///< between two values
  double steepest() const;  ///< change from one node to the next, in a step's length

  std::vector<double> nodes_;
  std::vector<double> values_;
  bool clear_ = true;
};

/// A step from x past or near a singular position: Milne's open formula over the extrapolated midpoint rule, every
/// stage put on the constraints; the rates at both ends have no weight. `seen` receives the least values.
Step pass(const MechanicalModel& model, const Method& method, const RankMemory& memory, const Instant& x, double dt,
          double end_time, LeastValues& seen);

}  // namespace kalaba::reference
