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
///
/// The first attempt computes the forces of the following steps, whose rows are those of the closed contacts and of
/// those that stick: the smallest ones (hold_all). The second attempt is that all contacts stick: equalities v_t = 0 in
/// place of edges. It counts if the smallest forces satisfy Coulomb's law. Edges alone would let the forces of
/// redundant contacts cancel each other. A few contacts are tried in all motions if the searches for x alternate
/// between motions: with the motion of each given, x depends on u linearly.
template <class X, int M, int N, template <class, int, int> class InverseOf>
struct FrictionCones : ActiveSet<X, M, N, InverseOf> {
  using Base = ActiveSet<X, M, N, InverseOf>;
  using Base::bound;
  using Base::equality;
  using Base::inequality;
  using Base::rows;
  using Base::u;
  using typename Base::E;
  using typename Base::Mask;
  using typename Base::W;

  static constexpr int rounds = 16;  ///< changes of motions in the first attempt
  static constexpr int sticking_attempts = 2;
  static constexpr int searches = sticking_attempts + 4;  ///< the latter are searches for x, each from another one
  static constexpr int most_tried = 5;                    ///< contacts that are tried in all motions

  /// in: row t of the contact with row n; 0: none. It is neither an equality nor an inequality.
  int tangent[M > 0 ? M : 1];
  E friction;              ///< in: mu of the contacts, by their row n
  E slip;                  ///< in: sign of the slip, by the row n; 0: u decides
  Mask has_slip;           ///< out: false where the edges have a projection, and no x was found
  Vec<Mask, M> is_closed;  ///< out: contacts with a force, by the row n
  E slides;                ///< out: sign of the slip of closed contacts with friction; 0 if they stick
  /// out: contacts on an edge of their cones whose slip is zero because of other contacts that stick
  Vec<Mask, M> is_carried;

  /// Returns true if a contact has friction in a lane of `members`.
  template <class Team>
  KALABA_FN bool rubs(const Team& team, const Mask& members) const {
    Mask some = none();
    for (int r = 0; r < M; ++r) some = either(some, has_cone(r));
    return team.any(both(some, members));
  }

  /// Labels the numbers of u as find_groups does, for the rows in the lanes used(row); the two rows of a contact with
  /// friction count as one.
  template <class Team, class Used>
  KALABA_FN void find_groups_with_friction(const Team& team, const Used& used, W& group) const {
    this->find_groups(
        team,
        [&](int r) KALABA_LAMBDA {
          Mask counts = used(r);
          for (int contact = 0; contact < M; ++contact) {
            if (r > 0 && tangent[contact] == r) counts = either(counts, used(contact));
          }
          return counts;
        },
        group);
    team.single([&]() KALABA_LAMBDA {
      for (int pass = 0; pass < M; ++pass) {
        for (int r = 0; r < M; ++r) {
          if (tangent[r] == 0) continue;
          const X a = this->label_of(r, group);
          const X b = this->label_of(tangent[r], group);
          const X least = min_of(a, b);
          const Mask counts = used(r);
          for (int i = 0; i < N; ++i) {
            group[i] = select(both(counts, either(group[i] == a, group[i] == b)), least, group[i]);
          }
        }
      }
    });
  }

  /// Projects u in the lanes `members`, with at most `limit` pseudo-inverses for each x. Returns the lanes of `members`
  /// in which the projection was found.
  template <class Team>
  KALABA_NOINLINE Mask project_with_friction(const Team& team, Scalar<X> rank_tolerance, int limit,
                                             const Mask& members) {
    if (!rubs(team, members)) {
      const Mask projected = this->project(team, rank_tolerance, limit, members);
      find_motion(members);
      for (int r = 0; r < M; ++r) is_carried[r] = none();
      has_slip = !none();
      return projected;
    }
    keep(team);
    X size2(0);
    for (int r = 0; r < M; ++r) size2 = size2 + select(has_cone(r), square_of_terms(r), X(0));
    Mask open = both(members, !hold_all(team, rank_tolerance, members));
    Mask projected = none();
    const int attempts = searches + count_motions();
    for (int attempt = 0; attempt < attempts && team.any(open); ++attempt) {
      const Mask tried = choose_motions(attempt, open);
      if (!team.any(tried)) continue;
      start(team, attempt, tried);
      const Mask unsolved = speed.solve(team, tried, size2, [&]() KALABA_LAMBDA {
        projected = project_rows(team, rank_tolerance, limit, tried);
        E next;
        for (int r = 0; r < M; ++r) next[r] = select(has_edge(r), speed_of(r, u), X(0));
        return next;
      });
      find_motion(tried);
      open = both(open, !both(both(tried, projected), both(!unsolved, conditions_hold(size2))));
    }
    has_slip = !both(open, projected);
    find_carried(team, rank_tolerance, both(members, !open));
    return both(members, !open);
  }

