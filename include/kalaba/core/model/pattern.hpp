#pragma once

#include "kalaba/core/base/matrix.hpp"

namespace kalaba {

// Pattern of the entries of a matrix that may differ from zero. It is known when the core is compiled, except for an
// interpreted model, whose extents are upper bounds. A pattern defines, by functions,
//
//   rows, cols, count         its extents, and the number of entries that may differ from zero
//   begin(r), column(k)       the entries of row r are begin(r) ... begin(r + 1) - 1, with ascending columns
//
// and, for the rows B of a system B B^T x = e, the order of elimination and the envelope of the factor L:
//
//   order(i)                  row eliminated i-th
//   first(i), last(j)         row i of L begins in column first(i); row last(j) is the last with an entry in column j
//   start(i), envelope        storage offset of row i of L: columns first(i) ... i - 1 from there on; total size
//   coupled                   largest number of rows that share a column with one row, itself included: an upper bound
//                             of the eigenvalues of B B^T for unit rows (Gershgorin)
//
// A pattern whose extents are bounds also defines row_count(), the number of rows; the rows after these have no
// entries, and their entries in vectors are zero.

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

/// Pattern of a dense matrix.
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

/// Entries of a pattern; the other entries are zero.
template <class X, class Pattern>
struct SparseMat {
  X data[Pattern::count > 0 ? Pattern::count : 1];

  /// Any entry, found by a search of its row: not for time-critical code.
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

/// Matrix type of a pattern.
template <class X, class Pattern>
using MatrixOf = typename detail::MatrixOf<X, Pattern, Pattern::dense>::type;

}  // namespace kalaba
