#pragma once

#include "kalaba/core/base/normal.hpp"
#include "kalaba/core/events/change.hpp"
#include "kalaba/core/inverse/jacobi_svd.hpp"
#include "kalaba/core/inverse/pivoted_qr.hpp"
#include "kalaba/core/member/contact.hpp"
#include "kalaba/core/member/observed_member.hpp"
#include "kalaba/core/member/passage.hpp"
#include "kalaba/core/methods/open_rk4.hpp"
#include "kalaba/core/rate/projection.hpp"
#include "kalaba/core/rate/single_row.hpp"

namespace kalaba {

/// Common part of the time loops of a member: the rate and the projection with their workspace, start and observation
/// of a member. The caller allocates it (stack, registers, shared memory). Inverse is one of those in
/// core/inverse/pseudo_inverses.hpp.
template <class M, class X, template <class, int, int> class Inverse>
struct MemberWorkspace : ObservedMember<M, X, Inverse> {
  using Base = ObservedMember<M, X, Inverse>;
  using Base::differentiates;
  using Base::m;
  using Base::n;
  using Base::nq;
  using Base::rate;
  using Base::tangents;
  using typename Base::Mask;
  using typename Base::Rate;
  using typename Base::S;
  using W = Vec<X, n>;

  /// True if another program decomposes the matrices, and stores the results here before a call.
  static constexpr bool exchanges = requires(Rate rate) { rate.inverse.exchange; };
  /// True if the numbers of a step are few enough for registers.
  static constexpr bool small = m <= 1 && !differentiates && !exchanges;
  /// True if one worker makes steps on the fast path (core/loop/fast_step.hpp).
  static constexpr bool has_fast_path = has_single_row<M>() && !exchanges;

  static constexpr int step_iterations = 8;    ///< bound on the projection after a step
  static constexpr int start_iterations = 50;  ///< bound on the projection of an initial state

  /// handles singular positions; not if another program decomposes the matrices
  static constexpr bool can_pass = m > 1 && !Rate::servo && requires(Rate rate) { rate.inverse.least_value(1.0); };

  Projection<M, X, Inverse> projection;
  using Passer = OpenRk4<X, can_pass ? nq : 0, can_pass ? n : 0>;
  Passer passer;                 ///< steps near singular positions
  Columns<M, X> passed_columns;  ///< unused values: there are no derivatives near a singular position

  /// Projects the initial state onto the constraints if `project`, and finds members that cannot start; those keep
  /// their given state.
  template <class Team>
  KALABA_FN void start(const Team& team, Member<M, X>& member, const Method& method, const X& t, bool project) {
    X code = with_status(member.status, !finite_member(member), Status::non_finite);
    const auto p = prepared<M>(member.p);
    if constexpr (differentiates) {
      tangents.prepare(member.p);
      tangents.begin(member.p, member.q, member.w, member.columns);
    }
    const Mask positive = rate.at.evaluate(team, p, t, member.q, member.w);
    code = with_status(code, !positive, Status::singular_constraints);
    if constexpr (m > 0 && !Rate::servo) {
      if (project) {
        const Mask alive = code == X(0);
        const S given = member;
        const Mask converged = project_along(team, method, RankRule<X>(method.rank_tolerance), p, t, member, alive,
                                             start_iterations, false, member.columns, {});
        code = with_status(code, !converged, Status::not_assembled);
        const Mask failed = both(alive, code != X(0));
        copy_where(team, failed, given, member);
      }
    }
    if constexpr (ModelParts<M>::has_valid) {
      code = with_status(code, !M::valid(p, t, member.q, member.w), Status::singular_constraints);
    }
    team.single([&]() KALABA_LAMBDA { member.status = code; });
  }

  /// rate.dot := the rates of a member at t, before a change there. For one worker.
  KALABA_FN void find_rate_before(const Method& method, const Member<M, X>& member, const X& t) {
    const auto rule = RankRule<X>::at_step(method, member.rank);
    rate.evaluate(Solo{}, method, rule, prepared<M>(member.p), t, member.q, member.w, false, false);
  }

