#pragma once

#include "kalaba/core/constraint.hpp"

namespace kalaba {

/// What one stage needs of a model with one constraint and a diagonal metric G of parameters alone, which such a model
/// may state as single_row(p, t, q, w) beside its terms: the equation of motion is then
///   w' = free - column (excess / reach)
/// A factor that column and reach have in common may be left out.
template <class M, class X>
struct SingleRow {
  Vec<X, Dim<M>::q> velocity;          ///< q' = K
  Vec<X, Dim<M>::w> free;              ///< a
  Vec<X, Dim<M>::w> column;            ///< G^-1 A^T
  Vec<X, Dim<M>::q> shift;             ///< K_w column, of a holonomic constraint
  Vec<X, Dim<M>::holonomic> position;  ///< phi
  Vec<X, Dim<M>::constraints> rate;    ///< phi' or psi
  X excess;                            ///< A a - b
  X reach;                             ///< A G^-1 A^T
};

template <class M>
KALABA_FN constexpr bool has_single_row() {
  return requires(Prepared<M, double> p, double t, Vec<double, Dim<M>::q> q, Vec<double, Dim<M>::w> w) {
    M::single_row(p, t, q, w).reach;
  };
}

/// Whether it does, which of interpreted models is known when they run.
template <class M>
KALABA_FN bool states_single_row() {
  if constexpr (requires { M::states_single_row(); }) {
    return M::states_single_row();
  } else {
    return has_single_row<M>();
  }
}

/// Of this row what a correction of a state takes: column, shift, position, rate and reach.
template <class M, class P, class X>
KALABA_FN auto constraint_row(const P& p, const X& t, const Vec<X, Dim<M>::q>& q, const Vec<X, Dim<M>::w>& w) {
  if constexpr (requires { M::constraint_row(p, t, q, w); }) {
    return M::constraint_row(p, t, q, w);
  } else {
    return M::single_row(p, t, q, w);
  }
}

/// w', with the feedback of the method and of the model. Row is a SingleRow, or has its members otherwise.
template <class M, class X, class P, class Row>
KALABA_FN void rate_of(const Row& row, const P& p, const Stabilization& stabilization, Vec<X, Dim<M>::w>& w_dot) {
  X excess = row.excess;
  if (has_feedback<M>(stabilization)) {
    const auto gains = feedback_gains<M, X>(p, stabilization);
    excess = excess + gains.rate * row.rate[0];
    if constexpr (Dim<M>::holonomic > 0) excess = excess + gains.position * row.position[0];
  }
  const X by = excess / row.reach;
  KALABA_UNROLL
  for (int i = 0; i < Dim<M>::w; ++i) w_dot[i] = multiply_add(-row.column[i], by, row.free[i]);
}

}  // namespace kalaba
