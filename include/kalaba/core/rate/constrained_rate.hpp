#pragma once

#include "kalaba/core/base/fixed_point.hpp"
#include "kalaba/core/base/state.hpp"
#include "kalaba/core/inverse/inverse_of_rows.hpp"
#include "kalaba/core/model/status.hpp"
#include "kalaba/core/rate/linearization.hpp"

namespace kalaba {

/// Returns `code` if it is set, else `status` where the mask holds. Codes are Status numbers stored in a Real.
template <class X, class Mask>
KALABA_FN X with_status(const X& code, const Mask& failed, Status status) {
  return select(both(failed, code == X(0)), X(static_cast<int>(status)), code);
}

/// The explicit equation of motion (Udwadia, Kalaba 2002, eq. 6 and 32, in any factor F of G = F F^T):
///
///   w' = a + F^-T [ B+ (b - A a) + (I - B+ B) F^T c ],   B = A F^-T,   q' = K(t, q, w)
///
/// with a the unconstrained rate and c the rate of the non-ideal force C. If C depends on the ideal force A^T lambda,
/// it takes the force that acts with it: lambda = (A G^-1 A^T)+ (b - A (a + c)). If the force of a servo-constraint
/// acts along S only,
///   w' = a + G^-1 S (A G^-1 S)+ (b - A a)                                (Roithmayr, Hodges, section 2)
/// This class is also the workspace; InverseOf (JacobiSvd, PivotedQr or SparseLdlt) is the pseudo-inverse of B.
template <class M, class X, template <class, int, int> class InverseOf>
struct ConstrainedRate {
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  static constexpr int directions = actuation_directions<M>();
  static constexpr bool servo = ModelParts<M>::actuated;
  using P = Prepared<M, X>;
  using Q = Vec<X, nq>;
  using W = Vec<X, n>;
  using E = Vec<X, m>;
  using Inverse = InverseOfRows<X, WeightedPattern<M, m, directions>, InverseOf>;

  Linearization<M, X> at;
  Inverse inverse;                                       ///< of B, or of A G^-1 S
  Mat<X, n, servo ? directions : 0> weighted_actuation;  ///< F^-1 S
  E error;                                               ///< b - A (a + c)
  W free_rate;                                           ///< a
  W weighted_correction;                                 ///< F^T (w' - a)
  State<X, nq, n> dot;                                   ///< (q', w')
  static constexpr bool non_ideal = ModelParts<M>::has_non_ideal;
  FixedPoint<X, non_ideal ? n : 0> felt;   ///< F^T c
  Vec<X, non_ideal ? m : 0> loaded_error;  ///< workspace, like `multipliers`
  E multipliers;

  /// Computes `dot`; returns a status code. `rule` decides on the rank of B; with `check`, the result is also a failure
  /// if A w' = b has no solution. Call sites that take most of the time are `Hot`: a small model is inlined there.
  template <bool Hot = false, class Team>
  KALABA_FN X evaluate(const Team& team, const Method& method, const RankRule<X>& rule, const P& p, const X& t,
                       const Q& q, const W& w, bool warm, bool check) {
    constexpr bool small = Hot && m <= 1;
    return inlined_if<small>(
        [&]() KALABA_LAMBDA { return evaluate_inlined(team, method, rule, p, t, q, w, warm, check); });
  }

  /// (A rate - b)_r
  KALABA_FN X distance(int r, const W& rate) const {
    X sum = -at.constraint.b[r];
    for_entries<PatternOf<M>>(r, [&](int k, int i) KALABA_LAMBDA { sum = fma(at.matrix.data[k], rate[i], sum); });
    return sum;
  }

  /// F^T times the smallest rate that changes A w' by e (along the directions of the force).
  template <class Team>
  KALABA_FN void apply_pseudo_inverse(const Team& team, const E& e, W& out) {
    if constexpr (servo) {
      Vec<X, directions> effort;
      inverse.min_norm(Solo{}, e, effort);  // each worker computes its own copy
      team.template for_each<n>([&](int i) KALABA_LAMBDA {
        X sum(0);
        for (int j = 0; j < directions; ++j) sum = fma(weighted_actuation(i, j), effort[j], sum);
        out[i] = sum;
      });
    } else {
      inverse.min_norm(team, e, out);
    }
  }

