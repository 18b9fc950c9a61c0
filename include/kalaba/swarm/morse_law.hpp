#pragma once

#include "kalaba/swarm/pair_law.hpp"

namespace kalaba {

/// Morse potential with a cutoff: repulsion below its rest distance, attraction above, zero from the cutoff on.
struct MorseLaw {
  static constexpr const char* name = "morse";
  static constexpr const char* summary = "Morse's potential with a cutoff";
  static constexpr const char* equations =
      "G(r) = depth (1 - exp(-(r - rest)/width))^2 - depth, faded out at the cutoff";
  static constexpr Quantity parameters[] = {{"depth", "m^2/s", 1.0, "of the potential well"},
                                            {"width", "m", 0.5, "of the potential well"},
                                            {"rest", "m", 1.0, "distance at which a pair is at rest"},
                                            {"cutoff", "m", 3.0, "no interaction from this distance on"}};

  KALABA_FN static double cutoff(const double* p) { return p[3]; }
  template <class X>
  KALABA_FN static X potential(const double* p, const X& r) {
    const X e = 1.0 - exp((r - p[2]) * (-1.0 / p[1]));
    return e * e * p[0] - p[0];
  }
};

}  // namespace kalaba
