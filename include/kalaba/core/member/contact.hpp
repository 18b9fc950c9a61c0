#pragma once

#include "kalaba/core/events/change.hpp"
#include "kalaba/core/events/contact_space.hpp"
#include "kalaba/core/events/least_slip.hpp"
#include "kalaba/core/member/member_state.hpp"
#include "kalaba/core/rate/projection.hpp"

namespace kalaba {

/// Lanes `counts` of an event in which it is recorded: of the event of a contact, the impacts and not the releases.
template <class X>
KALABA_FN MaskOf<X> recorded(const Watch& watch, int event, const X* p, const MaskOf<X>& counts) {
  const int contact = watch.events[event].contact;
  return contact < 0 ? counts : both(counts, p[watch.contacts[contact].mode] < X(0.5));
}

/// Flags of the events of contacts that are open and whose gap is negative beyond its tolerance. `values`: of the
/// contacts in that state (contact_values). `find_terms` returns their ContactTerms.
template <class X, class FindTerms>
KALABA_FN X penetrating(const Watch& watch, const Method& method, const X* p, const X& t, const X* values,
                        const FindTerms& find_terms) {
  MaskOf<X> below[Watch::most_contacts];
  MaskOf<X> some = X(1) < X(0);
  for (int i = 0; i < watch.contact_count; ++i) {
    below[i] = both(p[watch.contacts[i].mode] < X(0.5), values[watch.gap(i)] < X(0));
    some = either(some, below[i]);
  }
  X flags(0);
  if (!any(some)) return flags;
  const ContactTerms<X> terms = find_terms();
  for (int i = 0; i < watch.contact_count; ++i) {
    const MaskOf<X> is_deep = ContactTolerance<X>::gap(i, terms, method, t) < -values[watch.gap(i)];
    flags = flags + select(both(below[i], is_deep), Flags<X>::value(watch.contacts[i].event), X(0));
  }
  return flags;
}

/// Flags of the events of contacts that are open and below their gap, or closed and pull, or stick by more friction
/// than they can have, at the end of a step in which their event was not found: their values were zero, up to rounding,
/// at its beginning.
template <class X, class FindTerms>
KALABA_FN X lost_contacts(const Watch& watch, const Method& method, const X* p, const StateView<X>& state,
                          const X* values, const FindTerms& find_terms) {
  X lost = penetrating(watch, method, p, state.t, values, find_terms);
  for (int i = 0; i < watch.contact_count; ++i) {
    const WatchedContact& contact = watch.contacts[i];
    const MaskOf<X> pulls = both(X(0.5) < p[contact.mode], values[contact.event] < X(0));
    lost = lost + select(pulls, Flags<X>::value(contact.event), X(0));
    if (!contact.friction.any()) continue;
    const WatchedFriction& friction = contact.friction;
    X force = abs(state.observed[friction.force]);
    if (friction.in_plane()) force = force + abs(state.observed[friction.force + 1]);
    const X missing = X(-ContactTolerance<X>::touch) * force;
    const MaskOf<X> slips = both(X(0.5) < p[friction.sticks], values[friction.event] < missing);
    lost = lost + select(slips, Flags<X>::value(friction.event), X(0));
  }
  return lost;
}

/// Contacts of a member at one instant: the impact of those that close, and the choice of those that stay closed.
///
/// The row of a contact is mode * gap. Here it is that of the closed contact, masked by `touching`; all other rows, the
/// metric and the forces are those of the present modes.
template <class M, class X, class Rate, class Projector, class TangentsType>
struct ContactChange {
  using Mask = MaskOf<X>;
  using Tolerance = ContactTolerance<X>;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  static constexpr int iterations = 50;
  static constexpr double resolved = 1e-3;  ///< slip at the end of sliding, relative to WatchedFriction::least

