#pragma once

#include <limits>
#include <vector>

#include "output/netcdf/archive.hpp"
#include "report/data/outcomes.hpp"

namespace kalaba {

/// Until when a member counts in what is drawn and listed at saved times, the same way everywhere, and as in the
/// statistics that files hold: as long as it moves. One that failed counts up to its last state, one that an event
/// stopped up to just before; files hold both as they last were from then on.
struct CountedUntil {
  double time = std::numeric_limits<double>::infinity();  ///< s
  bool included = true;

  bool counts(double at) const { return included ? !(at > time) : at < time; }
};

CountedUntil counted_until(const Ending& ending);
/// Of every member; empty where the file does not tell, as CSV does not, and where all count throughout.
std::vector<CountedUntil> counted_until(const Archive& archive);

}  // namespace kalaba
