#pragma once

#include "kalaba/core/inverse/unit_rows.hpp"

namespace kalaba {

/// Projection of a point onto the solutions of equalities and inequalities,
///
///   min |u - u_0|^2   subject to   B_r u = c_r (equalities),   B_r u >= c_r (inequalities),
///
/// by the dual active-set method of Goldfarb and Idnani (Math. Program. 27 (1983) 1). One pseudo-inverse per change of
/// the active set solves it; rows that are not active are zero rows. Equalities may be redundant or repeated. The
/// active inequalities are independent of each other and of the equalities, so that their multipliers are unique; an
/// inequality that depends on active rows replaces one of them, or contradicts them. u is unique.
///
/// Rows of u are in the unit metric: of a metric G = F F^T, u is F^T w and B is A F^-T. Ties go to the lowest index.
/// The bits of a lane do not depend on the other lanes.
template <class X, int M, int N, template <class, int, int> class InverseOf>
struct ActiveSet {
  using Mask = MaskOf<X>;
  using E = Vec<X, M>;
  using W = Vec<X, N>;

  /// Violations and multipliers below this fraction of the terms from which they are computed are rounding error.
  static constexpr Scalar<X> rounding = 4096 * Limits<Scalar<X>>::epsilon;

  Mat<X, M, N> rows;        ///< in: B
  E bound;                  ///< in: c
  E least_terms;            ///< in: least size of the terms of B_r u - c_r: of the numbers that cancel in u_0
  Vec<Mask, M> equality;    ///< in; a row of neither kind is absent
  Vec<Mask, M> inequality;  ///< in
  W u;                      ///< in: u_0; out: the projection
  E multipliers;            ///< out: u - u_0 = B^T multipliers; not negative for inequalities
  Vec<Mask, M> active;      ///< out: equalities, and inequalities that hold as equations
  X solves;                 ///< out: number of pseudo-inverses
  Mask feasible;            ///< out: false if the conditions contradict each other
  UnitRows<X, M, N, InverseOf> inverse;

  /// Projects u in the lanes `members` with at most `limit` pseudo-inverses. Returns the lanes of `members` in which
  /// the projection was found; in others of `members` u is unspecified. Other lanes do not change. `rank_tolerance`
  /// decides on the rank of the active rows.
  template <class Team>
  KALABA_NOINLINE Mask project(const Team& team, Scalar<X> rank_tolerance, int limit, const Mask& members) {
    begin(team, members);
    const Mask none = X(1) < X(0);
    Mask running = members;
    Mask partial = none;  // lanes whose last change removed a row: the same row still enters
    Mask possible = !none;
    X entering(0);
    X count(0);
    for (int solve = 0; solve < limit && team.any(running); ++solve) {
      const Mask converged = factorize(team, rank_tolerance, running);
      count = count + select(running, X(1), X(0));
      running = both(running, converged);
      const Mask fresh = both(running, !partial);
      if (team.any(fresh)) {
        solve_active(team, fresh);
        possible = both(possible, either(!fresh, equalities_hold(rank_tolerance)));
        running = both(running, possible);
      }
      E violation;
      find_violations(violation);
      entering = select(fresh, most_violated(violation), entering);
      running = both(running, X(0) <= entering);
      if (!team.any(running)) break;
      partial = step(team, rank_tolerance, running, entering, partial, possible);
      running = both(running, possible);
    }
    const Mask found = both(both(members, possible), entering < X(0));
    team.single([&]() KALABA_LAMBDA {
      solves = select(members, count, solves);
      feasible = possible;
    });
    return found;
  }

