#pragma once

#include "kalaba/core/matrix.hpp"

namespace kalaba {

// Where the entries of a matrix may differ from zero: known when the core is compiled, but for an interpreted model,
// whose extents are bounds then. A pattern states, by functions,
//
//   rows, cols, count       its extents, and how many entries may differ from zero
//   begin(r), column(k)     the entries of row r are begin(r) ... begin(r + 1) - 1, the columns of each rising
//
// and, of the rows B of a system B B^T x = e, the order in which they are eliminated and the envelope of the factor L:
//
//   order(i)                the row that goes i-th
//   first(i), last(j)       row i of L begins in column first(i); row last(j) is the last that has column j
//   start(i), envelope      where row i of L is kept: columns first(i) ... i - 1, from there on; and where the last
//   ends
//   coupled                 the most rows that share a column with one row, itself included: of B B^T with rows of unit
//                           length no eigenvalue is larger (Gershgorin)
//
// One whose extents are bounds states row_count() too, how many rows there are; those behind have no entries, and what
// stands for them in vectors is zero.

template <class Pattern>
KALABA_FN constexpr bool is_bounded() {
  return requires { Pattern::row_count(); };
}
template <class Pattern>
KALABA_FN constexpr int row_count() {
  if constexpr (is_bounded<Pattern>()) {
    return Pattern::row_count();
  } else {
    return Pattern::rows;
  }
}

/// No entry is known to be zero.
template <int Rows, int Cols>
struct DensePattern {
  static constexpr bool dense = true;
  static constexpr int rows = Rows;
  static constexpr int cols = Cols;
  static constexpr int count = Rows * Cols;
  static constexpr int envelope = Rows * (Rows - 1) / 2;
  static constexpr int coupled = Rows;
  KALABA_FN static int begin(int r) { return r * Cols; }
  KALABA_FN static int column(int k) { return k % Cols; }
  KALABA_FN static int order(int i) { return i; }
  KALABA_FN static int first(int) { return 0; }
  KALABA_FN static int last(int) { return Rows - 1; }
  KALABA_FN static int start(int i) { return i * (i - 1) / 2; }
};

/// The entries of a pattern; the others are zero.
template <class X, class Pattern>
struct SparseMat {
  X data[Pattern::count > 0 ? Pattern::count : 1];

  /// Any entry, found by its row: not for where time goes.
  KALABA_FN X operator()(int r, int j) const {
    for (int k = Pattern::begin(r); k < Pattern::begin(r + 1); ++k) {
      if (Pattern::column(k) == j) return data[k];
    }
    return X(0);
  }
};

namespace detail {
template <class X, class Pattern, bool Dense>
struct MatrixOf {
  using type = SparseMat<X, Pattern>;
};
template <class X, class Pattern>
struct MatrixOf<X, Pattern, true> {
  using type = Mat<X, Pattern::rows, Pattern::cols>;
};
}  // namespace detail

/// The matrix that goes with a pattern.
template <class X, class Pattern>
using MatrixOf = typename detail::MatrixOf<X, Pattern, Pattern::dense>::type;

}  // namespace kalaba
