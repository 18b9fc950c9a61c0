#pragma once

#include "kalaba/core/base/cubic.hpp"
#include "kalaba/core/base/pause.hpp"
#include "kalaba/core/events/watch.hpp"
#include "kalaba/core/loop/equal_step.hpp"
#include "kalaba/core/loop/fast_step.hpp"
#include "kalaba/core/loop/open_motion.hpp"
#include "kalaba/core/member/saltation.hpp"

namespace kalaba {

/// Additional workspace of a member with equal steps whose events are detected.
template <class M, class X>
struct WatchedMember : EventSpace<M, X> {
  Member<M, X> before;                                   ///< the member at the beginning of the present step
  Member<M, X> looked;                                   ///< the member within the step
  Member<M, X> whole;                                    ///< the member at the end of a whole step
  State<X, Dim<M>::q, Dim<M>::w> dot_before, dot_after;  ///< rates at the ends of the step
  State<X, Dim<M>::q, Dim<M>::w> glanced;                ///< the cubic through its ends at a part of the step

  /// Copies the parts of a member that can change, in the lanes `where`.
  template <class Team>
  KALABA_FN static void copy_where(const Team& team, const MaskOf<X>& where, const Member<M, X>& from,
                                   Member<M, X>& to) {
    constexpr int m = Dim<M>::constraints;
    const auto take = [&](const X& number, X& into) KALABA_LAMBDA { into = select(where, number, into); };
    team.template for_each<Dim<M>::parameters>([&](int i) KALABA_LAMBDA { take(from.p[i], to.p[i]); });
    kalaba::copy_where(team, where, from, to);
    team.template for_each<m * m>([&](int i) KALABA_LAMBDA { take(from.rotation.data[i], to.rotation.data[i]); });
    team.single([&]() KALABA_LAMBDA {
      if constexpr (Dim<M>::sensitivities > 0) {
        kalaba::copy_where(Solo{}, where, from.columns, to.columns);
        to.of_stop.put(where, from.of_stop);
      }
      for_each_outcome(from, to, take);
    });
  }
  template <class Team>
  KALABA_FN static void copy(const Team& team, const Member<M, X>& from, Member<M, X>& to) {
    constexpr int m = Dim<M>::constraints;
    team.template for_each<Dim<M>::parameters>([&](int i) KALABA_LAMBDA { to.p[i] = from.p[i]; });
    kalaba::copy(team, from, to);
    team.template for_each<m * m>([&](int i) KALABA_LAMBDA { to.rotation.data[i] = from.rotation.data[i]; });
    team.single([&]() KALABA_LAMBDA {
      if constexpr (Dim<M>::sensitivities > 0) {
        to.columns = from.columns;
        to.of_stop = from.of_stop;
      }
      for_each_outcome(from, to, [](const X& number, X& into) KALABA_LAMBDA { into = number; });
    });
  }
};

/// Time loop of a member with equal steps (RK4).
template <class M, class X, template <class, int, int> class Inverse>
struct MemberLoop : EqualStep<M, X, Inverse> {
  using Base = EqualStep<M, X, Inverse>;
  using PersistentState = Member<M, X>;
  using Space = WatchedMember<M, X>;
  using Base::m;
  using Base::n;
  using Base::nq;
  using Base::rate;
  using Base::tangents;
  using typename Base::Mask;
  using typename Base::Rate;

  static constexpr bool keeps_rotation = true;  ///< between calls
  /// True if a member with contacts moves by OpenMotion while these are open.
  static constexpr bool has_open_motion = states_open<M>() && !Base::differentiates && !Base::exchanges &&
                                          !KALABA_FOR_GPU && Limits<Scalar<X>>::epsilon < 1e-10;
  using Open = OpenMotion<M, X, Inverse>;