  Rate& rate;
  Projector& projection;
  const Method& method;
  const Watch& watch;
  Member<M, X>& member;
  ContactSpace<M, X>& space;
  TangentsType& tangents;
  X zero[Watch::most_contacts] = {};    ///< largest gaps that are zero
  X height[Watch::most_contacts] = {};  ///< of bounces that are none
  Mask struck = {};                     ///< lanes with an impact
  Vec<X, m> speed = {};                 ///< rates of the rows after it
  Vec<X, m> speed_terms = {};           ///< sizes of their terms
  X slow[Watch::most_contacts] = {};    ///< largest speeds of falls from `height`
  Vec<X, n> free = {};                  ///< unconstrained acceleration after it, times F^T

  /// Makes the change at t in the lanes `members`. A member whose contacts and velocity do not change is not corrected;
  /// none is without `corrects`. Returns a status code; `penetrates` for a gap below its tolerance.
  template <class Team>
  KALABA_NOINLINE X make(const Team& team, const X& t, const Mask& members, Status penetrates, bool corrects) {
    space.impact.clear(team);
    X code = with_status(X(0), both(members, !evaluate(team, t)), Status::singular_constraints);
    Mask violates = X(1) < X(0);
    Mask invalid = violates;
    struck = violates;
    const StateView<X> state = {t, member.q.data, member.w.data};
    const auto terms = ContactTerms<X>::template of<M>(watch, member.p, t, member.q, member.w);
    for (int i = 0; i < watch.contact_count; ++i) {
      zero[i] = Tolerance::gap(i, terms, method, t);
      height[i] = Tolerance::height(i, terms);
    }
    choose(team, state, violates, invalid);
    space.impact.begin(team);
    code = with_status(code, both(members, violates), penetrates);
    code = with_status(code, both(members, invalid), Status::singular_constraints);
    // A body that rests has a velocity of rounding: of the changes that cancel in it over a step.
    set_least_terms(team, space.step_length);
    code = strike(team, t, members, code);
    set_least_terms(team, X(0));
    // The rows with the velocity after the impact.
    code = with_status(code, both(members, !evaluate(team, t)), Status::singular_constraints);
    code = rest(team, t, members, code);
    const X found = put_modes(team, t, both(members, code == X(0)), corrects);
    return select(code == X(0), found, code);
  }

 private:
  KALABA_FN const WatchedContact& contact(int i) const { return watch.contacts[i]; }
  KALABA_FN const WatchedFriction& friction(int i) const { return watch.contacts[i].friction; }

  /// Computes the rates, and the rows with those of the contacts closed. Returns the lanes with a positive definite
  /// metric.
  template <class Team>
  KALABA_FN Mask evaluate(const Team& team, const X& t) {
    auto& impact = space.impact;
    team.template for_each<Dim<M>::parameters>([&](int i) KALABA_LAMBDA { space.p[i] = member.p[i]; });
    team.single([&]() KALABA_LAMBDA {
      for (int i = 0; i < watch.contact_count; ++i) {
        space.p[contact(i).mode] = X(1);
        if (!friction(i).any()) continue;
        space.p[friction(i).sticks] = X(1);
        space.p[friction(i).slides] = X(0);
      }
    });
    find_rates(team, space.p, t);
    auto& constraint = rate.at.constraint;
    team.template for_each<m>([&](int r)
                                  KALABA_LAMBDA { spread_row<PatternOf<M>>(rate.at.matrix, r, &space.matrix(r, 0)); });
    team.single([&]() KALABA_LAMBDA { space.closed = constraint; });
    const X code = find_rates(team, member.p, t);
    rate.at.mass_weighted_rows(team, impact.rows);
    team.single([&]() KALABA_LAMBDA {
      for (int i = 0; i < watch.contact_count; ++i) {
        const int r = contact(i).row;
        constraint.position[r] = space.closed.position[r];
        take_closed(r);
        if (friction(i).any()) take_closed(friction(i).tangent);
        if (friction(i).in_plane()) take_closed(friction(i).second);
      }
    });
    Vec<X, n> u = member.w;
    rate.at.factor.multiply_transposed(u.data);
    team.template for_each<n>([&](int i) KALABA_LAMBDA { impact.u[i] = u[i]; });
    team.template for_each<m>([&](int r) KALABA_LAMBDA {
      X own = constraint.rate[r];
      for (int i = 0; i < n; ++i) own = fma(-impact.rows(r, i), u[i], own);
      impact.offset[r] = own;
    });
    return !(code == X(static_cast<int>(Status::singular_constraints)));
  }
  /// Takes row r of the closed contacts.
  KALABA_FN void take_closed(int r) {
    auto& rows = space.impact.rows;
    for (int k = 0; k < n; ++k) rows(r, k) = space.matrix(r, k);
    rate.at.factor.solve(&rows(r, 0));
    rate.at.constraint.rate[r] = space.closed.rate[r];
    rate.at.constraint.b[r] = space.closed.b[r];
  }
  template <class Team>
  KALABA_FN X find_rates(const Team& team, const Vec<X, Dim<M>::parameters>& parameters, const X& t) {
    const auto p = prepared<M>(parameters);
    return rate.evaluate(team, method, RankRule<X>(method.rank_tolerance), p, t, member.q, member.w, false, false);
  }