  /// Ends a step in `end` at t: projects it onto the constraints in the lanes `alive` if the method projects, checks
  /// it, and corrects `columns` too. Takes and returns a status code. `step` receives the lanes that cannot continue.
  template <class Team>
  KALABA_FN X project_and_check(const Team& team, const Method& method, const RankRule<X>& rule,
                                const Prepared<M, X>& p, const X& t, S& end, const Mask& alive, X code,
                                Columns<M, X>& columns, [[maybe_unused]] const EndedStep<X, n>& step) {
    code = with_status(code, !all_finite(end), Status::non_finite);
    if constexpr (m > 0 && !Rate::servo) {
      if (method.stabilization.kind == Stabilization::Kind::projection) {
        const Mask good = both(alive, code == X(0));
        const Mask converged = project_along(team, method, rule, p, t, end, good, step_iterations, true, columns, step);
        if (step.torn != nullptr) code = with_status(code, *step.torn, Status::singular_constraints);
        code = with_status(code, !converged, Status::not_converged);
      }
    }
    if constexpr (ModelParts<M>::has_valid) {
      code = with_status(code, !M::valid(p, t, end.q, end.w), Status::singular_constraints);
    }
    return code;
  }

  /// Makes a change in the lanes `members` at t, and puts them on the constraints: q if the change moves it, and then
  /// w, by the smallest correction in the metric; not without `corrects`. `of_time`: derivatives of t along the
  /// columns. Returns a status code; members whose change fails keep their state.
  template <class Team>
  KALABA_NOINLINE X make_change(const Team& team, const Watch& watch, const Change& change, Member<M, X>& member,
                                const Method& method, const X& t, const Mask& members,
                                [[maybe_unused]] const TimeColumns<M, X>& of_time, bool corrects = true) {
    X values[Watch::most_set];
    const Unchanged unchanged(team, member);
    Vec<X, watched_rows<M>().rows()> observed;
    if (change.observes) observe_state<M>(prepared<M>(member.p), t, member.q, member.w, observed.data);
    const StateView<X> before = {t, member.q.data, member.w.data, observed.data};
    for (int i = 0; i < change.count; ++i) {
      const Assignment& each = watch.assignments[change.first + i];
      values[i] = value_of(watch.code + each.first, each.size, member.p.data, before);
    }
    Mask finite = X(0) < X(1);
    for (int i = 0; i < change.count; ++i) finite = both(finite, is_finite(values[i]));
    const Mask made = both(members, finite);
    if constexpr (differentiates) change_columns(watch, change, member, t, of_time, made);
    team.single([&]() KALABA_LAMBDA {
      for (int i = 0; i < change.count; ++i) {
        const Assignment& each = watch.assignments[change.first + i];
        X& number = each.sort == Settable::coordinate ? member.q[each.index]
                    : each.sort == Settable::rate     ? member.w[each.index]
                                                      : member.p[each.index];
        number = select(made, values[i], number);
      }
    });
    X code = with_status(X(0), both(members, !finite), Status::non_finite);
    code = end_change(team, watch, change.moves, member, method, t, made, code, corrects);
    unchanged.restore(team, both(made, !(code == X(0))), member);
    return code;
  }

