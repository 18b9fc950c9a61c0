#pragma once

#include "kalaba/core/base/cubic.hpp"
#include "kalaba/core/base/team.hpp"
#include "kalaba/core/methods/embedded_runge_kutta.hpp"

namespace kalaba {

/// Last accepted step of a state that an embedded Runge-Kutta method advances, with its continuous extension.
template <class X, int NQ, int N, class Tableau>
struct KeptStep {
  using S = State<X, NQ, N>;
  using Step = EmbeddedRungeKutta<X, NQ, N, Tableau>;
  static constexpr int dense_rows = Tableau::dense_rows;
  static constexpr int numbers = (4 + dense_rows) * (NQ + N);  ///< visited by for_each_number and for_each_within

  S before, dot_before, after, dot_after;
  S dense[dense_rows];  ///< terms of the continuous extension that are added to the cubic through the ends

  /// Sets the start of the first step.
  template <class Team>
  KALABA_FN void begin(const Team& team, const MaskOf<X>& fresh, const S& start, const S& start_dot) {
    copy_where(team, fresh, start, after);
    copy_where(team, fresh, start_dot, dot_after);
  }

  /// State at the beginning of the last step.
  KALABA_FN const S& beginning() const { return before; }
  /// Computes dot_after in some lanes, if steps do not store it.
  template <class Team>
  KALABA_FN void find_end_rates(const Team& /*team*/, const MaskOf<X>& /*where*/, const X& /*length*/) {}
  /// Sets the end of the last step to `value`, and its rates, in some lanes.
  KALABA_FN void fill_end(const MaskOf<X>& where, const X& value) {
    fill_where(Solo{}, where, value, after);
    fill_where(Solo{}, where, value, dot_after);
  }

  /// Makes `step` the last one in the accepted lanes.
  template <class Team>
  KALABA_FN void keep_step(const Team& team, const MaskOf<X>& accepted, const Step& step) {
    copy_where(team, accepted, after, before);
    copy_where(team, accepted, dot_after, dot_before);
    copy_where(team, accepted, step.at, after);
    copy_where(team, accepted, step.rates[Step::stages - 1], dot_after);
  }

  /// Stores the continuous extension of the last step, from all its rates, in the lanes of the second argument. A
  /// `cubic` extension uses the ends only.
  template <class Team>
  KALABA_FN void extend(const Team& team, const MaskOf<X>& wanted, const Step& step, const MaskOf<X>& cubic) {
    extend_row<0>(team, wanted, step, cubic);
  }

  /// Adds s^2 (1 - s)^2 bulge to a cubic extension, in some lanes; s is the fraction of the step.
  template <class Team>
  KALABA_FN void bend(const Team& team, const MaskOf<X>& where, const X& length, const S& bulge) {
    for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA {
      of(dense[0])[i] = select(where, of(bulge)[i] / length, of(dense[0])[i]);
    });
  }

  /// Sets the state of the `alive` lanes to that at a position in the last step, or at its end.
  template <class Team>
  KALABA_FN void put_at(const Team& team, const MaskOf<X>& alive, const PlaceInStep<X>& place, S& state) const {
    for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA {
      of(state)[i] = select(alive, this->number_at(place, of, i), of(state)[i]);
    });
  }

  /// Calls visit(numbers, count) for the persistent state at the end of the step.
  template <class Visit>
  KALABA_FN void for_each_number(const Visit& visit) {
    visit_state(after, visit);
    visit_state(dot_after, visit);
  }
  /// Calls visit(numbers, count) for the persistent state within the step.
  template <class Visit>
  KALABA_FN void for_each_within(const Visit& visit) {
    visit_state(before, visit);
    visit_state(dot_before, visit);
    for (S& row : dense) visit_state(row, visit);
  }

 private:
  template <class Visit>
  KALABA_FN static void visit_state(S& state, const Visit& visit) {
    visit(state.q.data, NQ);
    visit(state.w.data, N);
  }

  template <int Row, class Team>
  KALABA_FN void extend_row(const Team& team, const MaskOf<X>& wanted, const Step& step, const MaskOf<X>& cubic) {
    constexpr int row = Step::dense_row + Row;
    constexpr int stages = Step::all_stages;
    for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA {
      const X number = select(cubic, X(0), step.template combined<row, stages>(of, i));
      of(dense[Row])[i] = select(wanted, number, of(dense[Row])[i]);
    });
    if constexpr (Row + 1 < dense_rows) extend_row<Row + 1>(team, wanted, step, cubic);
  }

  /// length (dense_0 + s (dense_1 + (1 - s) (dense_2 + s (dense_3 + ...)))) of number i, at the fraction s of the step.
  template <class Of>
  KALABA_FN X bulge_at(const PlaceInStep<X>& place, Of of, int i) const {
    X bulge = place.length * of(dense[dense_rows - 1])[i];
    KALABA_UNROLL
    for (int row = dense_rows - 2; row >= 0; --row) {
      bulge = fma(row % 2 == 0 ? place.along : place.left, bulge, place.length * of(dense[row])[i]);
    }
    return bulge;
  }
  template <class Of>
  KALABA_FN X number_at(const PlaceInStep<X>& place, Of of, int i) const {
    return cubic_at(place, of(before)[i], of(after)[i], of(dot_before)[i], of(dot_after)[i], bulge_at(place, of, i));
  }
};

}  // namespace kalaba
