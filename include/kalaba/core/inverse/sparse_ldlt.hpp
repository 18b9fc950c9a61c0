#pragma once

#include "kalaba/core/inverse/deflation.hpp"
#include "kalaba/core/inverse/unit_rows.hpp"

namespace kalaba {

/// Direct method: S = B B^T is computed and factorized, P S P^T = L D L^T, within the envelope of B's pattern, and B+ e
/// = B^T S^-1 e. For the pattern of a chain, the cost is linear in the number of rows.
///
/// It solves members whose rows are clearly independent, or clearly dependent on others. Let S~ be the product of the
/// rows scaled to unit length. The trace of S~^-1 follows from the factor (entries of the inverse in the envelope:
/// Takahashi, Fagan, Chin 1973). The smallest singular value of those rows lies between 1 / sqrt(trace) and
/// sqrt(M / trace), and the largest is below sqrt(Pattern::coupled). If that lower bound is not above `least_served`
/// and above the values that the rank rule might drop, or if a row is so short that it may be rounding error of the
/// others (UnitRows), the member is solved by the Fallback, an SVD; its neighbouring lanes are not affected. Because S
/// squares the condition of B, solutions are refined once if the bound is below `refined_below`, or
/// `refined_if_omitted`.
///
/// Rows that depend on those before them, and rows of zeros, are left out of the factor. Within a step, their number
/// must be that of the step's beginning. Else the length of what is left of them, after subtraction of their
/// combination of the other rows, must be a value that the rank rule drops: it is at least the largest singular value
/// that the other rows do not explain. In all other cases the fallback decides. Right-hand sides are projected onto
/// those that have a solution, by the combinations of rows that are zero, if the equations left out have errors above
/// rounding.
///
/// Near a singular position, where an SVD of many rows would be needed at every stage, a closer test comes first: the
/// factor alone is used down to `least_near_singular`, and a Deflation for smaller or dropped values.
template <class X, class Pattern, class Fallback>
struct DirectInverse : EnvelopeFactor<X, Pattern> {
  using Factor = EnvelopeFactor<X, Pattern>;
  using Factor::inverse_pivot;
  using Factor::m;
  using Factor::n;
  using Factor::row_times;
  using Factor::solve_in_order;
  using Factor::square;
  static constexpr bool single = Limits<Scalar<X>>::epsilon > 1e-10;
  static constexpr Scalar<X> least_served = single ? 2e-2 : 1e-4;
  static constexpr Scalar<X> least_near_singular = single ? 1e-2 : 1e-5;
  static constexpr Scalar<X> refined_below = single ? 3e-1 : 2e-2;
  static constexpr Scalar<X> refined_if_omitted = 3e-1;  ///< `refined_below` if rows are left out
  /// Least bound if rows are left out. The rows in the factor may have a smaller value than all rows, so that a step
  /// may count as near a singular position without need (Passage).
  static constexpr Scalar<X> least_apart = single ? 0.25 : 0.01;
  static constexpr Scalar<X> same_row = single ? 1e-5 : 1e-9;  ///< largest rest of a row that depends on others
  static constexpr bool deflates =
      m >= 24 && !is_bounded<Pattern>() && !KALABA_FOR_GPU;  ///< for fewer rows, an SVD costs no more
  static constexpr bool leaves_idle = deflates;

  MatrixOf<X, Pattern> rows;  ///< B; unchanged
  X kept;                     ///< number of rows that are not left out
  X bound;                    ///< 1 / sqrt(trace S~^-1)
  MaskOf<X> served;           ///< lanes solved by the factor or the deflation; the others by the fallback
  bool serves_all;            ///< the factor alone solves all lanes
  bool omits;                 ///< in a lane of `served`, rows are left out
  MaskOf<X> even;             ///< no row is so short that it may be dropped
  X relative_length;          ///< see UnitRows
  MaskOf<X> weak;             ///< lanes in which solutions are refined
  bool refines;               ///< in some lane
  bool falls_back;            ///< in some lane
  MaskOf<X> deflated;
  Fallback fallback;
  typename detail::DeflationOf<X, Pattern, deflates>::type deflation;

