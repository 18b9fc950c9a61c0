#pragma once

#include "kalaba/core/base/part.hpp"
#include "kalaba/core/loop/integrators.hpp"

namespace kalaba {

/// Additional workspace of a member whose events are detected.
template <class Loop, bool Watches>
struct SpaceOf {
  typename Loop::Space space;
};
template <class Loop>
struct SpaceOf<Loop, false> {};

/// Returns true if a pseudo-inverse keeps the rotation from which the next factorization starts. A function, because
/// NVRTC 12.0 to 12.5 crash on a requires-expression in the initializer of a static member.
template <class Inverse>
KALABA_FN constexpr bool has_rotation() {
  return requires(Inverse inverse) { inverse.rotation.data; };
}

/// Replaces a Watch if no events are detected.
struct Unwatched {};

/// A loop that only starts and observes members, for every integrator.
template <class M, class X, template <class, int, int> class Inverse>
struct StandingLoop : MemberWorkspace<M, X, Inverse> {
  using PersistentState = Member<M, X>;
  using Space = EventSpace<M, X>;
  static constexpr bool keeps_rotation = false;
};

/// Access to the rows of a member's events.
template <class X, class Place>
struct PlaceRows {
  const Place& place;
  bool notes;

  KALABA_FN bool keeps() const { return notes; }
  KALABA_FN X get(int row) const { return place.template get<X>(Part::events, row); }
  KALABA_FN void put(int row, const X& value) const { place.put(Part::events, row, value); }
};

namespace detail {

/// Passes the observed quantities of a member to `out`: compiled once for all loops.
template <class Team, class M, class X, template <class, int, int> class Inverse, class Out>
KALABA_NOINLINE void observe_member(const Team& team, MemberWorkspace<M, X, Inverse>& workspace,
                                    const Member<M, X>& member, const Method& method, const X& time,
                                    Observed<M, X>& observed, Out& out) {
  workspace.observe(team, member, method, time, observed);
  team.single([&]() KALABA_LAMBDA {
    out.status(member.status);
    for_each_field(observed, [&](Field field, const X* values, int components)
                                 KALABA_LAMBDA { out.put(field, values, components); });
  });
}

}  // namespace detail

/// Operations of a backend on one member of a batch (or one per lane), and their workspace: registers of a thread, a
/// CPU's stack, or shared memory of a tile. The location of the batch and the workers are template arguments:
///
///   - Place: get<X>(Part, row), put(Part, row, X) and status<X>() of the member; end(status, time_of), which stores
///     a changed status and the time time_of(lane); ended<X>(time): time at which the motion ended, or `time` if it has
///     not; and pause(), a Pause (core/base/pause.hpp);
///   - Out: status(X) and put(Field, values, count) of the observed quantities;
///   - Team: the workers.
///
/// Loop is an integrator's (LoopOf), which is a TimeLoop, or StandingLoop; with `Watches`, events are detected and
/// clocks tick if there are any.
template <class M, class X, template <class, int, int> class Inverse,
          template <class, class, template <class, int, int> class> class Loop = MemberLoop, bool Watches = false>
struct MemberWork : SpaceOf<Loop<M, X, Inverse>, Watches> {
  using Model = M;
  using Number = X;
  using PersistentState = typename Loop<M, X, Inverse>::PersistentState;
  static constexpr int np = Dim<M>::parameters;
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  static constexpr bool warm_starts =
      Loop<M, X, Inverse>::keeps_rotation && has_rotation<Inverse<X, m, actuation_directions<M>()>>();
  static constexpr int rotations = warm_starts ? m * m : 0;
  static constexpr int columns = Dim<M>::sensitivities;
  static constexpr int persistent = PersistentState::persistent;
  static constexpr bool watches = Watches;

  PersistentState member;
  Loop<M, X, Inverse> loop;
  Observed<M, X> observed;

  /// Sets the variables of differentiation.
  KALABA_FN void ask(const Sensitivities& asked) {
    if constexpr (columns > 0) loop.tangents.asked = asked;
  }

