#pragma once

#include "kalaba/core/matrix.hpp"
#include "kalaba/core/real.hpp"

namespace kalaba {

/// Where a warm-started pseudo-inverse goes on from, kept while it serves some lanes alone: the others must not see
/// what it did for those. Nothing where there are no lanes.
template <class X, int M>
struct KeptRotation {
  static constexpr int extent = is_bool<MaskOf<X>> ? 0 : M;
  Mat<X, extent, extent> rotation;

  template <class Inverse>
  KALABA_FN void keep(const Inverse& inverse) {
    if constexpr (requires { inverse.rotation.data; }) {
      for (int i = 0; i < extent * extent; ++i) rotation.data[i] = inverse.rotation.data[i];
    }
  }
  template <class Inverse>
  KALABA_FN void restore(Inverse& inverse, const MaskOf<X>& lanes) const {
    if constexpr (requires { inverse.rotation.data; }) {
      for (int i = 0; i < extent * extent; ++i) {
        inverse.rotation.data[i] = select(lanes, rotation.data[i], inverse.rotation.data[i]);
      }
    }
  }
};

}  // namespace kalaba
