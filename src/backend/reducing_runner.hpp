#pragma once

#include "kalaba/statistics.hpp"

namespace kalaba {

/// What is left of an observation.
struct ReducedObservation {
  ReducedFrame frame;          ///< but for its index, which the engine knows
  double worst_violation = 0;  ///< of the ok members
  double worst_residual = 0;
};

/// A runner that can reduce what it observes where its members are, to the bits of StatisticsSink.
class ReducingRunner {
 public:
  virtual ~ReducingRunner() = default;
  /// Before reserve; `fields` are those to take statistics of. Where it returns true, nothing that is observed comes to
  /// the host from now on, and reserve answers in whole leaves; blocks must begin with a leaf.
  virtual bool begin_reducing(FieldSet fields, const StatisticsPlan& plan) = 0;
  /// Instead of wait.
  virtual ReducedObservation reduce() = 0;
  /// Instead of synchronize: coordinates and rates stay where they are.
  virtual void conclude(Block& block) = 0;
};

}  // namespace kalaba
