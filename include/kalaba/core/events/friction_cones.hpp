#pragma once

#include "kalaba/core/base/fixed_point.hpp"
#include "kalaba/core/events/active_set.hpp"

namespace kalaba {

/// Projection of a point u_0 onto equalities and contacts, with Coulomb's friction along one direction of each contact.
/// A contact has a row n and a bound c_n, and for its friction a row t and a bound c_t. With v_n = n u - c_n and
/// v_t = t u - c_t,
///
///   u = u_0 + B^T lambda + sum (n lambda_n + t lambda_t),   B u = c of the equalities,
///   v_n >= 0,  lambda_n >= 0,  v_n lambda_n = 0,
///   |lambda_t| <= mu lambda_n,   lambda_t = -mu lambda_n sign(v_t) if v_t is not zero.
///
/// For given numbers x = |v_t| these are the optimality conditions of the nearest point with v_n >= mu (|v_t| - x): two
/// inequalities for each contact, the edges of its friction cone. x is a fixed point (Acary, Cadoux, Lemarechal,
/// Malick, ZAMM 91 (2011) 155). Both edges are active where the contact sticks, one where it slides, and none where it
/// opens. The active edges are independent, so that the forces are unique. In a contact whose direction of sliding is
/// given, lambda_t = -mu lambda_n slip, and one edge with x = t u is left.
template <class X, int M, int N, template <class, int, int> class InverseOf>
struct FrictionCones : ActiveSet<X, M, N, InverseOf> {
  using Base = ActiveSet<X, M, N, InverseOf>;
  using Base::bound;
  using Base::inequality;
  using Base::rows;
  using Base::u;
  using typename Base::E;
  using typename Base::Mask;
  using typename Base::W;

  static constexpr int attempts = 4;  ///< searches for x, each from another one

  /// in: row t of the contact with row n; 0: none. It is neither an equality nor an inequality.
  int tangent[M > 0 ? M : 1];
  E friction;     ///< in: mu of the contacts, by their row n
  E slip;         ///< in: sign of the slip, by the row n; 0: u decides
  Mask has_slip;  ///< out: false where the edges have a projection, and no x was found

  /// Returns true if a contact has friction in a lane of `members`.
  template <class Team>
  KALABA_FN bool rubs(const Team& team, const Mask& members) const {
    Mask some = X(1) < X(0);
    for (int r = 0; r < M; ++r) some = either(some, has_cone(r));
    return team.any(both(some, members));
  }

  /// Projects u in the lanes `members`, with at most `limit` pseudo-inverses for each x. Returns the lanes of `members`
  /// in which the projection was found.
  template <class Team>
  KALABA_NOINLINE Mask project_with_friction(const Team& team, Scalar<X> rank_tolerance, int limit,
                                             const Mask& members) {
    has_slip = X(0) < X(1);
    if (!rubs(team, members)) return this->project(team, rank_tolerance, limit, members);
    keep(team);
    X size2(0);
    for (int r = 0; r < M; ++r) size2 = size2 + select(has_cone(r), square_of_terms(r), X(0));
    Mask found = members;
    Mask open = members;
    for (int attempt = 0; attempt < attempts && team.any(open); ++attempt) {
      start(team, attempt, open);
      open = speed.solve(team, open, size2, [&]() KALABA_LAMBDA {
        found = project_edges(team, rank_tolerance, limit, members);
        E next;
        for (int r = 0; r < M; ++r) next[r] = select(has_cone(r), speed_of(r), X(0));
        return next;
      });
    }
    has_slip = !both(open, found);
    return both(found, !open);
  }

 private:
  Mat<X, M, N> given_rows;  ///< n and t of the contacts
  E given_bound;
  W given_u;
  FixedPoint<X, M> speed;  ///< x

  KALABA_FN Mask has_cone(int r) const {
    return tangent[r] == 0 ? X(1) < X(0) : both(inequality[r], X(0) < friction[r]);
  }