  /// Returns the lanes in which a gap is not negative beyond its tolerance. A contact that has just opened closes at
  /// its slack, which is small relative to the terms that the gap had there.
  KALABA_FN Mask is_above(int i, const X& gap) const { return -zero[i] <= gap + member.p[contact(i).slack]; }

  /// Finds the contacts that touch: whose gap is at most `zero`.
  template <class Team>
  KALABA_FN void choose(const Team& team, const StateView<X>& state, Mask& violates, Mask& invalid) {
    auto& impact = space.impact;
    const Mask none = X(1) < X(0);
    X restitution[Watch::most_contacts];
    X coefficient[Watch::most_contacts];
    for (int i = 0; i < watch.contact_count; ++i) {
      restitution[i] = value_of(contact(i).restitution, member.p.data, state);
      coefficient[i] = friction(i).any() ? value_of(friction(i).coefficient, member.p.data, state) : X(0);
      invalid = either(invalid, either(!(X(0) <= restitution[i]), !(X(0) <= coefficient[i])));
      const X gap = rate.at.constraint.position[contact(i).row];
      violates = either(violates, !is_above(i, gap));
    }
    team.template for_each<m>([&](int r) KALABA_LAMBDA {
      impact.constraint[r] = !none;
      impact.touching[r] = impact.poisson[r] = none;
      impact.restitution[r] = impact.friction[r] = impact.slip[r] = impact.second_slip[r] = X(0);
      impact.tangent[r] = impact.second[r] = 0;
    });
    team.single([&]() KALABA_LAMBDA {
      for (int i = 0; i < watch.contact_count; ++i) {
        const int r = contact(i).row;
        const X& gap = rate.at.constraint.position[r];
        const Mask near = both(gap <= zero[i], is_above(i, gap));
        impact.constraint[r] = none;
        impact.touching[r] = either(near, X(0.5) < member.p[contact(i).mode]);
        impact.restitution[r] = restitution[i];
        impact.friction[r] = coefficient[i];
        impact.tangent[r] = friction(i).tangent;
        impact.second[r] = friction(i).second;
        if (friction(i).any()) impact.constraint[friction(i).tangent] = none;
        if (friction(i).in_plane()) impact.constraint[friction(i).second] = none;
        if (contact(i).law == ImpactLaw::poisson) impact.poisson[r] = !none;
      }
    });
  }

  /// Makes the terms of the rates at least a share of those of a change by the unconstrained acceleration over some
  /// time: with it, rates below 128 roundings of that change are zero (Impact::closes).
  template <class Team>
  KALABA_FN void set_least_terms(const Team& team, const X& time) {
    auto& impact = space.impact;
    const Motion motion(*this);
    const X share = X(1.0 / 64) * time;
    team.template for_each<m>(
        [&](int r) KALABA_LAMBDA { impact.least_terms[r] = share * impact.change_terms(r, motion.free); });
  }

