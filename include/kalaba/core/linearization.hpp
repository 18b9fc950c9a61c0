#pragma once

#include "kalaba/core/constraint.hpp"
#include "kalaba/core/metric.hpp"

namespace kalaba {

/// What a state alone determines: the factor of the metric, the rows of A, and how far it is off its constraints.
///
/// A metric G >= 0 that may be singular is completed to G + k A^T A, with k A^T b added to the force: both are met by
/// the same w', and the completed one is definite exactly where [G; A] has full rank. (Udwadia, Phohomsiri 2006 solve
/// the stacked equations, as the reference does.)
template <class M, class X>
struct Linearization {
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  using P = Prepared<M, X>;
  using Q = Vec<X, nq>;
  using W = Vec<X, n>;
  using Metric = decltype(M::metric(P{}, X(0), Q{}));

  Mat<X, m, n> matrix;  ///< A
  ConstraintState<M, X> constraint;
  FactorOf<Metric> factor;
  X completion;  ///< k, where the metric may be singular

  /// Returns where the metric is positive definite (a singular one with its constraints).
  template <class Team>
  KALABA_FN MaskOf<X> evaluate(const Team& team, const P& p, const X& t, const Q& q, const W& w) {
    return body<m <= 1>([&]() KALABA_LAMBDA { return find(team, p, t, q, w); });
  }

  /// force + k A^T b
  KALABA_FN void complete(W& force) const {
    for (int i = 0; i < n; ++i) {
      X sum(0);
      for (int r = 0; r < m; ++r) sum = fma(matrix(r, i), constraint.b[r], sum);
      force[i] = fma(completion, sum, force[i]);
    }
  }

  /// rows := the first Rows rows of A F^-T
  template <class Team, int Rows>
  KALABA_FN void whiten_rows(const Team& team, Mat<X, Rows, n>& rows) const {
    team.template each<Rows>([&](int r) KALABA_LAMBDA {
      KALABA_UNROLL
      for (int i = 0; i < n; ++i) rows(r, i) = matrix(r, i);
      factor.whiten(&rows(r, 0));
    });
  }

 private:
  template <class Team>
  KALABA_FN MaskOf<X> find(const Team& team, const P& p, const X& t, const Q& q, const W& w) {
    if constexpr (m > 0) {
      if constexpr (ModelParts<M>::has_matrix) {
        const Mat<X, m, n> stated = M::matrix(p, t, q, w);
        team.template each<m * n>([&](int i) KALABA_LAMBDA { matrix.data[i] = stated.data[i]; });
      } else {
        constraint_matrix<M>(team, p, t, q, w, matrix);
      }
      constraint.evaluate(team, p, t, q, w);
    }
    if constexpr (has_singular_metric<M>()) {
      return factor.factorize(team, completed(team, M::metric(p, t, q)));
    } else {
      return factor.factorize(team, M::metric(p, t, q));
    }
  }

  /// G + k A^T A, k bringing both to one size.
  template <class Team>
  KALABA_FN Metric completed(const Team& team, Metric metric) {
    X trace(0);
    X squares(0);
    for (int i = 0; i < n; ++i) trace = trace + metric.entry(i, i);
    for (int i = 0; i < m * n; ++i) squares = fma(matrix.data[i], matrix.data[i], squares);
    const X weight = trace * reciprocal_where(X(0) < squares, squares);
    team.once([&]() KALABA_LAMBDA { completion = weight; });
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        X sum(0);
        for (int r = 0; r < m; ++r) sum = fma(matrix(r, i), matrix(r, j), sum);
        metric.entry(i, j) = fma(weight, sum, metric.entry(i, j));
      }
    }
    return metric;
  }
};

}  // namespace kalaba