  /// Like `advance`, on the general path, with the member's numbers in place.
  template <class Team, class Pause = NoPause>
  KALABA_FN long advance_generally(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                                   long first, long steps, const Pause& pause = {}, const X& part = X(1),
                                   const Interval<X>* own = nullptr) {
    const auto p = prepared<M>(member.p);
    if constexpr (Base::differentiates) tangents.prepare(member.p);
    const Mask moving = member.status == X(0);
    load_rotation(team, member);
    long made = steps;  // counted for members that do not move, too
    for (long step = 0; step < steps; ++step) {
      const Mask alive = member.status == X(0);
      if (!team.any(alive)) break;
      if (step > 0 && pause.wanted()) {
        made = step;
        break;
      }
      const Interval<X> now = own != nullptr ? *own : Interval<X>::of(time, first + step);
      this->step_member(team, member, p, method, now, own == nullptr && Base::is_warm(first + step), step, part, alive);
    }
    store_rotation(team, member, moving);
    return made;
  }
  /// Advances the member from step `first` of the grid. Returns the number of steps made: `steps`, or fewer, but at
  /// least one, after a pause request. Members whose status is not ok do not move. The last step may be a part of one,
  /// from its beginning on. A step of the interval `own` is made instead of one of the grid. Compiled once, not at
  /// every call site. The numbers of a small model stay in registers: they are local variables of this function.
  template <class Team, class Pause = NoPause>
  KALABA_NOINLINE long advance(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                               long first, long steps, const Pause& pause = {}, const X& part = X(1),
                               const Interval<X>* own = nullptr) {
    if constexpr (Team::size > 1) {
      return advance_generally(team, member, method, time, first, steps, pause, part, own);
    } else {
      Method known = method;
      known.stabilization = stabilization_of<M>(method);
      if constexpr (Base::small) {
        MemberLoop loop;
        Member<M, X> moving = member;
        const long made = loop.advance_alone(moving, known, time, first, steps, pause, part, own);
        member = moving;
        return made;
      } else {
        return advance_alone(member, known, time, first, steps, pause, part, own);
      }
    }
  }

  /// Advances a member at step `step` of the grid to t, before the next: one shorter step of the same accuracy.
  template <class Team, class Pause = NoPause>
  KALABA_FN void advance_to(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                            long step, double t, const Pause& pause = {}) {
    const double begin = time.at(step);
    advance(team, member, method, {.start = begin, .end = t, .dt = t - begin}, 0, 1, pause);
  }

  /// Time at which a failed lane failed in a call that began at step `first`, s.
  KALABA_FN static double time_of(const Member<M, X>& member, const TimeGrid& time, long first, int lane) {
    return time.at(first + static_cast<long>(lane_of(member.failed_step, lane)));
  }

  /// Makes step `step` of the grid in the lanes `open` only, where the fast path failed. The times are computed here:
  /// on the fast path they would cost registers.
  KALABA_NOINLINE void step_generally(Member<M, X>& member, const Method& method, const TimeGrid& time, long step,
                                      long index, const X& part, const Mask& open) {
    step_generally(member, method, Interval<X>::of(time, step), Base::is_warm(step), index, part, open);
  }
  KALABA_NOINLINE void step_generally(Member<M, X>& member, const Method& method, const Interval<X>& interval,
                                      bool warm, long index, const X& part, const Mask& open) {
    this->step_member(Solo{}, member, prepared<M>(member.p), method, interval, warm, index, part, open);
  }

  /// Makes a step of `interval`, or a part of it from its beginning on, in the lanes given, by one worker, on the fast
  /// path if the model has one.
  KALABA_FN void step_alone(Member<M, X>& member, const Prepared<M, X>& p, const Method& method,
                            const Interval<X>& interval, const X& part, const Mask& lanes) {
    Mask open = lanes;
    if constexpr (Base::has_fast_path) {
      if (states_single_row<M>()) {
        FastStep<M, X> next;
        const Mask regular = both(lanes, member.rank == X(1));
        const X length = part * interval.length;
        const Mask served =
            both(regular, next.make(method, p, interval.begin, length, interval.at(part), member, member.columns));
        copy_where(Solo{}, served, next.integrator.end, member);
        open = both(lanes, !served);
        if (!any(open)) return;
      }
    }
    if constexpr (m == 0) {
      this->step_member(Solo{}, member, p, method, interval, false, 0, part, open);
    } else {
      step_generally(member, method, interval, false, 0, part, open);
    }
  }

  /// Computes the rates of a member at t; those of failed lanes are not used.
  template <class Team>
  KALABA_FN void find_rates(const Team& team, const Member<M, X>& member, const Method& method, const X& t,
                            State<X, nq, n>& dot) {
    find_rates_where(team, member, method, t, X(0) < X(1), dot);
  }