  /// Impact of the touching contacts where one closes. Returns a status code.
  template <class Team>
  KALABA_FN X strike(const Team& team, const X& t, const Mask& members, X code) {
    auto& impact = space.impact;
    Mask hits = X(1) < X(0);
    for (int r = 0; r < m; ++r) hits = either(hits, impact.closes(r));
    hits = both(both(hits, members), code == X(0));
    struck = hits;
    if (!team.any(hits)) return code;
    const Mask found = impact.apply(team, method.rank_tolerance, watch.impacts, watch.contact_count, hits);
    code = with_status(code, both(both(hits, !found), !impact.feasible), Status::inconsistent_constraints);
    code = with_status(code, both(hits, !impact.has_motion), Status::painleve);
    code = with_status(code, both(hits, !found), Status::not_converged);
    Vec<X, n> w = impact.u;
    rate.at.factor.solve_transposed(w.data);
    if constexpr (Dim<M>::sensitivities > 0) strike_columns(team, t, w, both(hits, found));
    team.template for_each<n>([&](int i) KALABA_LAMBDA { member.w[i] = select(both(hits, found), w[i], member.w[i]); });
    return code;
  }

  /// Passes the columns through an impact by Newton's law from the member's w to `after`, in the lanes `hits`:
  ///   w+ = w - c,   G c = A^T lambda,   A c = A w + s of the constraints and (1 + e) times that of the active contacts
  /// NaN after an impact in steps, in which gaps closed that had opened before.
  template <class Team>
  KALABA_NOINLINE void strike_columns(const Team& team, const X& t, const Vec<X, n>& after, const Mask& hits) {
    auto& impact = space.impact;
    Vec<X, Dim<M>::parameters> parameters = member.p;
    Vec<X, m> restitution;
    int contact_of[m];
    for (int r = 0; r < m; ++r) {
      restitution[r] = X(0);
      contact_of[r] = -1;
    }
    for (int i = 0; i < watch.contact_count; ++i) {
      const int r = contact(i).row;
      const Mask acts = both(impact.touching[r], impact.active[r]);
      parameters[contact(i).mode] = select(acts, X(1), X(0));
      restitution[r] = select(acts, impact.restitution[r], X(0));
      contact_of[r] = i;
    }
    const auto of_restitution = [&](int column, int r) KALABA_LAMBDA {
      using D = Dual<X, 1>;
      if (contact_of[r] < 0) return X(0);
      auto along = constants<D>(member.p);
      for (int i = 0; i < along.size; ++i) along[i].slope[0] = X(tangents.asked.of[column] == i ? 1 : 0);
      const Mask acts = both(impact.touching[r], impact.active[r]);
      const D value = value_of(contact(contact_of[r]).restitution, along.data, StateView<D>{D(t)});
      return select(acts, value.slope[0], X(0));
    };
    Vec<X, n> correction;
    for (int i = 0; i < n; ++i) correction[i] = member.w[i] - after[i];
    const auto p = prepared<M>(parameters);
    rate.at.evaluate(team, p, t, member.q, member.w);
    rate.at.mass_weighted_rows(team, rate.inverse.rows);
    rate.inverse.factorize(team, RankRule<X>(method.rank_tolerance), false);
    tangents.prepare(parameters);
    tangents.strike(rate.at, rate.inverse, t, member.q, member.w, correction, restitution, of_restitution, hits,
                    member.columns);
    const Mask in_steps = both(hits, X(1) < impact.passes);
    const X nothing = X(0) / X(0);
    fill_where(team, in_steps, nothing, member.columns);
  }

  /// Returns the lanes in which a contact that slides in a plane has no slip left along its direction, and across it
  /// less than a step resolves: the slip ends there.
  KALABA_FN Mask comes_to_rest(int i, const Slip<X>& slip) const {
    const auto& p = member.p;
    const X along = fma(p[friction(i).way[0]], slip.first, p[friction(i).way[1]] * slip.second) + p[friction(i).slack];
    const Mask ends = both(X(0.5) < p[friction(i).slides], along <= X(resolved) * p[friction(i).least]);
    return both(ends, slip.length() <= p[friction(i).least]);
  }

