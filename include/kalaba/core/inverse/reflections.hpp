#pragma once

#include "kalaba/core/inverse/rows.hpp"

namespace kalaba {

/// Householder reflections H_0 … that transform the rows of a matrix into a lower triangle, T = matrix H_0 H_1 … Row k
/// stores T(k, 0 … k-1) on the left and the vector of the k-th reflection from column k on; T(k, k) is in `diagonal`.
template <class X, int M, int N>
struct Reflections {
  static constexpr int count = M < N ? M : N;

  Vec<X, M> diagonal;
  Vec<X, M> factor;  ///< H_k = I - factor_k v_k v_k^T

  /// Computes the k-th reflection from row k, whose squared norm from column k on is `square`, and applies it to the
  /// rows below.
  template <class Team>
  KALABA_FN void reflect(const Team& team, Mat<X, M, N>& rows, int k, const X& square) {
    const MaskOf<X> some = X(0) < square;
    const X head = rows(k, k);
    const X inverse_norm = rsqrt(select(some, square, X(1)));
    const X norm = square * inverse_norm;
    const X turned = select(head < X(0), norm, -norm);
    const X tau = reciprocal_where(some, fma(abs(head), norm, square));
    team.single([&]() KALABA_LAMBDA {
      rows(k, k) = select(some, head - turned, X(0));
      diagonal[k] = select(some, turned, X(0));
      factor[k] = tau;
    });
    team.template for_each<M>([&](int j) KALABA_LAMBDA {
      if (j > k) apply(rows, k, tau, &rows(j, 0));
    });
  }

  /// x := H_0 H_1 … H_{count-1} x
  KALABA_FN void restore(const Mat<X, M, N>& rows, X* x) const {
    count_down<count>(0, [&](int k) KALABA_LAMBDA { apply(rows, k, factor[k], x); });
  }
  /// x := H_{count-1} … H_1 H_0 x
  KALABA_FN void reduce(const Mat<X, M, N>& rows, X* x) const {
    count_up<count>(0, [&](int k) KALABA_LAMBDA { apply(rows, k, factor[k], x); });
  }

 private:
  KALABA_FN static void apply(const Mat<X, M, N>& rows, int k, const X& tau, X* x) {
    X along = rows(k, k) * x[k];
    count_up<N>(k + 1, [&](int i) KALABA_LAMBDA { along = fma(rows(k, i), x[i], along); });
    along = along * tau;
    count_up<N>(k, [&](int i) KALABA_LAMBDA { x[i] = fma(-along, rows(k, i), x[i]); });
  }
};

}  // namespace kalaba