  /// Advances the member with detection of its events: the same bits as `advance`, until an event stops or changes the
  /// member, or a clock changes it. The state at a part of a step is that of a shorter step, as at saved times between
  /// steps. A step is divided at a change. A pause request may leave members within a step, behind a change: the next
  /// call, with this step as its first, goes on from there.
  template <class Team, class Rows, class Pause = NoPause>
  KALABA_FN long advance_watching(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                                  long first, long steps, const Watch& watch, WatchedMember<M, X>& watched,
                                  const Rows& rows, const Pause& pause = {}) {
    Watching<Team, Rows, Pause> watching{*this, team, member, method, time, watch, watched, rows, pause};
    if constexpr (has_open_motion && Team::size == 1) {
      if (Open::serves(watch)) return watching.advance_by_lanes(first, steps);
    }
    for (long i = 0; i < steps; ++i) {
      if (!team.any(member.status == X(0))) break;
      if (i > 0 && pause.wanted()) return i;
      if (!watching.make_step(first + i, i, i > 0)) return i;
    }
    return steps;
  }

  /// Like advance_watching, to t, which lies between step `step` of the grid, where the member is, and the next.
  template <class Team, class Rows, class Pause = NoPause>
  KALABA_FN void advance_watching_to(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                                     long step, double t, const Watch& watch, WatchedMember<M, X>& watched,
                                     const Rows& rows, const Pause& pause = {}) {
    Member<M, X>& whole = watched.whole;
    watched.copy(team, member, whole);
    X since(time.at(step));
    Watching<Team, Rows, Pause> watching{*this, team, whole, method, time, watch, watched, rows, pause};
    if (watch.changes()) {
      watching.origin = &member;
      watching.since = &since;
      watching.until = t;
    }
    if (team.any(whole.status == X(0))) watching.make_step(step, 0, false);
    if (watch.changes()) {
      // A member that was changed at t is there already.
      const X status = member.status;
      const X waits = select(since < X(t), status, X(static_cast<int>(Status::interrupted)));
      team.single([&]() KALABA_LAMBDA { member.status = select(status == X(0), waits, status); });
      const X length = X(t) - since;
      const Interval<X> rest = {since, length, since + length};
      move(team, member, method, time, 0, watch, pause, X(1), &rest);
      team.single([&]() KALABA_LAMBDA { member.status = select(since < X(t), member.status, status); });
    } else {
      advance_to(team, member, method, time, step, t, pause);
    }
    this->judge_gaps(team, watch, member, method, X(t), X(0) < X(1), watched);
    const Mask ended = both(whole.status == X(static_cast<int>(Status::stopped)), watched.ends <= X(t));
    copy_where(team, ended, whole, member);
    team.single([&]() KALABA_LAMBDA { member.status = select(ended, whole.status, member.status); });
    if constexpr (Base::differentiates) {
      copy_where(Solo{}, ended, whole.columns, member.columns);
      member.of_stop.put(ended, whole.of_stop);
    }
  }

 private:
  /// `advance` by one worker, on the fast path if the model has one.
  template <class Pause>
  KALABA_FN long advance_alone(Member<M, X>& member, const Method& method, const TimeGrid& time, long first, long steps,
                               const Pause& pause, const X& part, const Interval<X>* own) {
    if constexpr (Base::has_fast_path) {
      if (states_single_row<M>()) {
        if (own == nullptr) return advance_fast(*this, member, method, time, first, steps, pause, part);
        if constexpr (Base::differentiates) tangents.prepare(member.p);
        step_generally(member, method, *own, false, 0, part, member.status == X(0));
        return steps;
      }
    }
    if constexpr (!Base::has_fast_path || requires { M::states_single_row(); }) {
      return advance_generally(Solo{}, member, method, time, first, steps, pause, part, own);
    }
    return steps;
  }

  /// Returns true if the members of a run move by OpenMotion while their contacts are open.
  template <class Team>
  KALABA_FN static bool uses_open_motion([[maybe_unused]] const Watch& watch) {
    if constexpr (has_open_motion && Team::size == 1) return Open::serves(watch);
    return false;
  }

  /// Like `advance`, by one step of a member whose events are detected, or a part of it.
  template <class Team, class Pause>
  KALABA_FN void move(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time, long step,
                      const Watch& watch, const Pause& pause, const X& part, const Interval<X>* own) {
    if constexpr (has_open_motion && Team::size == 1) {
      if (uses_open_motion<Team>(watch)) {
        const X status = member.status;
        const Mask open = status == X(0);
        const Mask free = both(open, Open::is_open(watch, member.p));
        if (any(free)) Open::move(member, method, *own, part, free);
        if (all(either(free, !open))) return;
        const X moved = member.status;
        member.status = select(free, X(static_cast<int>(Status::interrupted)), status);
        advance(team, member, method, time, step, 1, pause, part, own);
        member.status = select(free, moved, member.status);
        return;
      }
    }
    advance(team, member, method, time, step, 1, pause, part, own);
  }