  /// Velocities and accelerations of which the rates of contacts are computed, times F^T.
  struct Motion {
    Vec<X, n> free;      ///< unconstrained acceleration
    Vec<X, n> present;   ///< acceleration with the present modes
    Vec<X, n> from, to;  ///< velocities at the ends of the step

    KALABA_FN explicit Motion(const ContactChange& change)
        : free(change.rate.free_rate),
          present(change.rate.dot.w),
          from(change.space.step_from),
          to(change.space.step_to) {
      const auto& factor = change.rate.at.factor;
      factor.multiply_transposed(free.data);
      factor.multiply_transposed(present.data);
      factor.multiply_transposed(from.data);
      factor.multiply_transposed(to.data);
    }
  };

  /// Returns the lanes in which the rate of row r is zero: up to rounding, also of the time and of the velocities over
  /// the step, or slower than a fall from a height that is none.
  KALABA_FN Mask is_still(const X& t, int r, const X& slow, const Motion& motion) const {
    const auto& impact = space.impact;
    const X of_time = X(Tolerance::time_roundings * Limits<Scalar<X>>::epsilon) * abs(t);
    const X acceleration =
        max_of(impact.acceleration_terms(r, motion.free), impact.acceleration_terms(r, motion.present));
    const X at_ends = max_of(impact.rate_terms(r, motion.from), impact.rate_terms(r, motion.to));
    const X velocity = max_of(speed_terms[r], at_ends);
    return abs(speed[r]) <= max_of(fma(of_time, acceleration, X(Tolerance::still) * velocity), slow);
  }

  /// Slip of a contact after the impact.
  KALABA_FN Slip<X> slip_of(int i) const {
    return {speed[friction(i).tangent], friction(i).in_plane() ? speed[friction(i).second] : X(0)};
  }

  /// Chooses the contacts that stay closed: those that push in the motion with the least deviation from the
  /// unconstrained rate (Gauss) with w' = b or more of every contact at rest. Leaves them in `impact.active`.
  template <class Team>
  KALABA_FN X rest(const Team& team, const X& t, const Mask& members, X code) {
    auto& impact = space.impact;
    const Mask none = X(1) < X(0);
    const Motion motion(*this);
    free = motion.free;
    for (int r = 0; r < m; ++r) {
      speed[r] = impact.rate(r);
      speed_terms[r] = impact.rate_terms(r);
    }
    team.template for_each<m>([&](int r) KALABA_LAMBDA {
      impact.equality[r] = impact.constraint[r];
      impact.inequality[r] = none;
      impact.bound[r] = rate.at.constraint.b[r];
    });
    team.single([&]() KALABA_LAMBDA {
      for (int i = 0; i < watch.contact_count; ++i) {
        const int r = contact(i).row;
        slow[i] = sqrt(X(2) * height[i] * impact.acceleration_terms(r, free));
        impact.inequality[r] = both(impact.touching[r], is_still(t, r, slow[i], motion));
        if (!friction(i).any()) continue;
        Mask none_slips = is_still(t, friction(i).tangent, slow[i], motion);
        const Slip<X> slip = slip_of(i);
        if (friction(i).in_plane()) {
          none_slips = both(none_slips, is_still(t, friction(i).second, slow[i], motion));
          none_slips = either(none_slips, comes_to_rest(i, slip));
        }
        const X divisor = select(none_slips, X(1), slip.length());
        impact.slip[r] = select(none_slips, X(0), slip.first / divisor);
        impact.second_slip[r] = select(none_slips, X(0), slip.second / divisor);
      }
    });
    Mask open = both(members, code == X(0));
    for (int round = 0; round < 2 && team.any(open); ++round) {
      team.template for_each<n>([&](int i) KALABA_LAMBDA { impact.u[i] = select(open, free[i], impact.u[i]); });
      const Mask found =
          impact.project_with_friction(team, method.rank_tolerance, impact.most_solves(watch.contact_count), open);
      code = with_status(code, both(both(open, !found), !impact.feasible), Status::inconsistent_constraints);
      code = with_status(code, both(open, !impact.has_motion), Status::painleve);
      code = with_status(code, both(open, !found), Status::not_converged);
      // A bounce of negligible height is none.
      Mask again = none;
      Vec<Mask, m> settles;
      for (int r = 0; r < m; ++r) settles[r] = none;
      for (int i = 0; i < watch.contact_count; ++i) {
        const int r = contact(i).row;
        X fall = rate.at.constraint.b[r];
        for (int k = 0; k < n; ++k) fall = fma(-impact.rows(r, k), impact.u[k], fall);
        const Mask low = both(X(0) < fall, speed[r] * speed[r] <= X(2) * height[i] * fall);
        settles[r] = both(both(impact.touching[r], !impact.inequality[r]), both(open, low));
        again = either(again, settles[r]);
      }
      open = both(both(open, found), again);
      if (round > 0) break;
      team.template for_each<m>([&](int r)
                                    KALABA_LAMBDA { impact.inequality[r] = either(impact.inequality[r], settles[r]); });
    }
    return code;
  }

