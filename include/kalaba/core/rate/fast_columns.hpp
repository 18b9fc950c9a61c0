#pragma once

#include "kalaba/core/base/straight.hpp"
#include "kalaba/core/rate/columns.hpp"
#include "kalaba/core/rate/single_row.hpp"

namespace kalaba {

/// Derivatives of the columns of a member along its steps on the fast path (core/rate/fast_rate.hpp). A rate of the
/// member, or the change of its state by a correction, is
///
///   r = free + column x,   error + gram x = 0
///
/// with the members of SingleRow and x the multiplier of the row, so that along a column
///
///   dr = d(free + column x) + column dx,   dx = -d(error + gram x) / gram
///
/// in which d(...) holds x. A model has these slopes as groups like those of core/sensitivities/rate_slopes.hpp:
///
///   RowMotion    of (x, gains of feedback if used): [K], free + column x, defect + gram x
///   RowPosition  of x: shift x, phi + gram x
///   RowTurn      of x: column x, phi' or psi + gram x
template <class M, class X>
struct FastColumns {
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int count = Dim<M>::sensitivities;
  static constexpr bool turns = ModelParts<M>::has_velocity;  ///< q' is not w
  using P = Prepared<M, X>;
  using Q = Vec<X, nq>;
  using W = Vec<X, n>;
  using Mask = MaskOf<X>;

  /// Computes the rates of the columns in the state (q, w) of their member at t, in which its row has the multiplier x:
  /// calls take(column, dq', dw') for each.
  template <class Row, class Take>
  KALABA_FN static void rates(const Method& method, const P& p, const X& t, const Q& q, const W& w, const Row& row,
                              const X& x, const Columns<M, X>& columns, const Take& take) {
    constexpr int first = turns ? nq : 0;
    using Group = typename M::RowMotion;
    const auto kept = Group::keep(p, t, q, w, known<Group::known>(method, x));
    const X share = X(-1) / row.gram;
    straight<count>([&](int column) KALABA_LAMBDA {
      const auto slopes = slopes_along<Group>(p, kept, column, columns);
      const X by = slopes[first + n] * share;
      Q dq;
      W dw;
      straight<nq>([&](int i) KALABA_LAMBDA { dq[i] = turns ? slopes[i] : columns.w[column * n + i]; });
      straight<n>([&](int i) KALABA_LAMBDA { dw[i] = multiply_add(row.column[i], by, slopes[first + i]); });
      take(column, dq, dw);
    });
  }

  /// Applies to the columns the correction of q, or of w, by row.shift x or row.column x with the multiplier x: in all
  /// lanes if `All`, else in the lanes `moving`.
  template <bool All, class Row>
  KALABA_FN static void correct_position(const P& p, const X& t, const Q& q, const W& w, const Row& row, const X& x,
                                         const Mask& moving, Columns<M, X>& columns) {
    correct<typename M::RowPosition, nq, All>(p, t, q, w, row, x, row.shift, moving, columns, columns.q);
  }
  template <bool All, class Row>
  KALABA_FN static void correct_rate(const P& p, const X& t, const Q& q, const W& w, const Row& row, const X& x,
                                     const Mask& moving, Columns<M, X>& columns) {
    correct<typename M::RowTurn, n, All>(p, t, q, w, row, x, row.column, moving, columns, columns.w);
  }

 private:
  template <int Known>
  KALABA_FN static Vec<X, Known> known(const Method& method, const X& by) {
    Vec<X, Known> all;
    all[0] = by;
    if constexpr (Known > 1) {
      all[1] = X(method.stabilization.rate_gain);
      all[2] = X(method.stabilization.position_gain);
    }
    return all;
  }

  template <class Group, int Kept>
  KALABA_FN static Vec<X, Group::rows> slopes_along(const P& p, const Vec<X, Kept>& kept, int column,
                                                    const Columns<M, X>& at) {
    Vec<X, Group::rows> slopes =
        Group::along(p, kept, &at.q[column * nq], &at.w[column * n], static_cast<const X*>(nullptr));
    Group::add_own(column, p, kept, slopes);
    return slopes;
  }

  template <class Group, int N, bool All, class Row, class Direction, class Numbers>
  KALABA_FN static void correct(const P& p, const X& t, const Q& q, const W& w, const Row& row, const X& x,
                                const Direction& direction, const Mask& moving, const Columns<M, X>& columns,
                                Numbers& numbers) {
    const auto kept = Group::keep(p, t, q, w, Vec<X, 1>{{x}});
    const X share = X(-1) / row.gram;
    straight<count>([&](int column) KALABA_LAMBDA {
      const auto slopes = slopes_along<Group>(p, kept, column, columns);
      const X by = slopes[N] * share;
      straight<N>([&](int i) KALABA_LAMBDA {
        X& number = numbers[column * N + i];
        const X shift = fma(direction[i], by, slopes[i]);
        number = number + (All ? shift : select(moving, shift, X(0)));
      });
    });
  }
};

}  // namespace kalaba
