#pragma once

#include <limits>
#include <vector>

#include "output/netcdf/archive.hpp"
#include "report/data/outcomes.hpp"

namespace kalaba {

/// Time until which a member counts in pictures and tables over saved times, as in a file's statistics: until its
/// motion ends. A failed member counts up to and including its last state, a member that an event stopped only before
/// that time; files repeat the last state of both afterwards.
struct CountedUntil {
  double time = std::numeric_limits<double>::infinity();  ///< s
  bool included = true;

  bool counts(double at) const { return included ? !(at > time) : at < time; }
};

CountedUntil counted_until(const Ending& ending);
/// Times of all members; empty if the file has none, such as a CSV file, or if all members count at all times.
std::vector<CountedUntil> counted_until(const Archive& archive);

}  // namespace kalaba