  /// Kicks the rates in the lanes `members` at tick `tick` of a clock of noise, at t, and puts them on the constraints
  /// like a change. With sigma_s the intensities of source s along the rates, and independent standard normal numbers
  /// xi_s,
  ///   w+ = w + G^-1 sum_s sigma_s(t, q) sqrt(every) xi_s
  /// (Leimkuhler, Matthews, Efficient molecular dynamics using geodesic integration and solvent-solute splitting, Proc.
  /// R. Soc. A 472 (2016), section 3, for the noise alone). Returns a status code.
  template <class Team>
  KALABA_NOINLINE X kick(const Team& team, const Watch& watch, const WatchedClock& clock, Member<M, X>& member,
                         const Method& method, const X& t, const X& tick, const Mask& members, bool corrects) {
    const auto p = prepared<M>(member.p);
    const Unchanged unchanged(team, member);
    const StateView<X> before = {t, member.q.data, member.w.data};
    W impulse;
    for (int i = 0; i < n; ++i) impulse[i] = X(0);
    X number(0);
    for (int i = 0; i < clock.change.count; ++i) {
      const Assignment& each = watch.assignments[clock.change.first + i];
      const bool same = i > 0 && watch.assignments[clock.change.first + i - 1].source == each.source;
      if (!same) number = normal_of(member.p[clock.noise_key], tick, static_cast<unsigned>(each.source));
      const X intensity = value_of(watch.code + each.first, each.size, member.p.data, before);
      impulse[each.index] = impulse[each.index] + intensity * number;
    }
    const X length = sqrt(X(clock.every));
    for (int i = 0; i < n; ++i) impulse[i] = impulse[i] * length;
    Mask able = X(0) < X(1);
    if (!is_hamiltonian<M>()) {
      able = rate.at.evaluate(team, p, t, member.q, member.w);
      rate.at.factor.solve(impulse.data);
      rate.at.factor.solve_transposed(impulse.data);
    }
    Mask finite = able;
    for (int i = 0; i < n; ++i) finite = both(finite, is_finite(impulse[i]));
    const Mask made = both(members, finite);
    team.template for_each<n>([&](int i)
                                  KALABA_LAMBDA { member.w[i] = select(made, member.w[i] + impulse[i], member.w[i]); });
    X code = with_status(X(0), both(members, !able), Status::singular_constraints);
    code = with_status(code, both(members, !finite), Status::non_finite);
    code = end_change(team, watch, false, member, method, t, made, code, corrects);
    unchanged.restore(team, both(made, !(code == X(0))), member);
    return code;
  }

  /// Makes the changes of the clocks that tick at `when`, which is t, in the lanes `members`, in their order. `made`:
  /// time up to which ticks are made; null at the start. Returns a status code.
  template <class Team, class When>
  KALABA_FN X make_ticks(const Team& team, const Watch& watch, Member<M, X>& member, const Method& method, const X& t,
                         const When* made, const When& when, const Mask& members, EventSpace<M, X>& space,
                         bool corrects = true) {
    X code(0);
    Mask ticked = X(1) < X(0);
    for (int i = 0; i < watch.clock_count; ++i) {
      const Ticks<When> of_clock(watch, i);
      const auto due = of_clock.is_due(made, when);
      Mask ticks = both(members, code == X(0));
      if constexpr (is_bool<MaskOf<When>> && !is_bool<Mask>) {
        if (!due) continue;
      } else {
        ticks = both(ticks, due);
      }
      if (!team.any(ticks)) continue;
      const WatchedClock& clock = watch.clocks[i];
      const X found =
          clock.noise_key < 0
              ? make_change(team, watch, clock.change, member, method, t, ticks, TimeColumns<M, X>::zero(), corrects)
              : kick(team, watch, clock, member, method, t, X(of_clock.until(when) - When(1)), ticks, corrects);
      code = select(ticks, found, code);
      ticked = either(ticked, ticks);
    }
    const Status below = made == nullptr ? Status::not_assembled : Status::constraints_violated;
    return settle(team, watch, member, method, t, ticked, code, space, below, corrects);
  }

