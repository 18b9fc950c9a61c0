#pragma once

#include "kalaba/core/loop/column_step.hpp"
#include "kalaba/core/loop/interval.hpp"
#include "kalaba/core/member/member_state.hpp"
#include "kalaba/core/rate/fast_rate.hpp"

namespace kalaba {

/// Steps of equal length on the fast path.
template <class M, class X>
struct FastStep {
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  using P = Prepared<M, X>;
  using S = State<X, nq, n>;
  using Mask = MaskOf<X>;

  Rk4<X, nq, n> integrator;
  FastRate<M, X> rate;
  ColumnStep<M, X> columns;

  /// Makes a step from `start` at t of length `length`, to `end`, and one of the columns. Returns the lanes in which
  /// the fast path is valid.
  KALABA_FN Mask make(const Method& method, const P& p, const X& t, const X& length, const X& end, const S& start,
                      const Columns<M, X>& start_columns) {
    rate.begin(X(0) < X(1));
    const auto evaluate = [&](int stage, const X& t_stage, const S& at) KALABA_LAMBDA {
      rate.evaluate(method, p, t_stage, at, [&](const auto& row, const X& x) KALABA_LAMBDA {
        if constexpr (Dim<M>::sensitivities > 0) {
          FastColumns<M, X>::rates(method, p, t_stage, at.q, at.w, row, x, columns.at(stage, start_columns),
                                   [&](int column, const auto& dq, const auto& dw)
                                       KALABA_LAMBDA { columns.add(stage, length, start_columns, column, dq, dw); });
        }
      });
    };
    integrator.step_unrolled(Solo{}, t, length, start, rate.dot, evaluate);
    rate.template finish<1>(method, p, end, integrator.end, columns.end);
    return rate.valid;
  }
};

/// Advances a member with a single row by steps on the fast path, and by `loop` in lanes where they fail. The moving
/// state is a local variable: it stays in registers.
template <class Loop, class M, class X, class Pause>
KALABA_FN long advance_fast(Loop& loop, Member<M, X>& member, const Method& method, const TimeGrid& time, long first,
                            long steps, const Pause& pause, const X& part) {
  const auto p = prepared<M>(member.p);
  const X length = part * X(time.dt);
  State<X, Dim<M>::q, Dim<M>::w> state = member;
  auto alive = member.status == X(0);
  auto regular = both(alive, member.rank == X(1));
  [[maybe_unused]] Columns<M, X> columns;
  if constexpr (Dim<M>::sensitivities > 0) {
    loop.tangents.prepare(member.p);
    columns = member.columns;
  }
  long made = steps;  // counted for members that do not move, too
  for (long step = 0; step < steps && any(alive); ++step) {
    if (step > 0 && pause.wanted()) {
      made = step;
      break;
    }
    FastStep<M, X> next;
    const auto now = Interval<X>::of(time, first + step);
    const auto served = both(regular, next.make(method, p, now.begin, length, now.at(part), state, columns));
    if (all(served)) {
      state = next.integrator.end;
      if constexpr (Dim<M>::sensitivities > 0) columns = next.columns.end;
      continue;
    }
    copy_where(Solo{}, served, next.integrator.end, state);
    if constexpr (Dim<M>::sensitivities > 0) next.columns.accept(served, columns);
    const auto open = both(alive, !served);
    if (!any(open)) continue;
    copy(Solo{}, state, member);
    if constexpr (Dim<M>::sensitivities > 0) member.columns = columns;
    loop.step_generally(member, method, time, first + step, step, part, open);
    state = member;
    if constexpr (Dim<M>::sensitivities > 0) columns = member.columns;
    alive = member.status == X(0);
    regular = both(alive, member.rank == X(1));
  }
  copy(Solo{}, state, member);
  if constexpr (Dim<M>::sensitivities > 0) member.columns = columns;
  return made;
}

}  // namespace kalaba
