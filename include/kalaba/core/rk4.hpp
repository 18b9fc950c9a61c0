#pragma once

#include "kalaba/core/constrained_rate.hpp"

namespace kalaba {

/// The classical Runge-Kutta method of order 4 on (q, w). Also its workspace.
template <class X, int NQ, int N>
struct Rk4 {
  Vec<X, NQ> q;  ///< out: the state after the step
  Vec<X, N> w;   ///< out
  Vec<X, NQ> stage_q;
  Vec<X, N> stage_w;

  /// One step of length dt from (q0, w0) at t. `rate(stage, t, q, w)` leaves its result in rate_q, rate_w.
  template <class Team, class Rate>
  KALABA_FN void step(const Team& team, const X& t, const X& dt, const Vec<X, NQ>& q0, const Vec<X, N>& w0,
                      const Vec<X, NQ>& rate_q, const Vec<X, N>& rate_w, const Rate& rate) {
    begin(team, q0, w0);
    for (int stage = 0; stage < 4; ++stage) make_stage(team, stage, t, dt, q0, w0, rate_q, rate_w, rate);
  }
  /// The same of a rate that is short enough to be written out four times.
  template <class Team, class Rate>
  KALABA_FN void step_unrolled(const Team& team, const X& t, const X& dt, const Vec<X, NQ>& q0, const Vec<X, N>& w0,
                               const Vec<X, NQ>& rate_q, const Vec<X, N>& rate_w, const Rate& rate) {
    begin(team, q0, w0);
    KALABA_UNROLL
    for (int stage = 0; stage < 4; ++stage) make_stage(team, stage, t, dt, q0, w0, rate_q, rate_w, rate);
  }

  /// What a stage's rate adds to the step, and to where it began for the next stage; of no use after the last.
  KALABA_FN static X share_of(int stage, const X& dt) { return X(stage == 1 || stage == 2 ? 1.0 / 3 : 1.0 / 6) * dt; }
  KALABA_FN static X ahead_of(int stage, const X& dt) { return X(stage < 2 ? 0.5 : 1.0) * dt; }

 private:
  template <class Team>
  KALABA_FN void begin(const Team& team, const Vec<X, NQ>& q0, const Vec<X, N>& w0) {
    team.template for_each<NQ>([&](int i) KALABA_LAMBDA { q[i] = stage_q[i] = q0[i]; });
    team.template for_each<N>([&](int i) KALABA_LAMBDA { w[i] = stage_w[i] = w0[i]; });
  }
  template <class Team>
  KALABA_FN void add(const Team& team, int stage, const X& dt, const Vec<X, NQ>& q0, const Vec<X, N>& w0,
                     const Vec<X, NQ>& rate_q, const Vec<X, N>& rate_w) {
    const X share = share_of(stage, dt);
    const X ahead = ahead_of(stage, dt);
    team.template for_each<NQ>([&](int i) KALABA_LAMBDA {
      q[i] = fma(share, rate_q[i], q[i]);
      stage_q[i] = fma(ahead, rate_q[i], q0[i]);
    });
    team.template for_each<N>([&](int i) KALABA_LAMBDA {
      w[i] = fma(share, rate_w[i], w[i]);
      stage_w[i] = fma(ahead, rate_w[i], w0[i]);
    });
  }
  template <class Team, class Rate>
  KALABA_FN void make_stage(const Team& team, int stage, const X& t, const X& dt, const Vec<X, NQ>& q0,
                            const Vec<X, N>& w0, const Vec<X, NQ>& rate_q, const Vec<X, N>& rate_w, const Rate& rate) {
    const bool inner = stage == 1 || stage == 2;
    const X node(inner ? 0.5 : (stage == 0 ? 0.0 : 1.0));
    rate(stage, fma(node, dt, t), stage_q, stage_w);
    add(team, stage, dt, q0, w0, rate_q, rate_w);
  }
};

}  // namespace kalaba
