#pragma once

#include "kalaba/core/impact.hpp"
#include "kalaba/core/jacobi_svd.hpp"
#include "kalaba/core/method.hpp"
#include "kalaba/core/model.hpp"

namespace kalaba {

/// Tolerances of contacts. Those of lengths are relative to the largest coordinate (at least Limits::least_size).
template <class X>
struct ContactTolerance {
  static constexpr bool single = Limits<Scalar<X>>::epsilon > 1e-10;
  static constexpr double touch = single ? 1e-5 : 1e-9;   ///< see gap()
  static constexpr double rest = single ? 1e-8 : 1e-12;   ///< lower bounces are none: the contact closes
  static constexpr double still = single ? 1e-3 : 1e-10;  ///< of rates, relative to the terms of a rate

  /// Gaps up to this are zero. It contains the error of adaptive steps, and the rounding error of the time at which a
  /// contact closes.
  template <int N>
  KALABA_FN static X gap(const Method& method, const X& t, const Vec<X, N>& q, const Vec<X, N>& q_dot) {
    X speed(0);
    for (int i = 0; i < N; ++i) speed = max_of(speed, abs(q_dot[i]));
    const double error = adapts(method.integrator) ? 16 * method.absolute_tolerance : 0;
    const X size = fma(X(touch), size_of(q), X(error));
    return fma(X(256 * Limits<Scalar<X>>::epsilon) * abs(t), speed, size);
  }
  /// Largest coordinate.
  template <int N>
  KALABA_FN static X size_of(const Vec<X, N>& q) {
    X size(Limits<Scalar<X>>::least_size);
    for (int i = 0; i < N; ++i) size = max_of(size, abs(q[i]));
    return size;
  }
};

/// Workspace of the contacts of a member.
template <class M, class X>
struct ContactSpace {
  Impact<X, Dim<M>::constraints, Dim<M>::w, JacobiSvd> impact;
  Vec<X, Dim<M>::parameters> p;  ///< the parameters with all contacts closed
  X free;                        ///< |F^T a| of the unconstrained rate
};
struct NoContactSpace {};

/// Returns true if a model may have contacts: a struct whose member `contacts` is not 0.
template <class M>
KALABA_FN constexpr bool has_contacts() {
  if constexpr (requires { M::contacts; }) {
    return M::contacts > 0 && Dim<M>::holonomic > 0;
  } else {
    return false;
  }
}

namespace detail {
template <class M, class X, bool Has>
struct ContactSpaceOf {
  using type = NoContactSpace;
};
template <class M, class X>
struct ContactSpaceOf<M, X, true> {
  using type = ContactSpace<M, X>;
};
}  // namespace detail
template <class M, class X>
using ContactSpaceOf = typename detail::ContactSpaceOf<M, X, has_contacts<M>()>::type;

}  // namespace kalaba
