#pragma once

#include "kalaba/core/base/straight.hpp"
#include "kalaba/core/rate/constrained_rate.hpp"

namespace kalaba {

/// Linear algebra of the differentiated equation: solutions by the factor and the pseudo-inverse of the equation
/// itself. For one worker.
template <class M, class X>
struct TangentAlgebra {
  static constexpr int n = Dim<M>::w;
  using W = Vec<X, n>;
  using Pattern = PatternOf<M>;

  /// (A x)_r
  KALABA_FN static X row_times(const Linearization<M, X>& at, int r, const W& x) {
    X sum(0);
    for_entries<Pattern>(r, [&](int k, int i) KALABA_LAMBDA { sum = fma(at.matrix.data[k], x[i], sum); });
    return sum;
  }

  /// Returns true if a warm start left the pseudo-inverse inexact: its solutions and multipliers are accurate to 1e-6
  /// or better.
  template <class Inverse>
  KALABA_FN static bool is_loose(const Inverse& inverse) {
    if constexpr (requires { inverse.inexact; }) {
      return inverse.inexact;
    } else if constexpr (requires { inverse.fallback.inexact; }) {
      return inverse.falls_back && inverse.fallback.inexact;
    } else {
      return false;
    }
  }

  /// (A G^-1 A^T)+ error, for the rows of `inverse`.
  template <class Inverse, int Rows>
  KALABA_FN static Vec<X, Rows> multipliers(const Linearization<M, X>& at, Inverse& inverse,
                                            const Vec<X, Rows>& error) {
    Vec<X, Rows> lambda;
    Vec<X, Rows> more;
    inverse.multipliers(Solo{}, error, lambda);
    if (is_loose(inverse)) {
      W force;
      for (int i = 0; i < n; ++i) force[i] = X(0);
      for (int r = 0; r < Rows; ++r) {
        for_entries<Pattern>(
            r, [&](int k, int i) KALABA_LAMBDA { force[i] = fma(at.matrix.data[k], lambda[r], force[i]); });
      }
      at.factor.solve(force.data);
      at.factor.solve_transposed(force.data);
      Vec<X, Rows> left;
      for (int r = 0; r < Rows; ++r) left[r] = error[r] - row_times(at, r, force);
      inverse.multipliers(Solo{}, left, more);
      for (int r = 0; r < Rows; ++r) lambda[r] = lambda[r] + more[r];
    }
    return lambda;
  }

  /// x += F^-T B+ (g - A x), by `apply(error, out)`, which computes F^T times that; with `Keeps`, stores F^T times the
  /// sum of the added terms in `weighted`.
  template <bool Keeps, int Rows, class Apply>
  KALABA_FN static void constrain(const Linearization<M, X>& at, bool loose, const Vec<X, Rows>& g, W& x,
                                  [[maybe_unused]] W& weighted, const Apply& apply) {
    if constexpr (Keeps) straight<n>([&](int i) KALABA_LAMBDA { weighted[i] = X(0); });
    for (int pass = 0; pass < (loose ? 2 : 1); ++pass) {  // the second pass refines
      Vec<X, Rows> left;
      straight<Rows>([&](int r) KALABA_LAMBDA { left[r] = g[r] - row_times(at, r, x); });
      W part;
      apply(left, part);
      if constexpr (Keeps) straight<n>([&](int i) KALABA_LAMBDA { weighted[i] = weighted[i] + part[i]; });
      at.factor.solve_transposed(part.data);
      straight<n>([&](int i) KALABA_LAMBDA { x[i] = x[i] + part[i]; });
    }
  }

  /// force := G^-1 force; for a completed metric, the terms that A dw' = g adds are included.
  template <int Rows>
  KALABA_FN static void solve_metric(const Linearization<M, X>& at, const Vec<X, Rows>& g, W& force) {
    if constexpr (has_singular_metric<M>()) {
      for (int r = 0; r < Rows; ++r) {
        for_entries<Pattern>(r, [&](int k, int i) KALABA_LAMBDA {
          force[i] = fma(at.completion[r] * at.matrix.data[k], g[r], force[i]);
        });
      }
    }
    at.factor.solve(force.data);
    at.factor.solve_transposed(force.data);
  }

  /// lambda in G correction = A^T lambda, for the rows of `inverse`.
  template <class Inverse, int Rows>
  KALABA_FN static Vec<X, Rows> balance_of(const Linearization<M, X>& at, Inverse& inverse, const Vec<X, Rows>& error) {
    Vec<X, Rows> lambda = multipliers(at, inverse, error);
    if constexpr (has_singular_metric<M>()) {  // for G, not for G + A^T D A
      for (int r = 0; r < Rows; ++r) lambda[r] = fma(-at.completion[r], error[r], lambda[r]);
    }
    return lambda;
  }
};

}  // namespace kalaba
