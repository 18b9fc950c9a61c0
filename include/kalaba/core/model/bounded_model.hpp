#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

// Facts that most models fix at compile time. A model whose extents are upper bounds of the model that it executes,
// which is given at run time (kalaba/backend/interpreted_model.hpp), defines functions for them.

/// Returns true if w are momenta: the given force is then w' itself.
template <class M>
KALABA_FN bool is_hamiltonian() {
  if constexpr (requires { M::is_hamiltonian(); }) {
    return M::is_hamiltonian();
  } else {
    return M::formulation == Formulation::hamilton;
  }
}

/// Number of constraints that are stated as phi(t, q); these come first.
template <class M>
KALABA_FN int holonomic_rows() {
  if constexpr (requires { M::holonomic_rows(); }) {
    return M::holonomic_rows();
  } else {
    return Dim<M>::holonomic;
  }
}

/// Returns true if every constraint is stated as phi(t, q).
template <class M>
KALABA_FN bool is_holonomic() {
  if constexpr (requires { M::is_holonomic(); }) {
    return M::is_holonomic();
  } else {
    return Dim<M>::holonomic == Dim<M>::constraints;
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

/// Returns true if C of the non-ideal force depends on the multipliers too.
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
KALABA_FN Vec<X, Dim<M>::w> non_ideal_of(const P& p, const X& t, const Vec<X, Dim<M>::q>& q, const Vec<X, Dim<M>::w>& w,
                                         const Vec<X, Dim<M>::w>& ideal_force,
                                         const Vec<X, Dim<M>::constraints>& multipliers) {
  if constexpr (ModelParts<M>::has_loaded_non_ideal) {
    return M::non_ideal(p, t, q, w, ideal_force, multipliers);
  } else {
    return M::non_ideal(p, t, q, w, ideal_force);
  }
}

/// Numbers in a state.
template <class M>
KALABA_FN int state_numbers() {
  if constexpr (requires { M::state_numbers(); }) {
    return M::state_numbers();
  } else {
    return Dim<M>::q + Dim<M>::w;
  }
}

}  // namespace kalaba
