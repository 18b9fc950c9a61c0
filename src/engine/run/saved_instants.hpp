#pragma once

#include <cstddef>
#include <vector>

#include "kalaba/options.hpp"

namespace kalaba {

/// An instant at which something is saved.
struct Saved {
  long step = 0;         ///< of the grid, at or before it
  double time = 0;       ///< s
  bool between = false;  ///< it lies behind the step
};

/// Instants that a run saves, in time order.
std::vector<Saved> saved_instants(const Options& options);
/// How many these are, without making them.
std::size_t saved_count(const Options& options);

}  // namespace kalaba
