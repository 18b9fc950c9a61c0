#pragma once

#include "kalaba/core/base/team.hpp"
#include "kalaba/core/member/member_state.hpp"
#include "kalaba/core/methods/kept_step.hpp"

namespace kalaba {

/// A member with the last step of its sensitivity columns. The columns pass through the stages of every accepted step.
/// The member's error controls the step size, unless that of a column is much larger (AdaptiveColumnStep::error).
template <class M, class X, class Tableau, bool Any = (Dim<M>::sensitivities > 0)>
struct MemberWithColumns : Member<M, X> {
  static constexpr bool any = false;
};
template <class M, class X, class Tableau>
struct MemberWithColumns<M, X, Tableau, true> : Member<M, X> {
  static constexpr bool any = true;
  using KeptColumns = KeptStep<X, Dim<M>::sensitivities * Dim<M>::q, Dim<M>::sensitivities * Dim<M>::w, Tableau>;
  static constexpr int persistent =
      Member<M, X>::persistent + KeptColumns::numbers + Dim<M>::sensitivities * (Dim<M>::q + Dim<M>::w);

  KeptColumns of_columns;
  Columns<M, X> stopped_columns;  ///< columns at the event that ends the motion

  /// Moves the columns of `stopped` lanes to the event that ends the motion.
  KALABA_FN void stop_columns(const MaskOf<X>& stopped) { copy_where(Solo{}, stopped, stopped_columns, this->columns); }
  /// Sets the columns to NaN from now on.
  KALABA_FN void forget_columns(const MaskOf<X>& where) { of_columns.fill_end(where, X(0) / X(0)); }
};

/// Workspace of a step of a member's columns.
template <class M, class X, class Tableau, bool Any = (Dim<M>::sensitivities > 0)>
struct AdaptiveColumnStep {
  Columns<M, X> at;
};
template <class M, class X, class Tableau>
struct AdaptiveColumnStep<M, X, Tableau, true> {
  using KeptColumns = typename MemberWithColumns<M, X, Tableau>::KeptColumns;

  Columns<M, X> at;     ///< the current stage; after a step, its end
  Columns<M, X> rates;  ///< rates at `at`
  Columns<M, X> noise;  ///< rounding errors of the rates in a step (StepTrial::find_noise)
  typename KeptColumns::Step integrator;

  /// Moves to a stage of the step that follows `last`.
  KALABA_FN void move_on(int stage, const X& dt, const KeptColumns& last) {
    if (stage == 1) integrator.begin(Solo{}, last.dot_after);
    integrator.move(Solo{}, stage, dt, last.after);
    copy(Solo{}, integrator.at, at);
  }
  /// Moves to a stage of the continuous extension of `last`.
  KALABA_FN void move_within(int stage, const X& dt, const KeptColumns& last) {
    integrator.move(Solo{}, stage, dt, last.before);
    copy(Solo{}, integrator.at, at);
  }
  /// Stores the rates at the stage, and the stage's columns.
  KALABA_FN void add(int stage) {
    integrator.add(Solo{}, stage, rates);
    copy(Solo{}, at, integrator.at);
  }

  /// Sizes of the coordinates and of the rates of a column.
  struct Sizes {
    X q, w;
  };

  /// Error of a step that follows `last`, relative to the size of each column and in units of 1000 relative tolerances.
  /// `factor`: of the numbers of which the integrator combines errors: the length of the step if they are rates.
  /// It exceeds that of the member where the member hardly moves, as near an equilibrium. `rounding(column)`: Sizes of
  /// a column that may be rounding error. 0 without derivatives.
  template <class Rounding>
  KALABA_FN X error(const Method& method, const X& length, const X& factor, const KeptColumns& last,
                    const Rounding& rounding) const {
    X largest(0);
    for (int column = 0; column < Dim<M>::sensitivities; ++column) {
      X rms[Tableau::error_rows];
      error_row<0>(column, sizes_of(column, abs(length), last, rounding(column)), rms);
      largest = max_of(largest, Tableau::error(rms));
    }
    const X error = factor * largest / X(tolerance(method));
    return select(is_finite(error), error, X(0));
  }

  /// Tolerance of a column, relative to its size.
  KALABA_FN static double tolerance(const Method& method) { return max_of(1e3 * method.relative_tolerance, 1e-8); }

  /// A change of the rates is small if its effect on the coordinates within a step of `length` is, and conversely.
  KALABA_FN static Sizes joined(const X& q, const X& w, const X& length) {
    return {max_of(q, length * w), max_of(w, q / length)};
  }

 private:
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;

  KALABA_FN Sizes sizes_of(int column, const X& length, const KeptColumns& last, const Sizes& rounding) const {
    const auto largest = [&](auto of, int count, X size) KALABA_LAMBDA {
      for (int i = column * count; i < (column + 1) * count; ++i) {
        size = max_of(size, max_of(abs(of(last.after)[i]), abs(of(integrator.at)[i])));
      }
      return size;
    };
    const X q = largest(OfQ{}, nq, rounding.q);
    const X w = largest(OfW{}, n, rounding.w);
    return joined(q, w, length);
  }
  template <int Row>
  KALABA_FN void error_row(int column, const Sizes& sizes, X* rms) const {
    constexpr int row = KeptColumns::Step::error_row + Row;
    constexpr int stages = KeptColumns::Step::stages;
    const auto squares = [&](auto of, int count, const X& size) KALABA_LAMBDA {
      X sum(0);
      for (int i = column * count; i < (column + 1) * count; ++i) {
        const X error = integrator.template combined<row, stages>(of, i);
        sum = fma(error, error, sum);
      }
      return sum * reciprocal_where(X(0) < size, size * size);
    };
    rms[Row] = sqrt((squares(OfQ{}, nq, sizes.q) + squares(OfW{}, n, sizes.w)) * X(1.0 / (nq + n)));
    if constexpr (Row + 1 < Tableau::error_rows) error_row<Row + 1>(column, sizes, rms);
  }
};

}  // namespace kalaba