  /// Returns the flags of the events of open contacts that touch and close at t, by more than rounding: their impact is
  /// part of any change at that instant (settle), whose step ends before their gap is exactly zero.
  template <class Team>
  KALABA_FN X closing_contacts(const Team& team, const Watch& watch, Member<M, X>& member, const Method& method,
                               const X& t, EventSpace<M, X>& space) {
    X flags(0);
    if constexpr (has_contacts<M>()) {
      if (!watch.has_contacts()) return flags;
      this->observe_for(watch, team, member, method, t, member, space, true);
      const StateView<X> state = {t, member.q.data, member.w.data, space.observed.data};
      X values[Watch::most_values];
      contact_values(watch, member.p.data, state, values);
      const auto terms = ContactTerms<X>::template of<M>(watch, member.p, t, member.q, member.w);
      for (int i = 0; i < watch.contact_count; ++i) {
        const WatchedContact& contact = watch.contacts[i];
        const X gap = values[watch.gap(i)];
        const X still = ContactTolerance<X>::rate(i, terms);
        // With a slack it is at rest, carried by others, and its rate is rounding.
        const Mask open = both(member.p[contact.mode] < X(0.5), member.p[contact.slack] == X(0));
        const Mask touches = gap <= ContactTolerance<X>::gap(i, terms, method, t);
        const Mask closes = both(both(open, touches), values[watch.gap_rate(i)] < -still);
        flags = flags + select(closes, Flags<X>::value(contact.event), X(0));
      }
    }
    return flags;
  }

  /// Adds the contacts that close at t (closing_contacts) to the events `space.fired` of the change there, in the lanes
  /// `members`, and records them.
  template <class Team, class Rows>
  KALABA_FN void join_contacts(const Team& team, const Watch& watch, Member<M, X>& member, const Method& method,
                               const X& t, const Mask& members, EventSpace<M, X>& space,
                               [[maybe_unused]] const Rows& rows) {
    if constexpr (has_contacts<M>()) {
      const X closing = select(members, closing_contacts(team, watch, member, method, t, space), X(0));
      if (!team.any(X(0) < closing)) return;
      const Flags<X> closes(watch, closing);
      const Flags<X> fired(watch, space.fired);
      const StateView<X> state = {t, member.q.data, member.w.data, space.observed.data};
      X joining(0);
      for (int i = 0; i < watch.contact_count; ++i) {
        const int event = watch.contacts[i].event;
        const Mask joins = both(closes.of[event], !fired.of[event]);
        if (!team.any(joins)) continue;
        record_event(team, {nq, n, Dim<M>::sensitivities}, event, joins, state, rows);
        joining = joining + select(joins, Flags<X>::value(event), X(0));
      }
      team.single([&]() KALABA_LAMBDA { space.fired = space.fired + joining; });
    }
  }

  /// Makes the changes of the events that `space.fired` names at t, in their order, in the lanes `members`. `of_time`:
  /// derivatives of t along the columns. `dt`: step of the grid, s. Returns a status code.
  template <class Team>
  KALABA_FN X make_changes(const Team& team, const Watch& watch, Member<M, X>& member, const Method& method, const X& t,
                           double dt, const Mask& members, EventSpace<M, X>& space, const TimeColumns<M, X>& of_time) {
    const Flags<X> fired(watch, space.fired);
    const Mask changed = both(members, X(0) < space.fired);
    X code = count_changes(team, method, t, dt, changed, space);
    code = with_status(code, both(members, space.fired < X(0)), Status::too_many_changes);
    for (int event = 0; event < watch.count; ++event) {
      if (watch.events[event].change.count == 0) continue;
      const Mask changes = both(both(members, code == X(0)), fired.of[event]);
      if (!team.any(changes)) continue;
      const X found = make_change(team, watch, watch.events[event].change, member, method, t, changes, of_time);
      code = select(changes, found, code);
    }
    return settle(team, watch, member, method, t, changed, code, space, Status::constraints_violated);
  }

