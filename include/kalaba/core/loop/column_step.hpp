#pragma once

#include "kalaba/core/base/straight.hpp"
#include "kalaba/core/base/team.hpp"
#include "kalaba/core/methods/rk4.hpp"
#include "kalaba/core/rate/columns.hpp"

namespace kalaba {

/// A step of a member's sensitivity columns, through the same stages as the member.
template <class M, class X, bool Any = (Dim<M>::sensitivities > 0)>
struct ColumnStep {
  Columns<M, X> end;

  // NVRTC 12.0 to 12.5 look at calls that are discarded within lambdas.
  KALABA_FN const Columns<M, X>& at(int, const Columns<M, X>&) const { return end; }
  KALABA_FN void add(int, const X&, const Columns<M, X>&, int, const Vec<X, Dim<M>::q>&, const Vec<X, Dim<M>::w>&) {}
};
template <class M, class X>
struct ColumnStep<M, X, true> {
  using Method = Rk4<X, Dim<M>::q, Dim<M>::w>;  ///< method of one column

  Columns<M, X> stage;
  Columns<M, X> end;  ///< after the step

  /// Columns at a stage of the step from `begin`.
  KALABA_FN const Columns<M, X>& at(int stage_index, const Columns<M, X>& begin) const {
    return stage_index == 0 ? begin : stage;
  }
  /// Adds a column's rate at that stage.
  KALABA_FN void add(int stage_index, const X& dt, const Columns<M, X>& begin, int column, const Vec<X, Dim<M>::q>& dq,
                     const Vec<X, Dim<M>::w>& dw) {
    const Columns<M, X>& sum = stage_index == 0 ? begin : end;
    const X share = Method::share_of(stage_index, dt);
    const X ahead = Method::ahead_of(stage_index, dt);
    straight<Dim<M>::q>([&](int i) KALABA_LAMBDA {
      const int at = column * Dim<M>::q + i;
      end.q[at] = fma(share, dq[i], sum.q[at]);
      stage.q[at] = fma(ahead, dq[i], begin.q[at]);
    });
    straight<Dim<M>::w>([&](int i) KALABA_LAMBDA {
      const int at = column * Dim<M>::w + i;
      end.w[at] = fma(share, dw[i], sum.w[at]);
      stage.w[at] = fma(ahead, dw[i], begin.w[at]);
    });
  }
  KALABA_FN void accept(const MaskOf<X>& moved, Columns<M, X>& columns) const {
    copy_where(Solo{}, moved, end, columns);
  }
  /// Sets the columns to NaN from now on.
  KALABA_FN void forget(const MaskOf<X>& where, Columns<M, X>& columns) const {
    if (!any(where)) return;
    fill_where(Solo{}, where, X(0) / X(0), columns);
  }
};

}  // namespace kalaba
