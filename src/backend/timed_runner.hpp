#pragma once

#include "kalaba/system.hpp"

namespace kalaba {

/// A runner that measures its work with the clock of its device.
class TimedRunner {
 public:
  virtual ~TimedRunner() = default;
  /// Advances as Runner::advance and waits. Returns the seconds that the slowest device worked, measured by its own
  /// events. Copies nothing to the host.
  virtual double timed_advance(Block& block, const TimeGrid& time, long first_step, long steps) = 0;
  /// Waits until all work is done. Copies nothing to the host.
  virtual void finish(Block& block) = 0;
};

}  // namespace kalaba
