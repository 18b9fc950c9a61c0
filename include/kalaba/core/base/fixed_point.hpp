#pragma once

#include "kalaba/core/base/matrix.hpp"
#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// Solves x = map(x) by Broyden's method [K03 section 4], which stores its steps instead of a matrix. If the map is
/// affine and its values vary in d directions, at most 2 d + 1 steps are needed. Workspace that a team shares.
template <class X, int N, int Most = 16>
struct FixedPoint {
  using V = Vec<X, N>;
  static constexpr int most_steps = Most;
  static constexpr Scalar<X> tolerance = 256 * Limits<Scalar<X>>::epsilon;

  V x;  ///< the solution, or the last approximation
  V steps[most_steps];

  KALABA_FN static X square(const V& v) {
    X sum(0);
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) sum = fma(v[i], v[i], sum);
    return sum;
  }

  /// Improves x in the lanes `open`; the others keep their x. `map` computes the map at x, in each worker as a whole.
  /// `size2`: square of the size of the terms that are summed in the map's values. Returns the lanes in which x is no
  /// solution.
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
  /// a . b / |a|^2; 0 if a = 0
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
