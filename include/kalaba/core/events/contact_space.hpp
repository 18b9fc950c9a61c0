#pragma once

#include "kalaba/core/events/change.hpp"
#include "kalaba/core/events/impact.hpp"
#include "kalaba/core/inverse/jacobi_svd.hpp"
#include "kalaba/core/model/constraint.hpp"
#include "kalaba/core/model/method.hpp"

namespace kalaba {

/// Tolerances of contacts. Those of lengths are relative to the terms of the gap.
template <class X>
struct ContactTolerance {
  static constexpr bool single = Limits<Scalar<X>>::epsilon > 1e-10;
  static constexpr double touch = single ? 1e-5 : 1e-9;   ///< see gap()
  static constexpr double rest = single ? 1e-8 : 1e-12;   ///< lower bounces are none: the contact closes
  static constexpr double least_of_rest = 1e-6;           ///< least size of the terms, of Limits::least_size
  static constexpr double still = single ? 1e-3 : 1e-10;  ///< of rates, relative to the terms of a rate
  static constexpr int time_roundings = 256;              ///< of the error of the time at which something is zero

  /// Largest coordinate and rate: the sizes of gaps that the model computes as outputs.
  struct Sizes {
    X coordinate;
    X rate;

    template <int Q, int W>
    KALABA_FN static Sizes of(const Vec<X, Q>& q, const Vec<X, W>& w) {
      Sizes sizes = {X(0), X(0)};
      for (int i = 0; i < Q; ++i) sizes.coordinate = max_of(sizes.coordinate, abs(q[i]));
      for (int i = 0; i < W; ++i) sizes.rate = max_of(sizes.rate, abs(w[i]));
      return sizes;
    }
  };

  /// Gaps up to this are zero. It contains the error of adaptive steps, and the rounding error of the time at which a
  /// contact closes.
  KALABA_FN static X gap(const Watch& watch, int contact, const Method& method, const X* p, const StateView<X>& state,
                         const Sizes& sizes) {
    const X speed = terms(watch, contact, watch.contacts[contact].gap_rate, p, state, sizes.rate);
    const double error = adapts(method.integrator) ? 16 * method.absolute_tolerance : 0;
    const X least(Limits<Scalar<X>>::least_size);
    const X size = max_of(least, terms(watch, contact, watch.contacts[contact].gap, p, state, sizes.coordinate));
    return fma(X(time_roundings * Limits<Scalar<X>>::epsilon) * abs(state.t), speed, fma(X(touch), size, X(error)));
  }
  /// Rates of a gap up to this are zero.
  KALABA_FN static X rate(const Watch& watch, int contact, const X* p, const StateView<X>& state, const Sizes& sizes) {
    return X(still) * terms(watch, contact, watch.contacts[contact].gap_rate, p, state, sizes.rate);
  }
  /// Height of a bounce that is none.
  KALABA_FN static X height(const Watch& watch, int contact, const X* p, const StateView<X>& state,
                            const Sizes& sizes) {
    const X least(least_of_rest * Limits<Scalar<X>>::least_size);
    return X(rest) * max_of(least, terms(watch, contact, watch.contacts[contact].gap, p, state, sizes.coordinate));
  }

 private:
  KALABA_FN static X terms(const Watch& watch, int contact, const CodeRange& of, const X* p, const StateView<X>& state,
                           const X& of_output) {
    const Instruction* const code = watch.events[watch.contacts[contact].event].expression.code + of.first;
    if (of.size == 1 && code[0].operation == Operation::observed) return of_output;
    return size_of<SizeOf::terms>(code, of.size, p, state);
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
  X step_length;  ///< in: s, of that step, with equal steps of a whole one; 0 at the start
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