 private:
  Mat<X, M, N> given_rows;  ///< n and t of the contacts
  E given_bound;
  W given_u;
  Vec<Mask, M> sticks;     ///< contacts whose edges are replaced by v_t = 0
  E way;                   ///< sign of the slip in the present attempt; 0: u decides, or the contact sticks
  FixedPoint<X, M> speed;  ///< x

  KALABA_FN static Mask none() { return X(1) < X(0); }
  KALABA_FN Mask has_cone(int r) const { return tangent[r] == 0 ? none() : both(inequality[r], X(0) < friction[r]); }
  /// Contacts whose direction of sliding u decides.
  KALABA_FN Mask is_free(int r) const { return both(has_cone(r), slip[r] == X(0)); }
  KALABA_FN Mask has_edge(int r) const { return both(has_cone(r), !sticks[r]); }

  template <class Team>
  KALABA_FN void keep(const Team& team) {
    team.template for_each<M>([&](int r) KALABA_LAMBDA {
      for (int i = 0; i < N; ++i) given_rows(r, i) = rows(r, i);
      given_bound[r] = bound[r];
    });
    team.template for_each<N>([&](int i) KALABA_LAMBDA { given_u[i] = u[i]; });
  }

  /// Computes the forces of the following steps in the lanes `members`. All contacts are closed and stick at first;
  /// then those that pull open, those whose friction is too large slide, and those that would move against their
  /// friction or into the gap stick or close again. Returns the lanes in which all conditions hold in the end.
  template <class Team>
  KALABA_NOINLINE Mask hold_all(const Team& team, Scalar<X> rank_tolerance, const Mask& members) {
    for (int r = 0; r < M; ++r) {
      sticks[r] = none();
      way[r] = slip[r];
      if (tangent[r] > 0) equality[tangent[r]] = has_cone(r);
    }
    this->begin(team, members);
    for (int r = 0; r < M; ++r) release(r, members);
    for (int r = 0; r < M; ++r) hold(r, both(members, inequality[r]));
    Mask open = members;
    Mask found = none();
    for (int round = 0; round < rounds && team.any(open); ++round) {
      open = both(open, this->factorize(team, rank_tolerance, open));
      open = both(open, solve_forces(team, open));
      const Mask hold = rows_hold(rank_tolerance);
      const Mask parts = part_motions(rank_tolerance, both(open, !hold));
      open = both(open, either(hold, parts));
      const Mask changes = either(parts, change_motions(both(open, hold)));
      found = either(found, both(open, !changes));
      open = both(open, changes);
    }
    find_motion(found);
    for (int r = 0; r < M; ++r) {
      if (tangent[r] > 0) equality[tangent[r]] = none();
    }
    return found;
  }

  /// Closes a contact in the lanes `where`; it sticks if its slip is zero.
  KALABA_FN void hold(int r, const Mask& where) {
    this->active[r] = either(this->active[r], where);
    way[r] = select(where, slip[r], way[r]);
    sticks[r] = either(sticks[r], both(where, is_free(r)));
    if (tangent[r] > 0) this->active[tangent[r]] = either(this->active[tangent[r]], both(where, is_free(r)));
  }

