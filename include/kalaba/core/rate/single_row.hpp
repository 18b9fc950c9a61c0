#pragma once

#include "kalaba/core/model/constraint.hpp"

namespace kalaba {

/// Terms of one stage of a model with one constraint and a diagonal metric G that depends on parameters only. Such a
/// model may state them as single_row(p, t, q, w) besides its other terms; the equation of motion is then
///   w' = free - column (defect / gram)
/// A common factor of column and gram may be omitted.
template <class M, class X>
struct SingleRow {
  Vec<X, Dim<M>::q> velocity;          ///< q' = K
  Vec<X, Dim<M>::w> free;              ///< a
  Vec<X, Dim<M>::w> column;            ///< G^-1 A^T
  Vec<X, Dim<M>::q> shift;             ///< K_w column, for a holonomic constraint
  Vec<X, Dim<M>::holonomic> position;  ///< phi
  Vec<X, Dim<M>::constraints> rate;    ///< phi' or psi
  X defect;                            ///< A a - b
  X gram;                              ///< A G^-1 A^T
};

template <class M>
KALABA_FN constexpr bool has_single_row() {
  return requires(Prepared<M, double> p, double t, Vec<double, Dim<M>::q> q, Vec<double, Dim<M>::w> w) {
    M::single_row(p, t, q, w).gram;
  };
}

/// Returns true if the model states its single row; for interpreted models this is known at run time.
template <class M>
KALABA_FN bool states_single_row() {
  if constexpr (requires { M::states_single_row(); }) {
    return M::states_single_row();
  } else {
    return has_single_row<M>();
  }
}

/// Members of SingleRow that the projection needs: column, shift, position, rate and gram.
template <class M, class P, class X>
KALABA_FN auto constraint_row(const P& p, const X& t, const Vec<X, Dim<M>::q>& q, const Vec<X, Dim<M>::w>& w) {
  if constexpr (requires { M::constraint_row(p, t, q, w); }) {
    return M::constraint_row(p, t, q, w);
  } else {
    return M::single_row(p, t, q, w);
  }
}

/// Stabilization of a run of the model M; its kind is a constant if the model states it (RunModel of a compiled model).
template <class M>
KALABA_FN constexpr Stabilization stabilization_of(const Method& method) {
  Stabilization result = method.stabilization;
  if constexpr (requires { M::stabilized_by; }) result.kind = M::stabilized_by;
  return result;
}

/// Computes defect / gram, with the feedback of the method and of the model. Row is a SingleRow, or a type with the
/// same members.
template <class M, class X, class P, class Row>
KALABA_FN X excess_of(const Row& row, const P& p, const Stabilization& stabilization) {
  X defect = row.defect;
  if (has_feedback<M>(stabilization)) {
    const auto gains = feedback_gains<M, X>(p, stabilization);
    defect = defect + gains.rate * row.rate[0];
    if constexpr (Dim<M>::holonomic > 0) defect = defect + gains.position * row.position[0];
  }
  return defect / row.gram;
}

}  // namespace kalaba
