#pragma once

#include <algorithm>

#include "kalaba/block.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Numbers of steps between checks of progress and stop requests: as many as take a fraction of a second.
class Strides {
 public:
  /// Computes the first stride of a block.
  Strides(const SystemInfo& info, const Block& block) {
    constexpr double enough = 1e6;  // steps of members, or of agents
    const double members = static_cast<double>(info.copies()) * static_cast<double>(block.members);
    steps_ = std::max(static_cast<long>(enough / members), 1L);
  }

  long next(long left) const { return std::min(steps_, left); }
  /// Records the time that `steps` took, in seconds.
  void took(long steps, double seconds) {
    constexpr double long_enough = 0.1;
    if (steps == steps_ && seconds < long_enough) steps_ *= 2;
    if (seconds > 4 * long_enough) steps_ = std::max(steps_ / 2, 1L);
  }

 private:
  long steps_ = 1;
};

}  // namespace kalaba
