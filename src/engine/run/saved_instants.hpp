#pragma once

#include <vector>

#include "kalaba/options.hpp"

namespace kalaba {

/// An instant at which the state is saved.
struct Saved {
  long step = 0;         ///< of the grid, at or before it
  double time = 0;       ///< s, as reported: the time of save_at itself, or grid_time(step)
  bool between = false;  ///< the time is after the step

  /// Time of the motion at that instant, s; for a step it differs from the reported time by rounding.
  double moment(const TimeGrid& grid) const { return between ? time : grid.at(step); }
};

/// Instants that a run saves, in time order.
std::vector<Saved> saved_instants(const Options& options);
}  // namespace kalaba
