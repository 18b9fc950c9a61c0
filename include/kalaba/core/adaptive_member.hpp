#pragma once

#include "kalaba/core/embedded_runge_kutta.hpp"
#include "kalaba/core/member_workspace.hpp"

namespace kalaba {

/// A member that goes at its own time and step: beside what every member keeps, its last accepted step, which
/// ends at or behind the time it was asked for.
template <class M, class X, class Tableau>
struct AdaptiveMember : Member<M, X> {
  using Mask = MaskOf<X>;
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  using Q = Vec<X, nq>;
  using W = Vec<X, n>;
  using RungeKutta = EmbeddedRungeKutta<X, nq, n, Tableau>;
  static constexpr int dense_rows = Tableau::dense_rows;
  static constexpr int persistent = 7 + (4 + dense_rows) * (nq + n);  ///< numbers of `for_each_persistent`

  X accepted;  ///< steps so far
  X rejected;
  X time;                                          ///< at the end of the last step
  X time_rest;                                     ///< what rounding left of it
  X length;                                        ///< of the last step
  X next;                                          ///< length to try next; 0 before the first step
  X error_root;                                    ///< of the last step, as StepControl remembers it
  Q q_before, q_dot_before, q_after, q_dot_after;  ///< the last step
  W w_before, w_dot_before, w_after, w_dot_after;
  Mat<X, dense_rows, nq> q_dense;  ///< what its continuous extension adds to the cubic through its ends
  Mat<X, dense_rows, n> w_dense;

  /// From the end of the last step to t.
  KALABA_FN X remaining(const X& t) const { return (t - time) - time_rest; }

  /// Makes `step`, of length `step_length`, the last one where it is accepted. A `last` one of the run ends at `end`.
  template <class Team>
  KALABA_FN void keep(const Team& team, const Mask& accepted, const RungeKutta& step, const X& step_length,
                      const Mask& last, const X& end) {
    constexpr int stages = RungeKutta::stages;
    team.template for_each<nq>([&](int i) KALABA_LAMBDA {
      q_before[i] = select(accepted, q_after[i], q_before[i]);
      q_dot_before[i] = select(accepted, q_dot_after[i], q_dot_before[i]);
      q_after[i] = select(accepted, step.q[i], q_after[i]);
      q_dot_after[i] = select(accepted, step.q_dot(stages - 1, i), q_dot_after[i]);
    });
    team.template for_each<n>([&](int i) KALABA_LAMBDA {
      w_before[i] = select(accepted, w_after[i], w_before[i]);
      w_dot_before[i] = select(accepted, w_dot_after[i], w_dot_before[i]);
      w_after[i] = select(accepted, step.w[i], w_after[i]);
      w_dot_after[i] = select(accepted, step.w_dot(stages - 1, i), w_dot_after[i]);
    });
    team.single([&]() KALABA_LAMBDA {
      const X added = step_length + time_rest;  // Kahan's sum, so that single precision keeps time too
      const X sum = time + added;
      const X rest = added - (sum - time);
      time_rest = select(accepted, select(last, X(0), rest), time_rest);
      time = select(accepted, select(last, end, sum), time);
      length = select(accepted, step_length, length);
    });
  }

  /// Keeps the continuous extension of the last step, where `wanted`, of all its rates. Of a `cubic` one only its ends
  /// are known.
  template <class Team>
  KALABA_FN void extend(const Team& team, const Mask& wanted, const RungeKutta& step, const Mask& cubic) {
    extend_row<0>(team, wanted, step, cubic);
  }

  /// Puts the `alive` lanes where the continuous extension of the last step is at t, or at its end where t lies behind
  /// it. Returns the lanes that are inside the step.
  template <class Team>
  KALABA_FN Mask go_to(const Team& team, const Mask& alive, const X& t) {
    const X behind = -remaining(t);
    const Mask inside = both(alive, behind > X(0));
    const X along = select(inside, X(1) - behind / select(inside, length, X(1)), X(1));
    const X left = X(1) - along;
    const auto at = [&](const X& before, const X& dot_before, const X& after, const X& dot_after, const X& bulge)
                        KALABA_LAMBDA {
                          const X change = after - before;
                          const X first = fma(length, dot_before, -change);
                          const X second = change - fma(length, dot_after, first);
                          const X curve = fma(left, fma(along, fma(left, bulge, second), first), change);
                          return select(inside, fma(along, curve, before), after);
                        };
    team.template for_each<nq>([&](int i) KALABA_LAMBDA {
      const X bulge = bulge_at(q_dense, i, along, left);
      const X there = at(q_before[i], q_dot_before[i], q_after[i], q_dot_after[i], bulge);
      this->q[i] = select(alive, there, this->q[i]);
    });
    team.template for_each<n>([&](int i) KALABA_LAMBDA {
      const X bulge = bulge_at(w_dense, i, along, left);
      const X there = at(w_before[i], w_dot_before[i], w_after[i], w_dot_after[i], bulge);
      this->w[i] = select(alive, there, this->w[i]);
    });
    return inside;
  }

  /// Calls visit(numbers, how many) for what is kept between calls.
  template <class Visit>
  KALABA_FN void for_each_persistent(const Visit& visit) {
    visit(&accepted, 1);
    visit(&rejected, 1);
    visit(&time, 1);
    visit(&time_rest, 1);
    visit(&length, 1);
    visit(&next, 1);
    visit(&error_root, 1);
    visit(q_before.data, nq);
    visit(q_dot_before.data, nq);
    visit(q_after.data, nq);
    visit(q_dot_after.data, nq);
    visit(q_dense.data, dense_rows * nq);
    visit(w_before.data, n);
    visit(w_dot_before.data, n);
    visit(w_after.data, n);
    visit(w_dot_after.data, n);
    visit(w_dense.data, dense_rows * n);
  }

 private:
  template <int Row, class Team>
  KALABA_FN void extend_row(const Team& team, const Mask& wanted, const RungeKutta& step, const Mask& cubic) {
    constexpr int row = RungeKutta::dense_row + Row;
    constexpr int stages = RungeKutta::all_stages;
    team.template for_each<nq>([&](int i) KALABA_LAMBDA {
      const X dense = select(cubic, X(0), RungeKutta::template combined<row, stages>(step.q_dot, i));
      q_dense(Row, i) = select(wanted, dense, q_dense(Row, i));
    });
    team.template for_each<n>([&](int i) KALABA_LAMBDA {
      const X dense = select(cubic, X(0), RungeKutta::template combined<row, stages>(step.w_dot, i));
      w_dense(Row, i) = select(wanted, dense, w_dense(Row, i));
    });
    if constexpr (Row + 1 < dense_rows) extend_row<Row + 1>(team, wanted, step, cubic);
  }

  /// length (dense_0 + s (dense_1 + (1 - s) (dense_2 + s (dense_3 + ...)))) of number i, at the part s of the step.
  template <int Size>
  KALABA_FN X bulge_at(const Mat<X, dense_rows, Size>& dense, int i, const X& along, const X& left) const {
    X bulge = length * dense(dense_rows - 1, i);
    KALABA_UNROLL
    for (int row = dense_rows - 2; row >= 0; --row) {
      bulge = fma(row % 2 == 0 ? along : left, bulge, length * dense(row, i));
    }
    return bulge;
  }
};

}  // namespace kalaba
