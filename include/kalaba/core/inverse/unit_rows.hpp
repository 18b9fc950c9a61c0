#pragma once

#include "kalaba/core/inverse/rank_rule.hpp"
#include "kalaba/core/inverse/rows.hpp"

namespace kalaba {

/// Pseudo-inverse of rows B after scaling to unit length, S B with a diagonal S, so that the rank does not depend on
/// the units of a constraint or on its weight. Right-hand sides and multipliers are in the units of B. If the rank is
/// below M, this is the least-squares solution with the row lengths of S B.
///
/// A row that is rounding error of the terms of the other rows is not scaled. The relative length of a row is the
/// largest ratio of one of its entries to the largest entry of the same column; it does not depend on the units of the
/// coordinates or on the masses. A row whose relative length is at most RankRule::shortest_row() is replaced by zero,
/// and its right-hand side is weighted by the length of the entries that it was compared with.
template <class X, int M, int N, template <class, int, int> class InverseOf>
struct UnitRows : InverseOf<X, M, N> {
  using Inverse = InverseOf<X, M, N>;
  static constexpr bool scales = M > 1;  ///< a single row has the same rank for every length

  /// True if the pseudo-inverse starts from the lengths of the rows.
  static constexpr bool norms_first = requires(Inverse inverse) {
    inverse.factorize_normed(Solo{}, RankRule<X>(X(0)));
  };

  Vec<X, M> row_scale;  ///< S; 1 for rows whose squared length is out of range
  X relative_length;    ///< smallest of the nonzero rows, if it is below near_value and computed, else 1
  MaskOf<X> alike;      ///< see comparable()

  template <class Team>
  KALABA_FN MaskOf<X> factorize(const Team& team, const RankRule<X>& rule, bool warm) {
    if constexpr (scales) {
      using Range = Limits<Scalar<X>>;
      auto& rows = this->rows;
      team.template for_each<M>([&](int r) KALABA_LAMBDA {
        const X square = row_dot(rows, r, r);
        const MaskOf<X> in_range = both(X(Range::small) < square, square < X(Range::large));
        row_scale[r] = select(in_range, rsqrt(select(in_range, square, X(1))), X(1));
        KALABA_UNROLL
        for (int i = 0; i < N; ++i) rows(r, i) = rows(r, i) * row_scale[r];
        if constexpr (norms_first) this->norms[r] = square * row_scale[r] * row_scale[r];
      });
      compare_rows(team, rule);
      if constexpr (norms_first) return Inverse::factorize_normed(team, rule);
    }
    return Inverse::factorize(team, rule, warm);
  }

  /// Smallest relative length of a row, or 1.
  KALABA_FN X shortest() const { return scales ? relative_length : X(1); }
  /// Returns the lanes whose rows have comparable lengths, for the last rule that compared them.
  KALABA_FN MaskOf<X> comparable() const { return scales ? alike : X(0) < X(1); }

  template <class Team>
  KALABA_FN void min_norm(const Team& team, const Vec<X, M>& e, Vec<X, N>& x) {
    Inverse::min_norm(team, scaled(e), x);
  }

  KALABA_FN X squared_residual(const Vec<X, M>& e) { return Inverse::squared_residual(scaled(e)); }
  /// Weight of a row of B in squared_residual.
  KALABA_FN X row_weight(int r) const { return scales ? row_scale[r] * row_scale[r] : X(1); }
  /// Returns true if no right-hand side leaves a residual.
  KALABA_FN bool reaches_all() const { return all(this->rank() == X(M)); }

  /// lambda of least norm such that B^T lambda is the force: (B B^T)+ e. Without `Least`, any such lambda.
  template <bool Least = true, class Team>
  KALABA_FN void multipliers(const Team& team, const Vec<X, M>& e, Vec<X, M>& lambda) {
    Vec<X, M> mine;
    Inverse::multipliers(team, scaled(e), lambda);
    for (int r = 0; r < M; ++r) mine[r] = lambda[r];
    if constexpr (scales) {
      for (int r = 0; r < M; ++r) mine[r] = mine[r] * row_scale[r];
      if (Least && team.any(this->rank() < X(M))) remove_idle(mine);
    }
    team.template for_each<M>([&](int r) KALABA_LAMBDA { lambda[r] = mine[r]; });
  }

