#pragma once

#include "kalaba/core/rate/projection.hpp"

namespace kalaba {

/// Advances the columns of a member along its steps on the fast path (core/loop/plain_step.hpp), with the rates and
/// corrections of the general path. Workspace is a MemberWorkspace.
template <class M, class X, class Workspace>
struct PlainColumns {
  using Q = Vec<X, Dim<M>::q>;
  using W = Vec<X, Dim<M>::w>;
  using S = State<X, Dim<M>::q, Dim<M>::w>;
  using Mask = MaskOf<X>;

  Workspace& general;
  const Method& method;
  const Prepared<M, X>& p;

  /// Computes the rates of the columns in the state `at` of their member: calls take(column, dq', dw') for each.
  template <class Take>
  KALABA_FN void rates(const X& t, const S& at, const Columns<M, X>& columns, const Take& take) const {
    general.rate.evaluate(Solo{}, method, rule(), p, t, at.q, at.w, false, false);
    general.tangents.evaluate(general.rate, method, t, at.q, at.w, columns, take);
  }

  /// Applies to the columns the correction of q, or of w, that follows in the lanes `moving`.
  KALABA_FN void correct_position(const X& t, Q q, const W& w, const Mask& moving, Columns<M, X>& columns) const {
    X size(0);
    general.projection.move_position(Solo{}, general.rate, method, rule(), p, t, q, w, moving, false, along(columns),
                                     X(0), false, size);
  }
  KALABA_FN void correct_rate(const X& t, const Q& q, W w, const Mask& moving, Columns<M, X>& columns) const {
    X size(0);
    general.projection.move_rate(Solo{}, general.rate, method, rule(), p, t, q, w, moving, false, along(columns), X(0),
                                 false, size);
  }

 private:
  KALABA_FN RankRule<X> rule() const { return RankRule<X>(method.rank_tolerance); }
  KALABA_FN auto along(Columns<M, X>& columns) const {
    return ColumnsAlong<decltype(general.tangents), Columns<M, X>>{general.tangents, columns};
  }
};

}  // namespace kalaba
