#pragma once

#include "kalaba/core/base/state.hpp"

namespace kalaba {

/// Classical Runge-Kutta method of order 4, and its workspace.
template <class X, int NQ, int N>
struct Rk4 {
  using S = State<X, NQ, N>;

  S end;  ///< out: the state after the step
  S at;   ///< the current stage

  /// One step of length dt from `start` at t. `rate(stage, t, state)` stores its result in `dot`.
  template <class Team, class Rate>
  KALABA_FN void step(const Team& team, const X& t, const X& dt, const S& start, const S& dot, const Rate& rate) {
    begin(team, start);
    for (int stage = 0; stage < 4; ++stage) make_stage(team, stage, t, dt, start, dot, rate);
  }
  /// Like `step`, with the four stages unrolled, for a short rate function.
  template <class Team, class Rate>
  KALABA_FN void step_unrolled(const Team& team, const X& t, const X& dt, const S& start, const S& dot,
                               const Rate& rate) {
    begin(team, start);
    KALABA_UNROLL
    for (int stage = 0; stage < 4; ++stage) make_stage(team, stage, t, dt, start, dot, rate);
  }

  /// Weight of a stage's rate in the step, and in the state of the next stage (unused after the last), times dt.
  KALABA_FN static X share_of(int stage, const X& dt) { return X(stage == 1 || stage == 2 ? 1.0 / 3 : 1.0 / 6) * dt; }
  KALABA_FN static X ahead_of(int stage, const X& dt) { return X(stage < 2 ? 0.5 : 1.0) * dt; }

 private:
  template <class Team>
  KALABA_FN void begin(const Team& team, const S& start) {
    for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA { of(end)[i] = of(at)[i] = of(start)[i]; });
  }
  template <class Team, class Rate>
  KALABA_FN void make_stage(const Team& team, int stage, const X& t, const X& dt, const S& start, const S& dot,
                            const Rate& rate) {
    const bool inner = stage == 1 || stage == 2;
    const X node(inner ? 0.5 : (stage == 0 ? 0.0 : 1.0));
    rate(stage, fma(node, dt, t), at);
    const X share = share_of(stage, dt);
    const X ahead = ahead_of(stage, dt);
    for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA {
      of(end)[i] = fma(share, of(dot)[i], of(end)[i]);
      of(at)[i] = fma(ahead, of(dot)[i], of(start)[i]);
    });
  }
};

}  // namespace kalaba
