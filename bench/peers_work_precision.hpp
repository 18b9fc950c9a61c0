#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/work_precision.hpp"

namespace kalaba::bench {

/// Time against error of spherical_pendulum (64 lengths, 5 s, no stabilisation): of every integrator, and of peers that
/// have its equations derived by hand, on one core.
struct PeersWorkPrecision {
  WorkPrecision all;
  std::vector<std::string> absent;  ///< a line a peer that is not here
};
PeersWorkPrecision peers_work_precision(const std::function<void(const std::string&)>& told);

}  // namespace kalaba::bench