  /// Computes the rates of a member whose events are detected, at t; those of failed lanes are not used.
  template <class Team>
  KALABA_FN void find_rates(const Team& team, const Member<M, X>& member, const Method& method, const X& t,
                            [[maybe_unused]] const Watch& watch, State<X, nq, n>& dot) {
    Mask closed = X(0) < X(1);
    if constexpr (has_open_motion && Team::size == 1) {
      if (uses_open_motion<Team>(watch)) {
        Open::find_rates(member, method, t, dot);
        closed = !Open::is_open(watch, member.p);
        if (!any(both(member.status == X(0), closed))) return;
      }
    }
    find_rates_where(team, member, method, t, closed, dot);
  }

  /// Computes the rates of a member at t in the lanes `where`; those of failed lanes are not used.
  template <class Team>
  KALABA_FN void find_rates_where(const Team& team, const Member<M, X>& member, const Method& method, const X& t,
                                  const Mask& where, State<X, nq, n>& dot) {
    const auto p = prepared<M>(member.p);
    Mask open = where;
    if constexpr (Base::has_fast_path && Team::size == 1) {
      if (states_single_row<M>()) {
        FastRate<M, X> row;
        row.begin(both(where, member.rank == X(1)));
        row.evaluate(method, p, t, member, [](const auto&, const X&) KALABA_LAMBDA {});
        copy_where(team, row.valid, row.dot, dot);
        open = both(where, !row.valid);
        if (!team.any(both(member.status == X(0), open))) return;
      }
    }
    const auto rule = RankRule<X>::at_step(method, member.rank);
    rate.evaluate(team, method, rule, p, t, member.q, member.w, false, false);
    copy_where(team, open, rate.dot, dot);
  }

  /// Steps of a member with detection of its events.
  template <class Team, class Rows, class Pause>
  struct Watching {
    MemberLoop& loop;
    const Team& team;
    Member<M, X>& member;
    const Method& method;
    const TimeGrid& time;
    const Watch& watch;
    WatchedMember<M, X>& watched;
    const Rows& rows;
    const Pause& pause;
    Member<M, X>* origin = nullptr;  ///< receives the member after its last change until `until`, at `since`
    X* since = nullptr;
    double until = 0;
    X earlier[Watch::most_values] = {};  ///< values at the begin of the present step, or of the rest of it
    X later[Watch::most_values] = {};
    Leaving<X> leaving = {};  ///< of the present step, or of the rest of it
    bool ticks = false;       ///< some clock ticks at its end
    bool pauses = true;       ///< a pause may leave members within a step

    /// Makes a step of the grid, number `index` of the call; `is_known`: `earlier` and the rates are those at its
    /// begin. The first step of a call goes on where a pause has left it. Returns false if a pause leaves members
    /// within the step.
    KALABA_FN bool make_step(long step, long index, bool is_known) {
      const double end = time.at(step + 1);
      double from = time.at(step);
      bool goes_on = index == 0 && is_within();
      if (goes_on) {
        for (double to = next(from, end); to < end && team.any(X(to) <= watched.ticked); to = next(from, end))
          from = to;
        team.single([&]() KALABA_LAMBDA { watched.ticked = X(0) / X(0); });
      } else if (!is_known) {
        find(X(from), earlier, watched.dot_before);
      }
      do {
        const double to = next(from, end);
        const bool whole = !watch.changes() || (from == time.at(step) && to == end);
        const Interval<X> interval = whole ? Interval<X>::of(time, step) : Interval<X>::between(X(from), X(to));
        ticks = watch.has_clocks() && some_tick(watch, from, to);
        const bool of_grid = whole && !uses_open_motion<Team>(watch);
        const X here(static_cast<int>(index));
        if (!goes_on) make(interval, of_grid ? nullptr : &interval, step, here, member.status == X(0));
        if (watch.has_changing_events() && !make_rest(interval.end, step, here, goes_on)) {
          team.single([&]() KALABA_LAMBDA { watched.ticked = X(from); });
          return false;
        }
        goes_on = false;
        if (ticks) tick(from, to, here);
        go_on();
        from = to;
      } while (watch.changes() && from < end);
      return true;
    }

