#pragma once

#include "kalaba/core/column_step.hpp"
#include "kalaba/core/member_state.hpp"
#include "kalaba/core/plain_rate.hpp"

namespace kalaba {

/// Steps of equal length by plain rates.
template <class M, class X>
struct PlainStep {
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  using P = Prepared<M, X>;
  using Q = Vec<X, nq>;
  using W = Vec<X, n>;
  using Mask = MaskOf<X>;

  Rk4<X, nq, n> integrator;
  PlainRate<M, X> rate;
  ColumnStep<M, X> columns;

  /// From (q0, w0) at t for `length`, to `end`, and `along` (PlainColumns) from columns0; returns where the step is a
  /// plain one.
  template <class Along>
  KALABA_FN Mask make(const Method& method, const P& p, const X& t, const X& length, const X& end, const Q& q0,
                      const W& w0, const Along& along, const Columns<M, X>& columns0) {
    rate.begin(X(0) < X(1));
    const auto evaluate = [&](int stage, const X& at, const Q& q, const W& w) KALABA_LAMBDA {
      rate.evaluate(method, p, at, q, w);
      if constexpr (Dim<M>::sensitivities > 0) {
        along.rates(at, q, w, columns.at(stage, columns0), [&](int column, const Q& dq, const W& dw) KALABA_LAMBDA {
          columns.add(stage, length, columns0, column, dq, dw);
        });
      }
    };
    integrator.step_unrolled(Solo{}, t, length, q0, w0, rate.q_dot, rate.w_dot, evaluate);
    rate.template finish<1>(method, p, end, integrator.q, integrator.w, along, columns.end);
    return rate.plain;
  }
};

/// Steps a member of a single row by plain steps, and by `loop` where they do not serve. What moves is the function's
/// own: it stays in registers.
template <class Loop, class M, class X>
KALABA_FN void advance_plainly(Loop& loop, Member<M, X>& member, const Method& method, const TimeGrid& time, long first,
                               long steps, const X& part) {
  const auto p = prepared<M>(member.p);
  const X length = part * X(time.dt);
  auto q = member.q;
  auto w = member.w;
  auto alive = member.status == X(0);
  auto regular = both(alive, member.rank == X(1));
  const PlainColumns<M, X, Loop> along = {loop, method, p};
  if constexpr (Dim<M>::sensitivities > 0) loop.tangents.prepare(member.p);
  for (long step = 0; step < steps && any(alive); ++step) {
    PlainStep<M, X> next;
    const X begin(time.at(first + step));
    const X end = Loop::time_in(time, first + step, part);
    const auto served = both(regular, next.make(method, p, begin, length, end, q, w, along, member.columns));
    if constexpr (Dim<M>::sensitivities > 0) next.columns.accept(served, member.columns);
    if (all(served)) {
      q = next.integrator.q;
      w = next.integrator.w;
      continue;
    }
    KALABA_UNROLL
    for (int i = 0; i < q.size; ++i) q[i] = select(served, next.integrator.q[i], q[i]);
    KALABA_UNROLL
    for (int i = 0; i < w.size; ++i) w[i] = select(served, next.integrator.w[i], w[i]);
    const auto open = both(alive, !served);
    if (!any(open)) continue;
    member.q = q;
    member.w = w;
    loop.step_generally(member, method, time, first + step, step, part, open);
    q = member.q;
    w = member.w;
    alive = member.status == X(0);
    regular = both(alive, member.rank == X(1));
  }
  member.q = q;
  member.w = w;
}

}  // namespace kalaba