  /// Starts a member, and makes the changes of clocks that tick at its start.
  template <class Team, class Place, class W = Unwatched>
  KALABA_FN void start(const Team& team, const Place& place, const Method& method, double time, bool project,
                       const W& watch = {}) {
    load(team, place);
    team.single([&]() KALABA_LAMBDA {
      member.rank = X(-1);
      member.approach = X(0);
      member.for_each_persistent([](X* numbers, int count) KALABA_LAMBDA {
        for (int i = 0; i < count; ++i) numbers[i] = X(0);
      });
    });
    loop.start(team, member, method, X(time), project);
    if constexpr (Watches && requires { watch.clock_count; }) {
      if (watch.changes()) {
        const auto alive = member.status == X(0);
        this->space.keep_ends(team, X(0) < X(1), member.w, member.w, X(watch.step));
        const X code = loop.make_ticks(team, watch, member, method, X(time), static_cast<const double*>(nullptr), time,
                                       alive, this->space, project);
        const X settled =
            loop.settle(team, watch, member, method, X(time), alive, code, this->space, Status::not_assembled, project);
        team.single([&]() KALABA_LAMBDA { member.status = select(alive, settled, member.status); });
        store_discrete(team, place, watch);
      }
    }
    store(team, place, [&](int) KALABA_LAMBDA { return time; });
  }

  /// Returns the number of steps made: fewer than `steps` after a pause request.
  template <class Team, class Place, class W>
  KALABA_FN long advance(const Team& team, const Place& place, const Method& method, const W& watch,
                         const TimeGrid& time, long first_step, long steps) {
    const auto pause = place.pause();
    static_assert(TimeLoop<Loop<M, X, Inverse>, decltype(pause)>);
    long made = 0;
    load(team, place);
    if constexpr (Watches) {
      if (has_events(watch)) made = advance_watching(team, place, method, watch, time, first_step, steps);
    }
    if constexpr (Watches) {
      if (watch.changes()) store_discrete(team, place, watch);
    }
    if (!has_events(watch)) made = loop.advance(team, member, method, time, first_step, steps, pause);
    store(team, place, [&](int lane) KALABA_LAMBDA {
      if constexpr (Watches) {  // without events no member stops
        if (lane_of(member.status, lane) == static_cast<int>(Status::stopped)) return ends_of(lane);
      }
      return loop.time_of(member, time, first_step, lane);
    });
    return made;
  }

  /// Passes the observed quantities to `out`.
  template <class Team, class Place, class Out>
  KALABA_FN void observe(const Team& team, const Place& place, const Method& method, double time, Out& out) {
    load(team, place);
    detail::observe_member(team, loop, member, method, place.template ended<X>(time), observed, out);
  }

  /// Like observe, at t, which lies between step `step` of the grid, where the member is, and the next, or at an
  /// earlier event that stops the member; the batch is not changed.
  template <class Team, class Place, class W, class Out>
  KALABA_FN void observe_between(const Team& team, const Place& place, const Method& method, const W& watch,
                                 const TimeGrid& time, long step, double t, Out& out) {
    load(team, place);
    X at = place.template ended<X>(t);
    if constexpr (Watches) {
      if (has_events(watch)) {
        watch_between(team, place, method, watch, time, step, t);
        at = select(member.status == X(static_cast<int>(Status::stopped)), this->space.ends, at);
      }
    }
    if (!has_events(watch)) loop.advance_to(team, member, method, time, step, t, place.pause());
    detail::observe_member(team, loop, member, method, at, observed, out);
  }

  template <class Team, class Place>
  KALABA_FN void load(const Team& team, const Place& place) {
    load_rows<np>(team, place, Part::parameters, member.p.data);
    load_rows<nq>(team, place, Part::q, member.q.data);
    load_rows<n>(team, place, Part::w, member.w.data);
    load_rows<rotations>(team, place, Part::rotation, member.rotation.data);
    team.single([&]() KALABA_LAMBDA {
      member.status = place.template status<X>();
      member.failed_step = X(0);
      for_each_single_part(member,
                           [&](Part part, X& number) KALABA_LAMBDA { number = place.template get<X>(part, 0); });
      int row = 0;
      member.for_each_persistent([&](X* numbers, int count) KALABA_LAMBDA {
        for (int i = 0; i < count; ++i) numbers[i] = place.template get<X>(Part::persistent, row++);
      });
    });
    team.template for_each<1>([](int) KALABA_LAMBDA {});  // makes the member visible to all workers
  }