  /// Labels the numbers of u: two have the same label if a chain of rows in the lanes used(row) joins them.
  template <class Team, class Used>
  KALABA_FN void find_groups(const Team& team, const Used& used, W& group) const {
    team.single([&]() KALABA_LAMBDA {
      for (int i = 0; i < N; ++i) group[i] = X(i);
      Mask changes = X(0) < X(1);
      for (int pass = 0; pass < M && any(changes); ++pass) {
        changes = X(1) < X(0);
        for (int r = 0; r < M; ++r) {
          const Mask counts = used(r);
          const X least = label_of(r, group);
          for (int i = 0; i < N; ++i) {
            const Mask joins = both(both(counts, !(rows(r, i) == X(0))), least < group[i]);
            group[i] = select(joins, least, group[i]);
            changes = either(changes, joins);
          }
        }
      }
    });
  }
  /// Length of the numbers of x in the group of a row, times the length of the row: the size of the terms of B_r x, and
  /// of the numbers from which these were computed.
  KALABA_FN X terms_of(int r, const W& x, const W& group) const {
    const X label = label_of(r, group);
    X square(0);
    for (int i = 0; i < N; ++i) square = fma(select(group[i] == label, x[i], X(0)), x[i], square);
    return length_of(r) * sqrt(square);
  }

  /// Smallest label of the numbers of a row; N for a row of zeros.
  KALABA_FN X label_of(int r, const W& labels) const {
    X least(N);
    for (int i = 0; i < N; ++i) least = select(rows(r, i) == X(0), least, min_of(least, labels[i]));
    return least;
  }

 protected:
  W group;   ///< labels of the numbers of u, of equalities and inequalities
  W origin;  ///< u_0
  W shift;   ///< workspace, like the following
  E defect;
  E weights;

  template <class Team>
  KALABA_FN void begin(const Team& team, const Mask& members) {
    team.template for_each<N>([&](int i) KALABA_LAMBDA { origin[i] = u[i]; });
    team.template for_each<M>([&](int r) KALABA_LAMBDA {
      multipliers[r] = select(members, X(0), multipliers[r]);
      active[r] = either(both(members, equality[r]), both(!members, active[r]));
    });
    find_groups(
        team, [&](int r) KALABA_LAMBDA { return either(equality[r], inequality[r]); }, group);
  }

  template <class Team>
  KALABA_FN Mask factorize(const Team& team, Scalar<X> rank_tolerance, const Mask& running) {
    team.template for_each<M>([&](int r) KALABA_LAMBDA {
      const Mask used = both(running, active[r]);
      for (int i = 0; i < N; ++i) inverse.rows(r, i) = select(used, rows(r, i), X(0));
    });
    return inverse.factorize(team, RankRule<X>(X(rank_tolerance)), false);
  }

  KALABA_FN X row_times(int r, const W& x) const {
    X sum(0);
    for (int i = 0; i < N; ++i) sum = fma(rows(r, i), x[i], sum);
    return sum;
  }
  KALABA_FN X length_of(int r) const { return sqrt(row_dot(rows, r, r)); }

  /// Size of the terms of B_r u - c_r.
  KALABA_FN X terms(int r) const {
    return max_of(max_of(terms_of(r, u, group), terms_of(r, origin, group)) + abs(bound[r]), least_terms[r]);
  }

 private:
  /// u and the multipliers of the active rows as equations, from u_0.
  template <class Team>
  KALABA_FN void solve_active(const Team& team, const Mask& fresh) {
    team.template for_each<M>(
        [&](int r) KALABA_LAMBDA { defect[r] = select(active[r], bound[r] - row_times(r, origin), X(0)); });
    inverse.min_norm(team, defect, shift);
    inverse.multipliers(team, defect, weights);
    team.template for_each<N>([&](int i) KALABA_LAMBDA { u[i] = select(fresh, origin[i] + shift[i], u[i]); });
    team.template for_each<M>([&](int r) KALABA_LAMBDA {
      // An inequality pushes; a negative number is rounding error.
      const X own = select(inequality[r], max_of(weights[r], X(0)), weights[r]);
      multipliers[r] = select(fresh, select(active[r], own, X(0)), multipliers[r]);
    });
  }

  /// Returns the lanes in which the equalities do not contradict each other.
  KALABA_FN Mask equalities_hold(Scalar<X> tolerance) const {
    Mask hold = X(0) < X(1);
    for (int r = 0; r < M; ++r) {
      const X allowed = X(tolerance) * terms(r);
      hold = both(hold, either(!equality[r], abs(row_times(r, u) - bound[r]) <= allowed));
    }
    return hold;
  }