  /// Value of the parameter WatchedFriction::slides for a direction of the slip.
  KALABA_FN X sign_of(int i, const Slip<X>& slides) const {
    return friction(i).in_plane() ? select(slides.is_zero(), X(0), X(1)) : slides.first;
  }
  /// Rounding error of the slip of a contact.
  KALABA_FN X slip_rounding(int i) const { return X(64 * Limits<Scalar<X>>::epsilon) * slip_terms(i); }
  /// Size of the terms of the slip of a contact.
  KALABA_FN X slip_terms(int i) const {
    const X& first = speed_terms[friction(i).tangent];
    return friction(i).in_plane() ? max_of(first, speed_terms[friction(i).second]) : first;
  }
  /// Slip of a contact below which its friction in a plane keeps its direction (LeastSlip).
  KALABA_FN X least_slip(int i) const {
    const auto& impact = space.impact;
    const int r = contact(i).row;
    const int t = friction(i).tangent;
    const int s = friction(i).second;
    const X acceleration = max_of(impact.acceleration_terms(t, free), impact.acceleration_terms(s, free));
    const Slip<X> given = {impact.slip[r], impact.second_slip[r]};
    const X error = select(given.is_zero(), X(16) * slip_of(i).length(), X(0));
    return LeastSlip<X>::of(method, slip_terms(i), impact.friction[r] * acceleration, space.step_length, slow[i]) +
           error;
  }

