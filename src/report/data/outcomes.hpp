#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kalaba/core/status.hpp"
#include "output/netcdf/archive.hpp"

namespace kalaba {

/// The members of a file that ended alike.
struct Outcome {
  std::string reason;  ///< "ok", "non_finite", ...
  long members = 0;
  std::vector<long> first;  ///< the first few of them, where the file tells
  double earliest = 0;      ///< s, of the failures; NaN where the file does not tell
  double latest = 0;        ///< likewise
};

/// How a member ended that is not ok.
struct Ending {
  long member = 0;
  Status status = Status::ok;
  double time = 0;  ///< s; where it failed, that of its last state
};

/// Every such member in order, read in pieces; none where the file does not tell.
void for_each_ending(const Archive& archive, const std::function<void(const Ending&)>& take);

/// "ok" first, then every other outcome that occurs; of each at most `most` members by name. Empty where the file does
/// not tell.
std::vector<Outcome> outcomes_of(const Archive& archive, std::size_t most);

/// "3, 17, 21, ..." for the members named of an outcome; "" where there are none.
std::string members_text(const Outcome& outcome);

}  // namespace kalaba
