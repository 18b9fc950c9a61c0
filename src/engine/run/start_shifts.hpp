#pragma once

#include <string>
#include <vector>

#include "engine/run/constraint_judge.hpp"
#include "kalaba/run.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Counts, block by block, the members whose start was moved onto the constraints: every coordinate and rate, whether
/// it was asked for or is the model's own.
class StartShifts {
 public:
  StartShifts(const System& system, const Options& options);

  /// Takes the block as it was drawn.
  void take(const Block& block);
  /// Members of which one of these starts moved since, or which were not put on their constraints.
  std::vector<long> moved(const Block& block, const std::vector<GivenStart>& given) const;
  /// Members of which an angle or a pure number was moved by more than half a turn.
  std::vector<long> turned(const Block& block) const;
  /// Adds the changes since. Starts that met the constraints were not moved: such changes are rounding.
  void add(const Block& block, const ConstraintJudge& judge, StartShift& shift) const;

 private:
  const SystemInfo& info_;
  double tolerance_;
  std::vector<double> q_;  // as drawn
  std::vector<double> w_;
};

}  // namespace kalaba