  template <class Team>
  KALABA_FN MaskOf<X> factorize(const Team& team, const RankRule<X>& rule, bool /*warm*/) {
    team.single([&]() KALABA_LAMBDA {
      noinline_call([&]() KALABA_LAMBDA {
        this->eliminate(rows, !rule.near_singular);
        judge(rule);
      });
    });
    const bool all_here = !team.any(!served);
    const bool some_weak = team.any(both(served, weak));
    const bool some_less = team.any(both(served, kept < X(count())));
    team.single([&]() KALABA_LAMBDA {
      serves_all = all_here;
      refines = some_weak;
      falls_back = false;
      omits = some_less;
      idle_count = -1;
    });
    if (all_here) return X(0) < X(1);
    return either(served, serve_others(team, rule));
  }

  template <class Team>
  KALABA_FN void min_norm(const Team& team, const Vec<X, m>& e, Vec<X, n>& x) {
    if constexpr (Team::size == 1) {
      solve_any<true>(e, x);
    } else {
      Vec<X, n> mine;
      solve_any<false>(e, mine);
      team.template for_each<n>([&](int i) KALABA_LAMBDA { x[i] = mine[i]; });
    }
    if (serves_all) return;
    if constexpr (deflates) {
      Vec<X, n> mine = x;
      if (any(deflated)) deflate(e, mine);
      team.template for_each<n>([&](int i) KALABA_LAMBDA { x[i] = mine[i]; });
    }
    if (!falls_back) return;
    fallback.min_norm(team, e, fallback_rate);
    team.template for_each<n>([&](int i) KALABA_LAMBDA { x[i] = select(served, x[i], fallback_rate[i]); });
  }

  /// x := B+ B x
  template <class Team>
  KALABA_FN void project(const Team& team, Vec<X, n>& x) {
    Vec<X, m> along;
    Vec<X, n> mine;
    for (int r = 0; r < count(); ++r) along[r] = row_times(rows, r, x);
    solve(along, mine);
    if (!serves_all) {
      if constexpr (deflates) {
        if (any(deflated)) deflate(along, mine);
      }
      team.template for_each<n>([&](int i) KALABA_LAMBDA { fallback_rate[i] = x[i]; });
      if (falls_back) fallback.project(team, fallback_rate);
    }
    team.template for_each<n>(
        [&](int i) KALABA_LAMBDA { x[i] = serves_all ? mine[i] : select(served, mine[i], fallback_rate[i]); });
  }

  /// lambda = (B B^T)+ e; see UnitRows
  template <bool Least = true, class Team>
  KALABA_FN void multipliers(const Team& team, const Vec<X, m>& e, Vec<X, m>& lambda) {
    Vec<X, m> mine;
    for (int r = count(); r < m; ++r) mine[r] = X(0);
    find_multipliers(e, mine);
    if (omits) {
      Vec<X, n> x;
      combine(mine, x);
      const MaskOf<X> contradicts = contradiction(e, x).found;
      if (any(contradicts)) {
        Vec<X, m> own = e;
        remove_contradiction<Team::size == 1>(own);
        Vec<X, m> other;
        find_multipliers(own, other);
        for (int r = 0; r < count(); ++r) mine[r] = select(contradicts, other[r], mine[r]);
      }
    }
    if constexpr (Least) {
      if (omits) {
        Mat<X, m, m> combinations;
        take_away(combinations, find_idle([](int) KALABA_LAMBDA { return X(1); }, combinations), mine);
      }
      if (falls_back) fallback.multipliers(team, e, lambda);
    } else {
      if (falls_back) fallback.template multipliers<false>(team, e, lambda);
    }
    team.template for_each<m>(
        [&](int r) KALABA_LAMBDA { lambda[r] = falls_back ? select(served, mine[r], lambda[r]) : mine[r]; });
  }

  /// Returns true if no right-hand side leaves a residual.
  KALABA_FN bool reaches_all() const { return serves_all && !omits; }
  KALABA_FN X squared_residual(const Vec<X, m>& e) {
    X sum(0);
    if (omits) {
      Vec<X, n> x;
      solve(e, x);
      const Contradiction all = contradiction(e, x);
      sum = all.square;
      if (any(all.found)) {
        Vec<X, m> own = e;
        sum = select(all.found, remove_contradiction<false>(own), sum);
      }
      sum = select(served, sum, X(0));
    }
    if (serves_all) return sum;
    if constexpr (deflates) {
      if (any(deflated)) sum = select(deflated, deflation.squared_residual(e), sum);
    }
    return falls_back ? select(served, sum, fallback.squared_residual(e)) : sum;
  }
  /// Weight of a row in squared_residual.
  KALABA_FN X row_weight(int r) const {
    X own(0);
    for_entries<Pattern>(r, [&](int k, int) KALABA_LAMBDA { own = fma(rows.data[k], rows.data[k], own); });
    own = weight_of(own);
    return falls_back ? select(served, own, fallback.row_weight(r)) : own;
  }

