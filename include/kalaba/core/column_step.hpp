#pragma once

#include "kalaba/core/columns.hpp"
#include "kalaba/core/rk4.hpp"
#include "kalaba/core/team.hpp"

namespace kalaba {

/// A step of a member's columns, which go through the same stages.
template <class M, class X, bool Any = (Dim<M>::sensitivities > 0)>
struct ColumnStep {
  Columns<M, X> end;
};
template <class M, class X>
struct ColumnStep<M, X, true> {
  static constexpr int nq = Dim<M>::sensitivities * Dim<M>::q;
  static constexpr int n = Dim<M>::sensitivities * Dim<M>::w;

  Columns<M, X> rates;  ///< at the stage
  Columns<M, X> end;    ///< after the step
  Rk4<X, nq, n> integrator;

  KALABA_FN Columns<M, X> at_stage() const { return {integrator.stage_q, integrator.stage_w}; }
  KALABA_FN void begin(const Columns<M, X>& columns) { integrator.begin(Solo{}, columns.q, columns.w); }
  KALABA_FN void add(int stage, const X& dt, const Columns<M, X>& columns) {
    integrator.add(Solo{}, stage, dt, columns.q, columns.w, rates.q, rates.w);
    if (stage == 3) end = {integrator.q, integrator.w};
  }
  KALABA_FN void accept(const MaskOf<X>& moved, Columns<M, X>& columns) const {
    for (int i = 0; i < nq; ++i) columns.q[i] = select(moved, end.q[i], columns.q[i]);
    for (int i = 0; i < n; ++i) columns.w[i] = select(moved, end.w[i], columns.w[i]);
  }
  /// NaN from now on.
  KALABA_FN void forget(const MaskOf<X>& where, Columns<M, X>& columns) const {
    const X nothing = X(0) / X(0);
    for (int i = 0; i < nq; ++i) columns.q[i] = select(where, nothing, columns.q[i]);
    for (int i = 0; i < n; ++i) columns.w[i] = select(where, nothing, columns.w[i]);
  }
};

}  // namespace kalaba