  /// Makes the change of the contacts at t in the lanes `members` (ContactChange), unless `code` is set. Returns a
  /// status code; that of a contact below its gap is `penetrates`.
  template <class Team>
  KALABA_FN X settle(const Team& team, const Watch& watch, Member<M, X>& member, const Method& method, const X& t,
                     const Mask& members, const X& code, [[maybe_unused]] EventSpace<M, X>& space, Status penetrates,
                     [[maybe_unused]] bool corrects = true) {
    if constexpr (has_contacts<M>()) {
      const Mask open = both(members, code == X(0));
      if (!watch.has_contacts() || !team.any(open)) return code;
      ContactChange<M, X, Rate, Projection<M, X, Inverse>, TangentsOf<M, X, Inverse>> change{
          rate, projection, method, watch, member, space.contacts, tangents};
      return select(open, change.make(team, t, open, penetrates, corrects), code);
    }
    return code;
  }

  /// Gives a member whose contact is open and penetrates at t, in the lanes `members`, a status.
  template <class Team>
  KALABA_FN void judge_gaps(const Team& team, const Watch& watch, Member<M, X>& member, const Method& method,
                            const X& t, const Mask& members, EventSpace<M, X>& space) {
    if constexpr (has_contacts<M>()) {
      const Mask judged = both(members, member.status == X(0));
      if (!watch.has_contacts() || !team.any(judged)) return;
      this->observe_for(watch, team, member, method, t, member, space, true);
      const StateView<X> state = {t, member.q.data, member.w.data, space.observed.data};
      X values[Watch::most_values];
      contact_values(watch, member.p.data, state, values);
      const auto find_terms = [&]() KALABA_LAMBDA {
        return ContactTerms<X>::template of<M>(watch, member.p, t, member.q, member.w);
      };
      const Mask violates = X(0) < penetrating(watch, method, member.p.data, t, values, find_terms);
      const X code = with_status(X(0), both(judged, violates), Status::constraints_violated);
      team.single([&]() KALABA_LAMBDA { member.status = select(judged, code, member.status); });
    }
  }

  /// Calls make(), which changes the member at t in the lanes `members`. Stores in `space.leaves` the events whose
  /// value is zero after it, up to rounding: those that led to the change, those that had not left zero before or were
  /// held at zero by constraints, and those whose value the change has moved.
  template <class Team, class Make>
  KALABA_FN void keep_zeros(const Team& team, const Watch& watch, Member<M, X>& member, const Method& method,
                            const X& t, const Mask& members, EventSpace<M, X>& space, const Make& make) {
    X before[Watch::most_samples];
    X after[Watch::most_samples];
    const Flags<X> fired(watch, space.fired);
    const Flags<X> waits(watch, space.leaves);
    const auto look = [&](X* margins) KALABA_LAMBDA {
      this->observe_for(watch, team, member, method, t, member, space);
      watch_margins(watch, member.p.data, StateView<X>{t, member.q.data, member.w.data, space.observed.data}, margins);
    };
    look(before);
    make();
    look(after);
    const StateView<X> here{t, member.q.data, member.w.data, space.observed.data};
    X left(0);
    for (int event = 0; event < watch.count; ++event) {
      const WatchedEvent& watched = watch.events[event];
      if (watched.change.settles) continue;  // its slack keeps it positive
      const X rounding = rounding_of(watched.continuous(), member.p.data, here);
      const Mask is_zero = abs(after[event]) <= rounding;
      const Mask was_held = watched.held ? before[event] == X(0) : X(1) < X(0);
      const Mask was_zero = either(either(fired.of[event], waits.of[event]), was_held);
      const Mask repeats = both(was_zero, abs(after[event]) <= X(2) * abs(before[event]));
      const Mask was_apart = watched.continuous().observes() ? X(1) < X(0) : rounding < abs(before[event]);
      const Mask counts = either(was_zero, was_apart);
      left = left + select(either(repeats, both(is_zero, counts)), Flags<X>::value(event), X(0));
    }
    team.single([&]() KALABA_LAMBDA {
      space.fired = select(members, X(0), space.fired);
      space.leaves = select(members, left, space.leaves);
    });
  }

