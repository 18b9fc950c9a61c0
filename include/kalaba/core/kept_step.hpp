#pragma once

#include "kalaba/core/embedded_runge_kutta.hpp"

namespace kalaba {

/// A place within a step, or behind it.
template <class X>
struct PlaceInStep {
  MaskOf<X> inside;
  X along;  ///< part of the step, 1 behind it
  X left;   ///< 1 - along
  X length;
};

/// The last accepted step of numbers (q, w) that an embedded Runge-Kutta method moves, with its continuous extension.
template <class X, int NQ, int N, class Tableau>
struct KeptStep {
  using Step = EmbeddedRungeKutta<X, NQ, N, Tableau>;
  static constexpr int dense_rows = Tableau::dense_rows;
  static constexpr int numbers = (4 + dense_rows) * (NQ + N);  ///< of `for_each_number`

  Vec<X, NQ> q_before, q_dot_before, q_after, q_dot_after;
  Vec<X, N> w_before, w_dot_before, w_after, w_dot_after;
  Mat<X, dense_rows, NQ> q_dense;  ///< what its continuous extension adds to the cubic through its ends
  Mat<X, dense_rows, N> w_dense;

  /// Before the first step: where it begins.
  template <class Team>
  KALABA_FN void begin(const Team& team, const MaskOf<X>& fresh, const Vec<X, NQ>& q, const Vec<X, N>& w,
                       const Vec<X, NQ>& q_dot, const Vec<X, N>& w_dot) {
    team.template for_each<NQ>([&](int i) KALABA_LAMBDA {
      q_after[i] = select(fresh, q[i], q_after[i]);
      q_dot_after[i] = select(fresh, q_dot[i], q_dot_after[i]);
    });
    team.template for_each<N>([&](int i) KALABA_LAMBDA {
      w_after[i] = select(fresh, w[i], w_after[i]);
      w_dot_after[i] = select(fresh, w_dot[i], w_dot_after[i]);
    });
  }

  /// Makes `step` the last one where it is accepted.
  template <class Team>
  KALABA_FN void keep_step(const Team& team, const MaskOf<X>& accepted, const Step& step) {
    constexpr int stages = Step::stages;
    team.template for_each<NQ>([&](int i) KALABA_LAMBDA {
      q_before[i] = select(accepted, q_after[i], q_before[i]);
      q_dot_before[i] = select(accepted, q_dot_after[i], q_dot_before[i]);
      q_after[i] = select(accepted, step.q[i], q_after[i]);
      q_dot_after[i] = select(accepted, step.q_dot(stages - 1, i), q_dot_after[i]);
    });
    team.template for_each<N>([&](int i) KALABA_LAMBDA {
      w_before[i] = select(accepted, w_after[i], w_before[i]);
      w_dot_before[i] = select(accepted, w_dot_after[i], w_dot_before[i]);
      w_after[i] = select(accepted, step.w[i], w_after[i]);
      w_dot_after[i] = select(accepted, step.w_dot(stages - 1, i), w_dot_after[i]);
    });
  }

  /// Keeps the continuous extension of the last step, where `wanted`, of all its rates. Of a `cubic` one only its ends
  /// are known.
  template <class Team>
  KALABA_FN void extend(const Team& team, const MaskOf<X>& wanted, const Step& step, const MaskOf<X>& cubic) {
    extend_row<0>(team, wanted, step, cubic);
  }

  /// Puts the `alive` lanes of (q, w) at a place in the last step, or at its end.
  template <class Team>
  KALABA_FN void put_at(const Team& team, const MaskOf<X>& alive, const PlaceInStep<X>& place, Vec<X, NQ>& q,
                        Vec<X, N>& w) const {
    team.template for_each<NQ>([&](int i) KALABA_LAMBDA {
      const X bulge = bulge_at(q_dense, i, place);
      const X there = at(place, q_before[i], q_dot_before[i], q_after[i], q_dot_after[i], bulge);
      q[i] = select(alive, there, q[i]);
    });
    team.template for_each<N>([&](int i) KALABA_LAMBDA {
      const X bulge = bulge_at(w_dense, i, place);
      const X there = at(place, w_before[i], w_dot_before[i], w_after[i], w_dot_after[i], bulge);
      w[i] = select(alive, there, w[i]);
    });
  }
  /// Puts the lanes `where` of (q, w) at the end of the last step.
  template <class Team>
  KALABA_FN void put_at_end(const Team& team, const MaskOf<X>& where, Vec<X, NQ>& q, Vec<X, N>& w) const {
    team.template for_each<NQ>([&](int i) KALABA_LAMBDA { q[i] = select(where, q_after[i], q[i]); });
    team.template for_each<N>([&](int i) KALABA_LAMBDA { w[i] = select(where, w_after[i], w[i]); });
  }

  /// Calls visit(numbers, how many) for what is kept between calls.
  template <class Visit>
  KALABA_FN void for_each_number(const Visit& visit) {
    visit(q_before.data, NQ);
    visit(q_dot_before.data, NQ);
    visit(q_after.data, NQ);
    visit(q_dot_after.data, NQ);
    visit(q_dense.data, dense_rows * NQ);
    visit(w_before.data, N);
    visit(w_dot_before.data, N);
    visit(w_after.data, N);
    visit(w_dot_after.data, N);
    visit(w_dense.data, dense_rows * N);
  }

 private:
  template <int Row, class Team>
  KALABA_FN void extend_row(const Team& team, const MaskOf<X>& wanted, const Step& step, const MaskOf<X>& cubic) {
    constexpr int row = Step::dense_row + Row;
    constexpr int stages = Step::all_stages;
    team.template for_each<NQ>([&](int i) KALABA_LAMBDA {
      const X dense = select(cubic, X(0), Step::template combined<row, stages>(step.q_dot, i));
      q_dense(Row, i) = select(wanted, dense, q_dense(Row, i));
    });
    team.template for_each<N>([&](int i) KALABA_LAMBDA {
      const X dense = select(cubic, X(0), Step::template combined<row, stages>(step.w_dot, i));
      w_dense(Row, i) = select(wanted, dense, w_dense(Row, i));
    });
    if constexpr (Row + 1 < dense_rows) extend_row<Row + 1>(team, wanted, step, cubic);
  }

  /// length (dense_0 + s (dense_1 + (1 - s) (dense_2 + s (dense_3 + ...)))) of number i, at the part s of the step.
  template <int Size>
  KALABA_FN static X bulge_at(const Mat<X, dense_rows, Size>& dense, int i, const PlaceInStep<X>& place) {
    X bulge = place.length * dense(dense_rows - 1, i);
    KALABA_UNROLL
    for (int row = dense_rows - 2; row >= 0; --row) {
      bulge = fma(row % 2 == 0 ? place.along : place.left, bulge, place.length * dense(row, i));
    }
    return bulge;
  }
  KALABA_FN static X at(const PlaceInStep<X>& place, const X& before, const X& dot_before, const X& after,
                        const X& dot_after, const X& bulge) {
    const X change = after - before;
    const X first = fma(place.length, dot_before, -change);
    const X second = change - fma(place.length, dot_after, first);
    const X curve = fma(place.left, fma(place.along, fma(place.left, bulge, second), first), change);
    return select(place.inside, fma(place.along, curve, before), after);
  }
};

}  // namespace kalaba
