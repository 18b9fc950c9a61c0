#pragma once

#include <limits>
#include <string>
#include <vector>

#include "output/archive.hpp"
#include "report/plot_data.hpp"

namespace kalaba {

/// Until when a member counts in what is drawn and listed at saved times, the same way everywhere, and as in the
/// statistics that files hold: as long as it moves. One that failed counts up to its last state, one that an event
/// stopped up to just before; files hold both as they last were from then on.
struct CountedUntil {
  double time = std::numeric_limits<double>::infinity();  ///< s
  bool included = true;

  bool counts(double at) const { return included ? !(at > time) : at < time; }
};

/// Of every member; empty where the file does not tell, as CSV does not, and where all count throughout.
std::vector<CountedUntil> counted_until(const Archive& archive);

/// Makes what was read of members NaN where they do not count, and notes when the swarm of `member` failed (of one
/// swarm that is 0). Returns how many were left out, in words: "" for none. A CSV file does not tell.
std::string leave_out_ended(const std::string& path, long member, PlotData& data);

}  // namespace kalaba