  /// Computes u and the multipliers of the active rows, with the friction of the contacts that slide, in the lanes
  /// `open`. Returns the lanes in which these forces were found.
  template <class Team>
  KALABA_FN Mask solve_forces(const Team& team, const Mask& open) {
    auto& loaded = this->shift;
    const auto slides_now = [&](int r) KALABA_LAMBDA { return both(both(this->active[r], has_edge(r)), open); };
    const auto solve = [&]() KALABA_LAMBDA {
      W given = this->origin;
      for (int r = 0; r < M; ++r) {
        if (tangent[r] == 0) continue;
        const X force = select(slides_now(r), -friction[r] * way[r] * speed.x[r], X(0));
        for (int i = 0; i < N; ++i) given[i] = fma(force, given_rows(tangent[r], i), given[i]);
      }
      team.template for_each<M>([&](int r) KALABA_LAMBDA {
        this->defect[r] = select(this->active[r], bound[r] - this->row_times(r, given), X(0));
      });
      this->inverse.min_norm(team, this->defect, loaded);
      this->inverse.multipliers(team, this->defect, this->weights);
      team.template for_each<N>([&](int i) KALABA_LAMBDA { u[i] = select(open, given[i] + loaded[i], u[i]); });
      E pushes;
      for (int r = 0; r < M; ++r) pushes[r] = select(slides_now(r), this->weights[r], X(0));
      return pushes;
    };
    team.template for_each<M>([&](int r) KALABA_LAMBDA { speed.x[r] = select(open, X(0), speed.x[r]); });
    solve();
    X size2(0);
    for (int r = 0; r < M; ++r) size2 = fma(this->weights[r], this->weights[r], size2);
    return !speed.solve(team, open, size2, solve);
  }
  /// Returns the lanes in which the active rows do not contradict each other.
  KALABA_FN Mask rows_hold(Scalar<X> rank_tolerance) const {
    Mask hold = !none();
    for (int r = 0; r < M; ++r) {
      const X missing = abs(this->row_times(r, u) - bound[r]);
      hold = both(hold, either(!this->active[r], missing <= X(rank_tolerance) * this->terms(r)));
    }
    return hold;
  }
  /// Lets one of the contacts that cannot all stick slide, in the lanes `open`: the one with the largest slip, in its
  /// direction. Returns the lanes with such a contact.
  KALABA_FN Mask part_motions(Scalar<X> rank_tolerance, const Mask& open) {
    X largest(0);
    X index(-1);
    for (int r = 0; r < M; ++r) {
      const int t = tangent[r];
      if (t == 0) continue;
      const X along = select(both(open, sticks[r]), abs(this->row_times(t, u) - bound[t]), X(0));
      const Mask more = both(X(1 + Base::rounding) * largest < along, X(rank_tolerance) * this->terms(t) < along);
      index = select(more, X(r), index);
      largest = select(more, along, largest);
    }
    for (int r = 0; r < M; ++r) {
      const int t = tangent[r];
      if (t == 0) continue;
      const Mask parts = index == X(r);
      way[r] = select(parts, select(this->row_times(t, u) < bound[t], X(-1), X(1)), way[r]);
      release(r, parts);
    }
    return X(0) <= index;
  }

  /// Changes the motions of contacts whose forces or velocities violate the conditions, in the lanes `open`: first
  /// those that pull and those that close. Returns the lanes with a change.
  KALABA_FN Mask change_motions(const Mask& open) {
    const X least = X(Base::rounding);
    X largest(0);
    for (int r = 0; r < M; ++r) {
      const X push = abs(this->weights[r]) * this->length_of(r);
      largest = max_of(largest, select(both(inequality[r], this->active[r]), push, X(0)));
    }
    Mask changes = none();
    for (int r = 0; r < M; ++r) {
      const X push = this->weights[r] * this->length_of(r);
      const X depth = bound[r] - this->row_times(r, u);
      const Mask closed = both(both(open, inequality[r]), this->active[r]);
      const Mask pulls = both(closed, push <= least * largest);
      const Mask closes = both(both(both(open, inequality[r]), !this->active[r]), least * this->terms(r) < depth);
      this->active[r] = both(this->active[r], !pulls);
      release(r, pulls);
      hold(r, closes);
      changes = either(changes, either(pulls, closes));
    }
    Mask slides_or_rests = none();
    for (int r = 0; r < M; ++r) {
      const int t = tangent[r];
      if (t == 0) continue;
      const Mask judged = both(both(both(open, !changes), is_free(r)), this->active[r]);
      const X along = way[r] * (this->row_times(t, u) - bound[t]);
      const Mask slips = both(both(judged, sticks[r]), friction[r] * this->weights[r] < abs(this->weights[t]));
      const Mask rests = both(both(judged, !sticks[r]), along < -least * this->terms(t));
      way[r] = select(slips, select(this->weights[t] < X(0), X(1), X(-1)), way[r]);
      release(r, slips);
      hold(r, rests);
      slides_or_rests = either(slides_or_rests, either(slips, rests));
    }
    return either(changes, slides_or_rests);
  }
  /// Ends the sticking of a contact in the lanes `where`.
  KALABA_FN void release(int r, const Mask& where) {
    sticks[r] = both(sticks[r], !where);
    if (tangent[r] > 0) this->active[tangent[r]] = both(this->active[tangent[r]], !where);
  }