  /// B_r u - c_r of the inequalities that are not active and violated by more than rounding, relative to the terms;
  /// else 0.
  KALABA_FN void find_violations(E& violation) const {
    for (int r = 0; r < M; ++r) {
      const X size = terms(r);
      const X relative = (row_times(r, u) - bound[r]) * reciprocal_where(X(0) < size, size);
      const Mask counts = both(both(inequality[r], !active[r]), relative < X(-rounding));
      violation[r] = select(counts, relative, X(0));
    }
  }

  /// Index of the row with the largest violation; -1 if there is none.
  KALABA_FN static X most_violated(const E& violation) {
    X index(-1);
    X least(0);
    for (int r = 0; r < M; ++r) {
      const Mask lower = violation[r] < least;
      index = select(lower, X(r), index);
      least = select(lower, violation[r], least);
    }
    return index;
  }

  /// Moves u and the multipliers until the entering row holds, or until a multiplier of an active inequality is zero,
  /// whose row is then removed. Returns the lanes in which a row was removed. `possible` becomes false in lanes whose
  /// conditions contradict each other.
  template <class Team>
  KALABA_FN Mask step(const Team& team, Scalar<X> rank_tolerance, const Mask& running, const X& entering,
                      const Mask& partial, Mask& possible) {
    W normal;
    X missing(0);  // B_e u - c_e
    for (int i = 0; i < N; ++i) normal[i] = X(0);
    for (int r = 0; r < M; ++r) {
      const Mask is_it = entering == X(r);
      for (int i = 0; i < N; ++i) normal[i] = select(is_it, rows(r, i), normal[i]);
      missing = select(is_it, row_times(r, u) - bound[r], missing);
    }
    team.template for_each<N>([&](int i) KALABA_LAMBDA { shift[i] = normal[i]; });
    team.template for_each<M>([&](int r) KALABA_LAMBDA { defect[r] = select(active[r], row_times(r, normal), X(0)); });
    inverse.project(team, shift);
    inverse.multipliers(team, defect, weights);
    W direction;
    X square(0);
    X along(0);
    for (int i = 0; i < N; ++i) {
      direction[i] = normal[i] - shift[i];
      square = fma(normal[i], normal[i], square);
      along = fma(direction[i], normal[i], along);
    }
    const Scalar<X> dependent = M * rank_tolerance;
    const Mask moves = X(dependent * dependent) * square < along;
    const X full = -missing * reciprocal_where(moves, along);
    // Largest step for which every multiplier stays positive.
    const X length = sqrt(square);
    X most(0);
    X removed(-1);
    for (int r = 0; r < M; ++r) {
      const Mask falls = both(both(active[r], inequality[r]), X(rounding) * length < weights[r] * length_of(r));
      const X ratio = multipliers[r] * reciprocal_where(falls, weights[r]);
      const Mask sooner = both(falls, either(removed < X(0), ratio < most));
      most = select(sooner, ratio, most);
      removed = select(sooner, X(r), removed);
    }
    const Mask bounded = X(0) <= removed;
    possible = both(possible, !both(running, both(!moves, !bounded)));
    const Mask whole = both(moves, either(!bounded, full <= most));
    const X part = select(whole, full, most);
    const Mask advances = both(running, moves);
    team.template for_each<N>([&](int i)
                                  KALABA_LAMBDA { u[i] = select(advances, fma(part, direction[i], u[i]), u[i]); });
    team.template for_each<M>([&](int r) KALABA_LAMBDA {
      const Mask enters = both(running, entering == X(r));
      const Mask leaves = both(both(running, !whole), removed == X(r));
      const X change = select(active[r], -weights[r], select(entering == X(r), X(1), X(0)));
      const X moved = max_of(fma(part, change, multipliers[r]), X(0));
      multipliers[r] = select(both(running, inequality[r]), select(leaves, X(0), moved), multipliers[r]);
      active[r] = both(either(active[r], both(enters, whole)), !leaves);
    });
    return either(both(running, !whole), both(partial, !running));
  }
};

}  // namespace kalaba