  KALABA_FN X rank() const {
    X own = kept;
    if (serves_all) return own;
    if constexpr (deflates) own = select(deflated, deflation.rank, own);
    return falls_back ? select(served, own, fallback.rank()) : own;
  }

  /// Smallest singular value of unit rows, by inverse iteration.
  KALABA_FN X smallest_kept() {
    Vec<X, m> v;
    for (int i = 0; i < m; ++i) v[i] = i < count() ? X(1 + 0.37 * i) : X(0);  // near no eigenvector
    X after(1);
    for (int pass = 0; pass < (m > 1 ? 64 : 1); ++pass) {
      const X size = rsqrt(dot(v, v));
      for (int i = 0; i < count(); ++i) v[i] = v[i] * size * sqrt(square[i]);
      solve_in_order(v);
      for (int i = 0; i < count(); ++i) v[i] = v[i] * sqrt(square[i]);
      after = dot(v, v);
    }
    const X value = rsqrt(sqrt(after));
    return falls_back ? select(served, value, fallback.smallest_kept()) : value;
  }
  /// Upper bound of the singular values that do not count.
  KALABA_FN X largest_dropped() const {
    const X own = omits ? sqrt(squared_rest()) : X(0);
    return falls_back ? select(served, own, fallback.largest_dropped()) : own;
  }

  KALABA_FN X shortest() const { return relative_length; }
  KALABA_FN MaskOf<X> comparable() const { return X(1) < X(0); }  ///< the factor compares them at no cost

  /// Lower bound of the smallest singular value, sharp if that is small.
  KALABA_FN X least_value(double limit) const {
    return falls_back ? select(served, bound, fallback.least_value(limit)) : bound;
  }

 private:
  KALABA_FN static constexpr int count() { return row_count<Pattern>(); }

  static constexpr Scalar<X> consistent = 32 * Limits<Scalar<X>>::epsilon;

  Vec<X, n> fallback_rate;  ///< workspace
  Mat<X, m, m> idle;        ///< orthonormal combinations of rows that are zero, if one worker solves
  int idle_count;           ///< of them; -1 if they are not known

  /// Weight of a row in squared_residual: with the rows scaled to unit length, as by the fallback.
  KALABA_FN static X weight_of(const X& square) {
    if constexpr (requires { Fallback::scales; }) return inverse_of(square);
    return X(1);
  }
  /// 1 / square, or 1 if that is out of range.
  KALABA_FN static X inverse_of(const X& square) { return X(1) / select(out_of_range(square), X(1), square); }

  /// Determines the lanes in which the factor is accurate.
  KALABA_FN void judge(const RankRule<X>& rule) {
    using Range = Limits<Scalar<X>>;
    X largest = square[0];
    const int end = count();
    KALABA_UNROLL
    for (int i = 1; i < end; ++i) largest = max_of(largest, square[i]);
    X least = largest;
    X least_inverse(1);
    kept = X(end);
    KALABA_UNROLL
    for (int i = 0; i < end; ++i) {
      least = min_of(least, select(square[i] == X(0), largest, square[i]));
      least_inverse = min_of(least_inverse, select(this->left_out(i), X(1), inverse_pivot[i]));
      kept = kept - select(this->left_out(i), X(1), X(0));
    }
    const X squared_bound = X(1) / this->trace();
    const X tolerance = max_of(rule.tolerance, rule.held);
    const X limit = max_of(X(least_served * least_served), X(4 * Pattern::coupled) * tolerance * tolerance);
    const MaskOf<X> in_range = both(X(Range::small) < least, largest < X(Range::large));
    const MaskOf<X> independent = both(X(0) < least_inverse, limit < squared_bound);
    const X cut = rule.shortest_row();
    even = cut * cut * largest * X(m) < least;
    served = both(both(in_range, even), both(independent, !(rule.most < kept)));
    const MaskOf<X> less = both(served, kept < X(end));
    if (any(less)) served = both(served, either(!less, counts_kept(rule, less, squared_bound)));
    relative_length = X(1);
    if (m > 1 && rule.compares_rows && any(least < X(near_value * near_value * m) * largest)) compare_columns();
    const X sharp = select(kept < X(end), X(refined_if_omitted), X(refined_below));
    weak = squared_bound < sharp * sharp;
    bound = sqrt(squared_bound);
  }