  template <class Team>
  KALABA_FN void keep(const Team& team) {
    team.template for_each<M>([&](int r) KALABA_LAMBDA {
      for (int i = 0; i < N; ++i) given_rows(r, i) = rows(r, i);
      given_bound[r] = bound[r];
    });
    team.template for_each<N>([&](int i) KALABA_LAMBDA { given_u[i] = u[i]; });
  }

  /// Sets the first x of an attempt in the lanes `open`: of contacts that stick, of u_0, or what the attempt before has
  /// left.
  template <class Team>
  KALABA_FN void start(const Team& team, int attempt, const Mask& open) {
    E first;
    for (int r = 0; r < M; ++r) {
      const X sticking = select(slip[r] == X(0), X(0), speed_of(r, given_u));
      const X last = select(slip[r] == X(0), max_of(speed.x[r], X(0)), speed.x[r]);
      first[r] = attempt == 0 ? sticking : attempt == 1 ? speed_of(r, given_u) : last;
      first[r] = select(both(has_cone(r), is_finite(first[r])), first[r], X(0));
    }
    team.template for_each<M>([&](int r) KALABA_LAMBDA { speed.x[r] = select(open, first[r], speed.x[r]); });
  }

  /// t u - c_t of a contact, as the number x of its edges: |t u - c_t|, or t u if the direction of sliding is given.
  KALABA_FN X speed_of(int r) const { return speed_of(r, u); }
  KALABA_FN X speed_of(int r, const W& at) const {
    if (tangent[r] == 0) return X(0);
    X sum(0);
    for (int i = 0; i < N; ++i) sum = fma(given_rows(tangent[r], i), at[i], sum);
    return select(slip[r] == X(0), abs(sum - given_bound[tangent[r]]), sum);
  }
  /// Square of the size of the terms of t u_0 - c_t and n u_0 - c_n.
  KALABA_FN X square_of_terms(int r) const {
    const int t = tangent[r] == 0 ? r : tangent[r];
    X rows2(0);
    X u2(0);
    for (int i = 0; i < N; ++i) {
      const X row2 = fma(given_rows(r, i), given_rows(r, i), given_rows(t, i) * given_rows(t, i));
      rows2 = rows2 + row2;
      u2 = fma(select(row2 == X(0), X(0), given_u[i]), given_u[i], u2);
    }
    const X bounds2 = fma(given_bound[r], given_bound[r], given_bound[t] * given_bound[t]);
    return fma(rows2, u2, bounds2);
  }

  /// Projects u_0 onto the edges for the present x.
  template <class Team>
  KALABA_FN Mask project_edges(const Team& team, Scalar<X> rank_tolerance, int limit, const Mask& members) {
    team.single([&]() KALABA_LAMBDA {
      for (int r = 0; r < M; ++r) {
        const int t = tangent[r];
        if (t == 0) continue;
        const X mu = select(has_cone(r), friction[r], X(0));
        const X along = mu * select(slip[r] == X(0), X(1), slip[r]);
        const Mask has_two = both(has_cone(r), slip[r] == X(0));
        const X shift = select(slip[r] == X(0), mu, along) * speed.x[r];
        const X of_tangent = select(has_two, mu * given_bound[t], X(0));
        for (int i = 0; i < N; ++i) {
          rows(r, i) = fma(-along, given_rows(t, i), given_rows(r, i));
          rows(t, i) = fma(mu, given_rows(t, i), given_rows(r, i));
        }
        bound[r] = given_bound[r] - of_tangent - shift;
        bound[t] = given_bound[r] + of_tangent - shift;
        inequality[t] = has_two;
      }
    });
    team.template for_each<N>([&](int i) KALABA_LAMBDA { u[i] = select(members, given_u[i], u[i]); });
    const Mask found = this->project(team, rank_tolerance, limit, members);
    team.single([&]() KALABA_LAMBDA {
      for (int r = 0; r < M; ++r) {
        const int t = tangent[r];
        if (t == 0) continue;
        for (int i = 0; i < N; ++i) {
          rows(r, i) = given_rows(r, i);
          rows(t, i) = given_rows(t, i);
        }
        bound[r] = given_bound[r];
        bound[t] = given_bound[t];
        inequality[t] = X(1) < X(0);
      }
    });
    return found;
  }
};

}  // namespace kalaba
