#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/work_precision.hpp"

namespace kalaba::bench {

/// Computing time as a function of the error for spherical_pendulum (64 lengths, 5 s, no stabilization), on one core:
/// for every integrator, and for peers with equations derived by hand.
struct PeersWorkPrecision {
  WorkPrecision all;
  std::vector<std::string> absent;  ///< one line per peer that is not installed
};
PeersWorkPrecision peers_work_precision(const std::function<void(const std::string&)>& report);

}  // namespace kalaba::bench