  /// Sets the modes, and puts members that change on the constraints that are then active.
  template <class Team>
  KALABA_FN X put_modes(const Team& team, const X& t, const Mask& members, bool corrects) {
    auto& impact = space.impact;
    Mask changed = X(1) < X(0);
    X mode[Watch::most_contacts];
    X slack[Watch::most_contacts];
    X sticks[Watch::most_contacts];
    Slip<X> slides[Watch::most_contacts];
    for (int i = 0; i < watch.contact_count; ++i) {
      const int r = contact(i).row;
      const Mask rests = impact.inequality[r];
      const Mask closed = both(rests, impact.is_closed[r]);
      mode[i] = select(closed, X(1), X(0));
      // The event of a contact at rest that does not push, because other contacts carry it or because it is released,
      // must not occur by the error of a step.
      const X depth = min_of(max_of(-rate.at.constraint.position[r], X(0)), zero[i]);
      slack[i] = select(both(rests, !closed), depth + X(0.5) * zero[i], X(0));
      changed = either(changed, !(mode[i] == member.p[contact(i).mode]));
      if (!friction(i).any()) continue;
      const Mask rubs = both(closed, X(0) < impact.friction[r]);
      slides[i] = {select(rubs, impact.slides[r], X(0)), select(rubs, impact.second_slides[r], X(0))};
      sticks[i] = select(both(rubs, slides[i].is_zero()), X(1), X(0));
      changed = either(changed, !(sticks[i] == member.p[friction(i).sticks]));
      changed = either(changed, !(sign_of(i, slides[i]) == member.p[friction(i).slides]));
    }
    changed = both(changed, members);
    team.single([&]() KALABA_LAMBDA {
      for (int i = 0; i < watch.contact_count; ++i) {
        X& own_mode = member.p[contact(i).mode];
        X& own_slack = member.p[contact(i).slack];
        own_mode = select(members, mode[i], own_mode);
        own_slack = select(members, slack[i], own_slack);
        if (!friction(i).any()) continue;
        const X none = select(sticks[i] == X(0), X(1), X(0));  // a contact without friction has no event
        const X least = select(impact.is_carried[contact(i).row], slow[i], slip_rounding(i));
        const Slip<X> slip = slip_of(i);
        const X along = fma(slides[i].first, slip.first, slides[i].second * slip.second);
        const X left = select(slides[i].is_zero(), none, max_of(-along, X(0)) + least);
        const auto put = [&](int place, const X& value)
                             KALABA_LAMBDA { member.p[place] = select(members, value, member.p[place]); };
        put(friction(i).sticks, sticks[i]);
        put(friction(i).slides, sign_of(i, slides[i]));
        put(friction(i).slack, left);
        if (!friction(i).in_plane()) continue;
        put(friction(i).way[0], slides[i].first);
        put(friction(i).way[1], slides[i].second);
        put(friction(i).least, least_slip(i));
      }
      member.rank = select(changed, X(-1), member.rank);
      member.approach = select(changed, X(0), member.approach);
    });
    if (!corrects) return X(0);
    const auto p = prepared<M>(member.p);
    Mask converged = X(0) < X(1);
    if (team.any(changed)) {
      converged =
          either(!changed, projection.apply(team, rate, method, p, t, member.q, member.w, changed, iterations, false));
    }
    const Mask others = both(both(members, struck), !changed);
    if (team.any(others)) {
      const Mask also = projection.apply_to_rates(team, rate, method, p, t, member.q, member.w, others, iterations);
      converged = both(converged, either(!others, also));
    }
    keep_apart(team, t, either(others, changed));
    return with_status(X(0), both(members, !converged), Status::not_converged);
  }

  /// Projects the rates of the `members` onto the active constraints, with no contact at rest closing, where the
  /// projection of a slip that counts as zero leads into a contact that rests without pushing.
  template <class Team>
  KALABA_FN void keep_apart(const Team& team, const X& t, const Mask& members) {
    auto& impact = space.impact;
    const auto rests = [&](int i) KALABA_LAMBDA {
      return both(impact.inequality[contact(i).row], member.p[contact(i).mode] < X(0.5));
    };
    Mask closes = X(1) < X(0);
    for (int i = 0; i < watch.contact_count; ++i) closes = either(closes, rests(i));
    if (!team.any(both(members, closes))) return;
    evaluate(team, t);
    closes = X(1) < X(0);
    for (int i = 0; i < watch.contact_count; ++i) {
      closes = either(closes, both(rests(i), impact.closes(contact(i).row)));
    }
    closes = both(members, closes);
    if (!team.any(closes)) return;
    team.template for_each<m>([&](int r) KALABA_LAMBDA {
      impact.equality[r] = impact.constraint[r];
      impact.bound[r] = -impact.offset[r];
    });
    team.single([&]() KALABA_LAMBDA {
      for (int i = 0; i < watch.contact_count; ++i) {
        const int r = contact(i).row;
        impact.inequality[r] = rests(i);
        impact.equality[r] = X(0.5) < member.p[contact(i).mode];
        if (!friction(i).any()) continue;
        const Mask sticks = X(0.5) < member.p[friction(i).sticks];
        impact.equality[friction(i).tangent] = sticks;
        if (friction(i).in_plane()) impact.equality[friction(i).second] = sticks;
      }
    });
    const int limit = impact.most_solves(watch.contact_count);
    const Mask found = impact.project(team, method.rank_tolerance, limit, closes);
    Vec<X, n> w = impact.u;
    rate.at.factor.solve_transposed(w.data);
    team.template for_each<n>([&](int i)
                                  KALABA_LAMBDA { member.w[i] = select(both(closes, found), w[i], member.w[i]); });
  }
};

}  // namespace kalaba
