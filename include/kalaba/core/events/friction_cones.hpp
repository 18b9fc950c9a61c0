#pragma once

#include "kalaba/core/base/fixed_point.hpp"
#include "kalaba/core/events/active_set.hpp"

namespace kalaba {

/// Slip or friction of a contact; `second` is zero for friction along a line.
template <class X>
struct Slip {
  X first, second;

  KALABA_FN X length() const {
    const X larger = max_of(abs(first), abs(second));
    const X ratio = min_of(abs(first), abs(second)) * reciprocal_where(X(0) < larger, larger);
    return larger * sqrt(fma(ratio, ratio, X(1)));
  }
  KALABA_FN MaskOf<X> is_zero() const { return both(first == X(0), second == X(0)); }
};

/// Projection of a point u_0 onto equalities and contacts, with Coulomb's friction along a line or in a plane of each
/// contact. A contact has a row n and a bound c_n, and for its friction a row t and a bound c_t, or two rows in a
/// plane. With v_n = n u - c_n and v_t = t u - c_t,
///
///   u = u_0 + B^T lambda + sum (n lambda_n + t lambda_t),   B u = c of the equalities,
///   v_n >= 0,  lambda_n >= 0,  v_n lambda_n = 0,
///   |lambda_t| <= mu lambda_n,   lambda_t = -mu lambda_n v_t / |v_t| if v_t is not zero.
///
/// For given motions of the contacts (open, sticks, slides) the forces satisfy equations: rows n of the closed
/// contacts, rows t of those that stick, and lambda_t of those that slide. In a plane, lambda_t of a contact that
/// slides is a fixed point of lambda_t -> mu lambda_n y / |y|, y = lambda_t - v_t / |t|^2 (Alart, Curnier, CMAME 92
/// (1991) 353). These are the equations of the following steps, with the smallest forces where forces are not unique.
/// The motions of contacts that violate a condition change, until none does: at first all are closed and stick; then
/// the search begins with the motions that sweeps over the contacts predict (Jean, CMAME 177 (1999) 235); at last, for
/// a few contacts, with all combinations of motions.
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

  static constexpr int rounds = 16;      ///< changes of motions from one beginning
  static constexpr int repeats = 4;      ///< solutions of a fixed point, each from where the one before ended
  static constexpr int predictions = 3;  ///< beginnings with predicted motions
  static constexpr int most_tried = 5;   ///< contacts that are tried in all motions
  static constexpr Scalar<X> aligned = 64 * Base::rounding;  ///< angle between friction and slip
  /// Part by which the friction of a contact that sticks may exceed mu times its pressure, as by rounding: half of that
  /// at which its event occurs (friction_event).
  static constexpr Scalar<X> at_limit = 0x1p-41;
  /// Predicted forces below this fraction of the largest one are zero.
  static constexpr Scalar<X> least_push = Limits<Scalar<X>>::epsilon > 1e-10 ? 1e-4 : 1e-9;