 private:
  /// Finds short rows, if their lengths alone allow any.
  template <class Team>
  KALABA_FN void compare_rows(const Team& team, const RankRule<X>& rule) {
    team.single([&]() KALABA_LAMBDA { relative_length = X(1); });
    if (!rule.compares_rows && all(rule.comparable)) return;
    X least = row_scale[0];
    X most = row_scale[0];
    KALABA_UNROLL
    for (int r = 1; r < M; ++r) {
      least = min_of(least, row_scale[r]);
      most = max_of(most, row_scale[r]);
    }
    least = least * least;
    most = most * most;
    const Scalar<X> limit = rule.compares_rows ? Scalar<X>(near_value) : row_rounding<X>;
    const bool some = rule.near_singular || team.any(least < most * X(limit * limit * M));
    if (rule.compares_rows) {
      team.single([&]() KALABA_LAMBDA { alike = most * X(comparable_rows<X> * comparable_rows<X>) < least; });
    }
    if (!some) return;
    const X cut = rule.shortest_row();
    compare_columns(team, cut, both(!rule.comparable, least < most * (cut * cut * X(M))));
  }

  template <class Team>
  KALABA_NOINLINE void compare_columns(const Team& team, const X& cut, const MaskOf<X>& may_drop) {
    auto& rows = this->rows;
    Vec<X, M> length;    // of the unscaled rows
    Vec<X, M> relative;  // relative lengths of the rows
    Vec<X, M> compared;  // squared length of the largest entries of their columns
    for (int r = 0; r < M; ++r) {
      length[r] = X(1) / row_scale[r];
      relative[r] = compared[r] = X(0);
    }
    for (int j = 0; j < N; ++j) {
      X largest(0);
      for (int r = 0; r < M; ++r) largest = max_of(largest, abs(rows(r, j)) * length[r]);
      const X inverse = reciprocal_where(X(0) < largest, largest);
      for (int r = 0; r < M; ++r) {
        const X entry = abs(rows(r, j)) * length[r];
        relative[r] = max_of(relative[r], entry * inverse);
        compared[r] = compared[r] + select(X(0) < entry, largest * largest, X(0));
      }
    }
    X shortest_found(1);
    for (int r = 0; r < M; ++r) {
      shortest_found = min_of(shortest_found, select(X(0) < relative[r], relative[r], X(1)));
    }
    team.template for_each<1>([](int) KALABA_LAMBDA {});  // barrier: all workers have read the rows
    team.template for_each<M>([&](int r) KALABA_LAMBDA {
      const MaskOf<X> dropped = both(both(may_drop, X(0) < relative[r]), relative[r] <= cut);
      row_scale[r] = select(dropped, rsqrt(select(dropped, compared[r], X(1))), row_scale[r]);
      for (int j = 0; j < N; ++j) rows(r, j) = select(dropped, X(0), rows(r, j));
      if constexpr (norms_first) this->norms[r] = select(dropped, X(0), this->norms[r]);
    });
    team.single([&]()
                    KALABA_LAMBDA { relative_length = select(shortest_found < X(near_value), shortest_found, X(1)); });
  }

  KALABA_FN Vec<X, M> scaled(const Vec<X, M>& e) const {
    Vec<X, M> result = e;
    if constexpr (scales) {
      KALABA_UNROLL
      for (int r = 0; r < M; ++r) result[r] = e[r] * row_scale[r];
    }
    return result;
  }

  /// Subtracts from lambda the components that produce no force: S times the left null vectors of S B, orthonormalized
  /// by Gram-Schmidt.
  KALABA_FN void remove_idle(Vec<X, M>& lambda) {
    Mat<X, M, M> idle;
    for (int k = 0; k < M; ++k) {
      Vec<X, M> own;
      this->left_null_vector(k, own);
      for (int r = 0; r < M; ++r) own[r] = own[r] * row_scale[r];
      for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j < k; ++j) take_away(&idle(j, 0), own);
      }
      const X square = dot(own, own);
      const X inverse = reciprocal_where(X(0) < square, sqrt(square));
      for (int r = 0; r < M; ++r) idle(k, r) = own[r] * inverse;
    }
    for (int pass = 0; pass < 2; ++pass) {
      for (int k = 0; k < M; ++k) take_away(&idle(k, 0), lambda);
    }
  }
  KALABA_FN static void take_away(const X* unit, Vec<X, M>& from) {
    X along(0);
    for (int r = 0; r < M; ++r) along = fma(unit[r], from[r], along);
    for (int r = 0; r < M; ++r) from[r] = fma(-along, unit[r], from[r]);
  }
};

}  // namespace kalaba
