#pragma once

#include "kalaba/swarm/pair_law.hpp"

namespace kalaba {

/// Attraction by distance and a repulsion of constant size: grad G = d (1 - c/r) [ZCZD section 8.2].
struct PaperLaw {
  static constexpr const char* name = "paper";
  static constexpr const char* summary = "attraction that grows with distance, repulsion of constant size";
  static constexpr const char* equations = "G(r) = r^2/2 - c r";
  static constexpr Quantity parameters[] = {{"c", "m", 0.5, "distance at which a pair is at rest"}};

  KALABA_FN static double harmonic(const double*) { return 1; }
  template <class X>
  KALABA_FN static X potential(const double* p, const X& r) {
    return r * (-p[0]);
  }
};

}  // namespace kalaba
