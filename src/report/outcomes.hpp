#pragma once

#include <string>
#include <vector>

#include "output/archive.hpp"

namespace kalaba {

/// The members of a file that ended alike.
struct Outcome {
  std::string reason;  ///< "ok", "non_finite", ...
  long members = 0;
  std::vector<long> first;  ///< the first few of them, where the file tells
  double earliest = 0;      ///< s, of the failures; NaN where the file does not tell
  double latest = 0;        ///< likewise
};

/// "ok" first, then every other outcome that occurs; of each at most `most` members by name. Empty where the file does
/// not tell.
std::vector<Outcome> outcomes_of(const Archive& archive, std::size_t most);

/// "3, 17, 21, ..." for the members named of an outcome; "" where there are none.
std::string members_text(const Outcome& outcome);

}  // namespace kalaba
