#pragma once

#include "kalaba/statistics.hpp"

namespace kalaba {

/// Result of reducing an observation.
struct ReducedObservation {
  ReducedFrame frame;          ///< without its index, which the engine sets
  double worst_violation = 0;  ///< largest of the ok members
  double worst_residual = 0;
};

/// A runner that can reduce observations in the memory of its members, bit-identical to StatisticsSink.
class ReducingRunner {
 public:
  virtual ~ReducingRunner() = default;
  /// Call before reserve; `fields` are the fields of the statistics. If it returns true, no observation is copied to
  /// the host from now on, and reserve returns a multiple of the leaf size; blocks must begin with a leaf.
  virtual bool begin_reducing(FieldSet fields, const StatisticsPlan& plan) = 0;
  /// Replaces wait.
  virtual ReducedObservation reduce() = 0;
  /// Replaces synchronize: coordinates and rates are not copied.
  virtual void conclude(Block& block) = 0;
};

}  // namespace kalaba