  /// Number of combinations of motions of the contacts whose direction of sliding u decides.
  KALABA_FN int count_motions() const {
    int contacts = 0;
    int count = 1;
    for (int r = 0; r < M; ++r) {
      if (!any(is_free(r))) continue;
      ++contacts;
      count *= 3;
    }
    return contacts <= most_tried ? count : 0;
  }

  /// Sets the motions of an attempt. All contacts stick, then those that were closed; then u decides; then each
  /// combination of motions is tried. Returns the lanes of `open` in which this is an attempt of its own.
  KALABA_FN Mask choose_motions(int attempt, const Mask& open) {
    Mask tried = attempt == 1 ? none() : !none();
    int motions = attempt - searches;  // a digit for each contact: sticks, slides up, slides down
    for (int r = 0; r < M; ++r) {
      const Mask before = sticks[r];
      sticks[r] = attempt < sticking_attempts ? is_free(r) : none();
      if (attempt == 1) sticks[r] = both(before, is_closed[r]);
      if (attempt == 1) tried = either(tried, both(before, !sticks[r]));
      way[r] = slip[r];
      if (attempt < searches || !any(is_free(r))) continue;
      const int motion = motions % 3;
      motions /= 3;
      if (motion == 0) sticks[r] = is_free(r);
      if (motion > 0) way[r] = select(is_free(r), X(motion == 1 ? 1 : -1), way[r]);
    }
    return both(open, tried);
  }

  /// Sets the first x of an attempt: of contacts that stick, of u_0, or the last of the attempt before.
  template <class Team>
  KALABA_FN void start(const Team& team, int attempt, const Mask& tried) {
    E first;
    for (int r = 0; r < M; ++r) {
      const X given = speed_of(r, given_u);
      const X last = select(way[r] == X(0), max_of(speed.x[r], X(0)), speed.x[r]);
      const bool from_given = attempt == sticking_attempts + 1 || attempt >= searches;
      first[r] = from_given ? given : attempt <= sticking_attempts ? select(way[r] == X(0), X(0), given) : last;
      first[r] = select(both(has_edge(r), is_finite(first[r])), first[r], X(0));
    }
    team.template for_each<M>([&](int r) KALABA_LAMBDA { speed.x[r] = select(tried, first[r], speed.x[r]); });
  }