    /// Makes `steps` steps of the grid from step `first` on, or fewer after a pause request, and returns their number.
    /// In a step in which a clock ticks all lanes move together, and in every step if a run allows so many changes
    /// that a pause within a step may be needed.
    KALABA_NOINLINE long advance_by_lanes(long first, long steps) {
      const long window = method.max_changes > Method().max_changes ? 1 : 256;
      for (long i = 0; i < steps && any(member.status == X(0));) {
        if (i > 0 && pause.wanted()) return i;
        long until = i;
        while (until < steps && until < i + window && !ticks_in(first + until)) ++until;
        if (until == i || (i == 0 && is_within())) {
          if (!make_step(first + i, i, false)) return i;
          ++i;
        } else {
          if (!advance_lanes(first, i, until)) return i;
          i = until;
        }
      }
      return steps;
    }

   private:
    KALABA_FN bool ticks_in(long step) const {
      const double from = time.at(step);
      const double end = time.at(step + 1);
      return watch.has_clocks() && (next_tick(watch, from, end) < end || some_tick(watch, from, end));
    }

    /// Makes the steps i to `until` of the call. Lanes move independently of each other: each as far as no contact can
    /// close, and then all by one step together. Returns false if a pause leaves members within a single step.
    KALABA_FN bool advance_lanes(long first, long i, long until) {
      const X first_step(static_cast<double>(first));
      const X end(static_cast<double>(until));
      X at(static_cast<double>(i));
      ticks = false;
      bool is_known = false;  // the values and rates at `at`, in the lanes that move
      for (;;) {
        const auto moving = [&]() KALABA_LAMBDA { return both(member.status == X(0), at < end); };
        const Mask free = both(moving(), Open::is_open(watch, member.p));
        if (any(free)) {
          Open::advance(member, method, time, first, end, at, free);
          is_known = false;
        }
        const Mask open = moving();
        if (!any(open)) return true;
        const Interval<X> now = Interval<X>::of_each(time, first_step + at);
        const X status = member.status;
        member.status = select(open, status, X(static_cast<int>(Status::interrupted)));
        if (!is_known) find(now.begin, earlier, watched.dot_before);
        make(now, &now, 0, at, open);
        pauses = until == i + 1;
        const bool is_whole = make_rest(now.end, 0, at, false);
        pauses = true;
        member.status = select(open, member.status, status);
        if (!is_whole) {
          watched.ticked = X(time.at(first + i));  // not now.begin: lanes that have ended are at the next step
          return false;
        }
        at = at + select(open, X(1), X(0));
        go_on();
        is_known = true;
      }
    }
    /// Takes the values and rates at the end of a step as those at the beginning of the next.
    KALABA_FN void go_on() {
      for (int k = 0; k < watch.values(); ++k) earlier[k] = later[k];
      copy(team, watched.dot_after, watched.dot_before);
    }
    /// Returns true if a pause has left some member within a step: at `watched.cut`.
    KALABA_FN bool is_within() const {
      return watch.has_changing_events() && team.any(both(member.status == X(0), is_finite(watched.cut)));
    }
    /// End of the part of a step that begins at `from`: the next tick, or the end of the step.
    KALABA_FN double next(double from, double end) const {
      return watch.has_clocks() ? next_tick(watch, from, end) : end;
    }
    /// Computes the values of the expressions and the rates at t.
    KALABA_FN void find(const X& t, X* values, State<X, nq, n>& dot) {
      look(t, values);
      loop.find_rates(team, member, method, t, watch, dot);
      if (watch.changes()) leave(t, values, dot);
    }
    /// Finds how the events `watched.leaves` leave zero at t, where their values were computed last.
    KALABA_FN void leave(const X& t, X* values, const State<X, nq, n>& dot) {
      const StateView<X> state = {t, member.q.data, member.w.data, watched.observed.data};
      leaving.find(watch, member.p.data, state, dot.q.data, dot.w.data, watched.leaves);
      leaving.correct(watch, state, values, false);
    }
    KALABA_FN void look(const X& t, X* values) {
      loop.observe_for(watch, team, member, method, t, member, watched);
      const StateView<X> state = {t, member.q.data, member.w.data, watched.observed.data};
      watch_values(watch, member.p.data, state, values);
    }