  /// Rank of A at the last evaluated rate.
  KALABA_FN X rank_found() const {
    if constexpr (m > 0) {
      return rate.inverse.rank();
    } else {
      return X(0);
    }
  }

  /// Stores the rank of A at the beginning of a step.
  template <class Team>
  KALABA_FN void count_rank_change(const Team& team, Member<M, X>& member, const Mask& alive, const X& now) {
    if constexpr (m > 0) {
      const Mask changed = both(both(alive, X(0) <= member.rank), now != member.rank);
      team.single([&]() KALABA_LAMBDA {
        member.rank_changes = member.rank_changes + select(changed, X(1), X(0));
        member.rank = select(alive, now, member.rank);
      });
    }
  }

  /// Sets those of `columns` to NaN that have no derivative at a state at t, where the rank of A is lower than its
  /// number of rows (Tangents::forget_singular), in the lanes `alive` after an evaluation of the rate or of its terms.
  /// The state counts as an approach to a singular position.
  template <class Team>
  KALABA_FN void forget_singular(const Team& team, const Method& method, const X& t, const S& state, const Mask& alive,
                                 Columns<M, X>& columns, Member<M, X>& member) {
    if constexpr (differentiates) {
      const Mask deficient = both(alive, member.rank < X(m));
      if (!team.any(deficient)) return;
      const Mask lost = tangents.forget_singular(rate, method, t, state.q, state.w, deficient, columns);
      team.single(
          [&]() KALABA_LAMBDA { member.singular_passages = member.singular_passages + select(lost, X(1), X(0)); });
    }
  }

  /// Counts stages at which the direct method failed.
  template <class Team>
  KALABA_FN void count_svd_stage(const Team& team, Member<M, X>& member, const Mask& alive) {
    if constexpr (requires { rate.inverse.served; }) {
      if (rate.inverse.serves_all) return;
      const X more = select(both(alive, !rate.inverse.served), X(1), X(0));
      team.single([&]() KALABA_LAMBDA { member.svd_stages = member.svd_stages + more; });
    }
  }

  /// Lanes in which the stages of a step are projected onto the constraints.
  KALABA_FN Mask near_singular(const Member<M, X>& member, const Method& method, const Mask& alive) const {
    const bool able = can_pass && method.stabilization.kind == Stabilization::Kind::projection;
    return able ? both(alive, X(0) < member.approach) : X(1) < X(0);
  }

  /// Steps from `start` at t past or near a singular position, with every stage projected onto the constraints in the
  /// lanes given. Stores the end in `passer`, and the singular values on the way in `passage`; adds the lanes that
  /// cannot continue (EndedStep) to `torn`. Returns a status code.
  template <class Team>
  KALABA_FN X pass(const Team& team, Member<M, X>& member, const Method& method, const Prepared<M, X>& p, const X& t,
                   const X& length, const X& end, const S& start, const Mask& near_singular, Passage<X>& passage,
                   Mask& torn) {
    X code(0);
    const X rank_before = member.rank;
    const W before = start.w;
    const auto evaluate = [&](int stage, const X& t_stage, S& at) KALABA_LAMBDA {
      if (stage > 0) put_on_constraints(team, member, method, p, t_stage, at, near_singular);
      const auto rule = stage == 0 ? RankRule<X>::at_passage(method, member.rank, member.approach)
                                   : RankRule<X>::in_passage(method, member.rank);
      const X found = rate.evaluate(team, method, for_lanes_alone<typename Rate::Inverse>(rule, near_singular), p,
                                    t_stage, at.q, at.w, stage > 0, false);
      code = select(code == X(0), found, code);
      count_svd_stage(team, member, near_singular);
      if (stage == 0) {
        passage.begin(rate.inverse);
        count_rank_change(team, member, near_singular, max_of(this->rank_found(), member.rank));
      }
      if (stage > 1) passage.note_next(rate.inverse, 0.25);
    };
    passer.step(team, t, length, start, rate.dot, evaluate);
    const auto rule = Passage<X>::rule(method, member.rank, member.approach, true);
    return project_and_check(team, method, rule, p, end, passer.end, near_singular, code, passed_columns,
                             {length, rank_before, &before, &torn});
  }