  /// Force along each rate, from a part of `weighted_correction`: G (w' - a), or w' - a for momenta.
  KALABA_FN W force_of(W part) const {
    if (is_hamiltonian<M>()) {
      at.factor.solve_transposed(part.data);
    } else {
      at.factor.multiply(part.data);
    }
    return part;
  }

 private:
  template <class Team>
  KALABA_FN X evaluate_inlined(const Team& team, const Method& method, const RankRule<X>& rule, const P& p, const X& t,
                               const Q& q, const W& w, bool warm, bool check) {
    X code = with_status(X(0), !at.evaluate(team, p, t, q, w, dot.q, free_rate), Status::singular_constraints);
    if constexpr (m > 0) at.constraint.add_feedback(team, p, method.stabilization);
    team.single([&]() KALABA_LAMBDA {
      if constexpr (!ModelParts<M>::has_terms) {
        dot.q = velocity_of<M>(p, t, q, w);
        free_rate = M::force(p, t, q, w);
      }
      if constexpr (has_singular_metric<M>()) at.complete(free_rate);
      if (!is_hamiltonian<M>()) {
        at.factor.solve(free_rate.data);
        at.factor.solve_transposed(free_rate.data);
      }
    });
    if constexpr (m > 0) {
      team.template for_each<m>([&](int r) KALABA_LAMBDA { error[r] = -distance(r, free_rate); });
      fill_rows(team, p, t, q);
      const auto converged = inverse.factorize(team, rule, warm);
      code = with_status(code, !converged, Status::not_converged);
      apply_pseudo_inverse(team, error, weighted_correction);
      if (check && !inverse.reaches_all()) {
        const MaskOf<X> missed = misses(team, method, w);
        code = with_status(code, missed, Status::inconsistent_constraints);
      }
    } else {
      team.template for_each<n>([&](int i) KALABA_LAMBDA { weighted_correction[i] = X(0); });
    }
    if constexpr (ModelParts<M>::has_non_ideal) {
      if (has_non_ideal_force<M>()) code = with_status(code, !add_non_ideal(team, p, t, q, w), Status::not_converged);
    }
    W correction = weighted_correction;
    at.factor.solve_transposed(correction.data);
    team.template for_each<n>([&](int i) KALABA_LAMBDA { dot.w[i] = free_rate[i] + correction[i]; });
    return code;
  }

  /// Returns the lanes in which no w' satisfies the constraints. The error b - A (a + c) has at most the size of its
  /// terms, so that the terms need not be summed if the residual is small relative to the error.
  template <class Team>
  KALABA_FN MaskOf<X> misses(const Team& team, const Method& method, const W& w) {
    const X residual = inverse.squared_residual(error);
    if constexpr (m <= 1) return allowance(method, w) < residual;
    X error2(0);
    KALABA_UNROLL
    for (int r = 0; r < m; ++r) error2 = fma(inverse.row_weight(r) * error[r], error[r], error2);
    const MaskOf<X> open =
        !(residual <= X(0.25 * method.consistency_tolerance * method.consistency_tolerance) * error2);
    if (!team.any(open)) return open;
    return both(open, allowance(method, w) < residual);
  }

  /// Upper bound on |b - A w'|^2: small relative to |b|^2 + |A|^2 |a|^2 of the rows of B. If no force acts and b
  /// cancels, the remainder is the rounding error of terms as large as A w per unit of time.
  KALABA_FN X allowance(const Method& method, const W& w) const {
    X b2(0);
    X a2(0);
    X rate2(0);
    X velocity2(0);
    KALABA_UNROLL
    for (int r = 0; r < m; ++r) {
      const X weight = inverse.row_weight(r);
      X row2(0);
      for_entries<PatternOf<M>>(
          r, [&](int k, int) KALABA_LAMBDA { row2 = fma(at.matrix.data[k], at.matrix.data[k], row2); });
      b2 = fma(at.constraint.b[r] * weight, at.constraint.b[r], b2);
      a2 = fma(weight, row2, a2);
    }
    KALABA_UNROLL
    for (int i = 0; i < n; ++i) {
      rate2 = fma(free_rate[i], free_rate[i], rate2);
      velocity2 = fma(w[i], w[i], velocity2);
    }
    constexpr Scalar<X> rounding = 1024 * Limits<Scalar<X>>::epsilon;
    const X tolerance(method.consistency_tolerance);
    return fma(a2, X(rounding * rounding) * velocity2, tolerance * tolerance * fma(a2, rate2, b2));
  }