    /// Moves the member over an interval in the lanes `open`, and detects the events. All other lanes must have a
    /// status.
    KALABA_FN void make(const Interval<X>& interval, const Interval<X>* own, long step, const X& index,
                        const Mask& open) {
      watched.copy(team, member, watched.before);
      if (watch.has_changing_events()) {
        team.single([&]() KALABA_LAMBDA {
          watched.fired = select(open, X(0), watched.fired);
          watched.cut = select(open, X(0) / X(0), watched.cut);
        });
      }
      loop.move(team, member, method, time, step, watch, pause, X(1), own);
      watched.keep_ends(team, open, watched.before.w, member.w, X(time.dt));
      const Mask moved = both(open, member.status == X(0));
      team.single(
          [&]() KALABA_LAMBDA { member.failed_step = select(both(open, !moved), index, watched.before.failed_step); });
      look(interval.end, later);
      X lost(0);
      if (watch.has_contacts()) {
        const StateView<X> here_now = {interval.end, member.q.data, member.w.data, watched.observed.data};
        lost = lost_contacts(watch, method, member.p.data, here_now, later, [&]() KALABA_LAMBDA {
          return ContactTerms<X>::template of<M>(watch, member.p, interval.end, member.q, member.w);
        });
      }
      loop.find_rates(team, member, method, interval.end, watch, watched.dot_after);
      if (watch.changes()) leaving.correct_end(watch, interval.end, later);
      const WatchedStep<Team, Rows, Pause> watched_step{loop,     team, member, method,  time, step,  index,
                                                        interval, own,  watch,  watched, rows, pause, leaving};
      watch_any_step(team, watch, member.p.data, moved, earlier, later, part_tolerance(interval.end, interval.length),
                     watched_step, watch.changes() ? &leaving : nullptr);
      if (watch.changes()) leave_behind(open, interval.end);
      if (watch.has_contacts()) {
        X closing(0);
        if (ticks) closing = loop.closing_contacts(team, watch, member, method, interval.end, watched);
        const Mask whole = both(both(moved, member.status == X(0)), !is_finite(watched.cut));
        const Mask late = both(whole, either(X(0) < lost, X(0) < closing));
        team.single([&]() KALABA_LAMBDA {
          watched.cut = select(late, interval.end, watched.cut);
          watched.fired = select(late, lost, watched.fired);
        });
      }
    }

    /// Ends the search in a step to t of the lanes `open`: events whose value has left zero leave it no more.
    KALABA_FN void leave_behind(const Mask& open, const X& t) {
      const Mask whole = both(both(open, member.status == X(0)), !is_finite(watched.cut));
      const bool leaves = team.any(both(whole, X(0) < watched.leaves));
      if (leaves) {
        loop.observe_for(watch, team, member, method, t, member, watched);
        const StateView<X> state = {t, member.q.data, member.w.data, watched.observed.data};
        const X still = leaving.still(watch, member.p.data, state, watched.leaves);
        team.single([&]() KALABA_LAMBDA { watched.leaves = select(whole, still, watched.leaves); });
      }
      leaving.clear(watch, open);
      if (leaves) leave(t, later, watched.dot_after);
    }

    /// Makes the changes to which events have led, and moves the member from there to `end`, in the lanes with a
    /// change. Returns false if a pause leaves members at `watched.cut`, behind the change there; a call that `goes_on`
    /// begins there.
    KALABA_NOINLINE bool make_rest(const X& end, long step, const X& index, bool goes_on) {
      State<X, nq, n> last_dot;
      X last[Watch::most_values];
      copy(team, watched.dot_after, last_dot);
      for (int i = 0; i < watch.values(); ++i) last[i] = later[i];
      Mask open = both(member.status == X(0), is_finite(watched.cut));
      while (team.any(open)) {
        const X t = select(open, watched.cut, end);
        if (!goes_on) change(t, index, open);
        find(t, earlier, watched.dot_before);
        keep(goes_on ? X(0) < X(1) : open, earlier, watched.dot_before, last, last_dot);
        open = both(both(open, member.status == X(0)), t < end);
        team.single([&]() KALABA_LAMBDA { watched.cut = select(open, watched.cut, X(0) / X(0)); });
        if (!team.any(open)) break;
        if (!goes_on && pauses && pause.wanted()) return false;
        goes_on = false;
        const Interval<X> rest = Interval<X>::between(select(open, t, end - X(time.dt)), end);
        const X status = member.status;
        team.single(
            [&]() KALABA_LAMBDA { member.status = select(open, status, X(static_cast<int>(Status::interrupted))); });
        make(rest, &rest, step, index, open);
        team.single([&]() KALABA_LAMBDA { member.status = select(open, member.status, status); });
        keep(open, later, watched.dot_after, last, last_dot);
        open = both(open, both(member.status == X(0), is_finite(watched.cut)));
      }
      copy(team, last_dot, watched.dot_after);
      for (int i = 0; i < watch.values(); ++i) later[i] = last[i];
      return true;
    }
    KALABA_FN void keep(const Mask& where, const X* values, const State<X, nq, n>& dot, X* last,
                        State<X, nq, n>& last_dot) {
      for (int i = 0; i < watch.values(); ++i) last[i] = select(where, values[i], last[i]);
      copy_where(team, where, dot, last_dot);
    }