  /// Stores after a step whether a member is near a singular position (Passage::speed).
  template <class Team>
  KALABA_FN void count_passage(const Team& team, Member<M, X>& member, const Mask& stepped, double steps,
                               const Passage<X>& passage, const X& noisy = X(0)) {
    if constexpr (can_pass) {
      const X speed = select(stepped, passage.speed(steps, noisy, member.approach), member.approach);
      const Mask enters = both(X(0) < speed, member.approach == X(0));
      team.single([&]() KALABA_LAMBDA {
        member.singular_passages = member.singular_passages + select(enters, X(1), X(0));
        member.approach = speed;
      });
    }
  }

  /// Projection, which also corrects `columns` if there are any.
  template <class Team>
  KALABA_FN Mask project_along(const Team& team, const Method& method, const RankRule<X>& rule, const Prepared<M, X>& p,
                               const X& t, S& state, const Mask& members, int limit, bool warm,
                               [[maybe_unused]] Columns<M, X>& columns, const EndedStep<X, n>& step) {
    if constexpr (differentiates) {
      const ColumnsAlong<TangentsOf<M, X, Inverse>, Columns<M, X>> along = {tangents, columns};
      return projection.apply_along(team, rate, method, rule, p, t, state.q, state.w, members, limit, warm, along,
                                    step);
    } else {
      return projection.apply(team, rate, method, rule, p, t, state.q, state.w, members, limit, warm, step);
    }
  }

 private:
  /// State and parameters of a member before a change.
  struct Unchanged {
    S state;
    Vec<X, Dim<M>::parameters> p;
    X rank;
    X approach;

    template <class Team>
    KALABA_FN Unchanged(const Team& team, const Member<M, X>& member) : rank(member.rank), approach(member.approach) {
      copy(team, member, state);
      team.template for_each<Dim<M>::parameters>([&](int i) KALABA_LAMBDA { p[i] = member.p[i]; });
    }
    template <class Team>
    KALABA_FN void restore(const Team& team, const Mask& where, Member<M, X>& member) const {
      if (!team.any(where)) return;
      copy_where(team, where, state, member);
      team.template for_each<Dim<M>::parameters>([&](int i)
                                                     KALABA_LAMBDA { member.p[i] = select(where, p[i], member.p[i]); });
      team.single([&]() KALABA_LAMBDA {
        member.rank = select(where, rank, member.rank);
        member.approach = select(where, approach, member.approach);
      });
    }
  };

  /// Ends a change that was made at t in the lanes `made`: opens the contacts, and puts the members on the constraints
  /// (make_change). Takes and returns a status code.
  template <class Team>
  KALABA_FN X end_change(const Team& team, const Watch& watch, bool moves, Member<M, X>& member, const Method& method,
                         const X& t, const Mask& made, X code, bool corrects) {
    team.single([&]() KALABA_LAMBDA {
      // Contacts do not hold a member that is moved away from them; `settle` closes those that stay.
      for (int i = 0; i < watch.contact_count; ++i) {
        const WatchedContact& contact = watch.contacts[i];
        member.p[contact.mode] = select(made, X(0), member.p[contact.mode]);
        if (!contact.friction.any()) continue;
        member.p[contact.friction.sticks] = select(made, X(0), member.p[contact.friction.sticks]);
        member.p[contact.friction.slides] = select(made, X(0), member.p[contact.friction.slides]);
      }
      if (moves || watch.has_contacts()) {  // rows may have come or gone
        member.rank = select(made, X(-1), member.rank);
        member.approach = select(made, X(0), member.approach);
      }
    });
    const auto p = prepared<M>(member.p);
    if constexpr (differentiates) tangents.prepare(member.p);
    if constexpr (m > 0 && !Rate::servo) {
      if (corrects) {
        const Mask converged =
            moves || differentiates
                ? project_along(team, method, RankRule<X>(method.rank_tolerance), p, t, member, made, start_iterations,
                                false, member.columns, {})
                : projection.apply_to_rates(team, rate, method, p, t, member.q, member.w, made, start_iterations);
        code = with_status(code, both(made, !converged), Status::not_converged);
      }
    }
    if constexpr (ModelParts<M>::has_valid) {
      code = with_status(code, both(made, !M::valid(p, t, member.q, member.w)), Status::singular_constraints);
    }
    return code;
  }