  /// The number x of a contact: |t u - c_t|, or t u if the motion is given.
  KALABA_FN X speed_of(int r, const W& at) const {
    if (tangent[r] == 0) return X(0);
    X sum(0);
    for (int i = 0; i < N; ++i) sum = fma(given_rows(tangent[r], i), at[i], sum);
    return select(way[r] == X(0), abs(sum - given_bound[tangent[r]]), sum);
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

  /// Projects u_0 onto the rows of the contacts for the present x.
  template <class Team>
  KALABA_FN Mask project_rows(const Team& team, Scalar<X> rank_tolerance, int limit, const Mask& tried) {
    team.single([&]() KALABA_LAMBDA {
      for (int r = 0; r < M; ++r) {
        if (tangent[r] > 0) set_rows(r, tangent[r]);
      }
    });
    team.template for_each<N>([&](int i) KALABA_LAMBDA { u[i] = select(tried, given_u[i], u[i]); });
    const Mask found = this->project(team, rank_tolerance, limit, tried);
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
        equality[t] = inequality[t] = none();
      }
    });
    return found;
  }

  /// Sets the two rows of a contact: n and t if it sticks, else the edges n - mu t and n + mu t of its cone.
  KALABA_FN void set_rows(int r, int t) {
    const X mu = select(has_edge(r), friction[r], X(0));
    const Mask has_two = both(has_edge(r), way[r] == X(0));
    const X along = mu * select(way[r] == X(0), X(1), way[r]);
    const X shift = select(way[r] == X(0), mu, along) * speed.x[r];
    const X of_tangent = select(has_two, mu * given_bound[t], X(0));
    for (int i = 0; i < N; ++i) {
      const X& n_i = given_rows(r, i);
      const X& t_i = given_rows(t, i);
      rows(r, i) = fma(-along, t_i, n_i);
      rows(t, i) = select(sticks[r], t_i, fma(mu, t_i, n_i));
    }
    bound[r] = given_bound[r] - of_tangent - shift;
    bound[t] = select(sticks[r], given_bound[t], given_bound[r] + of_tangent - shift);
    equality[t] = sticks[r];
    inequality[t] = has_two;
  }

  /// Finds the motion of the contacts in the lanes `tried`.
  KALABA_FN void find_motion(const Mask& tried) {
    for (int r = 0; r < M; ++r) {
      const Mask first = both(inequality[r], this->active[r]);
      const Mask two = tangent[r] == 0 ? none() : both(has_edge(r), way[r] == X(0));
      const Mask second = tangent[r] == 0 ? none() : both(two, this->active[tangent[r]]);
      const X of_edges = select(both(first, second), X(0), select(first, X(1), X(-1)));
      const X of_cone = select(two, of_edges, way[r]);
      is_closed[r] = either(both(tried, either(first, second)), both(!tried, is_closed[r]));
      slides[r] = select(tried, select(has_cone(r), of_cone, X(0)), slides[r]);
    }
  }

  /// Finds the contacts whose row t depends on the equalities and on the rows of the other contacts.
  template <class Team>
  KALABA_FN void find_carried(const Team& team, Scalar<X> rank_tolerance, const Mask& where) {
    Mask some = none();
    for (int r = 0; r < M; ++r) {
      is_carried[r] = both(both(where, is_free(r)), both(is_closed[r], !(slides[r] == X(0))));
      some = either(some, is_carried[r]);
    }
    if (!team.any(some)) return;
    auto& inverse = this->inverse;
    team.template for_each<M>([&](int r) KALABA_LAMBDA {
      Mask used = either(equality[r], is_closed[r]);
      for (int contact = 0; contact < M; ++contact) {
        if (r > 0 && tangent[contact] == r) {
          used = both(both(has_cone(contact), is_closed[contact]), slides[contact] == X(0));
        }
      }
      for (int i = 0; i < N; ++i) inverse.rows(r, i) = select(used, rows(r, i), X(0));
    });
    const Mask factorized = inverse.factorize(team, RankRule<X>(X(rank_tolerance)), false);
    for (int r = 0; r < M; ++r) {
      if (tangent[r] == 0) continue;
      W part;
      for (int i = 0; i < N; ++i) part[i] = rows(tangent[r], i);
      inverse.project(team, part);
      X rest2(0);
      X length2(0);
      for (int i = 0; i < N; ++i) {
        const X& t_i = rows(tangent[r], i);
        length2 = fma(t_i, t_i, length2);
        rest2 = fma(t_i - part[i], t_i - part[i], rest2);
      }
      constexpr Scalar<X> least = M * Limits<Scalar<X>>::epsilon;
      const X dependent = max_of(X(M * rank_tolerance), X(least));
      is_carried[r] = both(both(is_carried[r], factorized), rest2 <= dependent * dependent * length2);
    }
  }

  /// Returns the lanes in which the forces of the contacts that stick satisfy Coulomb's law, those that slide in a
  /// given direction do so, and all other contacts whose direction of sliding is not given are open or have edges.
  /// size2: see square_of_terms.
  KALABA_FN Mask conditions_hold(const X& size2) const {
    Mask hold = !none();
    Mask some = none();
    const X rounding = X(FixedPoint<X, M>::tolerance) * sqrt(size2);
    for (int r = 0; r < M; ++r) some = either(some, sticks[r]);
    for (int r = 0; r < M; ++r) {
      if (tangent[r] == 0) continue;
      const Mask within = abs(this->multipliers[tangent[r]]) <= friction[r] * this->multipliers[r];
      hold = both(hold, either(!sticks[r], within));
      const Mask moves = both(both(is_free(r), !sticks[r]), is_closed[r]);
      hold = both(hold, !both(both(some, moves), way[r] == X(0)));
      const X along = way[r] * (speed_of(r, u) - given_bound[tangent[r]]);
      hold = both(hold, !both(both(moves, !(way[r] == X(0))), along < -rounding));
    }
    return hold;
  }
};

}  // namespace kalaba
