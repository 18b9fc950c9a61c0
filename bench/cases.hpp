#pragma once

#include <vector>

#include "problem.hpp"

namespace kalaba::bench {

/// A problem and whom Kalaba is compared with on it.
struct Case {
  Problem problem;
  std::vector<Peer> peers;
};

/// Every comparison, in the order of the table.
std::vector<Case> cases();

}  // namespace kalaba::bench
