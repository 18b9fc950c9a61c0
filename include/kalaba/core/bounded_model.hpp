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
