#pragma once

#include "kalaba/statistics.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Result of reducing an observation.
struct ReducedObservation {
  ReducedFrame frame;          ///< without its index, which the engine sets
  double worst_violation = 0;  ///< largest of the ok members
  double worst_residual = 0;
};

/// A runner whose members are in the memory of a device between calls.
class DeviceRunner : public Runner {
 public:
  /// Advances as Runner::advance and waits. Returns the seconds that the slowest device worked, measured by its own
  /// events. Copies nothing to the host.
  virtual double timed_advance(Block& block, const TimeGrid& time, long first_step, long steps) = 0;
  /// Waits until all work is done. Copies nothing to the host.
  virtual void finish(Block& block) = 0;

  /// Call before reserve; `fields` are the fields of the statistics. If it returns true, observations are reduced on
  /// the device from now on, bit-identical to StatisticsSink: `reduce` replaces `wait`, `synchronize` copies no
  /// coordinates and rates, and `reserve` returns a multiple of the leaf size; blocks must begin with a leaf.
  virtual bool begin_reducing(FieldSet /*fields*/, const StatisticsPlan& /*plan*/) { return false; }
  /// Returns the reduction of the last requested observation.
  virtual ReducedObservation reduce() { return {}; }
};

}  // namespace kalaba