  /// Returns the lanes of `less`, which leave rows out, in which the rank rule counts the other rows and no more.
  KALABA_NOINLINE MaskOf<X> counts_kept(const RankRule<X>& rule, const MaskOf<X>& less, const X& squared_bound) const {
    const MaskOf<X> apart = both(less, X(least_apart * least_apart) < squared_bound);
    if (rule.near_singular || !any(apart)) return X(1) < X(0);
    const MaskOf<X> decided = both(apart, rule.most == kept);
    const MaskOf<X> open = both(apart, kept < rule.most);
    if (!any(open)) return decided;
    const X limit = min_of(select(kept < rule.least, rule.held, rule.tolerance), X(same_row));
    return either(decided, both(open, squared_rest() <= limit * limit));
  }

  /// Returns the sum of the squares of the rows left out, in units of their own length, minus their combination of the
  /// other rows.
  KALABA_NOINLINE X squared_rest() const {
    X sum(0);
    for (int i = 0; i < count(); ++i) {
      const MaskOf<X> wanted = both(this->left_out(i), X(0) < square[i]);
      if (!any(wanted)) continue;
      Vec<X, m> along;
      Vec<X, n> rest;
      this->find_dependence(i, along);
      combine_in_order(along, rest);
      sum = sum + select(wanted, dot(rest, rest) * inverse_of(square[i]), X(0));
    }
    return sum;
  }

  struct Contradiction {
    X square;         ///< of the errors of the equations left out, with the rows scaled to unit length
    MaskOf<X> found;  ///< the errors exceed rounding errors, which those of the other equations show
  };
  /// Errors that the solution x of the other equations leaves in those left out.
  KALABA_FN Contradiction contradiction(const Vec<X, m>& e, const Vec<X, n>& x) const {
    X of_omitted(0);
    X of_kept(0);
    X size(0);
    for (int i = 0; i < count(); ++i) {
      const int r = Pattern::order(i);
      const X weight = weight_of(square[i]);
      const X error = e[r] - row_times(rows, r, x);
      const X square_of_error = error * error * weight;
      const MaskOf<X> omitted = this->left_out(i);
      of_omitted = of_omitted + select(omitted, square_of_error, X(0));
      of_kept = of_kept + select(omitted, X(0), square_of_error);
      size = fma(e[r] * e[r], weight, size);
    }
    const X rounding = fma(X(consistent * consistent), size, X(16) * of_kept);
    return {of_omitted, both(served, rounding < of_omitted)};
  }

  /// Projects e onto the right-hand sides that have a solution, with the rows scaled to unit length. Returns the
  /// squared length of the part removed.
  template <bool Alone>
  KALABA_NOINLINE X remove_contradiction(Vec<X, m>& e) {
    Vec<X, m> length;
    Vec<X, m> scaled = e;
    X sum(0);
    for (int i = 0; i < count(); ++i) {
      const int r = Pattern::order(i);
      length[r] = sqrt(X(1) / weight_of(square[i]));
      scaled[r] = e[r] / length[r];
      const MaskOf<X> zero = square[i] == X(0);
      sum = sum + select(zero, e[r] * e[r], X(0));
    }
    const Vec<X, m> before = scaled;
    const auto length_of = [&](int r) KALABA_LAMBDA { return length[r]; };
    if constexpr (Alone) {
      if (idle_count < 0) idle_count = find_idle(length_of, idle);
      take_away(idle, idle_count, scaled);
    } else {
      Mat<X, m, m> own;
      take_away(own, find_idle(length_of, own), scaled);
    }
    for (int r = 0; r < count(); ++r) {
      const X removed = before[r] - scaled[r];
      sum = fma(removed, removed, sum);
      e[r] = select(removed == X(0), e[r], scaled[r] * length[r]);
    }
    return sum;
  }

