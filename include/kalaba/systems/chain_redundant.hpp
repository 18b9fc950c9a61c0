#pragma once

#include "kalaba/systems/chain.hpp"

namespace kalaba {

/// The chain with every rod constraint stated twice: 2 N rows of rank N, and the same motion.
template <int N>
struct ChainTwice : Chain<N> {
  static constexpr const char* name = "chain_redundant";
  static constexpr const char* summary = "the chain with every rod stated twice; rank N of 2 N";
  static constexpr const char* source = "a benchmark of this project: any extent n = 2 N, m = 2 N, rank N";
  static constexpr const char* equations =
      "m x_i'' = 0, m y_i'' = -m g\n"
      "phi_i = (|r_i - r_(i-1)|^2 - L^2) / 2 = 0, twice,  r_0 = 0\n"
      "Each pair of multipliers halves the one of the chain.";
  static constexpr Quantity holonomic[] = {{"rod{}", "m^2", 0, "the rod keeps its length"},
                                           {"rod{}_again", "m^2", 0, "the same, stated again"}};

  template <class P, class X>
  KALABA_FN static Vec<X, 2 * N> phi(const P& p, const X& t, const Vec<X, 2 * N>& q) {
    const Vec<X, N> rods = Chain<N>::phi(p, t, q);
    Vec<X, 2 * N> twice;
    for (int i = 0; i < N; ++i) {
      twice[2 * i] = rods[i];
      twice[2 * i + 1] = rods[i];
    }
    return twice;
  }
};

}  // namespace kalaba
