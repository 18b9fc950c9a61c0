#pragma once

#include <functional>
#include <string>
#include <vector>

#include <limits>
#include "kalaba/core/model/status.hpp"
#include "output/netcdf/archive.hpp"

namespace kalaba {

/// Members of a file with the same status at the end.
struct Outcome {
  std::string reason;  ///< "ok", "non_finite", ...
  long members = 0;
  std::vector<long> first;  ///< the first few of them, if the file has the status per member
  double earliest = 0;      ///< s, of the failures; NaN if the file has no times
  double latest = 0;        ///< likewise
};

/// End of a member whose status is not ok.
struct Ending {
  long member = 0;
  Status status = Status::ok;
  double time = 0;  ///< s; if it failed, the time of its last state
};

/// Calls take for every such member in order, reading in pieces; never if the file has no status per member.
void for_each_ending(const Archive& archive, const std::function<void(const Ending&)>& take);

/// Outcomes that occur, "ok" first, each with at most `most` member numbers. Empty if the file has no status per
/// member.
std::vector<Outcome> outcomes_of(const Archive& archive, std::size_t most);

/// "3, 17, 21, ..." for the listed members of an outcome; "" if there are none.
std::string members_text(const Outcome& outcome);

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
