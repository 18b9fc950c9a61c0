#pragma once

#include <vector>

#include "kalaba/core/model/method.hpp"

namespace kalaba::test {

/// All pseudo-inverses of the core, so that common tests include new ones.
inline std::vector<PseudoInverse> all_pseudo_inverses() {
  std::vector<PseudoInverse> all;
  for (const PseudoInverseFacts& each : pseudo_inverses) {
    if (each.type != nullptr) all.push_back(static_cast<PseudoInverse>(&each - pseudo_inverses));
  }
  return all;
}

}  // namespace kalaba::test
