#pragma once

#include "kalaba/core/base/differentiation.hpp"
#include "kalaba/core/model/model.hpp"

namespace kalaba {

// Models that state an energy instead of their terms: a Lagrangian L(p, t, q, v) or a Hamiltonian H(p, t, q, p), of
// second degree in the rates. The terms are computed by exact differentiation: nested dual numbers give the second
// derivatives. Forces without an energy may be stated as applied(p, t, q, w).

namespace detail {

/// x with slope 1 of entry i along direction i.
template <class X, int N>
KALABA_FN Vec<Dual<X, N>, N> seeded(const Vec<X, N>& x) {
  auto result = constants<Dual<X, N>>(x);
  KALABA_UNROLL
  for (int i = 0; i < N; ++i) result[i].slope[i] = X(1.0);
  return result;
}

/// d2f/dw2 at w = 0.
template <class X, int N, class F>
KALABA_FN Symmetric<X, N> curvature(const F& f) {
  using Inner = Dual<X, N>;
  Vec<X, N> rest;
  for (int i = 0; i < N; ++i) rest[i] = X(0.0);
  Symmetric<X, N> result;
  for (int i = 0; i < N; ++i) {
    auto w = constants<Dual<Inner, 1>>(seeded(rest));
    w[i].slope[0] = Inner(1.0);
    const auto value = f(w);
    for (int j = 0; j < N; ++j) result.entry(i, j) = value.slope[0].slope[j];
  }
  return result;
}

template <class E, class P, class X, int NQ, int N>
KALABA_FN Vec<X, N> with_applied(Vec<X, N> force, const P& p, const X& t, const Vec<X, NQ>& q, const Vec<X, N>& w) {
  if constexpr (requires { E::applied(p, t, q, w); }) {
    const Vec<X, N> applied = E::applied(p, t, q, w);
    for (int i = 0; i < N; ++i) force[i] = force[i] + applied[i];
  }
  return force;
}

}  // namespace detail

/// Terms of a model that states hamiltonian(p, t, q, w), with w the momenta: H_pp, -dH/dq, dH/dp.
template <class E>
struct FromHamiltonian : E {
  static constexpr Formulation formulation = Formulation::hamilton;
  static constexpr int n = Dim<E>::w;
  static_assert(n == Dim<E>::q, "a Hamiltonian has one momentum a coordinate");

  template <class P, class X>
  KALABA_FN static Symmetric<X, n> metric(const P& p, const X& t, const Vec<X, n>& q) {
    return detail::curvature<X, n>([&]<class D>(const Vec<D, n>& w)
                                       KALABA_LAMBDA { return E::hamiltonian(p, D(t), constants<D>(q), w); });
  }
  template <class P, class X>
  KALABA_FN static Vec<X, n> force(const P& p, const X& t, const Vec<X, n>& q, const Vec<X, n>& w) {
    using D = Dual<X, n>;
    Vec<X, n> force = E::hamiltonian(p, D(t), detail::seeded(q), constants<D>(w)).slope;
    for (int i = 0; i < n; ++i) force[i] = -force[i];
    return detail::with_applied<E>(force, p, t, q, w);
  }
  template <class P, class X>
  KALABA_FN static Vec<X, n> velocity(const P& p, const X& t, const Vec<X, n>& q, const Vec<X, n>& w) {
    using D = Dual<X, n>;
    return E::hamiltonian(p, D(t), constants<D>(q), detail::seeded(w)).slope;
  }
  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X& t, const Vec<X, n>& q, const Vec<X, n>& w) {
    return E::hamiltonian(p, t, q, w);
  }
};

/// Terms of a model that states lagrangian(p, t, q, w), with w the velocities: L_vv, and L_q - L_vq v - L_vt.
template <class E>
struct FromLagrangian : E {
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr int n = Dim<E>::w;
  static_assert(n == Dim<E>::q, "a Lagrangian has one velocity a coordinate");

  template <class P, class X>
  KALABA_FN static Symmetric<X, n> metric(const P& p, const X& t, const Vec<X, n>& q) {
    return detail::curvature<X, n>([&]<class D>(const Vec<D, n>& w)
                                       KALABA_LAMBDA { return E::lagrangian(p, D(t), constants<D>(q), w); });
  }
  template <class P, class X>
  KALABA_FN static Vec<X, n> force(const P& p, const X& t, const Vec<X, n>& q, const Vec<X, n>& w) {
    using D = Dual<X, n>;
    Vec<X, n> force = E::lagrangian(p, D(t), detail::seeded(q), constants<D>(w)).slope;
    // Rate of change of L_v along the motion (q' = w, t' = 1) at fixed w.
    using Outer = Dual<D, 1>;
    Outer moved_t{D(t)};
    moved_t.slope[0] = D(1.0);
    auto moved_q = constants<Outer>(q);
    for (int i = 0; i < n; ++i) moved_q[i].slope[0] = D(w[i]);
    const auto momentum_rate = E::lagrangian(p, moved_t, moved_q, constants<Outer>(detail::seeded(w)));
    for (int i = 0; i < n; ++i) force[i] = force[i] - momentum_rate.slope[0].slope[i];
    return detail::with_applied<E>(force, p, t, q, w);
  }
  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X& t, const Vec<X, n>& q, const Vec<X, n>& w) {
    using D = Dual<X, n>;
    const D l = E::lagrangian(p, D(t), constants<D>(q), detail::seeded(w));
    X sum = -l.value;
    for (int i = 0; i < n; ++i) sum = sum + l.slope[i] * w[i];
    return sum;
  }
};

namespace detail {
template <class M>
struct WithTerms {
  using type = M;
};
template <class M>
requires requires(Prepared<M, double> p, double t, Vec<double, Dim<M>::q> q) { M::hamiltonian(p, t, q, q); }
struct WithTerms<M> {
  using type = FromHamiltonian<M>;
};
template <class M>
requires requires(Prepared<M, double> p, double t, Vec<double, Dim<M>::q> q) { M::lagrangian(p, t, q, q); }
struct WithTerms<M> {
  using type = FromLagrangian<M>;
};
}  // namespace detail

/// M itself, or M with the terms that follow from its energy.
template <class M>
using WithTerms = typename detail::WithTerms<M>::type;

}  // namespace kalaba
