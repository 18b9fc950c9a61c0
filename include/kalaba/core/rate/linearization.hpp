#pragma once

#include "kalaba/core/inverse/metric.hpp"
#include "kalaba/core/inverse/rows.hpp"
#include "kalaba/core/model/constraint.hpp"

namespace kalaba {

namespace detail {
template <class M>
KALABA_FN constexpr bool has_diagonal_metric() {
  using Q = Vec<double, Dim<M>::q>;
  return requires(Prepared<M, double> p, double t, Q q) { M::metric(p, t, q).entry[0]; };
}
enum class WeightedRows : int { dense, stated, of_matrix, of_positions };
template <class M, int Rows>
KALABA_FN constexpr WeightedRows weighted_rows() {
  if constexpr (Rows == 0) {
    return WeightedRows::dense;
  } else if constexpr (requires { M::WeightedMatrixPattern::count; }) {
    return WeightedRows::stated;
  } else if constexpr (!has_diagonal_metric<M>() || ModelParts<M>::actuated || has_singular_metric<M>()) {
    return WeightedRows::dense;
  } else if constexpr (Rows == Dim<M>::constraints) {
    return WeightedRows::of_matrix;
  } else if constexpr (requires { M::PositionPattern::count; }) {
    return WeightedRows::of_positions;
  } else {
    return WeightedRows::dense;
  }
}
template <class M, int Rows, int Cols, WeightedRows Kind>
struct WeightedPatternOf {
  using type = DensePattern<Rows, Cols>;
};
template <class M, int Rows, int Cols>
struct WeightedPatternOf<M, Rows, Cols, WeightedRows::stated> {
  using type = typename M::WeightedMatrixPattern;
};
template <class M, int Rows, int Cols>
struct WeightedPatternOf<M, Rows, Cols, WeightedRows::of_matrix> {
  using type = PatternOf<M>;
};
template <class M, int Rows, int Cols>
struct WeightedPatternOf<M, Rows, Cols, WeightedRows::of_positions> {
  using type = typename M::PositionPattern;
};
}  // namespace detail

/// Pattern of the first Rows rows of A F^-T; for a servo-constraint, of A G^-1 S with its directions.
template <class M, int Rows, int Cols = Dim<M>::w>
using WeightedPattern = typename detail::WeightedPatternOf<M, Rows, Cols, detail::weighted_rows<M, Rows>()>::type;

namespace detail {
template <class M>
struct WeightedPositions {
  using type = WeightedPattern<M, Dim<M>::holonomic>;
};
template <class M>
requires requires { M::WeightedPositionPattern::count; }
struct WeightedPositions<M> {
  using type = typename M::WeightedPositionPattern;
};
}  // namespace detail

/// WeightedPattern of the holonomic rows.
template <class M>
using WeightedPositionPattern = typename detail::WeightedPositions<M>::type;

/// Quantities that depend on the state only: the factor of the metric, the rows of A, and the constraint violation.
///
/// A metric G >= 0 that may be singular is completed to G + A^T D A, and A^T D b is added to the force: both equations
/// have the same solution w', and the completed metric is definite exactly if [G; A] has full rank. (Udwadia,
/// Phohomsiri 2006 solve the stacked equations, as the reference implementation does.)
template <class M, class X>
struct Linearization {
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  using P = Prepared<M, X>;
  using Q = Vec<X, nq>;
  using W = Vec<X, n>;
  KALABA_FN static auto metric_of(const P& p, const X& t, const Q& q, const W& w) {
    if constexpr (ModelParts<M>::has_terms) {
      return M::terms(p, t, q, w).metric;
    } else {
      return stored(M::metric(p, t, q));
    }
  }
  /// Storage of a metric. A diagonal metric that may be singular becomes Symmetric, because completion couples the
  /// rates.
  template <int N>
  KALABA_FN static auto stored(const Diagonal<X, N>& metric) {
    if constexpr (has_singular_metric<M>()) {
      Symmetric<X, N> full;
      for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) full.entry(i, j) = i == j ? metric.entry[i] : X(0);
      }
      return full;
    } else {
      return metric;
    }
  }
  template <class Other>
  KALABA_FN static Other stored(const Other& metric) {
    return metric;
  }
  using Metric = decltype(metric_of(P{}, X(0), Q{}, W{}));

  using Pattern = PatternOf<M>;

  MatrixOf<X, Pattern> matrix;  ///< A
  ConstraintState<M, X> constraint;
  FactorOf<Metric> factor;
  Vec<X, has_singular_metric<M>() ? m : 0> completion;  ///< D

  /// Returns the lanes in which the metric (a singular one after completion) is positive definite.
  template <class Team>
  KALABA_FN MaskOf<X> evaluate(const Team& team, const P& p, const X& t, const Q& q, const W& w) {
    if constexpr (requires { M::constraint_terms(p, t, q, w); }) {
      return inlined_if<m <= 1>([&]() KALABA_LAMBDA {
        const auto terms = M::constraint_terms(p, t, q, w);
        keep_matrix(team, terms);
        team.single([&]() KALABA_LAMBDA { keep_distance(terms); });
        return factorize(team, terms.metric);
      });
    } else {
      Q velocity;
      W force;
      return evaluate(team, p, t, q, w, velocity, force);
    }
  }
  /// Like the other `evaluate`; a model that states its terms at once also stores q' and the given force.
  template <class Team>
  KALABA_FN MaskOf<X> evaluate(const Team& team, const P& p, const X& t, const Q& q, const W& w, Q& velocity,
                               W& force) {
    return inlined_if<m <= 1>([&]() KALABA_LAMBDA { return evaluate_inlined(team, p, t, q, w, velocity, force); });
  }

  /// force + A^T D b
  KALABA_FN void complete(W& force) const {
    for (int i = 0; i < n; ++i) {
      X sum(0);
      for (int r = 0; r < m; ++r) sum = fma(completion[r] * matrix(r, i), constraint.b[r], sum);
      force[i] = force[i] + sum;
    }
  }

  /// rows := the first Rows rows of A F^-T
  template <class Team, int Rows>
  KALABA_FN void mass_weighted_rows(const Team& team, Mat<X, Rows, n>& rows) const {
    team.template for_each<Rows>([&](int r) KALABA_LAMBDA {
      spread_row<Pattern>(matrix, r, &rows(r, 0));
      factor.solve(&rows(r, 0));
    });
  }
  /// Like the dense version, for a metric that preserves zeros.
  template <class Team, class Rows>
  KALABA_FN void mass_weighted_rows(const Team& team, SparseMat<X, Rows>& rows) const {
    if constexpr (solves_entries<decltype(factor)>) {
      solve_sparsely(team, rows);
    } else {
      if constexpr (requires { factor.is_diagonal(); }) {
        if (!factor.is_diagonal()) return fill_in(rows);
      }
      team.template for_each<Rows::rows>([&](int r) KALABA_LAMBDA {
        for_entries<Rows>(r, [&](int k, int j) KALABA_LAMBDA { rows.data[k] = factor.solve_entry(j, matrix.data[k]); });
      });
    }
  }

 private:
  template <class Factor>
  static constexpr bool solves_entries = requires(const Factor& f, W x) {
    f.solved_entry(0, x);
  };

  /// For a metric with structural zeros: the numbers of a row from its last to its first.
  template <class Team, class Rows>
  KALABA_FN void solve_sparsely(const Team& team, SparseMat<X, Rows>& rows) const {
    W whole;
    for (int j = 0; j < n; ++j) whole[j] = X(0);
    team.template for_each<Rows::rows>([&](int r) KALABA_LAMBDA {
      for_entries<Pattern>(r, [&](int k, int j) KALABA_LAMBDA { whole[j] = matrix.data[k]; });
      const int begin = Rows::begin(r);
      const int end = Rows::begin(r + 1);
      count_between<n>(0, end - begin, [&](int from_end) KALABA_LAMBDA {
        const int k = end - 1 - from_end;
        const int j = Rows::column(k);
        rows.data[k] = whole[j] = factor.solved_entry(j, whole);
      });
      for_entries<Rows>(r, [&](int, int j) KALABA_LAMBDA { whole[j] = X(0); });
    });
  }

  /// For a metric that couples the rates at run time; one worker.
  template <class Rows>
  KALABA_FN void fill_in(SparseMat<X, Rows>& rows) const {
    W whole;
    for (int r = 0; r < row_count<Rows>(); ++r) {
      spread_row<Pattern>(matrix, r, whole.data);
      factor.solve(whole.data);
      for_entries<Rows>(r, [&](int k, int j) KALABA_LAMBDA { rows.data[k] = whole[j]; });
    }
  }

  template <class Team>
  KALABA_FN MaskOf<X> evaluate_inlined(const Team& team, const P& p, const X& t, const Q& q, const W& w,
                                       [[maybe_unused]] Q& velocity, [[maybe_unused]] W& force) {
    if constexpr (ModelParts<M>::has_terms) {
      const auto terms = M::terms(p, t, q, w);  // each worker computes its own copy
      keep(team, terms, velocity, force);
      return factorize(team, terms.metric);
    } else {
      find_rows(team, p, t, q, w);
      return factorize(team, metric_of(p, t, q, w));
    }
  }

  template <class Team>
  KALABA_FN void find_rows(const Team& team, const P& p, const X& t, const Q& q, const W& w) {
    if constexpr (m > 0) {
      if constexpr (ModelParts<M>::has_matrix) {
        const Mat<X, m, n> stated = M::matrix(p, t, q, w);
        team.template for_each<m * n>([&](int i) KALABA_LAMBDA { matrix.data[i] = stated.data[i]; });
      } else {
        constraint_matrix<M>(team, p, t, q, w, matrix);
      }
      constraint.evaluate(team, p, t, q, w);
    }
  }

  template <class Team, class Terms>
  KALABA_FN void keep(const Team& team, const Terms& terms, Q& velocity, W& force) {
    keep_matrix(team, terms);
    team.single([&]() KALABA_LAMBDA {
      keep_distance(terms);
      KALABA_UNROLL
      for (int r = 0; r < m; ++r) constraint.b[r] = terms.b[r];
      KALABA_UNROLL
      for (int i = 0; i < nq; ++i) velocity[i] = terms.velocity[i];
      KALABA_UNROLL
      for (int i = 0; i < n; ++i) force[i] = terms.force[i];
    });
  }

  template <class Team, class Terms>
  KALABA_FN void keep_matrix(const Team& team, const Terms& terms) {
    if constexpr (is_bounded<Pattern>()) {
      for (int i = 0; i < Pattern::begin(Pattern::rows); ++i) matrix.data[i] = terms.matrix.data[i];
    } else {
      team.template for_each<Pattern::count>([&](int i) KALABA_LAMBDA { matrix.data[i] = terms.matrix.data[i]; });
    }
  }
  /// Copies entry by entry: a copy of the whole struct would go through memory.
  template <class Terms>
  KALABA_FN void keep_distance(const Terms& terms) {
    KALABA_UNROLL
    for (int r = 0; r < Dim<M>::holonomic; ++r) constraint.position[r] = terms.position[r];
    KALABA_UNROLL
    for (int r = 0; r < m; ++r) constraint.rate[r] = terms.rate[r];
  }

  template <class Team>
  KALABA_FN MaskOf<X> factorize(const Team& team, const Metric& metric) {
    if constexpr (has_singular_metric<M>()) {
      return factor.factorize(team, completed(team, metric));
    } else {
      return factor.factorize(team, metric);
    }
  }

  static constexpr double light = 1e-4;  ///< relative to the inertia that a rate is joined to

  /// G + A^T D A; D gives each row the size of the metric along it.
  template <class Team>
  KALABA_FN Metric completed(const Team& team, Metric metric) {
    const Vec<X, m> weight = row_inertia(metric);
    team.single([&]() KALABA_LAMBDA {
      for (int r = 0; r < m; ++r) completion[r] = weight[r];
    });
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        for (int r = 0; r < m; ++r) {
          metric.entry(i, j) = fma(weight[r] * matrix(r, i), matrix(r, j), metric.entry(i, j));
        }
      }
    }
    return metric;
  }

  /// D_r = 1 / sum_i A_ri^2 / h_i over the rates with inertia h_i, so that D does not depend on the units of rates and
  /// rows. A rate without any receives that of its rows. The first of rows that reach none has D_r = 1.
  KALABA_FN Vec<X, m> row_inertia(const Metric& metric) const {
    Vec<X, n> mobility = rate_mobility(metric);
    Vec<X, m> known;
    for (int r = 0; r < m; ++r) known[r] = X(0);
    for (int pass = 0; pass < m; ++pass) {
      Vec<X, m> found;
      X most(0);
      MaskOf<X> complete = X(0) < X(1);
      for (int r = 0; r < m; ++r) {
        found[r] = select(known[r] == X(0), inverse_where_normal(compliance(r, -1, mobility)), known[r]);
        most = max_of(most, found[r] - known[r]);
        complete = both(complete, X(0) < found[r]);
      }
      if (all(complete)) return found;
      for (int r = 0; r < m; ++r) {
        const MaskOf<X> first = both(found[r] == X(0), most == X(0));
        known[r] = select(first, X(1), found[r]);
        most = select(first, X(1), most);
      }
      for (int i = 0; i < n; ++i) {
        X sum(0);
        for (int r = 0; r < m; ++r) sum = fma(known[r] * matrix(r, i), matrix(r, i), sum);
        mobility[i] = select(X(0) < mobility[i], mobility[i], reciprocal_where(X(0) < sum, sum));
      }
    }
    return known;
  }

  /// 1 / h_i: h_i = G_ii, and, if two rows or more join a light rate to the inertia of others, theirs too: the rows
  /// would otherwise be nearly parallel in the metric. 0 for a rate without inertia.
  KALABA_FN Vec<X, n> rate_mobility(const Metric& metric) const {
    Vec<X, n> own;
    Vec<X, n> mobility;
    for (int i = 0; i < n; ++i) own[i] = reciprocal_where(X(0) < metric.entry(i, i), metric.entry(i, i));
    for (int i = 0; i < n; ++i) {
      X sum(0);
      X most(0);
      X second(0);
      for (int r = 0; r < m; ++r) {
        const X joined = matrix(r, i) * matrix(r, i) * inverse_where_normal(compliance(r, i, own));
        second = max_of(second, min_of(most, joined));
        most = max_of(most, joined);
        sum = sum + joined;
      }
      const X inertia = metric.entry(i, i) + select(metric.entry(i, i) < second * X(light), sum, X(0));
      mobility[i] = reciprocal_where(X(0) < inertia, inertia);
    }
    return mobility;
  }

  /// sum of A_rj^2 / h_j over the rates with inertia, without that of rate `but`
  KALABA_FN X compliance(int r, int but, const Vec<X, n>& mobility) const {
    X sum(0);
    for (int j = 0; j < n; ++j) {
      const X entry = j == but ? X(0) : matrix(r, j);
      sum = fma(entry * entry, mobility[j], sum);
    }
    return sum;
  }
  KALABA_FN static X inverse_where_normal(const X& x) {
    return reciprocal_where(X(1 / Limits<Scalar<X>>::reciprocal_range) < x, x);
  }
};

}  // namespace kalaba