    /// Makes the changes of events at t.
    KALABA_FN void change(const X& t, const X& index, const Mask& open) {
      loop.join_contacts(team, watch, member, method, t, open, watched, rows);
      loop.keep_zeros(team, watch, member, method, t, open, watched, [&]() KALABA_LAMBDA {
        Saltation<M, X> saltation;
        saltation.begin(loop, watch, member, method, t, open, watched.fired);
        end_change(loop.make_changes(team, watch, member, method, t, time.dt, open, watched, saltation.of_time), index,
                   open);
        saltation.end(loop, member, method, t, open);
      });
      note_origin(t, both(open, is_until(watch, t, X(until))));
    }
    /// Makes the changes of the clocks that tick at t; those until `made` are made.
    KALABA_NOINLINE void tick(double made, double t, const X& index) {
      const X when(t);
      const Mask open = member.status == X(0);
      loop.keep_zeros(team, watch, member, method, when, open, watched, [&]() KALABA_LAMBDA {
        end_change(loop.make_ticks(team, watch, member, method, when, &made, t, open, watched), index, open);
      });
      find(when, later, watched.dot_after);
      if (is_until(watch, t, until)) note_origin(when, open);
    }
    KALABA_FN void end_change(const X& code, const X& index, const Mask& open) {
      team.single([&]() KALABA_LAMBDA {
        member.failed_step = select(both(open, !(code == X(0))), index, member.failed_step);
        member.status = select(open, code, member.status);
      });
    }
    KALABA_FN void note_origin(const X& t, const Mask& changed) {
      if (origin == nullptr) return;
      watched.copy_where(team, changed, member, *origin);
      team.single([&]() KALABA_LAMBDA { *since = select(changed, t, *since); });
    }
  };

  /// A step, in the form that watch_step requires.
  template <class Team, class Rows, class Pause>
  struct WatchedStep {
    MemberLoop& loop;
    const Team& team;
    Member<M, X>& member;
    const Method& method;
    const TimeGrid& time;
    long step;
    X index;  ///< index of the step in the call
    const Interval<X>& interval;
    const Interval<X>* own;  ///< null for a step of the grid
    const Watch& watch;
    WatchedMember<M, X>& watched;
    const Rows& rows;
    const Pause& pause;
    const Leaving<X>& leaving;

