#pragma once

#include "kalaba/core/matrix.hpp"
#include "kalaba/core/real.hpp"

namespace kalaba {

/// Solves x = map(x) by Broyden's method [K03 section 4], which keeps its steps in place of a matrix: where
/// the map is affine and changes its values in d directions, in at most 2 d + 1 of them. Workspace, which a team shares.
template <class X, int N>
struct FixedPoint {
  using V = Vec<X, N>;
  static constexpr int most_steps = 16;
  static constexpr Scalar<X> tolerance = 256 * Limits<Scalar<X>>::epsilon;

  V x;  ///< the solution, or the last approximation
  V steps[most_steps];

  KALABA_FN static X square(const V& v) {
    X sum(0);
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) sum = fma(v[i], v[i], sum);
    return sum;
  }

  /// Improves x in members where `open`; the others keep theirs. `map` computes the map at x, each worker all of it.
  /// `size2`: the square of the size of the terms that its values are sums of. Returns where x is no solution.
  template <class Team, class Map>
  KALABA_FN MaskOf<X> solve(const Team& team, MaskOf<X> open, const X& size2, const Map& map) {
    for (int k = 0; any(open); ++k) {
      V residual = map();
      for (int i = 0; i < N; ++i) residual[i] = residual[i] - x[i];
      const X allowed = X(tolerance * tolerance) * (size2 + square(x));
      open = both(open, !(square(residual) <= allowed));
      if (k == most_steps) break;
      team.single([&]() KALABA_LAMBDA { add_step(k, residual, open); });
    }
    return open;
  }

 private:
  KALABA_FN static X dot_of(const V& a, const V& b) {
    X sum(0);
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) sum = fma(a[i], b[i], sum);
    return sum;
  }
  /// a . b / |a|^2; 0 of a = 0
  KALABA_FN static X share(const V& a, const V& b) {
    const X size2 = square(a);
    return select(X(0) < size2, dot_of(a, b) / select(X(0) < size2, size2, X(1)), X(0));
  }

  KALABA_FN void add_step(int k, V step, const MaskOf<X>& open) {
    for (int j = 0; j + 1 < k; ++j) {
      const X along = share(steps[j], step);
      for (int i = 0; i < N; ++i) step[i] = fma(steps[j + 1][i], along, step[i]);
    }
    if (k > 0) {
      const X scale = X(1) / (X(1) - share(steps[k - 1], step));
      for (int i = 0; i < N; ++i) step[i] = step[i] * scale;
    }
    for (int i = 0; i < N; ++i) {
      steps[k][i] = select(open, step[i], X(0));
      x[i] = x[i] + steps[k][i];
    }
  }
};

}  // namespace kalaba
