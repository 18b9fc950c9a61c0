#pragma once

#include "kalaba/swarm/pair_law.hpp"

namespace kalaba {

/// Position (m) and velocity (m/s) of an agent in D dimensions, or of one per lane.
template <class X, int D>
struct Agent {
  X x[D];
  X w[D];
};

/// Sums over the pairs of an agent: the gradient of its potential, the gradient's time derivative along the velocities,
/// and the number of agents at exactly the same position (including itself).
template <class X, int D>
struct AgentSums {
  X gradient[D];  ///< m/s
  X rate[D];      ///< m/s^2
  X coincident;

  KALABA_FN void clear() {
    KALABA_UNROLL
    for (int d = 0; d < D; ++d) gradient[d] = rate[d] = X(0);
    coincident = X(0);
  }
};

/// Adds the contribution of a source to a target, without the law's harmonic part:
///
///     d/dt (d G'/r) = w G'/r + d (d.w) (G'' - G'/r)/r^2
///
/// A pair at distance zero contributes to `coincident` only. Branch-free, for numbers and packs of targets.
template <PairLaw L, class X, int D>
KALABA_FN void add_pair(const double* p, const Agent<X, D>& target, const Agent<X, D>& source, AgentSums<X, D>& sums) {
  X offset[D];
  X drift[D];
  X square(0);
  X along(0);
  KALABA_UNROLL
  for (int d = 0; d < D; ++d) {
    offset[d] = target.x[d] - source.x[d];
    drift[d] = target.w[d] - source.w[d];
    square = fma(offset[d], offset[d], square);
    along = fma(offset[d], drift[d], along);
  }
  const auto same = square == X(0);
  const X inverse = rsqrt(select(same, X(1), square));
  const Taylor<X> g = pair_potential<L>(p, square * inverse);
  const X pull = select(same, X(0), g.first * inverse);
  const X radial_second = select(same, X(0), (g.second - pull) * (inverse * inverse) * along);
  KALABA_UNROLL
  for (int d = 0; d < D; ++d) {
    sums.gradient[d] = fma(pull, offset[d], sums.gradient[d]);
    sums.rate[d] = fma(pull, drift[d], fma(radial_second, offset[d], sums.rate[d]));
  }
  sums.coincident = sums.coincident + select(same, X(1), X(0));
}

}  // namespace kalaba
