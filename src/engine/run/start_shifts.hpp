#pragma once

#include <string>
#include <vector>

#include "engine/run/constraint_judge.hpp"
#include "kalaba/run.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Counts, block by block, the members whose start was moved onto the constraints: every coordinate and rate, both
/// given starts and defaults of the model.
class StartShifts {
 public:
  StartShifts(const System& system, const Options& options);

  /// Reads the block as drawn.
  void take(const Block& block);
  /// Returns the members for which one of these starts has moved since `take`, or which were not put on their
  /// constraints.
  std::vector<long> moved(const Block& block, const std::vector<GivenStart>& given) const;
  /// Returns the members for which an angle or a dimensionless coordinate moved by more than half a turn.
  std::vector<long> turned(const Block& block) const;
  /// Adds the changes since `take`. Starts that satisfied the constraints were not moved: such changes are rounding.
  void add(const Block& block, const ConstraintJudge& judge, StartShift& shift) const;

 private:
  const SystemInfo& info_;
  double tolerance_;
  std::vector<double> q_;  // as drawn
  std::vector<double> w_;
};

}  // namespace kalaba