  /// Stores the member. A member (or lane) that failed in this call did so at time_of(lane).
  template <class Team, class Place, class TimeOf>
  KALABA_FN void store(const Team& team, const Place& place, const TimeOf& time_of) {
    store_rows<nq>(team, place, Part::q, member.q.data);
    store_rows<n>(team, place, Part::w, member.w.data);
    store_rows<rotations>(team, place, Part::rotation, member.rotation.data);
    team.single([&]() KALABA_LAMBDA {
      place.end(member.status, time_of);
      for_each_single_part(member, [&](Part part, const X& number) KALABA_LAMBDA { place.put(part, 0, number); });
      int row = 0;
      member.for_each_persistent([&](const X* numbers, int count) KALABA_LAMBDA {
        for (int i = 0; i < count; ++i) place.put(Part::persistent, row++, numbers[i]);
      });
    });
  }

 private:
  template <class W>
  KALABA_FN static bool has_events(const W& watch) {
    if constexpr (Watches) {
      return watch.any();
    } else {
      return false;
    }
  }

  template <class Team, class Place>
  KALABA_FN long advance_watching(const Team& team, const Place& place, const Method& method, const Watch& watch,
                                  const TimeGrid& time, long first_step, long steps) {
    const PlaceRows<X, Place> rows = event_rows(team, place, true);
    const auto pause = place.pause();
    const long made =
        loop.advance_watching(team, member, method, time, first_step, steps, watch, this->space, rows, pause);
    team.single([&]() KALABA_LAMBDA { each_row([&](int row, X& number) KALABA_LAMBDA { rows.put(row, number); }); });
    return made;
  }

  template <class Team, class Place>
  KALABA_FN void watch_between(const Team& team, const Place& place, const Method& method, const Watch& watch,
                               const TimeGrid& time, long step, double t) {
    const PlaceRows<X, Place> rows = event_rows(team, place, false);
    loop.advance_watching_to(team, member, method, time, step, t, watch, this->space, rows, place.pause());
  }

  template <class Team, class Place>
  KALABA_FN PlaceRows<X, Place> event_rows(const Team& team, const Place& place, bool notes) {
    const PlaceRows<X, Place> rows = {place, notes};
    team.single([&]() KALABA_LAMBDA { each_row([&](int row, X& number) KALABA_LAMBDA { number = rows.get(row); }); });
    return rows;
  }
  /// Calls visit(row, number) for the rows of a member that are of no single event.
  template <class Visit>
  KALABA_FN void each_row(const Visit& visit) {
    constexpr EventRows at = {0, 0};
    visit(at.ends(), this->space.ends);
    visit(at.cut(), this->space.cut);
    visit(at.fired(), this->space.fired);
    visit(at.window(), this->space.window);
    visit(at.changes(), this->space.changes);
    visit(at.ticked(), this->space.ticked);
    visit(at.leaves(), this->space.leaves);
  }
  KALABA_FN double ends_of(int lane) const { return static_cast<double>(lane_of(this->space.ends, lane)); }

  /// Stores the discrete variables, which a change may have set.
  template <class Team, class Place, class W>
  KALABA_FN void store_discrete(const Team& team, const Place& place, const W& watch) {
    team.template for_each<np>([&](int i) KALABA_LAMBDA {
      if (i >= watch.first_discrete) place.put(Part::parameters, i, member.p[i]);
    });
  }

  template <int Rows, class Team, class Place>
  KALABA_FN static void load_rows(const Team& team, const Place& place, Part part, X* to) {
    team.template for_each<Rows>([&](int i) KALABA_LAMBDA { to[i] = place.template get<X>(part, i); });
  }
  template <int Rows, class Team, class Place>
  KALABA_FN static void store_rows(const Team& team, const Place& place, Part part, const X* from) {
    team.template for_each<Rows>([&](int i) KALABA_LAMBDA { place.put(part, i, from[i]); });
  }
};

}  // namespace kalaba