  /// in: row t of the contact with row n; 0: none. It is neither an equality nor an inequality.
  int tangent[M > 0 ? M : 1];
  int second[M > 0 ? M : 1];  ///< in: the other row t of friction in a plane; 0: none
  E friction;                 ///< in: mu of the contacts, by their row n
  /// in: direction of the slip, by the row n: its sign, or a unit vector of two components; 0: u decides
  E slip;
  E second_slip;
  Mask has_motion;         ///< out: false where no motions of contacts with friction satisfy all conditions
  Vec<Mask, M> is_closed;  ///< out: contacts with a force, by the row n
  E slides;                ///< out: direction of the slip of closed contacts with friction, as `slip`; 0 if they stick
  E second_slides;         ///< out
  /// out: contacts with the friction of those that slide, whose slip is zero because of other contacts that stick
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
            if (is_tangent_of(contact, r)) counts = either(counts, used(contact));
          }
          return counts;
        },
        group);
    team.single([&]() KALABA_LAMBDA {
      for (int pass = 0; pass < M; ++pass) {
        for (int r = 0; r < M; ++r) {
          const Mask counts = used(r);
          for_tangents(r, [&](int t) KALABA_LAMBDA {
            const X a = this->label_of(r, group);
            const X b = this->label_of(t, group);
            const X least = min_of(a, b);
            for (int i = 0; i < N; ++i) {
              group[i] = select(both(counts, either(group[i] == a, group[i] == b)), least, group[i]);
            }
          });
        }
      }
    });
  }

  /// Clears all truth values: none may be read before it is set, even in lanes that do not count. `least_terms` is 0.
  template <class Team>
  KALABA_FN void clear(const Team& team) {
    team.template for_each<M>([&](int r) KALABA_LAMBDA {
      equality[r] = inequality[r] = this->active[r] = none();
      is_closed[r] = is_carried[r] = sticks[r] = none();
      this->least_terms[r] = X(0);
    });
    team.single([&]() KALABA_LAMBDA { this->feasible = has_motion = !none(); });
  }

  /// Projects u in the lanes `members`; with at most `limit` pseudo-inverses where no contact has friction. Returns the
  /// lanes of `members` in which the projection was found.
  template <class Team>
  KALABA_NOINLINE Mask project_with_friction(const Team& team, Scalar<X> rank_tolerance, int limit,
                                             const Mask& members) {
    if (!rubs(team, members)) {
      const Mask projected = this->project(team, rank_tolerance, limit, members);
      store_motions(members);
      for (int r = 0; r < M; ++r) is_carried[r] = none();
      has_motion = !none();
      return projected;
    }
    team.template for_each<N>([&](int i) KALABA_LAMBDA { given_u[i] = u[i]; });
    Mask open = members;
    const int attempts = 1 + predictions + count_combinations();
    for (int attempt = 0; attempt < attempts && team.any(open); ++attempt) {
      team.template for_each<N>([&](int i) KALABA_LAMBDA { u[i] = select(open, given_u[i], u[i]); });
      open = both(open, !find_motions(team, rank_tolerance, attempt, open));
    }
    has_motion = !open;
    if (team.any(open)) {  // without a motion, the gaps may contradict each other
      team.template for_each<N>([&](int i) KALABA_LAMBDA { u[i] = select(open, given_u[i], u[i]); });
      this->project(team, rank_tolerance, limit, open);
    }
    find_carried(team, rank_tolerance, both(members, !open));
    return both(members, !open);
  }

 private:
  Mat<X, M, N> free_rows;  ///< parts of the rows n and t in the null space of the equalities
  W given_u;
  Vec<Mask, M> sticks;
  E way;  ///< direction of the slip in the present attempt; 0: the contact sticks
  E second_way;
  FixedPoint<X, M, 48> forces;

  KALABA_FN static Mask none() { return X(1) < X(0); }
  KALABA_FN Mask has_cone(int r) const { return tangent[r] == 0 ? none() : both(inequality[r], X(0) < friction[r]); }
  KALABA_FN bool is_tangent_of(int contact, int r) const {
    return r > 0 && (tangent[contact] == r || second[contact] == r);
  }
  /// Calls f(t) for the rows t of a contact.
  template <class F>
  KALABA_FN void for_tangents(int r, const F& f) const {
    if (tangent[r] > 0) f(tangent[r]);
    if (second[r] > 0) f(second[r]);
  }
  /// Contacts whose direction of sliding u decides.
  KALABA_FN Mask is_free(int r) const { return both(has_cone(r), both(slip[r] == X(0), second_slip[r] == X(0))); }
  KALABA_FN Slip<X> slip_at(int r, const W& at) const {
    const auto along = [&](int t) KALABA_LAMBDA { return t == 0 ? X(0) : this->row_times(t, at) - bound[t]; };
    return {along(tangent[r]), along(second[r])};
  }
  /// Sets the direction of a contact in the lanes `where`.
  KALABA_FN void set_way(int r, const Mask& where, const Slip<X>& to) {
    const X length = to.length();
    const Mask counts = both(where, X(0) < length);
    const X divisor = select(counts, length, X(1));
    way[r] = select(counts, to.first / divisor, way[r]);
    second_way[r] = select(counts, to.second / divisor, second_way[r]);
  }

  /// Computes the forces of the following steps in the lanes `members`, from the motions with which an attempt begins.
  /// Contacts that pull open, those whose friction is too large slide, and those that would move against their friction
  /// or into the gap stick or close again. Returns the lanes in which all conditions hold in the end.
  template <class Team>
  KALABA_NOINLINE Mask find_motions(const Team& team, Scalar<X> rank_tolerance, int attempt, const Mask& members) {
    for (int r = 0; r < M; ++r) {
      sticks[r] = none();
      way[r] = slip[r];
      second_way[r] = second_slip[r];
      for_tangents(r, [&](int t) KALABA_LAMBDA { equality[t] = has_cone(r); });
    }
    this->begin(team, members);
    for (int r = 0; r < M; ++r) release(r, members);
    if (attempt == 0 || attempt > predictions) {
      for (int r = 0; r < M; ++r) hold(r, both(members, inequality[r]));
      if (attempt > 0) combine(attempt - predictions - 1, members);
    } else {
      predict(team, rank_tolerance, 2 << (3 * attempt), members);
    }
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
    store_motions(found);
    for (int r = 0; r < M; ++r) {
      for_tangents(r, [&](int t) KALABA_LAMBDA { equality[t] = none(); });
    }
    return found;
  }

  /// Point and forces of the sweeps that predict motions.
  struct Prediction {
    W u;
    E force;
    Vec<Mask, M> clips;  ///< contacts whose friction is at its limit, by the row n
  };

  /// Predicts the motions of the contacts in the lanes `open` by sweeps over them, each of which sets the forces of one
  /// contact for those of the others (Jean, CMAME 177 (1999) 235).
  template <class Team>
  KALABA_NOINLINE void predict(const Team& team, Scalar<X> rank_tolerance, int sweeps, const Mask& open) {
    Prediction now;
    begin_sweeps(team, rank_tolerance, open, now);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (int r = 0; r < M; ++r) {
        if (any(both(open, inequality[r]))) set_forces(r, both(open, inequality[r]), now);
      }
    }
    X largest(0);
    for (int r = 0; r < M; ++r) {
      largest = max_of(largest, select(inequality[r], now.force[r] * this->length_of(r), X(0)));
    }
    for (int r = 0; r < M; ++r) {
      const Mask closed = both(both(open, inequality[r]), X(least_push) * largest < now.force[r] * this->length_of(r));
      hold(r, closed);
      if (tangent[r] == 0) continue;
      const Mask slides_here = both(both(closed, is_free(r)), now.clips[r]);
      const Slip<X> friction_force = force_on(r, now.force);
      set_way(r, slides_here, {-friction_force.first, -friction_force.second});
      release(r, slides_here);
    }
  }
  /// Puts u on the equalities, and stores the parts of the rows that they allow.
  template <class Team>
  KALABA_FN void begin_sweeps(const Team& team, Scalar<X> rank_tolerance, const Mask& open, Prediction& now) {
    this->factorize(team, rank_tolerance, open);
    team.template for_each<M>([&](int r) KALABA_LAMBDA {
      this->defect[r] = select(this->active[r], bound[r] - this->row_times(r, this->origin), X(0));
    });
    this->inverse.min_norm(team, this->defect, now.u);
    for (int i = 0; i < N; ++i) now.u[i] = this->origin[i] + now.u[i];
    for (int r = 0; r < M; ++r) {
      now.force[r] = X(0);
      now.clips[r] = none();
      if (!is_of_contact(r)) continue;
      W part;
      for (int i = 0; i < N; ++i) part[i] = rows(r, i);
      this->inverse.project(team, part);
      team.template for_each<N>([&](int i) KALABA_LAMBDA { free_rows(r, i) = rows(r, i) - part[i]; });
    }
  }
  /// Sets the forces of one contact in the lanes `where`: by its velocity along n, then by that along t.
  KALABA_FN void set_forces(int r, const Mask& where, Prediction& now) {
    const auto change = [&](int row, const X& to) KALABA_LAMBDA {
      const X more = to - now.force[row];
      for (int i = 0; i < N; ++i) now.u[i] = fma(more, free_rows(row, i), now.u[i]);
      now.force[row] = to;
    };
    const auto velocity = [&](int row) KALABA_LAMBDA { return this->row_times(row, now.u) - bound[row]; };
    const X length2 = row_dot(free_rows, r, r);
    const X push = max_of(fma(-velocity(r), reciprocal_where(X(0) < length2, length2), now.force[r]), X(0));
    change(r, select(where, push, X(0)));
    if (tangent[r] == 0) return;
    const X limit = select(both(where, has_cone(r)), friction[r] * now.force[r], X(0));
    const Slip<X> y = moved_friction(r, free_rows, now.u, now.force);
    const X length = y.length();
    now.clips[r] = limit < length;
    const X scale = select(now.clips[r], limit * reciprocal_where(now.clips[r], length), X(1));
    change(tangent[r], select(is_free(r), scale * y.first, -limit * slip[r]));
    if (second[r] > 0) change(second[r], select(is_free(r), scale * y.second, -limit * second_slip[r]));
  }
  /// lambda_t - v_t / |t|^2 of a contact.
  KALABA_FN Slip<X> moved_friction(int r, const Mat<X, M, N>& tangents, const W& at, const E& numbers) const {
    const X first2 = row_dot(tangents, tangent[r], tangent[r]);
    const X length2 = second[r] > 0 ? max_of(first2, row_dot(tangents, second[r], second[r])) : first2;
    const X mass = reciprocal_where(X(0) < length2, length2);
    const Slip<X> v = slip_at(r, at);
    const Slip<X> force = force_on(r, numbers);
    return {fma(-mass, v.first, force.first), fma(-mass, v.second, force.second)};
  }
  KALABA_FN bool is_of_contact(int r) const {
    for (int contact = 0; contact < M; ++contact) {
      if (is_tangent_of(contact, r)) return true;
    }
    return any(inequality[r]);
  }

  /// Closes a contact in the lanes `where`; it sticks if its slip is zero.
  KALABA_FN void hold(int r, const Mask& where) {
    this->active[r] = either(this->active[r], where);
    way[r] = select(where, slip[r], way[r]);
    second_way[r] = select(where, second_slip[r], second_way[r]);
    sticks[r] = either(sticks[r], both(where, is_free(r)));
    for_tangents(r, [&](int t) KALABA_LAMBDA { this->active[t] = either(this->active[t], both(where, is_free(r))); });
  }

  /// Computes u and the multipliers of the active rows, with the friction of the contacts that slide, in the lanes
  /// `open`. Returns the lanes in which these forces were found. Unknowns are lambda_n of contacts that slide in a
  /// given direction, at the row n, and lambda_t of those in a plane whose direction u decides, at the rows t.
  template <class Team>
  KALABA_FN Mask solve_forces(const Team& team, const Mask& open) {
    auto& loaded = this->shift;
    const auto slides_now = [&](int r) KALABA_LAMBDA {
      return both(both(this->active[r], both(has_cone(r), !sticks[r])), open);
    };
    const auto turns = [&](int r) KALABA_LAMBDA { return second[r] == 0 ? none() : both(slides_now(r), is_free(r)); };
    const auto add_force = [&](int t, const X& force, W& to) KALABA_LAMBDA {
      for (int i = 0; i < N; ++i) to[i] = fma(force, rows(t, i), to[i]);
    };
    const auto solve = [&]() KALABA_LAMBDA {
      W given = this->origin;
      for (int r = 0; r < M; ++r) {
        if (tangent[r] == 0) continue;
        const X force = select(slides_now(r), -friction[r] * forces.x[r], X(0));
        const Mask free = turns(r);
        add_force(tangent[r], select(free, forces.x[tangent[r]], force * way[r]), given);
        if (second[r] > 0) add_force(second[r], select(free, forces.x[second[r]], force * second_way[r]), given);
      }
      team.template for_each<M>([&](int r) KALABA_LAMBDA {
        this->defect[r] = select(this->active[r], bound[r] - this->row_times(r, given), X(0));
      });
      this->inverse.min_norm(team, this->defect, loaded);
      this->inverse.multipliers(team, this->defect, this->weights);
      team.template for_each<N>([&](int i) KALABA_LAMBDA { u[i] = select(open, given[i] + loaded[i], u[i]); });
      E pushes;
      for (int r = 0; r < M; ++r) pushes[r] = select(both(slides_now(r), !turns(r)), this->weights[r], X(0));
      for (int r = 0; r < M; ++r) {
        if (second[r] == 0) continue;
        const Mask free = turns(r);
        const Slip<X> next = next_friction(r, u);
        pushes[tangent[r]] = select(free, next.first, pushes[tangent[r]]);
        pushes[second[r]] = select(free, next.second, pushes[second[r]]);
      }
      return pushes;
    };
    E first;
    for (int r = 0; r < M; ++r) first[r] = X(0);
    for (int r = 0; r < M; ++r) {
      if (second[r] == 0) continue;
      const X limit = select(turns(r), -friction[r] * max_of(this->weights[r], X(0)), X(0));
      first[tangent[r]] = select(turns(r), limit * way[r], first[tangent[r]]);
      first[second[r]] = select(turns(r), limit * second_way[r], first[second[r]]);
    }
    team.template for_each<M>([&](int r) KALABA_LAMBDA { forces.x[r] = select(open, first[r], forces.x[r]); });
    solve();
    Vec<Mask, M> counts = this->active;
    for (int r = 0; r < M; ++r) {
      for_tangents(r, [&](int t) KALABA_LAMBDA { counts[t] = either(counts[t], turns(r)); });
    }
    X size2(0);
    for (int r = 0; r < M; ++r) {
      // Small impulses of fast bodies are differences of large velocities.
      const X length2 = row_dot(rows, r, r);
      const X of_terms = this->terms(r) * reciprocal_where(X(0) < length2, length2);
      const X term = max_of(abs(this->weights[r]), select(counts[r], of_terms, X(0)));
      size2 = fma(term, term, size2);
    }
    Mask unsolved = open;
    for (int repeat = 0; repeat < repeats && team.any(unsolved); ++repeat) {
      unsolved = forces.solve(team, unsolved, size2, solve);
    }
    Mask solved = !unsolved;
    for (int r = 0; r < M; ++r) {
      if (second[r] == 0) continue;
      const Slip<X> opposed = {-forces.x[tangent[r]], -forces.x[second[r]]};
      set_way(r, turns(r), opposed);
      const Slip<X> v = slip_at(r, u);
      const X across = abs(fma(v.first, second_way[r], -v.second * way[r]));
      const Mask judged = both(turns(r), X(0) < opposed.length());
      solved = both(solved, either(!judged, across <= X(aligned) * tangent_terms(r)));
    }
    return solved;
  }
  /// The map of which lambda_t of a contact that slides in a plane is a fixed point.
  KALABA_FN Slip<X> next_friction(int r, const W& at) const {
    const Slip<X> y = moved_friction(r, rows, at, forces.x);
    const X length = y.length();
    const X scale = friction[r] * max_of(this->weights[r], X(0)) * reciprocal_where(X(0) < length, length);
    return {scale * y.first, scale * y.second};
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
      if (tangent[r] == 0) continue;
      const X along = select(both(open, sticks[r]), slip_at(r, u).length(), X(0));
      const Mask more = both(X(1 + Base::rounding) * largest < along, X(rank_tolerance) * tangent_terms(r) < along);
      index = select(more, X(r), index);
      largest = select(more, along, largest);
    }
    for (int r = 0; r < M; ++r) {
      if (tangent[r] == 0) continue;
      const Mask parts = index == X(r);
      set_way(r, parts, slip_at(r, u));
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
      if (tangent[r] == 0) continue;
      const Mask judged = both(both(both(open, !changes), is_free(r)), this->active[r]);
      const Slip<X> v = slip_at(r, u);
      const Slip<X> force = force_on(r, this->weights);
      const X along = fma(way[r], v.first, second_way[r] * v.second);
      const X most = X(1 + at_limit) * friction[r] * this->weights[r];
      const Mask slips = both(both(judged, sticks[r]), most < force.length());
      const Mask rests = both(both(judged, !sticks[r]), along < -least * tangent_terms(r));
      set_way(r, slips, {-force.first, -force.second});
      release(r, slips);
      hold(r, rests);
      slides_or_rests = either(slides_or_rests, either(slips, rests));
    }
    return either(changes, slides_or_rests);
  }
  /// Ends the sticking of a contact in the lanes `where`.
  KALABA_FN void release(int r, const Mask& where) {
    sticks[r] = both(sticks[r], !where);
    for_tangents(r, [&](int t) KALABA_LAMBDA { this->active[t] = both(this->active[t], !where); });
  }
  /// Numbers of the rows t of a contact.
  KALABA_FN Slip<X> force_on(int r, const E& numbers) const {
    return {numbers[tangent[r]], second[r] > 0 ? numbers[second[r]] : X(0)};
  }
  /// Size of the terms of v_t.
  KALABA_FN X tangent_terms(int r) const {
    const X first = this->terms(tangent[r]);
    return second[r] > 0 ? max_of(first, this->terms(second[r])) : first;
  }

  /// Number of combinations of motions of the contacts with friction; 0 for many contacts.
  KALABA_FN int count_combinations() const {
    int contacts = 0;
    int count = 1;
    for (int r = 0; r < M; ++r) {
      if (tangent[r] == 0) continue;
      ++contacts;
      count *= 4;
    }
    return contacts <= most_tried ? count : 0;
  }
  /// Sets a combination of motions, of contacts that are closed and stick, in the lanes `where`.
  KALABA_FN void combine(int combination, const Mask& where) {
    for (int r = 0; r < M; ++r) {
      if (tangent[r] == 0) continue;
      const int motion = combination % 4;  // sticks, slides in one of two directions, is open
      combination /= 4;
      if (motion == 0) continue;
      release(r, where);
      if (motion == 3) {
        this->active[r] = both(this->active[r], !where);
      } else {
        const Slip<X> along = second[r] > 0 ? slip_at(r, given_u) : Slip<X>{X(1), X(0)};
        const X sign(motion == 1 ? 1 : -1);
        set_way(r, both(where, is_free(r)), {sign * along.first, sign * along.second});
      }
    }
  }

  /// Stores the motions of the contacts in the lanes `found`.
  KALABA_FN void store_motions(const Mask& found) {
    for (int r = 0; r < M; ++r) {
      is_closed[r] = either(both(found, both(inequality[r], this->active[r])), both(!found, is_closed[r]));
      slides[r] = select(found, select(has_cone(r), way[r], X(0)), slides[r]);
      second_slides[r] = select(found, select(has_cone(r), second_way[r], X(0)), second_slides[r]);
    }
  }

  /// Closed contacts that stick, of those with friction.
  KALABA_FN Mask is_held(int r) const { return Slip<X>{slides[r], second_slides[r]}.is_zero(); }

  /// Finds the contacts whose slip depends on the equalities and on the rows of the other contacts.
  template <class Team>
  KALABA_FN void find_carried(const Team& team, Scalar<X> rank_tolerance, const Mask& where) {
    Mask some = none();
    for (int r = 0; r < M; ++r) {
      is_carried[r] = both(both(where, is_free(r)), both(is_closed[r], !is_held(r)));
      some = either(some, is_carried[r]);
    }
    if (!team.any(some)) return;
    auto& inverse = this->inverse;
    team.template for_each<M>([&](int r) KALABA_LAMBDA {
      Mask used = either(equality[r], is_closed[r]);
      for (int contact = 0; contact < M; ++contact) {
        if (is_tangent_of(contact, r)) used = both(both(has_cone(contact), is_closed[contact]), is_held(contact));
      }
      for (int i = 0; i < N; ++i) inverse.rows(r, i) = select(used, rows(r, i), X(0));
    });
    const Mask factorized = inverse.factorize(team, RankRule<X>(X(rank_tolerance)), false);
    for (int r = 0; r < M; ++r) {
      if (tangent[r] == 0) continue;
      W row;
      for (int i = 0; i < N; ++i) {
        const X& t_i = rows(tangent[r], i);
        row[i] = second[r] == 0 ? t_i : fma(slides[r], t_i, second_slides[r] * rows(second[r], i));
      }
      W part = row;
      inverse.project(team, part);
      X rest2(0);
      X length2(0);
      for (int i = 0; i < N; ++i) {
        length2 = fma(row[i], row[i], length2);
        rest2 = fma(row[i] - part[i], row[i] - part[i], rest2);
      }
      constexpr Scalar<X> least = M * Limits<Scalar<X>>::epsilon;
      const X dependent = max_of(X(M * rank_tolerance), X(least));
      is_carried[r] = both(both(is_carried[r], factorized), rest2 <= dependent * dependent * length2);
    }
  }
};

}  // namespace kalaba
