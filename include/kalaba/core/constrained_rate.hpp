#pragma once

#include "kalaba/core/linearization.hpp"
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
/// with a the unconstrained rate and c the rate of the non-ideal force. Where a servo's force acts along S alone,
///   w' = a + G^-1 S (A G^-1 S)+ (b - A a)                                  (Roithmayr, Hodges, section 2)
/// This is also the workspace; Inverse (JacobiSvd or PivotedQr) is the pseudo-inverse of B.
template <class M, class X, template <class, int, int> class InverseOf>
struct ConstrainedRate {
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  static constexpr int reach = reach_of<M>();
  static constexpr bool servo = ModelParts<M>::actuated;
  using P = Prepared<M, X>;
  using Q = Vec<X, nq>;
  using W = Vec<X, n>;
  using E = Vec<X, m>;
  using Inverse = InverseOf<X, m, reach>;

  Linearization<M, X> at;
  Inverse inverse;                              ///< of B, or of A G^-1 S
  Mat<X, n, servo ? reach : 0> whitened_servo;  ///< F^-1 S
  E error;                                      ///< b - A a
  W free_rate;                                  ///< a
  W whitened;                                   ///< F^T (w' - a)
  Q q_dot;
  W w_dot;

  /// Fills q_dot and w_dot; returns a status code. `check` asks whether A w' = b has a solution at all.
  /// Where most time goes to one call of it (Hot), a small model melts into that.
  template <bool Hot = false, class Team>
  KALABA_FN X evaluate(const Team& team, const Method& method, const P& p, const X& t, const Q& q, const W& w,
                       bool warm, bool check) {
    return body < Hot && m <= 1 > ([&]() KALABA_LAMBDA { return find(team, method, p, t, q, w, warm, check); });
  }

  /// (A rate - b)_r
  KALABA_FN X distance(int r, const W& rate) const {
    X sum = -at.constraint.b[r];
    KALABA_UNROLL
    for (int i = 0; i < n; ++i) sum = fma(at.matrix(r, i), rate[i], sum);
    return sum;
  }

  /// F^T times the least rate that changes A w' by e (in the directions the force has).
  template <class Team>
  KALABA_FN void push(const Team& team, const E& e, W& out) {
    if constexpr (servo) {
      Vec<X, reach> effort;
      inverse.min_norm(Solo{}, e, effort);  // every worker its own
      team.template each<n>([&](int i) KALABA_LAMBDA {
        X sum(0);
        for (int j = 0; j < reach; ++j) sum = fma(whitened_servo(i, j), effort[j], sum);
        out[i] = sum;
      });
    } else {
      inverse.min_norm(team, e, out);
    }
  }

  /// The force, one a rate, behind a part of `whitened`: G (w' - a), or w' - a for momenta.
  KALABA_FN W force_of(W part) const {
    if constexpr (M::formulation == Formulation::hamilton) {
      at.factor.unwhiten(part.data);
    } else {
      at.factor.colour(part.data);
    }
    return part;
  }

 private:
  template <class Team>
  KALABA_FN X find(const Team& team, const Method& method, const P& p, const X& t, const Q& q, const W& w, bool warm,
                   bool check) {
    X code = with_status(X(0), !at.evaluate(team, p, t, q, w), Status::singular_constraints);
    if constexpr (m > 0) at.constraint.add_feedback(team, p, method.stabilization);
    team.once([&]() KALABA_LAMBDA {
      q_dot = velocity_of<M>(p, t, q, w);
      free_rate = M::force(p, t, q, w);
      if constexpr (has_singular_metric<M>()) at.complete(free_rate);
      if constexpr (M::formulation != Formulation::hamilton) {
        at.factor.whiten(free_rate.data);
        at.factor.unwhiten(free_rate.data);
      }
    });
    if constexpr (m > 0) {
      team.template each<m>([&](int r) KALABA_LAMBDA { error[r] = -distance(r, free_rate); });
      fill_rows(team, p, t, q);
      const auto converged = inverse.factorize(team, X(method.rank_tolerance), warm);
      code = with_status(code, !converged, Status::not_converged);
      push(team, error, whitened);
      if (check) {
        const X limit = X(method.consistency_tolerance * method.consistency_tolerance) * demand();
        code = with_status(code, limit < inverse.unreachable(error), Status::inconsistent_constraints);
      }
    } else {
      team.template each<n>([&](int i) KALABA_LAMBDA { whitened[i] = X(0); });
    }
    if constexpr (ModelParts<M>::has_non_ideal) add_non_ideal(team, p, t, q, w);
    W correction = whitened;
    at.factor.unwhiten(correction.data);
    team.template each<n>([&](int i) KALABA_LAMBDA { w_dot[i] = free_rate[i] + correction[i]; });
    return code;
  }

  /// |b|^2 + |A|^2 |a|^2, against which an unreachable b - A a is large or small.
  KALABA_FN X demand() const {
    X b2(0);
    X a2(0);
    X rate2(0);
    KALABA_UNROLL
    for (int r = 0; r < m; ++r) b2 = fma(at.constraint.b[r], at.constraint.b[r], b2);
    KALABA_UNROLL
    for (int i = 0; i < m * n; ++i) a2 = fma(at.matrix.data[i], at.matrix.data[i], a2);
    KALABA_UNROLL
    for (int i = 0; i < n; ++i) rate2 = fma(free_rate[i], free_rate[i], rate2);
    return fma(a2, rate2, b2);
  }

  /// Leaves B, or A G^-1 S, in inverse.rows.
  template <class Team>
  KALABA_FN void fill_rows(const Team& team, const P& p, const X& t, const Q& q) {
    if constexpr (servo) {
      const Mat<X, n, reach> directions = M::actuation(p, t, q);
      team.template each<reach>([&](int j) KALABA_LAMBDA {
        W column;
        for (int i = 0; i < n; ++i) column[i] = directions(i, j);
        at.factor.whiten(column.data);
        for (int i = 0; i < n; ++i) whitened_servo(i, j) = column[i];
      });
      Mat<X, m, n> rows;
      at.whiten_rows(Solo{}, rows);
      team.template each<m>([&](int r) KALABA_LAMBDA {
        for (int j = 0; j < reach; ++j) {
          X sum(0);
          for (int i = 0; i < n; ++i) sum = fma(rows(r, i), whitened_servo(i, j), sum);
          inverse.rows(r, j) = sum;
        }
      });
    } else {
      at.whiten_rows(team, inverse.rows);
    }
  }

  /// whitened += (I - B+ B) F^T c, with C seeing the ideal constraint force.
  template <class Team>
  KALABA_FN void add_non_ideal(const Team& team, const P& p, const X& t, const Q& q, const W& w) {
    W force = M::non_ideal(p, t, q, w, force_of(whitened));
    if constexpr (M::formulation == Formulation::hamilton) {
      at.factor.colour_transposed(force.data);
    } else {
      at.factor.whiten(force.data);
    }
    // w_dot serves as workspace that the team shares.
    if constexpr (m > 0) {
      team.template each<n>([&](int i) KALABA_LAMBDA { w_dot[i] = force[i]; });
      inverse.project(team, w_dot);
    } else {
      team.template each<n>([&](int i) KALABA_LAMBDA { w_dot[i] = X(0); });
    }
    team.template each<n>([&](int i) KALABA_LAMBDA { whitened[i] = whitened[i] + force[i] - w_dot[i]; });
  }
};

}  // namespace kalaba