    KALABA_FN static constexpr int parts() { return 4; }
    KALABA_FN StateView<X> look(const X& part) const {
      watched.copy(team, watched.before, watched.looked);
      Member<M, X>& looked = watched.looked;
      loop.move(team, looked, method, time, step, watch, pause, part, own);
      const X t = interval.at(part);
      loop.observe_for(watch, team, looked, method, t, looked, watched);
      return {t, looked.q.data, looked.w.data, watched.observed.data};
    }
    KALABA_FN StateView<X> glance(const X& part) const { return glance(part, false); }
    KALABA_FN StateView<X> glance_gaps(const X& part) const { return glance(part, true); }
    KALABA_FN StateView<X> glance(const X& part, bool for_gaps) const {
      go_to(part);
      const X t = interval.at(part);
      loop.observe_for(watch, team, member, method, t, watched.glanced, watched, for_gaps);
      return {t, watched.glanced.q.data, watched.glanced.w.data, watched.observed.data};
    }
    KALABA_FN X length() const { return interval.length; }
    KALABA_FN X zero_gap(int contact, const X& part) const {
      go_to(part);
      const X t = interval.at(part);
      const auto terms = ContactTerms<X>::template of<M>(watch, member.p, t, watched.glanced.q, watched.glanced.w);
      return ContactTolerance<X>::gap(contact, terms, method, t);
    }
    /// Puts `watched.glanced` on the cubic through the ends of the step.
    KALABA_FN void go_to(const X& part) const {
      const PlaceInStep<X> place = {part < X(1), part, X(1) - part, interval.length};
      for_numbers<nq, n>(team, [&](auto of, int i) KALABA_LAMBDA {
        of(watched.glanced)[i] = cubic_at(place, of(watched.before)[i], of(member)[i], of(watched.dot_before)[i],
                                          of(watched.dot_after)[i], X(0));
      });
    }
    /// Ends the step at this state.
    KALABA_FN void shorten(const Mask& counts, const StateView<X>& state) const { end(counts, state); }
    KALABA_FN void join(int event, const Mask& counts) const { watched.join(team, event, counts); }
    KALABA_FN void wait(int event, const Mask& counts) const { watched.wait(team, watch, event, counts); }
    KALABA_FN void record(int event, const Mask& counts, const StateView<X>& state) const {
      const bool stops = watch.events[event].action != EventAction::record;
      if constexpr (Base::differentiates) {
        EventColumns<M, X> columns;
        columns.find(loop, watch, event, method, watched.looked, state.t);
        columns.note(event, counts, rows);
        if (stops) columns.stop(counts, member.columns, member.of_stop);
      }
      record_event(team, {nq, n, Dim<M>::sensitivities}, event, recorded(watch, event, member.p.data, counts), state,
                   rows);
      if (stops) {
        stop(counts, state);
      } else if (watch.events[event].change.any()) {
        cut(event, both(counts, member.status == X(0)), state);
      }
    }

   private:
    KALABA_FN void stop(const Mask& counts, const StateView<X>& state) const {
      team.template for_each<nq>([&](int i) KALABA_LAMBDA { member.q[i] = select(counts, state.q[i], member.q[i]); });
      team.template for_each<n>([&](int i) KALABA_LAMBDA { member.w[i] = select(counts, state.w[i], member.w[i]); });
      team.single([&]() KALABA_LAMBDA {
        member.failed_step = select(counts, index, member.failed_step);
        member.status = select(counts, X(static_cast<int>(Status::stopped)), member.status);
        watched.ends = select(counts, state.t, watched.ends);
      });
    }
    /// Ends the step at an event that changes the member.
    KALABA_FN void cut(int event, const Mask& counts, const StateView<X>& state) const {
      const MaskOf<X> is_stuck = leaving.is_stuck(event, state.t, interval.length);
      const X flag = select(is_stuck, X(Flags<X>::stuck), Flags<X>::value(event));
      end(counts, state);
      team.single([&]() KALABA_LAMBDA { watched.fired = watched.fired + select(counts, flag, X(0)); });
    }
    /// Ends the step at this state, that of `watched.looked`. Events whose value has left zero leave it no more.
    KALABA_FN void end(const Mask& counts, const StateView<X>& state) const {
      const X failed_step = member.failed_step;
      const X still = leaving.still(watch, watched.looked.p.data, state, watched.leaves);
      watched.copy_where(team, counts, watched.looked, member);
      team.single([&]() KALABA_LAMBDA {
        member.failed_step = failed_step;
        watched.cut = select(counts, state.t, watched.cut);
        watched.leaves = select(counts, still, watched.leaves);
      });
    }
  };

  /// Gives the pseudo-inverse, if it has one, the warm start of the member.
  template <class Team>
  KALABA_FN void load_rotation(const Team& team, const Member<M, X>& member) {
    if constexpr (requires(typename Rate::Inverse & inverse) { inverse.rotation.data; }) {
      team.template for_each<m * m>([&](int i)
                                        KALABA_LAMBDA { rate.inverse.rotation.data[i] = member.rotation.data[i]; });
    }
  }
  /// Stores the warm start of the next step in the lanes `moving`. A lane at rest keeps its own: it must not depend on
  /// the number of steps that its neighbours make meanwhile.
  template <class Team>
  KALABA_FN void store_rotation(const Team& team, Member<M, X>& member, const Mask& moving) {
    if constexpr (requires(typename Rate::Inverse & inverse) { inverse.rotation.data; }) {
      team.template for_each<m * m>([&](int i) KALABA_LAMBDA {
        X& own = member.rotation.data[i];
        own = select(moving, rate.inverse.rotation.data[i], own);
      });
    }
  }
};

}  // namespace kalaba
