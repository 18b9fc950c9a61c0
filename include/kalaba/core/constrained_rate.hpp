#pragma once

#include "kalaba/core/constraint.hpp"
#include "kalaba/core/metric.hpp"
#include "kalaba/core/status.hpp"

namespace kalaba {

/// `code` where it is already set, else that status where the mask holds. Codes are Status numbers held in a Real.
template <class X, class Mask>
KALABA_FN X with_status(const X& code, const Mask& failed, Status status) {
  return select(both(failed, code == X(0)), X(static_cast<int>(status)), code);
}

/// The explicit equation of motion (Udwadia, Kalaba 2002, eq. 6 and 32, in any factor F of G = F F^T):
///
///   w' = a + F^-T [ B+ (b - A a) + (I - B+ B) F^T c ],   B = A F^-T,   q' = K(t, q, w)
///
/// with a the unconstrained rate and c the rate of the non-ideal force. This is also its workspace.
/// Inverse is the pseudo-inverse (JacobiSvd or PivotedQr) of B.
template <class M, class X, class Inverse>
struct ConstrainedRate {
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  using P = Vec<X, Dim<M>::parameters>;
  using Q = Vec<X, nq>;
  using W = Vec<X, n>;
  using Metric = decltype(M::metric(P{}, X(0), Q{}));

  FactorOf<Metric> factor;
  ConstraintState<M, X> constraint;
  Inverse inverse;  ///< of B
  Vec<X, m> error;  ///< b - A a
  W free_rate;      ///< a
  W whitened;       ///< F^T (w' - a)
  Q q_dot;
  W w_dot;

  /// Fills q_dot and w_dot; returns a status code. `check` asks whether A w' = b has a solution at all.
  template <class Team>
  KALABA_BODY X evaluate(const Team& team, const Method& method, const P& p, const X& t, const Q& q, const W& w,
                         bool warm, bool check) {
    X code = with_status(X(0), !factor.factorize(team, M::metric(p, t, q)), Status::singular_constraints);
    team.once([&] {
      q_dot = velocity_of<M>(p, t, q, w);
      free_rate = M::force(p, t, q, w);
      if constexpr (M::formulation != Formulation::hamilton) {
        factor.whiten(free_rate.data);
        factor.unwhiten(free_rate.data);
      }
    });
    if constexpr (m > 0) {
      constraint_matrix<M, m>(team, p, t, q, w, inverse.rows);
      constraint.evaluate(team, p, t, q, w);
      constraint.add_feedback(team, p, method.stabilization);
      team.template each<m>([&](int r) {
        X sum = constraint.b[r];
        KALABA_UNROLL
        for (int i = 0; i < n; ++i) sum = fma(-inverse.rows(r, i), free_rate[i], sum);
        error[r] = sum;
      });
      const X size = check ? demand() : X(0);
      team.template each<m>([&](int r) { factor.whiten(&inverse.rows(r, 0)); });
      const auto converged = inverse.factorize(team, X(method.rank_tolerance), warm);
      code = with_status(code, !converged, Status::not_converged);
      inverse.min_norm(team, error, whitened);
      if (check) {
        const X limit = X(method.consistency_tolerance * method.consistency_tolerance) * size;
        code = with_status(code, limit < inverse.unreachable(error), Status::inconsistent_constraints);
      }
    } else {
      team.template each<n>([&](int i) { whitened[i] = X(0); });
    }
    if constexpr (ModelParts<M>::has_non_ideal) add_non_ideal(team, p, t, q, w);
    W correction = whitened;
    factor.unwhiten(correction.data);
    team.template each<n>([&](int i) { w_dot[i] = free_rate[i] + correction[i]; });
    return code;
  }

  /// The constraint force, one a rate: G (w' - a), or w' - a for momenta.
  KALABA_FN W constraint_force() const {
    W force = whitened;
    if constexpr (M::formulation == Formulation::hamilton) {
      factor.unwhiten(force.data);
    } else {
      factor.colour(force.data);
    }
    return force;
  }

 private:
  /// |b|^2 + |A|^2 |a|^2, against which an unreachable b - A a is large or small.
  KALABA_FN X demand() const {
    X b2(0);
    X a2(0);
    X rate2(0);
    KALABA_UNROLL
    for (int r = 0; r < m; ++r) b2 = fma(constraint.b[r], constraint.b[r], b2);
    KALABA_UNROLL
    for (int i = 0; i < m * n; ++i) a2 = fma(inverse.rows.data[i], inverse.rows.data[i], a2);
    KALABA_UNROLL
    for (int i = 0; i < n; ++i) rate2 = fma(free_rate[i], free_rate[i], rate2);
    return fma(a2, rate2, b2);
  }

  /// whitened += (I - B+ B) F^T c, with C seeing the ideal constraint force.
  template <class Team>
  KALABA_FN void add_non_ideal(const Team& team, const P& p, const X& t, const Q& q, const W& w) {
    W force = M::non_ideal(p, t, q, w, constraint_force());
    if constexpr (M::formulation == Formulation::hamilton) {
      factor.colour_transposed(force.data);
    } else {
      factor.whiten(force.data);
    }
    W reached = force;
    if constexpr (m > 0) {
      project_local(team, reached);
    } else {
      reached = W{};
      KALABA_UNROLL
      for (int i = 0; i < n; ++i) reached[i] = X(0);
    }
    team.template each<n>([&](int i) { whitened[i] = whitened[i] + force[i] - reached[i]; });
  }

  template <class Team>
  KALABA_FN void project_local(const Team& team, W& x) {
    team.template each<n>([&](int i) { w_dot[i] = x[i]; });
    inverse.project(team, w_dot);
    x = w_dot;
  }
};

}  // namespace kalaba
