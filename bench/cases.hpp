#pragma once

#include <vector>

#include "problem.hpp"

namespace kalaba::bench {

/// Problem and the peers with which Kalaba is compared on it.
struct Case {
  Problem problem;
  std::vector<Peer> peers;
};

/// All comparisons, in the order of the table.
std::vector<Case> cases();

}  // namespace kalaba::bench
