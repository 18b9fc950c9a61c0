#pragma once

#include "kalaba/core/matrix.hpp"
#include "kalaba/core/real.hpp"
#include "kalaba/core/team.hpp"

namespace kalaba {

/// The midpoint rule of Gragg in two and in four parts, extrapolated to order 4 (Hairer, Norsett, Wanner, Solving
/// Ordinary Differential Equations I, section II.9, without the smoothing step): the step is
///   (4 S_4 - S_2) / 3 = y + h (2 f(1/4) - f(1/2) + 2 f(3/4)) / 3,
/// Milne's open formula. What the rates at both ends are has no weight in it.
template <class X, int NQ, int N>
struct OpenRk4 {
  static constexpr int stages = 5;

  Vec<X, NQ> q;  ///< out: the state after the step
  Vec<X, N> w;   ///< out
  Vec<X, NQ> stage_q;
  Vec<X, N> stage_w;
  Vec<X, NQ> quarter_q;  ///< after a quarter, as the midpoint rule has it
  Vec<X, N> quarter_w;

  /// The node of a stage, in parts of the step.
  KALABA_FN static constexpr double node(int stage) {
    return stage == 0 ? 0 : stage == 2 ? 0.25 : stage == 4 ? 0.75 : 0.5;
  }

  /// One step of length dt from (q0, w0) at t. `rate(stage, t, q, w)` may move q and w before it leaves its result in
  /// rate_q, rate_w.
  template <class Team, class Rate>
  KALABA_FN void step(const Team& team, const X& t, const X& dt, const Vec<X, NQ>& q0, const Vec<X, N>& w0,
                      const Vec<X, NQ>& rate_q, const Vec<X, N>& rate_w, const Rate& rate) {
    team.template for_each<NQ>([&](int i) KALABA_LAMBDA { q[i] = stage_q[i] = q0[i]; });
    team.template for_each<N>([&](int i) KALABA_LAMBDA { w[i] = stage_w[i] = w0[i]; });
    for (int stage = 0; stage < stages; ++stage) {
      rate(stage, fma(X(node(stage)), dt, t), stage_q, stage_w);
      team.template for_each<NQ>(
          [&](int i) KALABA_LAMBDA { go(stage, dt, q0[i], rate_q[i], quarter_q[i], stage_q[i], q[i]); });
      team.template for_each<N>([&](int i)
                                    KALABA_LAMBDA { go(stage, dt, w0[i], rate_w[i], quarter_w[i], stage_w[i], w[i]); });
    }
  }

 private:
  /// One number, from its rate at a stage to the next stage.
  KALABA_FN static void go(int stage, const X& dt, const X& y0, const X& rate, X& quarter, X& next, X& y) {
    const X weight(stage == 1 ? -1.0 / 3 : stage == 2 || stage == 4 ? 2.0 / 3 : 0.0);
    y = fma(weight * dt, rate, y);
    if (stage == 0) quarter = fma(X(0.25) * dt, rate, y0);
    next = stage == 1 ? quarter : fma(X(0.5) * dt, rate, stage == 3 ? quarter : y0);
  }
};

}  // namespace kalaba
