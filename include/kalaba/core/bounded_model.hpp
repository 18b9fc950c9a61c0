#pragma once

#include "kalaba/core/model.hpp"

namespace kalaba {

// What is known of most models when they are compiled. A model whose extents are bounds on those of the one that it
// stands for, which it is told when it runs (kalaba/backend/interpreted.hpp), states functions for it.

/// Whether w are momenta: the given force is then w' itself.
template <class M>
KALABA_FN bool is_hamiltonian() {
  if constexpr (requires { M::is_hamiltonian(); }) {
    return M::is_hamiltonian();
  } else {
    return M::formulation == Formulation::hamilton;
  }
}

/// How many of the constraints, the first ones, are stated as phi(t, q).
template <class M>
KALABA_FN int holonomic_rows() {
  if constexpr (requires { M::holonomic_rows(); }) {
    return M::holonomic_rows();
  } else {
    return Dim<M>::holonomic;
  }
}

template <class M>
KALABA_FN bool has_non_ideal_force() {
  if constexpr (requires { M::has_non_ideal_force(); }) {
    return M::has_non_ideal_force();
  } else {
    return ModelParts<M>::has_non_ideal;
  }
}

/// Whether C of the non-ideal force is of the multipliers too.
template <class M>
KALABA_FN bool needs_multipliers() {
  if constexpr (requires { M::needs_multipliers(); }) {
    return M::needs_multipliers();
  } else {
    return ModelParts<M>::has_loaded_non_ideal;
  }
}

/// C of the non-ideal force.
template <class M, class P, class X>
KALABA_FN Vec<X, Dim<M>::w> non_ideal_of(const P& p, const X& t, const Vec<X, Dim<M>::q>& q,
                                         const Vec<X, Dim<M>::w>& w, const Vec<X, Dim<M>::w>& ideal_force,
                                         const Vec<X, Dim<M>::constraints>& multipliers) {
  if constexpr (ModelParts<M>::has_loaded_non_ideal) {
    return M::non_ideal(p, t, q, w, ideal_force, multipliers);
  } else {
    return M::non_ideal(p, t, q, w, ideal_force);
  }
}

/// How many numbers a state has.
template <class M>
KALABA_FN int state_numbers() {
  if constexpr (requires { M::state_numbers(); }) {
    return M::state_numbers();
  } else {
    return Dim<M>::q + Dim<M>::w;
  }
}

}  // namespace kalaba