  /// Finds an orthonormal basis of the combinations of rows that are zero, each number times scale(row). Returns their
  /// number.
  template <class Scale>
  KALABA_NOINLINE int find_idle(const Scale& scale, Mat<X, m, m>& basis) const {
    int used = 0;
    for (int i = 0; i < count(); ++i) {
      const MaskOf<X> wanted = both(both(served, this->left_out(i)), X(0) < square[i]);
      if (!any(wanted)) continue;
      Vec<X, m> along;
      this->find_dependence(i, along);
      Vec<X, m> own;
      for (int k = 0; k < count(); ++k) {
        const int r = Pattern::order(k);
        own[r] = select(wanted, along[k] * scale(r), X(0));
      }
      take_away(basis, used, own);
      X size(0);
      for (int r = 0; r < count(); ++r) size = fma(own[r], own[r], size);
      const X inverse = reciprocal_where(X(0) < size, sqrt(size));
      for (int r = 0; r < count(); ++r) basis(used, r) = own[r] * inverse;
      ++used;
    }
    return used;
  }
  /// Removes from x its components along the first `used` vectors of an orthonormal basis.
  KALABA_FN static void take_away(const Mat<X, m, m>& basis, int used, Vec<X, m>& x) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int k = 0; k < used; ++k) {
        X along(0);
        for (int r = 0; r < count(); ++r) along = fma(basis(k, r), x[r], along);
        for (int r = 0; r < count(); ++r) x[r] = fma(-along, basis(k, r), x[r]);
      }
    }
  }

  /// Computes the relative lengths of the rows.
  KALABA_NOINLINE void compare_columns() {
    Vec<X, n> largest;
    for (int j = 0; j < n; ++j) largest[j] = X(0);
    for (int r = 0; r < count(); ++r) {
      for_entries<Pattern>(r, [&](int k, int j) KALABA_LAMBDA { largest[j] = max_of(largest[j], abs(rows.data[k])); });
    }
    for (int j = 0; j < n; ++j) largest[j] = reciprocal_where(X(0) < largest[j], largest[j]);
    for (int r = 0; r < count(); ++r) {
      X relative(0);
      for_entries<Pattern>(
          r, [&](int k, int j) KALABA_LAMBDA { relative = max_of(relative, abs(rows.data[k]) * largest[j]); });
      const MaskOf<X> near = both(X(0) < relative, relative < X(near_value));
      relative_length = select(near, min_of(relative_length, relative), relative_length);
    }
  }

  /// Solves the members for which the factor may be inaccurate; returns the lanes in which that converged.
  template <class Team>
  KALABA_NOINLINE MaskOf<X> serve_others(const Team& team, const RankRule<X>& rule) {
    team.single([&]() KALABA_LAMBDA {
      deflated = X(1) < X(0);
      if constexpr (deflates) {
        served = either(served, rule.idle);
        if (rule.near_singular) look_closer(rule);
      }
      falls_back = any(!served);
      serves_all = !falls_back && !any(deflated);
      refines = any(both(served, weak));
      omits = any(both(served, kept < X(count())));
    });
    if (!falls_back) return X(0) < X(1);
    team.template for_each<m>([&](int r) KALABA_LAMBDA { spread_row<Pattern>(rows, r, &fallback.rows(r, 0)); });
    return fallback.factorize(team, rule, false);
  }

  KALABA_FN void look_closer(const RankRule<X>& rule) {
    X least_pivot = inverse_pivot[0];
    MaskOf<X> able = both(both(!served, even), X(0) < bound);
    for (int i = 0; i < m; ++i) {
      least_pivot = min_of(least_pivot, inverse_pivot[i]);
      able = both(able, !out_of_range(square[i]));
    }
    able = both(able, X(0) < least_pivot);
    if (!any(able)) return;
    const X tolerance = max_of(rule.tolerance, rule.held);
    const X safe = max_of(X(least_near_singular * least_near_singular), X(Pattern::coupled) * tolerance * tolerance);
    const MaskOf<X> full = !(rule.most < X(m));
    if (any(both(able, full))) served = either(served, both(both(able, full), deflation.none_below(rows, safe)));
    const MaskOf<X> left = both(able, !served);
    if (!any(left)) return;
    deflated = both(left, deflation.find(*this, rows, rule, least_near_singular, left));
    served = either(served, deflated);
  }

  /// x := B+ e in the lanes of the deflation
  KALABA_FN void deflate(const Vec<X, m>& e, Vec<X, n>& x) const {
    Vec<X, n> other;
    deflation.min_norm(*this, rows, e, other);
    for (int i = 0; i < n; ++i) x[i] = select(deflated, other[i], x[i]);
  }

  /// `solve` for a right-hand side that may have no solution.
  template <bool Alone>
  KALABA_FN void solve_any(const Vec<X, m>& e, Vec<X, n>& x) {
    solve(e, x);
    if (!omits) return;
    const MaskOf<X> contradicts = contradiction(e, x).found;
    if (!any(contradicts)) return;
    Vec<X, m> own = e;
    remove_contradiction<Alone>(own);
    Vec<X, n> other;
    solve(own, other);
    for (int i = 0; i < n; ++i) x[i] = select(contradicts, other[i], x[i]);
  }
  /// x = B^T S^-1 e, refined in the lanes `weak`. The correction is added to x itself, because its rounding error is
  /// less than that of a large S^-1 e.
  KALABA_FN void solve(const Vec<X, m>& e, Vec<X, n>& x) const {
    Vec<X, m> lambda;
    solve_once(e, lambda);
    combine(lambda, x);
    if (!refines) return;
    noinline_call([&]() KALABA_LAMBDA {
      refine(e, weak, x);
      if constexpr (deflates) {
        const MaskOf<X> weaker = both(weak, bound < X(least_served));
        if (any(both(served, weaker))) refine(e, weaker, x);
      }
    });
  }
  KALABA_FN void refine(const Vec<X, m>& e, const MaskOf<X>& where, Vec<X, n>& x) const {
    Vec<X, m> rest;
    Vec<X, n> more;
    solve_rest(e, x, rest);
    combine(rest, more);
    for (int i = 0; i < n; ++i) x[i] = select(where, x[i] + more[i], x[i]);
  }
  /// more = S^-1 (e - B x)
  KALABA_FN void solve_rest(const Vec<X, m>& e, const Vec<X, n>& x, Vec<X, m>& more) const {
    Vec<X, m> rest;
    for (int r = 0; r < count(); ++r) rest[r] = e[r] - row_times(rows, r, x);
    solve_once(rest, more);
  }
  /// lambda = S^-1 e, refined in the lanes `weak`
  KALABA_FN void find_multipliers(const Vec<X, m>& e, Vec<X, m>& lambda) const {
    solve_once(e, lambda);
    if (!refines) return;
    Vec<X, n> x;
    Vec<X, m> more;
    combine(lambda, x);
    solve_rest(e, x, more);
    for (int r = 0; r < count(); ++r) lambda[r] = select(weak, lambda[r] + more[r], lambda[r]);
  }
  /// lambda = S^-1 e
  KALABA_FN void solve_once(const Vec<X, m>& e, Vec<X, m>& lambda) const {
    Vec<X, m> v;
    const int end = count();
    KALABA_UNROLL
    for (int i = 0; i < end; ++i) v[i] = e[Pattern::order(i)];
    solve_in_order(v);
    KALABA_UNROLL
    for (int i = 0; i < end; ++i) lambda[Pattern::order(i)] = v[i];
  }

  /// x = B^T lambda, with lambda in the order of elimination
  KALABA_FN void combine_in_order(const Vec<X, m>& lambda, Vec<X, n>& x) const {
    for (int j = 0; j < n; ++j) x[j] = X(0);
    for (int i = 0; i < count(); ++i) {
      const X by = lambda[i];
      for_entries<Pattern>(Pattern::order(i), [&](int k, int j) KALABA_LAMBDA { x[j] = fma(rows.data[k], by, x[j]); });
    }
  }
  /// x = B^T lambda
  KALABA_FN void combine(const Vec<X, m>& lambda, Vec<X, n>& x) const {
    KALABA_UNROLL
    for (int j = 0; j < n; ++j) x[j] = X(0);
    rows_up<Pattern>(0, [&](int r) KALABA_LAMBDA {
      const X by = lambda[r];
      for_entries<Pattern>(r, [&](int k, int j) KALABA_LAMBDA { x[j] = fma(rows.data[k], by, x[j]); });
    });
  }
};

/// Direct method for rows without known zeros.
template <class X, int M, int N>
struct SparseLdlt : DirectInverse<X, DensePattern<M, N>, JacobiSvd<X, M, N>> {};

}  // namespace kalaba
