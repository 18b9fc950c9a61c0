#pragma once

#include "kalaba/core/base/portable.hpp"

namespace kalaba {

/// N numbers of type X; N may be 0. An aggregate: Vec<double, 2>{1, 2}.
template <class X, int N>
struct Vec {
  X data[N > 0 ? N : 1];

  static constexpr int size = N;
  KALABA_FN constexpr X& operator[](int i) { return data[i]; }
  KALABA_FN constexpr const X& operator[](int i) const { return data[i]; }
};

/// Rows x Cols numbers, row-major; either extent may be 0.
template <class X, int Rows, int Cols>
struct Mat {
  X data[Rows * Cols > 0 ? Rows* Cols : 1];

  static constexpr int rows = Rows;
  static constexpr int cols = Cols;
  KALABA_FN constexpr X& operator()(int i, int j) { return data[i * Cols + j]; }
  KALABA_FN constexpr const X& operator()(int i, int j) const { return data[i * Cols + j]; }
};

/// Metric G of a model whose coordinates are not coupled: G = diag(entry).
template <class X, int N>
struct Diagonal {
  Vec<X, N> entry;
};

/// Diagonal metric given by 1/sqrt of its entries, for roots that are computed once per member and not at every stage.
template <class X, int N>
struct RootedDiagonal {
  Vec<X, N> inverse_root;
};

/// Symmetric positive definite metric G; only the lower triangle is read.
template <class X, int N>
struct Symmetric {
  Mat<X, N, N> entry;
};

template <class X, class Y, int N>
KALABA_FN auto dot(const Vec<X, N>& a, const Vec<Y, N>& b) {
  auto sum = a[0] * b[0];
  KALABA_UNROLL
  for (int i = 1; i < N; ++i) sum = sum + a[i] * b[i];
  return sum;
}

}  // namespace kalaba
