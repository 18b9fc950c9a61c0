#pragma once

#include "kalaba/core/events/change.hpp"
#include "kalaba/core/events/impact.hpp"
#include "kalaba/core/inverse/jacobi_svd.hpp"
#include "kalaba/core/model/constraint.hpp"
#include "kalaba/core/model/method.hpp"

namespace kalaba {

/// Returns true if a model may have contacts: a struct whose member `contacts` is not 0.
template <class M>
KALABA_FN constexpr bool has_contacts() {
  if constexpr (requires { M::contacts; }) {
    return M::contacts > 0 && Dim<M>::holonomic > 0;
  } else {
    return false;
  }
}

template <class M>
KALABA_FN constexpr WatchedRows watched_rows() {
  if constexpr (has_contacts<M>()) {
    return {Dim<M>::invariants, Dim<M>::constraints, M::contacts};
  } else {
    return {Dim<M>::invariants, Dim<M>::constraints};
  }
}

/// Sums of the magnitudes of the terms of the gaps of all contacts, and of their rates.
template <class X>
struct ContactTerms {
  X gap[Watch::most_contacts];  ///< of the contacts of the watch
  X rate[Watch::most_contacts];

  template <class M>
  KALABA_NOINLINE static ContactTerms of([[maybe_unused]] const Watch& watch,
                                         [[maybe_unused]] const Vec<X, Dim<M>::parameters>& parameters,
                                         [[maybe_unused]] const X& t, [[maybe_unused]] const Vec<X, Dim<M>::q>& q,
                                         [[maybe_unused]] const Vec<X, Dim<M>::w>& w) {
    ContactTerms terms;
    if constexpr (has_contacts<M>()) {
      const auto found = M::contact_terms(prepared<M>(parameters), t, q, w);
      for (int i = 0; i < watch.contact_count; ++i) {
        terms.gap[i] = found[i];
        terms.rate[i] = found[watch.contact_count + i];
      }
    }
    return terms;
  }
};

/// Tolerances of contacts. Those of lengths are relative to the terms of the gap.
template <class X>
struct ContactTolerance {
  static constexpr bool single = Limits<Scalar<X>>::epsilon > 1e-10;
  static constexpr double touch = single ? 1e-5 : 1e-9;   ///< see gap()
  static constexpr double rest = single ? 1e-8 : 1e-12;   ///< lower bounces are none: the contact closes
  static constexpr double least_of_rest = 1e-6;           ///< least size of the terms, of Limits::least_size
  static constexpr double still = single ? 1e-3 : 1e-10;  ///< of rates, relative to the terms of a rate
  static constexpr int time_roundings = 256;              ///< of the error of the time at which something is zero

  /// Gaps up to this are zero. It contains the error of adaptive steps, and the rounding error of the time at which a
  /// contact closes.
  KALABA_FN static X gap(int contact, const ContactTerms<X>& terms, const Method& method, const X& t) {
    const double error = adapts(method.integrator) ? 16 * method.absolute_tolerance : 0;
    const X size = max_of(X(Limits<Scalar<X>>::least_size), terms.gap[contact]);
    const X roundings = X(time_roundings * Limits<Scalar<X>>::epsilon) * abs(t);
    return fma(roundings, terms.rate[contact], fma(X(touch), size, X(error)));
  }
  /// Rates of a gap up to this are zero.
  KALABA_FN static X rate(int contact, const ContactTerms<X>& terms) { return X(still) * terms.rate[contact]; }
  /// Height of a bounce that is none.
  KALABA_FN static X height(int contact, const ContactTerms<X>& terms) {
    return X(rest) * max_of(X(least_of_rest * Limits<Scalar<X>>::least_size), terms.gap[contact]);
  }
};

/// Workspace of the contacts of a member.
template <class M, class X>
struct ContactSpace {
  Impact<X, Dim<M>::constraints, Dim<M>::w, JacobiSvd> impact;
  Vec<X, Dim<M>::parameters> p;  ///< the parameters with all contacts closed
  /// Rows of the contacts, with all contacts closed: A, and ConstraintState.
  Mat<X, Dim<M>::constraints, Dim<M>::w> matrix;
  ConstraintState<M, X> closed;
  /// in: w at the ends of the step within which the change is. A velocity within a step has at least the rounding error
  /// of those at its ends.
  Vec<X, Dim<M>::w> step_from, step_to;
  X step_length;  ///< in: s, of that step, with equal steps of a whole one; at the start the same, 0 for adaptive steps
};
struct NoContactSpace {};

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
