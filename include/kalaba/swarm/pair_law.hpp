#pragma once

#include "kalaba/core/base/differentiation.hpp"
#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A pair law of a swarm: agents i and j at distance r have the potential
///
///     G(r) = harmonic/2 r^2 + potential(r)
///
/// and agent i has the gradient sum over j of (q_i - q_j) G'(r)/r. A law is a struct of static members:
///
///   name, summary, equations          text; G as a formula
///   parameters[]                      of Quantity, the law's own, as `p` below
///   potential(p, r)                   G without its harmonic part, for r > 0: a template over the number; its
///                                     derivatives are computed by automatic differentiation
/// and optionally
///   harmonic(p)                       1/s; summed from moments, in O(N)
///   cutoff(p)                         m; over the last fifth of it the potential is faded out, twice differentiable
template <class L>
concept PairLaw = requires(const double* p, double r) {
  static_cast<const char*>(L::name);
  static_cast<const char*>(L::equations);
  static_cast<const char*>(L::parameters[0].name);
  static_cast<double>(L::potential(p, r));
};

template <class L>
inline constexpr bool has_cutoff = requires(const double* p) {
  L::cutoff(p);
};

/// Distance, relative to the cutoff, from which a law with a cutoff is faded out.
inline constexpr double fade_begin = 0.8;

/// G, G' and G'' of the law without its harmonic part.
template <PairLaw L, class X>
KALABA_FN Taylor<X> pair_potential(const double* p, const X& r) {
  const Taylor<X> along(r, X(1.0), X(0.0));
  const Taylor<X> whole = L::potential(p, along);
  if constexpr (has_cutoff<L>) {
    const double end = L::cutoff(p);
    const Taylor<X> u = (end - along) * X(1.0 / ((1 - fade_begin) * end));
    const Taylor<X> faded = whole * (u * u * u * (u * (u * 6.0 - 15.0) + 10.0));
    const auto within = r <= X(fade_begin * end);
    const auto beyond = r >= X(end);
    const auto piece = [&](const X& inner, const X& outer)
                           KALABA_LAMBDA { return select(beyond, X(0.0), select(within, inner, outer)); };
    return {piece(whole.value, faded.value), piece(whole.first, faded.first), piece(whole.second, faded.second)};
  } else {
    return whole;
  }
}

}  // namespace kalaba
