#pragma once

#include <concepts>

#include "kalaba/core/inverse/jacobi_svd.hpp"
#include "kalaba/core/rate/projection.hpp"

namespace kalaba {

/// A constraint phi(t, q) = 0 on one agent of a swarm in D dimensions: a struct with
///
///   name           text
///   equations      number of equations; they may be dependent
///   phi(t, q)      a Vec of them, m: a template over the number, differentiated automatically
/// and optionally
///   at(t)          the law at the time t (s): a piece of a path
template <class C, int D>
concept AgentLaw = requires(const C& law, double t, Vec<double, D> q) {
  { C::name } -> std::convertible_to<const char*>;
  { law.phi(t, q)[C::equations - 1] } -> std::convertible_to<double>;
}
|| requires(const C& law, double t, Vec<double, D> q) {
  { C::name } -> std::convertible_to<const char*>;
  law.at(t).phi(t, q)[0];
};

template <class C>
auto law_at(const C& law, double t) {
  if constexpr (requires { law.at(t); }) {
    return law.at(t);
  } else {
    return law;
  }
}

/// A constrained agent as a model of the core: unit mass, and the rate that the swarm's law prescribes as given force.
template <class C, int D>
struct HeldAgent {
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[1] = {};  // the functions take a Given in their place
  static constexpr Quantity coordinates[D] = {};
  static constexpr Quantity rates[D] = {};
  static constexpr Quantity holonomic[C::equations] = {};

  template <class X>
  struct Given {
    const C* law;
    Vec<X, D> rate;
  };
  template <class X>
  static Given<X> prepare(const Vec<X, 1>&) {
    return {};
  }
  template <class P, class X>
  KALABA_FN static Diagonal<X, D> metric(const P&, const X&, const Vec<X, D>&) {
    Diagonal<X, D> unit;
    for (int d = 0; d < D; ++d) unit.entry[d] = X(1);
    return unit;
  }
  template <class P, class X>
  KALABA_FN static Vec<X, D> force(const P& p, const X&, const Vec<X, D>&, const Vec<X, D>&) {
    return p.rate;
  }
  template <class P, class X>
  KALABA_FN static Vec<X, C::equations> phi(const P& p, const X& t, const Vec<X, D>& q) {
    return p.law->phi(t, q);
  }
};

/// An agent (or one per lane) with the constraint phi(t, q) = 0 that otherwise follows the swarm's law. This law
/// prescribes the velocity -g, g = strength sum grad G; the agent's velocity is the nearest one that its constraint
/// allows:
///
///   minimise |w + g|^2  subject to  A w = -phi_t,  A = phi_q:    beta = w + g = A^T lambda
///
/// The part of beta along the constraint, beta_T = (I - A+ A) beta, is the remaining constraint of the swarm's law.
/// Differentiated along the motion (lambda is that of the current beta; its rate follows from the constraint force),
/// with the swarm's feedback on beta_T:
///
///     w' = a + A+ (b - A a),   a = -g' + A'^T lambda - kappa beta,   lambda = (A A^T)+ A beta,   b = -phi'' at w' = 0
///
/// Udwadia and Kalaba's equation with a in place of the unconstrained rate: |beta_T| decreases as exp(-kappa t). At
/// full rank, as on a path, w' = A+ b: the constraint alone determines the motion.
template <class C, int D, class X>
struct HeldState {
  using M = HeldAgent<C, D>;
  using Rate = ConstrainedRate<M, X, JacobiSvd>;
  static constexpr int m = C::equations;

  Vec<X, D> q, w;
  Rate constrained = {};

  /// In: beta, and -g' - kappa beta. Out: beta_T, and w'. Returns a status code.
  X hold(const C& law, const Method& method, const X& t, Vec<X, D>& beta, Vec<X, D>& rate) {
    const RankRule<X> rule(method.rank_tolerance);
    typename M::template Given<X> p{&law, rate};
    constrained.evaluate(Solo{}, method, rule, p, t, q, w, false, false);
    const Mat<X, m, D>& a = constrained.at.matrix;
    Vec<X, m> across;
    Vec<X, m> lambda;
    for (int r = 0; r < m; ++r) {
      across[r] = X(0);
      for (int d = 0; d < D; ++d) across[r] = across[r] + a(r, d) * beta[d];
    }
    constrained.inverse.multipliers(Solo{}, across, lambda);
    const Mat<Dual<X, 1>, m, D> moved = moved_matrix(law, t);
    for (int d = 0; d < D; ++d) {
      for (int r = 0; r < m; ++r) {
        beta[d] = beta[d] - a(r, d) * lambda[r];
        p.rate[d] = p.rate[d] + moved(r, d).slope[0] * lambda[r];
      }
    }
    const X code = constrained.evaluate(Solo{}, method, rule, p, t, q, w, false, true);
    rate = constrained.dot.w;
    return code;
  }

  /// Moves q and w onto phi = 0 and phi' = 0. Returns a status code.
  X project(const C& law, const Method& method, const X& t, int corrections) {
    Projection<M, X, JacobiSvd> projection;
    const typename M::template Given<X> p{&law, {}};
    const auto converged = projection.apply(Solo{}, constrained, method, p, t, q, w, X(0) < X(1), corrections, false);
    return with_status(X(0), !converged, Status::not_converged);
  }

  /// max |A w' - b|
  X residual() const {
    X most(0);
    for (int r = 0; r < m; ++r) most = max_of(most, abs(constrained.distance(r, constrained.dot.w)));
    return most;
  }

 private:
  /// A along the motion: its slopes are A'.
  Mat<Dual<X, 1>, m, D> moved_matrix(const C& law, const X& t) const {
    using J = Dual<X, 1>;
    J moved_t(t);
    moved_t.slope[0] = X(1);
    Mat<J, m, D> matrix;
    constraint_matrix<M>(Solo{}, typename M::template Given<J>{&law, {}}, moved_t, along(q, w), constants<J>(w),
                         matrix);
    return matrix;
  }
};

}  // namespace kalaba
