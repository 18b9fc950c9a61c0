#pragma once

#include "kalaba/system.hpp"

namespace kalaba {

/// A runner that measures its work by the clock of the device that does it.
class TimedRunner {
 public:
  virtual ~TimedRunner() = default;
  /// Advances as Runner::advance and waits. Returns the seconds that the slowest device worked, by its own events.
  /// Nothing is copied to the host.
  virtual double timed_advance(Block& block, const TimeGrid& time, long first_step, long steps) = 0;
  /// Waits until all work is done. Nothing is copied to the host.
  virtual void finish(Block& block) = 0;
};

}  // namespace kalaba