  /// Stores B, or A G^-1 S, in inverse.rows.
  template <class Team>
  KALABA_FN void fill_rows(const Team& team, const P& p, const X& t, const Q& q) {
    if constexpr (servo) {
      const Mat<X, n, directions> actuation = M::actuation(p, t, q);
      team.template for_each<directions>([&](int j) KALABA_LAMBDA {
        W column;
        for (int i = 0; i < n; ++i) column[i] = actuation(i, j);
        at.factor.solve(column.data);
        for (int i = 0; i < n; ++i) weighted_actuation(i, j) = column[i];
      });
      Mat<X, m, n> rows;
      at.mass_weighted_rows(Solo{}, rows);
      team.template for_each<m>([&](int r) KALABA_LAMBDA {
        for (int j = 0; j < directions; ++j) {
          X sum(0);
          for (int i = 0; i < n; ++i) sum = fma(rows(r, i), weighted_actuation(i, j), sum);
          inverse.rows(r, j) = sum;
        }
      });
    } else {
      at.mass_weighted_rows(team, inverse.rows);
    }
  }

  /// weighted_correction += (I - B+ B) F^T c, and error -= A c, where C depends on the ideal force that acts with it.
  /// Returns the lanes in which such a C was found.
  template <class Team>
  KALABA_FN MaskOf<X> add_non_ideal(const Team& team, const P& p, const X& t, const Q& q, const W& w) {
    team.template for_each<n>([&](int i) KALABA_LAMBDA { felt.x[i] = dot.w[i] = X(0); });
    const W first = weighted_non_ideal(team, p, t, q, w);
    team.template for_each<n>([&](int i) KALABA_LAMBDA { felt.x[i] = first[i]; });
    MaskOf<X> open = X(0) < X(0);
    if constexpr (m > 0) {
      // The ideal force changes if the constraints balance a part of C.
      project_non_ideal(team);
      const X size2 = felt.square(weighted_correction);
      const X rounding(felt.tolerance);
      const MaskOf<X> coupled = !(felt.square(dot.w) <= rounding * rounding * size2);
      if (any(coupled)) {
        open = felt.solve(team, coupled, size2, [&]() KALABA_LAMBDA {
          project_non_ideal(team);
          return weighted_non_ideal(team, p, t, q, w);
        });
        project_non_ideal(team);
      }
      load(team);
      team.template for_each<m>([&](int r) KALABA_LAMBDA { error[r] = loaded_error[r]; });
    }
    team.template for_each<n>(
        [&](int i) KALABA_LAMBDA { weighted_correction[i] = weighted_correction[i] + felt.x[i] - dot.w[i]; });
    return !open;
  }

  /// dot.w := B+ B F^T c. dot.w serves as workspace that the team shares.
  template <class Team>
  KALABA_FN void project_non_ideal(const Team& team) {
    team.template for_each<n>([&](int i) KALABA_LAMBDA { dot.w[i] = felt.x[i]; });
    inverse.project(team, dot.w);
  }

  /// loaded_error := b - A (a + c)
  template <class Team>
  KALABA_FN void load(const Team& team) {
    W c = felt.x;
    at.factor.solve_transposed(c.data);
    team.template for_each<m>([&](int r) KALABA_LAMBDA {
      X sum = error[r];
      for_entries<PatternOf<M>>(r, [&](int k, int i) KALABA_LAMBDA { sum = fma(-at.matrix.data[k], c[i], sum); });
      loaded_error[r] = sum;
    });
  }

  /// F^T c for the ideal force that acts with felt.x in place of F^T c; dot.w is B+ B felt.x.
  template <class Team>
  KALABA_FN W weighted_non_ideal(const Team& team, const P& p, const X& t, const Q& q, const W& w) {
    if constexpr (m > 0) {
      if (needs_multipliers<M>()) {
        load(team);
        inverse.multipliers(team, loaded_error, multipliers);
      }
    }
    W ideal = weighted_correction;
    for (int i = 0; i < n; ++i) ideal[i] = ideal[i] - dot.w[i];
    W force = non_ideal_of<M>(p, t, q, w, force_of(ideal), multipliers);
    if (is_hamiltonian<M>()) {
      at.factor.multiply_transposed(force.data);
    } else {
      at.factor.solve(force.data);
    }
    return force;
  }
};

}  // namespace kalaba