  /// Sets the columns of the coordinates and rates that a change sets, in the lanes `made`, from those before it. They
  /// are derivatives at the time of the change.
  KALABA_NOINLINE void change_columns(const Watch& watch, const Change& change, Member<M, X>& member, const X& t,
                                      const TimeColumns<M, X>& of_time, const Mask& made) {
    if constexpr (differentiates) {
      using D = Dual<X, 1>;
      Vec<D, Dim<M>::parameters> p = constants<D>(member.p);
      Vec<D, nq> q = constants<D>(member.q);
      Vec<D, n> w = constants<D>(member.w);
      D time(t);
      for (int column = 0; column < Dim<M>::sensitivities; ++column) {
        X* const of_q = &member.columns.q[column * nq];
        X* const of_w = &member.columns.w[column * n];
        for (int i = 0; i < p.size; ++i) p[i].slope[0] = X(tangents.asked.of[column] == i ? 1 : 0);
        for (int i = 0; i < nq; ++i) q[i].slope[0] = of_q[i];
        for (int i = 0; i < n; ++i) w[i].slope[0] = of_w[i];
        time.slope[0] = of_time.t[column];
        Vec<D, watched_rows<M>().rows()> observed;
        if (change.observes) observe_state<M>(prepared<M>(p), time, q, w, observed.data);
        const StateView<D> before = {time, q.data, w.data, observed.data};
        for (int i = 0; i < change.count; ++i) {
          const Assignment& each = watch.assignments[change.first + i];
          if (each.sort == Settable::discrete) continue;
          X& own = each.sort == Settable::coordinate ? of_q[each.index] : of_w[each.index];
          own = select(made, value_of(watch.code + each.first, each.size, p.data, before).slope[0], own);
        }
      }
    }
  }

  /// Counts a change by events at t, in lengths dt of time that begin with a change. Returns a status code.
  template <class Team>
  KALABA_FN static X count_changes(const Team& team, const Method& method, const X& t, double dt, const Mask& members,
                                   EventSpace<M, X>& space) {
    const Mask begins = both(members, !(t - space.window <= X(dt)));  // true for NaN
    const X made = select(begins, X(1), space.changes + X(1));
    team.single([&]() KALABA_LAMBDA {
      space.window = select(begins, t, space.window);
      space.changes = select(members, made, space.changes);
    });
    return with_status(X(0), both(members, X(method.max_changes) < made), Status::too_many_changes);
  }

  /// Projects a stage onto the constraints in the lanes of the last argument; the other lanes are unchanged.
  template <class Team>
  KALABA_FN void put_on_constraints(const Team& team, const Member<M, X>& member, const Method& method,
                                    const Prepared<M, X>& p, const X& t, S& at, const Mask& near_singular) {
    const auto rule = Passage<X>::rule(method, member.rank, member.approach, false);
    projection.apply_once(team, rate, method, rule, p, t, at.q, at.w, near_singular);
  }

  KALABA_FN static Mask finite_member(const Member<M, X>& member) {
    Mask finite = all_finite(member);
    for (int i = 0; i < Dim<M>::parameters; ++i) finite = both(finite, is_finite(member.p[i]));
    return finite;
  }
};

}  // namespace kalaba
