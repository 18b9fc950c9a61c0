#pragma once

#include "kalaba/core/base/matrix.hpp"
#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// Pairs of 0 … M-1 in rounds of disjoint pairs (a round-robin tournament): M-1 rounds for even M, M for odd.
struct Tournament {
  int players;  ///< M rounded up to even; for odd M, one row of each round has no partner

  KALABA_FN constexpr explicit Tournament(int m) : players(m + m % 2) {}
  KALABA_FN constexpr int rounds() const { return players - 1; }
  /// Player at a seat: seat 0 stays, the others move on by one per round.
  KALABA_FN constexpr int at(int seat, int round) const {
    return seat == 0 ? 0 : 1 + (seat - 1 + round) % (players - 1);
  }
};

/// Rotates rows i and j of the matrix by an angle with cosine c and sine s.
template <class X, int M, int Cols>
KALABA_FN void turn(Mat<X, M, Cols>& matrix, int i, int j, const X& c, const X& s) {
  KALABA_UNROLL
  for (int k = 0; k < Cols; ++k) {
    const X x = matrix(i, k);
    const X y = matrix(j, k);
    matrix(i, k) = fma(c, x, -(s * y));
    matrix(j, k) = fma(s, x, c * y);
  }
}
template <class X, class Mask, int M, int Cols>
KALABA_FN void turn_where(const Mask& mask, Mat<X, M, Cols>& matrix, int i, int j, const X& c, const X& s) {
  KALABA_UNROLL
  for (int k = 0; k < Cols; ++k) {
    const X x = matrix(i, k);
    const X y = matrix(j, k);
    matrix(i, k) = select(mask, fma(c, x, -(s * y)), x);
    matrix(j, k) = select(mask, fma(s, x, c * y), y);
  }
}

}  // namespace kalaba
