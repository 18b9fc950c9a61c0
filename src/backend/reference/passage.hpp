#pragma once

#include <vector>

#include "backend/reference/step.hpp"

namespace kalaba::reference {

/// Rank of a member from earlier steps, and a singular position that may be near.
struct RankMemory {
  int rank = -1;     ///< of A at the start of the last step, -1 before the first
  double speed = 0;  ///< near a singular position, the change of the least singular value that counts in a step; else 0
  long changes = 0;
  long passages = 0;
};

/// Least singular value that counts, at the nodes of a step up to a node in a singular position: later stages start
/// from the rate of that node, so their values are meaningless.
class LeastValues {
 public:
  /// `node` is a fraction of the step; calls are in increasing order.
  void add(double node, double value);
  /// For a value whose node is not used.
  void add(double value);

  /// Returns true if the recorded values show that the value passes through zero in the step.
  bool crosses() const;
  /// Returns the fraction at which to split a step made by `pass`, so that no stage with a weight is within an eighth
  /// of a step of the position; 0: no split.
  double split() const;

  /// Records in `memory` whether a singular position is within `steps` steps, or 8 times as many if the value is below
  /// `noisy`.
  void note(double steps, RankMemory& memory, double noisy = 0) const;
  /// Returns true if a value is so small that it may be that of a singular position.
  bool is_in_sight() const;
  /// Returns false if a stage lies in a singular position.
  bool is_clear() const { return clear_; }
  /// Returns the least value at the ends of a step made by `pass`, and at its stages with a weight, after `note`.
  double least_with_weight(const RankMemory& memory) const;

 private:
  double change() const;    ///< between two values
  double steepest() const;  ///< change from one node to the next, in a step's length

  std::vector<double> nodes_;
  std::vector<double> values_;
  bool clear_ = true;
};

/// Makes a step from x past or near a singular position: Milne's open formula over the extrapolated midpoint rule, with
/// every stage put on the constraints; the rates at both ends have no weight. `seen` receives the least values.
/// `rank_before`: rank of A in the step before (EndedStep).
Step pass(const MechanicalModel& model, const Method& method, const RankMemory& memory, const Instant& x, double dt,
          double end_time, LeastValues& seen, int rank_before);

}  // namespace kalaba::reference
